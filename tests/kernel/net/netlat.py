# SPDX-License-Identifier: GPL-2.0-or-later
"""serve|ask KIND ADDRESS: rounds of request and answer on one TCP connection, with a delay on purpose. Output: what the
client saw (us). relay NETNS NETNS: passes packets between two namespaces, each after 20 ms, as another network does."""
import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import time

role, kind, address = sys.argv[1:]
burned = kind in ("wake-up", "preempted")
CPU = {0}
PORT = 7700
ROUNDS, DELAY = 6, 0.05
BATCHES, BATCH = 25, 8
REQUEST = {"window": 200000, "pacing": 30000, "qdisc": 1000}.get(kind, 100)


def take(sock, n):
    while n:
        n -= len(sock.recv(n)) or sys.exit("the connection ended early")


def burn(go):
    """Keeps the reader from its processor, each time it is asked to."""
    os.sched_setaffinity(0, CPU)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    while os.read(go, 1):
        end = time.monotonic() + DELAY
        while time.monotonic() < end:
            pass
    os._exit(0)


def tun(netns):
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    libc = ctypes.CDLL(None)
    libc.setns(os.open(f"/run/netns/{netns}", os.O_RDONLY), 0)
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, 0x400454CA, struct.pack("16sH", b"far", 0x1001))  # TUNSETIFF: IFF_TUN | IFF_NO_PI
    libc.setns(home, 0)
    return fd


def relay(one, two):
    ends = [tun(one), tun(two)]
    print("ready", flush=True)
    while os.getppid() != 1:
        for fd in select.select(ends, [], [], 0.5)[0]:
            data = os.read(fd, 2000)
            time.sleep(0.02)
            try:
                os.write(ends[fd == ends[0]], data)
            except OSError:
                pass  # it is not up yet


def serve_many():
    """As a server without keep-alive: the kernel gives the memory of its sockets to those of the client."""
    sock = socket.create_server((address, PORT), backlog=BATCH)
    for _ in range(BATCHES * BATCH):
        peer = sock.accept()[0]
        take(peer, REQUEST)
        peer.sendall(b"answer")
        peer.close()


def ask_many():
    old = []
    for _ in range(BATCHES):
        socks = [connected() for _ in range(BATCH)]
        for sock in old:
            sock.close()
        for sock in socks:
            sock.sendall(bytes(REQUEST))
            while sock.recv(100):
                pass
        old = socks


def connected():
    for _ in range(100):
        sock = socket.socket()
        sock.settimeout(10)
        if kind == "pacing":
            sock.setsockopt(socket.SOL_SOCKET, 47, 200000)  # SO_MAX_PACING_RATE
        if sock.connect_ex((address, PORT)) == 0:
            return sock
        sock.close()
        time.sleep(0.02)
    sys.exit("no connection")


def serve():
    if burned:
        os.sched_setaffinity(0, CPU)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if kind == "window":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.bind((address, PORT))
    sock.listen()
    peer = sock.accept()[0]
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(ROUNDS):
        if kind in ("socket", "window"):
            time.sleep(DELAY)
        if kind == "unread":  # it is answered first
            time.sleep(DELAY / 2)
            peer.sendall(b"answer")
        take(peer, REQUEST * (1 + (kind == "tail")))
        if kind == "unread":
            continue
        if kind in ("server", "far", "ahead"):
            time.sleep(DELAY / 2 if kind == "ahead" else DELAY)
        if kind == "unseen":  # by a call that netlat does not trace
            time.sleep(DELAY)
            os.pwritev(peer.fileno(), [b"answer"], -1)
            continue
        peer.sendall(b"answer")
    peer.recv(1)


def ask():
    sock = connected()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    go = os.pipe()
    if burned and not os.fork():
        os.close(go[1])
        burn(go[0])
    if burned:  # where there is only one processor, it sends while that is kept from the reader
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    times = []
    for _ in range(ROUNDS if kind == "ahead" else 0):  # all are asked, then all are answered
        sock.sendall(bytes(REQUEST))
        time.sleep(0.002)
    if kind == "ahead":
        take(sock, ROUNDS * len("answer"))
    for _ in range(ROUNDS if kind != "ahead" else 0):
        if kind == "wake-up":
            time.sleep(0.1)  # the reader waits again; "preempted": it may still be in the call that has answered
        if burned:
            os.write(go[1], b".")
            time.sleep(0.005)
        if kind == "neighbour":  # who forgets its address asks twice, and has the answer late
            subprocess.run(["ip", "neigh", "flush", "dev", "va"], check=True)
        began = time.monotonic_ns()
        if kind == "unseen":
            os.pwritev(sock.fileno(), [bytes(REQUEST)], -1)
        else:
            sock.sendall(bytes(REQUEST))
        if kind == "tail":  # the last segment is lost
            time.sleep(0.005)
            sock.sendall(bytes(REQUEST))
        if kind == "reader":
            time.sleep(DELAY)
        sock.recv(100)
        times.append((time.monotonic_ns() - began) // 1000)
    print(f"rounds={ROUNDS}\nwhole={sum(times)}")
    sock.close()


if role == "relay":
    relay(kind, address)
elif role == "serve":
    serve_many() if kind == "closes" else serve()
else:
    ask_many() if kind == "closes" else ask()
