# SPDX-License-Identifier: GPL-2.0-or-later
"""talk: traffic for a report, by a process that has a hostile name.

Usage: talk.py SECONDS. Prints pid=, port=, sent= (bytes that the client sent, as the server returned them), opened= and
refused= connections.
"""
import ctypes
import os
import socket
import sys
import threading
import time

ctypes.CDLL(None).prctl(15, b"</td><script>a", 0, 0, 0)  # PR_SET_NAME
server = socket.create_server(("127.0.0.1", 0))
end = time.monotonic() + float(sys.argv[1])
sent = opened = 0


def serve():
    while True:
        conn, _ = server.accept()
        while data := conn.recv(65536):
            conn.sendall(data)
        conn.close()


threading.Thread(target=serve, daemon=True).start()
while time.monotonic() < end:
    with socket.create_connection(server.getsockname()) as client:
        client.sendall(b"x" * 5000)
        got = 0
        while got < 5000:
            got += len(client.recv(65536))
        sent += 5000
        opened += 1
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", 1)) != 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"x", ("127.0.0.1", 9))  # no socket there: a drop
    time.sleep(0.02)
print("pid=%d\nport=%d\nsent=%d\nopened=%d\nrefused=%d" % (os.getpid(), server.getsockname()[1], sent, opened, opened))
