#!/usr/bin/env python3
"""Watches a daemon under a steady load with churn for hours: memory, descriptors and delays stay flat.

usage: soak.py --daemon PATH [--hours H] [--window MINUTES] [--devices N] [--viewers N] [--bars]

Each device sends a marker a second, with the time in it, and begins a new session every ten minutes,
each at another moment. The viewers spread over the devices' shares; each stays for two minutes on
average and leaves by reset or by the end of its stream, and another comes. The log keeps an hour, so
that sessions leave it, too. A window's memory is the median of a look each ten seconds; its p99 is
that of all deliveries, from the device's write to the viewer's read, both in this one Python
process, so it says more of changes than of the daemon. The load is even after twenty minutes: by then
each device has one session that has ended, as later. With --bars it ends with 1 unless in the windows
after that: memory stays within 5 %, descriptors within 2 % and 16, and the p99 of the last third of
windows is at most half more, and 2 ms, than that of the first.
"""
import argparse, gc, heapq, json, os, random, select, socket, statistics, struct, sys, tempfile
import time, uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from churn import Figures
from serving import Serving, watching

SETTINGS = """limits:
  connections: 20000
  unauthenticated: 10000
log:
  retention_age: 1h
  segment_mebibytes: 8
logging:
  level: error
"""
SESSION_SECONDS, STAY_SECONDS = 600, 120
EVEN_SECONDS = 2 * SESSION_SECONDS
# Whoever does not answer is closed after a minute. No event's text has these two bytes.
PING, PONG = b"\x89\x00", b"\x8a\x80\x00\x00\x00\x00"
MEMORY_SHARE, DESCRIPTORS_SHARE = 0.05, 0.02


class Load:
    """Devices and viewers on one poller; everything happens at a due time."""

    def __init__(self, daemon, devices, viewers):
        self.daemon, self.poller = daemon, select.epoll()
        self.owners = list(daemon.add_many(devices))
        self.links, self.devices, self.due, self.delays = {}, {}, [], []
        self.came = self.sessions = self.lost = self.order = 0
        for number in range(devices):
            self.at(time.time() + random.random() * 10, self.begin, number)
        for _ in range(viewers):
            self.at(time.time() + 10 + random.random() * 20, self.come)

    def at(self, moment, work, *arguments):
        self.order += 1
        heapq.heappush(self.due, (moment, self.order, work, arguments))

    def keep(self, link):
        link.setblocking(False)
        self.poller.register(link, select.EPOLLIN)
        self.links[link.fileno()] = link
        return link

    def say(self, link, data):
        try:
            link.send(data)
        except OSError:
            self.leave(link)

    def leave(self, link, by_reset=False):
        if self.links.pop(link.fileno(), None) is None:
            return False
        self.poller.unregister(link)
        if by_reset:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()
        return True

    def begin(self, number):
        """A session that ends some time within the next twenty minutes."""
        link = self.keep(self.daemon.connect("device"))
        hello = {"type": "hello", "token": self.owners[number][0], "session": str(uuid.uuid4())}
        self.say(link, json.dumps(hello).encode() + b"\n")
        self.sessions += 1
        end = time.time() + SESSION_SECONDS * (0.5 + random.random())
        self.at(time.time() + 1, self.send, number, link, end)

    def send(self, number, link, end):
        if link.fileno() not in self.links:
            self.lost += 1
            return self.begin(number)
        now = time.time()
        if now >= end:
            stop = {"type": "control", "action": "stop", "timestamp": now}
            self.say(link, json.dumps(stop).encode() + b"\n")
            self.leave(link)
            return self.at(now + 1, self.begin, number)
        text = f"FB1:{time.monotonic_ns():020} " + "x" * 60
        marker = {"type": "marker", "text": text, "timestamp": now}
        self.say(link, json.dumps(marker).encode() + b"\n")
        self.at(now + 1, self.send, number, link, end)

    def come(self):
        share = random.choice(self.owners)[1]
        link = self.keep(watching(self.daemon.connect("http"), share))
        self.came += 1
        self.at(time.time() + random.expovariate(1 / STAY_SECONDS), self.go, link)

    def go(self, link):
        if not self.leave(link, by_reset=random.random() < 0.3):
            self.lost += 1
        self.come()

    def run(self, until):
        while (now := time.time()) < until:
            while self.due and self.due[0][0] <= now:
                _, _, work, arguments = heapq.heappop(self.due)
                work(*arguments)
            for number, _ in self.poller.poll(0.01, 256):
                self.read(number)

    def read(self, number):
        link = self.links.get(number)
        if link is None:
            return
        try:
            data = link.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        came = time.monotonic_ns()
        if not data:
            self.leave(link)
            return
        if PING in data:
            self.say(link, PONG)
        at = data.find(b"FB1:")
        while at >= 0:
            stamp = data[at + 4:at + 24]
            # A stamp that two reads share is left out.
            if len(stamp) == 20 and stamp.isdigit() and (delay := came - int(stamp)) < 5e9:
                self.delays.append(delay)
            at = data.find(b"FB1:", at + 4)


def p99(values):
    return sorted(values)[len(values) * 99 // 100] / 1e6 if values else 0


def spread(values):
    return (max(values) - min(values)) / min(values)


def judge(windows):
    """What is not flat."""
    rest = [window for window in windows if window["from"] > EVEN_SECONDS - 5]
    missed = []
    if len(rest) < 3:
        return ["fewer than three windows of an even load"]
    memory = [window["memory"] for window in rest]
    if spread(memory) > MEMORY_SHARE:
        missed.append(f"memory: {min(memory):.1f} to {max(memory):.1f} MiB")
    files = [window["descriptors"] for window in rest]
    if max(files) - min(files) > DESCRIPTORS_SHARE * min(files) + 16:
        missed.append(f"descriptors: {min(files)} to {max(files)}")
    third = max(1, len(rest) // 3)
    first, last = (statistics.median(window["p99"] for window in part)
                   for part in (rest[:third], rest[-third:]))
    if last > 1.5 * first + 2:
        missed.append(f"p99: {first:.1f}, then {last:.1f} ms")
    return missed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--hours", type=float, default=8)
    parser.add_argument("--window", type=float, default=10)
    parser.add_argument("--devices", type=int, default=500)
    parser.add_argument("--viewers", type=int, default=2000)
    parser.add_argument("--bars", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak") as folder, \
            Serving(options.daemon, folder, SETTINGS) as daemon:
        load = Load(daemon, options.devices, options.viewers)
        gc.freeze()
        begin = time.time()
        windows = []
        print("| minutes | RSS, MiB | lowest, highest | anonymous, MiB | descriptors | deliveries "
              "| p99, ms | viewers came | sessions | lost |\n|---|---|---|---|---|---|---|---|---|---|")
        while time.time() < begin + options.hours * 3600 - 1:
            end = min(begin + options.hours * 3600, time.time() + options.window * 60)
            looks, load.delays, start = [], [], time.time() - begin
            while time.time() < end - 0.1:
                load.run(min(end, time.time() + 10))
                looks.append(Figures(daemon.process.pid))
            memory = statistics.median(look.resident for look in looks)
            window = {"from": start, "memory": memory, "p99": p99(load.delays),
                      "descriptors": int(statistics.median(look.descriptors for look in looks))}
            windows.append(window)
            print(f"| {(time.time() - begin) / 60:.0f} | {memory:.1f} "
                  f"| {min(look.resident for look in looks):.1f}, "
                  f"{max(look.resident for look in looks):.1f} "
                  f"| {statistics.median(look.anonymous for look in looks):.1f} "
                  f"| {window['descriptors']} | {len(load.delays):,} | {window['p99']:.1f} "
                  f"| {load.came:,} | {load.sessions:,} | {load.lost} |", flush=True)
        missed = judge(windows)
        print(f"{(time.time() - begin) / 3600:.2f} hours, {load.came:,} viewers, "
              f"{load.sessions:,} sessions, {load.lost} connections lost")
    for what in missed:
        print(f"missed: {what}")
    return 1 if options.bars and missed else 0


if __name__ == "__main__":
    sys.exit(main())
