# SPDX-License-Identifier: GPL-2.0-or-later
"""filters_world: processes whose traffic differs from one flow in one thing each: what each filter of a tool must drop.

Input: the folder of two cgroups, two network namespaces made by filters.lib, a folder; then, line by line, "KIND BASE"
from its fifo "go": each flow makes that traffic over IPv4 and IPv6, its ports counted from BASE. Output: in the folder "pids"
(JSON: of each process), then for each line "said" (JSON: what each flow counted, by name and family), and a line in "done".

A flow is made by one process, both ends. Its addresses are its own: 10.99.0.N and fd00:d:99::N, but for "host", which is in
no network that a filter names and has a long address.
"""
import array
import ctypes
import json
import os
import socket
import struct
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ID = "0123456789abcdef" * 4
OTHER_ID = "fedcba9876543210" * 4
NAME = b'w"\\,\x01<e'  # of all processes: what JSON, CSV and a terminal must be spared
# name: network namespace (0, 1), cgroup below the folder
PROCESSES = {
    "main": (0, f"a/docker-{ID}.scope"), "pid": (0, f"a/docker-{ID}.scope"), "netns": (1, f"a/docker-{ID}.scope"),
    "cgroup": (0, f"b/docker-{ID}.scope"), "container": (0, f"a/docker-{OTHER_ID}.scope"),
}
# name: process, local port of the client and of the server (from BASE)
FLOWS = {
    "base": ("main", 1, 0), "pid": ("pid", 1, 0), "netns": ("netns", 1, 0), "cgroup": ("cgroup", 1, 0),
    "container": ("container", 1, 0), "host": ("main", 1, 0), "lport": ("main", 2, 0), "rport": ("main", 1, 3),
    "ports": ("main", 2, 3),
}
NET4, NET6 = "10.99.0.0/28,10.89.0.0/16", "fd00:d:99::/64,fd00:d:89::/48"  # the second ones: strangers behind the device
REQUEST, ANSWER = 4096, 2048  # bytes of a connection
DATAGRAM, REPLY = 3072, 1024
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
SO_ATTACH_FILTER, SO_DETACH_FILTER, SO_MEMINFO, MEMINFO_DROPS = 26, 27, 55, 8
TCPI_TOTAL_RETRANS = 100  # offset in struct tcp_info


def address(flow, family):
    if flow == "host":
        return "10.98.0.1" if family == 4 else "fd00:d:98:1:2:3:4:5678"
    n = list(FLOWS).index(flow) + 1
    return f"10.99.0.{n}" if family == 4 else f"fd00:d:99::{n}"


def take(sock, n):
    while n > 0:
        n -= len(sock.recv(n))


def make(family, kind, host, port):
    s = socket.socket(FAMILIES[family], kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((host, port))
    return s


def connection(family, host, client_port, server_port):
    server = make(family, socket.SOCK_STREAM, host, server_port)
    server.listen(5)
    client = make(family, socket.SOCK_STREAM, host, client_port)
    client.connect((host, server_port))
    taken, _ = server.accept()
    server.close()
    return client, taken


def tcp(family, host, client_port, server_port):
    client, taken = connection(family, host, client_port, server_port)
    client.sendall(bytes(REQUEST))
    take(taken, REQUEST)
    taken.sendall(bytes(ANSWER))
    take(client, ANSWER)
    client.close()
    taken.recv(1)
    taken.close()


def again(family, host, client_port, server_port):
    """Data that the receiver's filter throws away is sent again."""
    client, taken = connection(family, host, client_port, server_port)
    code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
    taken.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(code)))
    client.sendall(bytes(100))
    while not retransmits(client):
        time.sleep(0.002)
    taken.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
    take(taken, 100)
    n = retransmits(client)
    drops = struct.unpack("9I", taken.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))[MEMINFO_DROPS]
    client.close()
    taken.recv(1)
    taken.close()
    return {"retransmits": n, "drops": drops}


def reset(family, host, client_port, server_port):
    """The server closes while there is data that it has not read."""
    client, taken = connection(family, host, client_port, server_port)
    client.sendall(bytes(REQUEST))
    taken.recv(1)
    taken.close()
    try:
        client.recv(1)
    except ConnectionResetError:
        pass
    client.close()


def retransmits(sock):
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return struct.unpack_from("I", info, TCPI_TOTAL_RETRANS)[0]


def udp(family, host, client_port, server_port):
    server = make(family, socket.SOCK_DGRAM, host, server_port)
    client = make(family, socket.SOCK_DGRAM, host, client_port)
    client.connect((host, server_port))
    client.send(bytes(DATAGRAM))
    _, whence = server.recvfrom(DATAGRAM)
    server.sendto(bytes(REPLY), whence)
    client.recv(REPLY)
    client.close()
    server.close()


def ecn(family, host, client_port, server_port):
    """A datagram that met congestion."""
    server = make(family, socket.SOCK_DGRAM, host, server_port)
    client = make(family, socket.SOCK_DGRAM, host, client_port)
    client.setsockopt(*((socket.IPPROTO_IP, socket.IP_TOS) if family == 4 else (socket.IPPROTO_IPV6, socket.IPV6_TCLASS)), 3)
    client.sendto(b"congestion", (host, server_port))
    server.recv(100)
    client.close()
    server.close()


def dns(family, host, client_port, _):
    server = make(family, socket.SOCK_DGRAM, host, 53)
    client = make(family, socket.SOCK_DGRAM, host, client_port)
    client.connect((host, 53))
    question = b"\5hello\7example\0\0\1\0\1"
    client.send(struct.pack("!6H", 4711, 0x100, 1, 0, 0, 0) + question)
    _, whence = server.recvfrom(2000)
    time.sleep(0.02)
    server.sendto(struct.pack("!6H", 4711, 0x8180, 1, 1, 0, 0) + question + b"\300\14\0\1\0\1\0\0\0\1\0\4\1\2\3\4", whence)
    client.recv(2000)
    client.close()
    server.close()


def lookup(*_):
    socket.getaddrinfo("localhost", 80)  # an address would be no lookup


def checksum(data):
    s = sum(struct.unpack(f"!{len(data) // 2}H", data))
    s = (s >> 16) + (s & 0xffff)
    return ~(s + (s >> 16)) & 0xffff


def ping(family, host, *_):
    s = socket.socket(FAMILIES[family], socket.SOCK_RAW, socket.IPPROTO_ICMP if family == 4 else socket.IPPROTO_ICMPV6)
    data = struct.pack("!BBHHH", 8 if family == 4 else 128, 0, 0, 77, 1)
    s.sendto(data[:2] + struct.pack("!H", checksum(data) if family == 4 else 0) + data[4:], (host, 0))
    s.settimeout(5)
    while s.recv(2000)[20 if family == 4 else 0] not in (0, 129):
        pass
    s.close()


def neighbour(family, host, _, port):
    """A datagram to one that nobody knows: another one in each round."""
    n = port // 4 % 250
    if family == 4:
        there = host.replace("10.9", "10.8").replace(".0.", f".{n}.")
    else:
        there = f"fd00:d:{88 if ':98:' in host else 89}:{n:x}::{host.split(':')[-1]}"
    with socket.socket(FAMILIES[family], socket.SOCK_DGRAM) as s:
        s.sendto(b"who is there", (there, 9))


def passed(*_):
    a, b = socket.socketpair()
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    fds = array.array("i", [0])
    _, control, _, _ = b.recvmsg(1, socket.CMSG_LEN(4))
    fds.frombytes(control[0][2])
    os.close(fds[1])
    a.close()
    b.close()


def enter(netns, cgroup):
    with open(f"{cgroup}/cgroup.procs", "w") as f:
        f.write(str(os.getpid()))
    fd = os.open(f"/run/netns/{netns}", os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0x40000000):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)
    with open("/proc/self/comm", "wb") as f:
        f.write(NAME)


def process(name, netns, cgroup, orders, answers):
    enter(netns, cgroup)
    os.write(answers, b"{}\n")
    for line in os.fdopen(orders):
        kind, base = line.split()
        flows = {f"{f}{i}": (i, address(f, i), int(base) + client, int(base) + server)
                 for f, (who, client, server) in FLOWS.items() if who == name for i in FAMILIES}
        with ThreadPoolExecutor(len(flows)) as pool:
            said = {f: pool.submit(globals()[kind], *args) for f, args in flows.items()}
        os.write(answers, (json.dumps({f: r.result() for f, r in said.items()}) + "\n").encode())


def main():
    folder, *netns, tmp = sys.argv[1:]
    pids, orders, answers = {}, [], []
    for name, (number, cgroup) in PROCESSES.items():
        order, answer = os.pipe(), os.pipe()
        pids[name] = os.fork()
        if not pids[name]:
            for o in orders:
                os.close(o)
            os.close(order[1])
            process(name, netns[number], f"{folder}/{cgroup}", order[0], answer[1])
            os._exit(0)
        os.close(order[0])
        os.close(answer[1])
        orders.append(order[1])
        answers.append(os.fdopen(answer[0]))
    for a in answers:
        a.readline()
    with open(f"{tmp}/pids", "w") as f:
        json.dump(pids, f)
    with open(f"{tmp}/done", "w") as done:
        done.write("ready\n")
        done.flush()
        for line in os.fdopen(os.open(f"{tmp}/go", os.O_RDWR)):
            for o in orders:
                os.write(o, line.encode())
            said = {}
            for a in answers:
                said.update(json.loads(a.readline() or '{"died": 1}'))
            with open(f"{tmp}/said", "w") as f:
                json.dump(said, f)
            done.write("done\n")
            done.flush()


if __name__ == "__main__":
    main()
