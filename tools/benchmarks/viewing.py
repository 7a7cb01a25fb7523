#!/usr/bin/env python3
"""Measures what reading a recording costs while others watch and a watch sends: seeks by one and in
bursts, a viewer that does not read, beside the answers others get meanwhile.

usage: viewing.py --daemon PATH [--hours H] [--seeks N]

One device with a zone and both trims at home, 100 motion samples, a position and a heart rate a
second; a share of it, one with a delay, and a share of another device that nothing is asked of. CPU
is the daemon's own, from its user and system time; memory its private pages. With the usual send buffers
the kernel takes a whole playback from a viewer that does not read; in a network namespace with
`sysctl net.ipv4.tcp_wmem="4096 16384 131072"` the daemon sees that nobody reads.
"""
import argparse, base64, http.client, json, os, select, socket, statistics, struct, sys, tempfile
import threading, time, uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from serving import Serving

HOME = (48.2, 11.6)
SETTINGS = "limits:\n  per_address: 2000\nlogging:\n  level: error\n"


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return 1024 * sum(
            int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))


class Viewer:
    """A viewer's WebSocket: text frames, masked one way."""

    def __init__(self, daemon, share, query="", buffer=None):
        self.link = socket.socket()
        if buffer:
            self.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.link.connect(("127.0.0.1", daemon.port("http")))
        key = base64.b64encode(os.urandom(16)).decode()
        self.link.sendall(
            (f"GET /v1/shares/{share}/live{query} HTTP/1.1\r\nHost: localhost\r\n"
             f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.rest = b""

    def head(self):
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.link.recv(4096)
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]
        return self

    def frame(text):
        payload = text.encode()
        mask = os.urandom(4)
        body = bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload))
        return bytes([0x81, 0x80 | len(payload)]) + mask + body

    def say(self, *texts):
        self.link.sendall(b"".join(Viewer.frame(text) for text in texts))

    def fill(self, count):
        while len(self.rest) < count:
            piece = self.link.recv(65536)
            if not piece:
                raise EOFError
            self.rest += piece

    def message(self, timeout=10):
        """An opcode and its payload."""
        self.link.settimeout(timeout)
        self.fill(2)
        length, start = self.rest[1] & 127, 2
        if length == 126:
            self.fill(4)
            length, start = struct.unpack(">H", self.rest[2:4])[0], 4
        elif length == 127:
            self.fill(10)
            length, start = struct.unpack(">Q", self.rest[2:10])[0], 10
        self.fill(start + length)
        opcode, payload = self.rest[0] & 15, self.rest[start:start + length]
        self.rest = self.rest[start + length:]
        return opcode, payload

    def until(self, wanted):
        while True:
            opcode, payload = self.message()
            if opcode == 1:
                event = json.loads(payload)
                if wanted(event):
                    return event


def frame(kind, sequence, seconds, payload):
    return struct.pack(
        "<HBBIq", 14 + len(payload), kind, 0, sequence, int(seconds * 1e6)) + payload


def motion_of(samples):
    return b"".join(
        struct.pack("<3h3h", int(300 * ((i * 7) % 5 - 2)), int(200 * ((i * 3) % 7 - 3)), 100, 5, 6, 7)
        for i in range(samples))


def batch_of(sequence, at, way, motion, samples):
    """The frames of one second, `way` meters north of home."""
    latitude = HOME[0] + way / 111195
    return frame(
        4, sequence + 1, at,
        struct.pack("<iiiHHhH", int(latitude * 1e7), int(HOME[1] * 1e7), 50000, 40, 50, 300, 0)
    ) + frame(
        2, sequence + 2, at, struct.pack("<HBB", 1200 + sequence % 900 // 3, 2, 0)
    ) + frame(
        3, sequence + 3, at, struct.pack("<BBHI", samples, 1, 0, 1_000_000 // samples) + motion)


def send_live(daemon, token, is_over, samples):
    """A run as it goes, a second a second, until the event."""
    link, motion, sequence = daemon.connect("device"), motion_of(samples), 0
    hello = json.dumps(
        {"type": "hello", "token": token, "session": str(uuid.uuid4())}).encode()
    link.sendall(b"PLS1" + frame(1, 0, time.time(), hello))
    while not is_over.wait(1):
        link.sendall(batch_of(sequence, time.time() - 1, sequence, motion, samples))
        sequence += 3
        link.setblocking(False)
        try:
            link.recv(65536)
        except BlockingIOError:
            pass
        link.setblocking(True)
    link.close()


def record(daemon, token, hours, samples=100):
    """A run out and back; the session's start, and its end."""
    start = time.time() - hours * 3600 - 60
    link = daemon.connect("device")
    hello = json.dumps(
        {"type": "hello", "token": token, "session": str(uuid.uuid4()), "recorded": True}).encode()
    link.sendall(b"PLS1" + frame(1, 0, start, hello))
    seconds, sequence = int(hours * 3600), 0
    motion = motion_of(samples)
    done = threading.Event()

    def answers():
        rest = b""
        while not done.is_set():
            rest += link.recv(65536)
            while len(rest) >= 2 and len(rest) >= 2 + struct.unpack("<H", rest[:2])[0]:
                size = 2 + struct.unpack("<H", rest[:2])[0]
                kind, acked = rest[2], struct.unpack("<I", rest[4:8])[0]
                if kind == 0x82 and acked >= 3 * seconds:
                    done.set()
                rest = rest[size:]

    reader = threading.Thread(target=answers, daemon=True)
    reader.start()
    for second in range(seconds):
        link.sendall(batch_of(sequence, start + second, 3.0 * min(second, seconds - second), motion,
                              samples))
        sequence += 3
    done.wait(600)
    link.close()
    return start, start + seconds


class Asking(threading.Thread):
    """Asks for two answers again and again, as long as something else goes on."""

    def __init__(self, daemon, share):
        super().__init__(daemon=True)
        self.daemon_port = daemon.port("http")
        self.operations = daemon.port("operations")
        self.share, self.isOver = share, False
        self.latest, self.ready = [], []
        self.start()

    def run(self):
        http_link = http.client.HTTPConnection("127.0.0.1", self.daemon_port)
        ready_link = http.client.HTTPConnection("127.0.0.1", self.operations)
        while not self.isOver:
            for link, path, times in ((http_link, f"/v1/shares/{self.share}/latest", self.latest),
                                      (ready_link, "/readyz", self.ready)):
                begun = time.perf_counter()
                link.request("GET", path)
                link.getresponse().read()
                times.append(time.perf_counter() - begun)
            time.sleep(0.005)

    def end(self):
        self.isOver = True
        self.join()
        return {"latest": rank(self.latest, 0.99), "readyz": rank(self.ready, 0.99)}


def rank(values, share):
    return 1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]


def seeks(daemon, share, start, end, count):
    """Milliseconds from a wish to its snapshot, one after another."""
    viewer = Viewer(daemon, share).head()
    viewer.message()
    times = []
    for number in range(count):
        wanted = start + (end - start) * ((number * 7919) % count) / count
        begun = time.perf_counter()
        viewer.say(json.dumps({"seek": wanted}))
        viewer.until(lambda event: event["type"] == "snapshot")
        times.append(time.perf_counter() - begun)
        # Beyond the pace that one viewer is allowed.
        time.sleep(0.26)
    viewer.link.close()
    return times


def burst(daemon, pid, share, other, times):
    """Seconds of processor in the 8 s from a burst of seeks on, and what others' answers took."""
    asking = Asking(daemon, other)
    viewer = Viewer(daemon, share).head()
    viewer.message()
    before = cpu_seconds(pid)
    viewer.say(*[json.dumps({"seek": at}) for at in times])
    time.sleep(8)
    cost = cpu_seconds(pid) - before
    viewer.link.close()
    return cost, asking.end()


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], usage=__doc__.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("--daemon", required=True)
    arguments.add_argument("--hours", type=float, default=3)
    arguments.add_argument("--seeks", type=int, default=300)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, \
            Serving(options.daemon, folder, SETTINGS) as daemon:
        pid = daemon.process.pid
        token = daemon.ask("device", "add", "ann")["token"]
        share = daemon.ask("share", "create", "--device", "ann")["id"]
        late = daemon.ask("share", "create", "--device", "ann", "--delay", "5m")["id"]
        daemon.ask("device", "add", "bob")
        other = daemon.ask("share", "create", "--device", "bob")["id"]
        zones = {"zones": [{"name": "home", "latitude": HOME[0], "longitude": HOME[1],
                            "radiusMeters": 200}], "trimStartMeters": 200, "trimFinishMeters": 200}
        link = http.client.HTTPConnection("127.0.0.1", daemon.port("http"))
        link.request("PUT", "/v1/me/zones", json.dumps(zones),
                     {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        assert link.getresponse().status == 200
        start, end = record(daemon, token, options.hours)
        print(f"recorded: {options.hours} h, log "
              f"{sum(os.path.getsize(os.path.join(daemon.state, 'log', name)) for name in os.listdir(os.path.join(daemon.state, 'log'))) >> 20} MiB")
        for name, which in (("in memory", share), ("after a restart", share)):
            if name == "after a restart":
                daemon.end()
                daemon.start()
                pid = daemon.process.pid
            before = cpu_seconds(pid)
            times = seeks(daemon, which, start, end, options.seeks)
            cost = (cpu_seconds(pid) - before) / options.seeks
            print(f"seek, zones and trims, {name}: first {1000 * times[0]:.1f} ms, p50 "
                  f"{rank(times, 0.5):.1f} ms, p99 {rank(times, 0.99):.1f} ms; "
                  f"{1000 * cost:.1f} ms of processor each")
        for name, which in (("zones and trims", share), ("zones, trims and a delay", late)):
            alone, _ = burst(daemon, pid, which, other, [start])
            cost, asked = burst(
                daemon, pid, which, other,
                [start + (end - start) * number / 400 for number in range(400)])
            print(f"400 seeks in a burst, {name}: {cost:.2f} s of processor in 8 s, {alone:.2f} s of "
                  f"it with one seek instead; others' latest p99 {asked['latest']:.1f} ms, readyz p99 "
                  f"{asked['readyz']:.1f} ms")
        # Of a run that hides nothing: what is held back would end the playback too soon.
        plain = daemon.ask("device", "add", "cid")["token"]
        open_share = daemon.ask("share", "create", "--device", "cid")["id"]
        start, end = record(daemon, plain, options.hours)
        before = private_bytes(pid)
        stuck = Viewer(daemon, open_share, f"?at={start}&speed=64&rate=20", buffer=4096)
        peak, begun = 0, time.time()
        closed = None
        # The kernel takes 2.5 MB before the daemon sees that nobody reads, and then 30 s pass.
        while time.time() - begun < 200 and closed is None:
            time.sleep(0.5)
            peak = max(peak, private_bytes(pid) - before)
            text = http.client.HTTPConnection("127.0.0.1", daemon.port("operations"))
            text.request("GET", "/metrics")
            for line in text.getresponse().read().decode().splitlines():
                if line.startswith("pulsecast_viewers_closed_total") and "4008" in line:
                    if float(line.split()[-1]) > 0:
                        closed = time.time() - begun
        print(f"a viewer who does not read at 64 x: {peak >> 10} KiB at most, closed with 4008 "
              f"after {closed and round(closed)} s")
        stuck.link.close()


if __name__ == "__main__":
    main()
