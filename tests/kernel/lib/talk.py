# SPDX-License-Identifier: GPL-2.0-or-later
"""talk.py NETNS ADDRESS6 ADDRESS4 PEER_NETNS [DEVICE]: a process in NETNS, talk_client, and one in PEER_NETNS, talk_server at
these addresses, exchange a TCP message each way and five datagrams each way, with IPv4 and IPv6. DEVICE: what the server
is bound to (SO_BINDTODEVICE), for example a VRF. They use port 7100."""
import ctypes, os, socket, sys, time

netns, address6, address4, peer = sys.argv[1:5]
device = sys.argv[5].encode() if len(sys.argv) > 5 else b""
ends = ((socket.AF_INET, address4), (socket.AF_INET6, address6))

def enter(name, space):
    open("/proc/self/comm", "w").write(name)
    fd = os.open(f"/run/netns/{space}", os.O_RDONLY)
    if ctypes.CDLL(None).setns(fd, 0):
        sys.exit(f"no namespace {space}")

def server_socket(family, kind, address):
    s = socket.socket(family, kind)
    s.settimeout(20)
    if device:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device + b"\0")
    s.bind((address, 7100))
    return s

def serve(ready):
    enter("talk_server", peer)
    all_of = [(server_socket(f, socket.SOCK_STREAM, a), server_socket(f, socket.SOCK_DGRAM, a)) for f, a in ends]
    for listener, _ in all_of:
        listener.listen()
    os.write(ready, b"x")
    for listener, datagrams in all_of:
        c, _ = listener.accept()
        c.sendall(c.recv(100))
        c.recv(1)
        c.close()
        for _ in range(5):
            data, to = datagrams.recvfrom(100)
            datagrams.sendto(data, to)
    os._exit(0)

r, w = os.pipe()
child = os.fork()
if child == 0:
    try:
        serve(w)
    finally:
        os._exit(1)
os.close(w)
if not os.read(r, 1):
    sys.exit("the server does not start")
enter("talk_client", netns)
for family, address in ends:
    with socket.create_connection((address, 7100), timeout=20) as c:
        c.sendall(bytes(50))
        c.recv(100)
    with socket.socket(family, socket.SOCK_DGRAM) as u:
        u.settimeout(20)
        for i in range(5):
            u.sendto(bytes(20), (address, 7100))
            u.recv(100)
print(f"server_failed={os.waitpid(child, 0)[1]}")
time.sleep(0.3)  # the last acknowledgements
