# SPDX-License-Identifier: GPL-2.0-or-later
"""problems.py NAME: makes an everyday problem between the namespaces $SHOP (10.0.0.1) and $DB (10.0.0.7).

The process in SHOP is named shop, that in DB is named db. Numbers that a test compares are printed as key=value."""
import ctypes, errno, os, select, signal, socket, struct, subprocess, sys, threading, time

ADDRESS = "10.0.0.7"


def enter(name):
    """This process becomes the one of that name, in its namespace."""
    with open("/proc/self/comm", "w") as f:
        f.write(name)
    fd = os.open("/run/netns/" + os.environ[name.split("-")[0].upper()], os.O_RDONLY)
    if ctypes.CDLL(None).setns(fd, 0):
        sys.exit("no namespace for " + name)
    os.close(fd)


def beside(name, function, *args):
    """Runs function(ready, ...) in a process of that name; returns when it has called ready()."""
    r, w = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(r)
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it dies with its parent
            enter(name)
            function(lambda: os.write(w, b"x"), *args)
        finally:
            os._exit(0)
    os.close(w)
    if not os.read(r, 1):
        sys.exit(name + " does not start")
    os.close(r)
    return child


def end(child):
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def connect(port=5432, timeout=5, address=ADDRESS):
    return socket.create_connection((address, port), timeout=timeout)


def listener(port=5432, backlog=64, address=ADDRESS):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.listen(backlog)
    return s


def wait():
    """What has been made lasts until the test ends it."""
    print("ready", flush=True)
    signal.pause()


# ---- connecting ----
def tries(n, port=5432, address=ADDRESS, timeout=5):
    """shop connects n times; says with what error it failed, and goes on."""
    enter("shop")
    for _ in range(n):
        try:
            connect(port, timeout, address).close()
        except OSError as e:
            print(f"failed={errno.errorcode.get(e.errno, e)}", flush=True)


def refused():
    tries(3)


def no_answer(timeout=None):
    tries(1, timeout=timeout and float(timeout))


def no_route():
    for n in range(10, 14):
        tries(1, address=f"192.0.2.{n}")


def nobody_there():
    tries(1, address="10.0.0.9", timeout=None)


def serve(ready, port=5432, answer=None, backlog=64, address=ADDRESS):
    """db accepts and reads; answer(connection, data) answers."""
    s = listener(port, backlog, address)
    ready()

    def one(c):
        try:
            while data := c.recv(1 << 16):
                if answer:
                    answer(c, data)
        except OSError:
            pass
        c.close()

    while True:
        c, _ = s.accept()
        threading.Thread(target=one, args=(c,), daemon=True).start()


def first_syn_lost():
    beside("db", serve)
    tries(1)


def wrong_address():
    beside("db", serve, 5432, None, 64, "127.0.0.1")
    wait()


def two_listeners():
    def one(ready):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        s.bind((ADDRESS, 5432))
        s.listen(64)
        ready()
        signal.pause()
    beside("db", one)
    beside("db-old", one)
    wait()


def asleep(ready, backlog):
    s = listener(backlog=backlog)
    ready()
    signal.pause()
    s.close()


def queue_full(held=False):
    """db listens, and accepts nothing: three connections fill its queue; the next ones get no answer."""
    beside("db", asleep, 2)
    enter("shop")
    open_ones = [connect() for _ in range(3)]
    if held:
        wait()
    for _ in range(2):
        try:
            open_ones.append(connect(timeout=0.3))
        except TimeoutError:
            pass


def checksum(data):
    data += bytes(len(data) % 2)
    n = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while n >> 16:
        n = (n & 0xFFFF) + (n >> 16)
    return ~n & 0xFFFF


def segment(source, sport, dport, flags, seq=1, payload=b"", wrong=0):
    """A TCP segment from that address to db, for a raw socket; wrong: added to its checksum."""
    head = struct.pack("!HHIIBBHHH", sport, dport, seq, 0, 5 << 4, flags, 1024, 0, 0) + payload
    pseudo = socket.inet_aton(source) + socket.inet_aton(ADDRESS) + struct.pack("!HH", 6, len(head))
    tcp = head[:16] + struct.pack("!H", (checksum(pseudo + head) + wrong) & 0xFFFF) + head[18:]
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, socket.inet_aton(source),
                     socket.inet_aton(ADDRESS))
    return ip + tcp


def raw():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)


def syn_flood(held=False):
    """SYNs of hosts that do not exist; db's queue of handshakes takes a few."""
    beside("db", asleep, 4)
    enter("shop")
    s = raw()
    for i in range(200):
        s.sendto(segment(f"10.0.1.{i + 1}", 20000 + i, 5432, 2), (ADDRESS, 0))
        time.sleep(0.001)
    if held:
        wait()


def ports(kept):
    """Local ports come from a range of ten; shop keeps so many connections."""
    beside("db", serve)
    enter("shop")
    with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as f:
        f.write("40000 40009")
    return [connect() for _ in range(kept)]


def ports_used():
    kept = ports(8)
    signal.signal(signal.SIGTERM, lambda *_: None)
    wait()
    forget(kept)


def ports_gone():
    kept = ports(10)
    try:
        kept.append(connect())
    except OSError as e:
        print(f"failed={errno.errorcode[e.errno]}")
    forget(kept)


def forget(connections):
    """Resets, so that no port stays in TIME_WAIT."""
    for c in connections:
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        c.close()


# ---- breaking ----
def reset_by_peer():
    """db closes a connection with data that it has not read: a reset. Then shop does so."""
    def server(ready):
        s = listener()
        ready()
        c, _ = s.accept()
        select.select([c], [], [])
        c.close()
        c, _ = s.accept()
        c.send(b"unread")
        c.recv(1)
        time.sleep(1)
    beside("db", server)
    enter("shop")
    c = connect()
    c.send(b"request")
    try:
        c.recv(1)
    except ConnectionResetError:
        pass
    c.close()
    c = connect()
    select.select([c], [], [])
    c.close()
    time.sleep(0.1)


def forgotten():
    """db forgets the connection, and what it says of that is lost; shop uses the connection later."""
    def server(ready):
        signal.signal(signal.SIGUSR1, lambda *_: None)
        s = listener()
        ready()
        c, _ = s.accept()
        signal.pause()
        forget([c])
        signal.pause()
    db = beside("db", server)
    enter("shop")
    c = connect()
    time.sleep(0.1)
    nft("add table ip lost; add chain ip lost in { type filter hook input priority 0; }; "
        "add rule ip lost in tcp sport 5432 drop")
    os.kill(db, signal.SIGUSR1)
    time.sleep(0.1)
    nft("delete table ip lost")
    try:
        c.send(b"again")
        c.recv(1)
    except OSError:
        pass


def nft(rules, space="SHOP"):
    subprocess.run(["ip", "netns", "exec", os.environ[space], "nft", rules], check=True)


def given_up():
    """What shop sends is not acknowledged; it gives up after a second (TCP_USER_TIMEOUT)."""
    beside("db", serve)
    enter("shop")
    c = connect()
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000)
    c.send(b"request")
    time.sleep(0.05)
    nft("add table ip lost; add chain ip lost in { type filter hook input priority 0; }; "
        "add rule ip lost in tcp dport 5432 drop", "DB")
    c.send(b"more")
    try:
        c.recv(1)
    except OSError:
        pass
    nft("delete table ip lost", "DB")


def idle_timeout():
    """db closes what has been idle for half a second; shop does not look, and sends."""
    def server(ready):
        s = listener()
        ready()
        c, _ = s.accept()
        c.recv(100)
        c.send(b"answer")
        time.sleep(0.5)
        c.close()
        signal.pause()
    beside("db", server)
    enter("shop")
    c = connect()
    c.send(b"request")
    c.recv(100)
    time.sleep(0.8)
    for _ in range(2):
        try:
            c.send(b"second")
        except OSError:
            pass
        time.sleep(0.1)


def churn():
    """Forty connections, each for one request."""
    beside("db", serve, 5432, lambda c, data: c.send(b"answer"))
    enter("shop")
    for _ in range(40):
        c = connect()
        c.send(b"request")
        c.recv(100)
        c.close()
    time.sleep(0.1)


def left_open():
    """db closes its end of 30 connections; shop never does."""
    def server(ready):
        s = listener()
        ready()
        while True:
            c, _ = s.accept()
            c.close()
    beside("db", server)
    enter("shop")
    kept = [connect() for _ in range(30)]
    time.sleep(0.1)
    wait()
    kept.clear()


def no_descriptors():
    """db may have 16 descriptors; shop keeps connections open."""
    import resource

    def server(ready):
        s = listener()
        resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))
        kept = []
        ready()
        while True:
            try:
                kept.append(s.accept())
            except OSError:
                time.sleep(0.2)
    beside("db", server)
    enter("shop")
    kept = [connect() for _ in range(12)]
    time.sleep(0.5)
    kept.clear()


# ---- slow ----
def slow_server():
    """Answers take 2 ms, one in ten 200 ms, on one connection."""
    count = [0]

    def answer(c, data):
        count[0] += 1
        time.sleep(0.2 if count[0] % 10 == 0 else 0.002)
        c.send(b"answer")
    beside("db", serve, 5432, answer)
    enter("shop")
    c = connect()
    for _ in range(20):
        c.send(b"request")
        c.recv(100)
    c.close()
    time.sleep(0.1)


def bulk(seconds="1.5", sndbuf="0", window="0", pause="0"):
    """shop sends as much as it can."""
    def server(ready):
        s = listener()
        if int(window):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(window))
        ready()
        c, _ = s.accept()
        while c.recv(1 << 16):
            time.sleep(float(pause))
    beside("db", server)
    enter("shop")
    s = socket.socket()
    if int(sndbuf):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, int(sndbuf))
    s.connect((ADDRESS, 5432))
    end_at = time.monotonic() + float(seconds)
    s.settimeout(0.2)
    while time.monotonic() < end_at:
        try:
            s.send(b"x" * 65536)
        except TimeoutError:
            pass
    forget([s])  # nothing is sent after the trace


def slow_reader(held=False):
    """db does not read what shop sends."""
    def server(ready):
        s = listener()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        ready()
        c, _ = s.accept()
        signal.pause()
    beside("db", server)
    enter("shop")
    s = connect()
    s.settimeout(0.5)
    try:
        while True:
            s.send(b"x" * 65536)
    except TimeoutError:
        pass
    if held:
        wait()


def nagle():
    """shop writes each request in two small parts."""
    def server(ready):
        s = listener()
        ready()
        c, _ = s.accept()
        data = b""
        while more := c.recv(100):
            data += more
            if len(data) >= 20:
                c.send(b"answer")
                data = b""
    beside("db", server)
    enter("shop")
    c = connect()
    for _ in range(20):
        c.send(b"x" * 10)
        c.send(b"y" * 10)
        c.recv(100)
    c.close()


def mtu():
    """shop sends a small request, then a large one, for which a hop has no room; no ICMP says so."""
    beside("db", serve)
    enter("shop")
    c = connect()
    c.send(b"small")
    time.sleep(0.05)
    c.send(b"x" * 3000)
    time.sleep(1.2)
    forget([c])


def late_reader():
    """db has other work, and reads each request a fifth of a second after it came."""
    def server(ready):
        s = listener()
        ready()
        c, _ = s.accept()
        while True:
            select.select([c], [], [])
            time.sleep(0.2)
            if not c.recv(100):
                break
            c.send(b"answer")
        c.close()
    beside("db", server)
    enter("shop")
    c = connect()
    for _ in range(3):
        c.send(b"request")
        c.recv(100)
    c.close()


# ---- lost ----
def udp_full():
    """db does not read; its buffer takes few of 400 datagrams."""
    def server(ready):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        s.bind((ADDRESS, 5140))
        ready()
        signal.pause()
    beside("db", server)
    datagrams(400)


def datagrams(n="5", port="5140", address=ADDRESS):
    enter("shop")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(int(n)):
        s.sendto(b"x" * 200, (address, int(port)))
        time.sleep(0.001)
    print(f"sent={n}")
    time.sleep(0.1)


def burst():
    """More datagrams at once than the queue of eth0 holds."""
    enter("shop")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(60):
        try:
            s.sendto(b"x" * 1000, (ADDRESS, 5140))
        except OSError:
            pass
    time.sleep(0.3)


def wrong_checksums():
    beside("db", serve)
    enter("shop")
    s = raw()
    for i in range(5):
        s.sendto(segment("10.0.0.1", 20000 + i, 5432, 2, wrong=1), (ADDRESS, 0))
    time.sleep(0.1)


def no_socket():
    """Segments of a connection that db does not know; no SYN."""
    enter("shop")
    s = raw()
    for i in range(5):
        s.sendto(segment("10.0.0.1", 20000, 5432, 0x10), (ADDRESS, 0))
    time.sleep(0.1)


def spoofed():
    """Packets whose source db would reach by another device."""
    enter("shop")
    s = raw()
    for i in range(5):
        s.sendto(segment("10.9.0.1", 20000 + i, 5432, 2), (ADDRESS, 0))
    time.sleep(0.1)


def group_unjoined():
    """db has bound the port, and forgot to join the group."""
    def server(ready):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("", 5140))
        ready()
        signal.pause()
    beside("db", server)
    enter("shop")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.0.0.1"))
    for _ in range(5):
        s.sendto(b"x" * 100, ("239.1.2.3", 5140))
    time.sleep(0.1)


def sent_twice():
    """Each segment of shop with data arrives twice."""
    beside("db", serve)
    enter("shop")
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    tap.bind(("eth0", 3))
    tap.settimeout(2)
    c = connect()
    for _ in range(5):
        c.send(b"x" * 100)
        frame = b""
        while len(frame) < 150 or frame[26:30] != socket.inet_aton("10.0.0.1"):
            frame = tap.recv(2000)
        time.sleep(0.01)
        # the device would have made the checksum
        tcp = frame[34:50] + b"\0\0" + frame[52:]
        pseudo = frame[26:34] + struct.pack("!HH", 6, len(tcp))
        tap.send(frame[:50] + struct.pack("!H", checksum(pseudo + tcp)) + frame[52:])
        tap.recv(2000)
    time.sleep(0.1)


def arp_storm():
    """shop asks for each address of the network."""
    enter("shop")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for i in range(20, 60):
        s.sendto(b"scan", (f"10.0.0.{i}", 9))
    time.sleep(0.5)


# ---- names ----
def name_server(kind):
    """A name server in db: slow, failing, or silent; *.example exists."""
    def server(ready):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((ADDRESS, 53))
        ready()
        while True:
            m, who = s.recvfrom(512)
            at = 12
            labels = []
            while m[at]:
                labels.append(m[at + 1:at + 1 + m[at]].decode())
                at += m[at] + 1
            question = m[12:at + 5]
            a = question[-3] == 1
            code = 0
            if kind == "slow":
                time.sleep(0.15)
            elif kind == "silent":
                continue
            elif kind == "failing":
                code = 2
            if labels[-1] != "example" or len(labels) > 2:
                code = code or 3
            record = b"\xc0\x0c\0\1\0\1\0\0\0\x09\0\4\x0a\0\0\x07" if a and not code else b""
            s.sendto(m[:2] + bytes([0x81, 0x80 | code]) + struct.pack("!4H", 1, bool(record), 0, 0) + question + record,
                     who)
    beside("db", server)


def lookup(kind, *names):
    name_server(kind)
    enter("shop")
    ctypes.CDLL(None).unshare(0x20000)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for f in "resolv.conf", "nsswitch.conf":
        subprocess.run(["mount", "--bind", f"{os.environ['ETC']}/{f}", f"/etc/{f}"], check=True)
    for name in names:
        try:
            socket.getaddrinfo(name, 80, socket.AF_INET, socket.SOCK_STREAM)
        except socket.gaierror:
            pass


# ---- owners ----
def traffic():
    """shop sends much to db, and cache a little."""
    beside("db", serve)
    def little(ready):
        ready()
        c = connect()
        for _ in range(20):
            c.send(b"x" * 100)
            time.sleep(0.1)
    beside("shop-cache", little)
    enter("shop")
    c = connect()
    for _ in range(20):
        c.send(b"x" * 20000)
        time.sleep(0.1)
    c.close()


def talkers():
    """Two connections to db that stay open."""
    beside("db", serve)
    def other(ready):
        c = connect()
        c.send(b"hello")
        ready()
        signal.pause()
    beside("shop-cache", other)
    enter("shop")
    c = connect()
    c.send(b"x" * 20000)
    time.sleep(0.1)
    wait()
    c.close()


def unix_full():
    """A UNIX socket whose server does not accept."""
    enter("shop")
    name = "\0dwire-problem-%d" % os.getpid()
    s = socket.socket(socket.AF_UNIX)
    s.bind(name)
    s.listen(1)
    kept = []
    for _ in range(5):
        c = socket.socket(socket.AF_UNIX)
        c.setblocking(False)
        try:
            c.connect(name)
        except BlockingIOError:
            print("failed=EAGAIN")
        kept.append(c)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
