#!/usr/bin/env python3
"""Measures what a daemon keeps of those who came and went: connections, sessions, erased devices.

usage: churn.py --daemon PATH [--connections N] [--sessions N] [--rounds N] [--together N]
                [--rest SECONDS] [--bars]

Two daemons one after the other, one without and one with TLS at its HTTP port. At each come
`--connections` connections in waves of `--together` (churn.c, built here): eight of ten are viewers,
of whom some leave in the middle of the handshake or by reset, and two are requests. Over TLS half of
the last round's speak 1.2 without tickets. The first daemon then gets `--sessions` sessions of 50
devices, half of them live ones that end by silence, and half of the devices are erased with all they
have. Before each first figure comes a little of everything. After each part comes a rest, in which
the daemon's upkeep of each minute runs; what is then kept over the first figure has a bar, and so has
what one recorded session keeps. With --bars it ends with 1 where a bar is missed.
"""
import argparse, http.client, json, os, signal, socket, subprocess, sys, tempfile, threading, time
import uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import with_tls
from long_sessions import take_acks
from many_sessions import session
from serving import Serving

DEVICES = 50
WARM = 10  # sessions of a device before the first figure
SECONDS = 10  # of a session, a heart rate a second
SETTINGS = """limits:
  connections: 20000
  unauthenticated: 10000
ingest:
  silence: 10s
logging:
  level: error
"""
KEPT_MAX, SESSION_BYTES_MAX, DESCRIPTORS_MAX = 20, 2048, 16


class Figures:
    """A process's memory, MiB, and descriptors."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/smaps_rollup") as file:
            pages = {line.split(":")[0]: int(line.split()[1]) / 1024
                     for line in file if line.endswith("kB\n")}
        self.resident, self.anonymous = pages["Rss"], pages["Anonymous"]
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))

    def row(self, what):
        print(f"| {what} | {self.resident:.1f} | {self.anonymous:.1f} | {self.descriptors} |",
              flush=True)
        return self


def slope(values):
    """Growth from one value to the next, by least squares over the second half."""
    late = values[len(values) // 2:]
    middle = (len(late) - 1) / 2
    below = sum((place - middle) ** 2 for place in range(len(late)))
    return sum((place - middle) * value for place, value in enumerate(late)) / below if below else 0


class Runner(threading.Thread):
    """A device that sends a marker ten times a second, for viewers to hear."""

    def __init__(self, daemon, token):
        super().__init__(daemon=True)
        self.link, self.is_over = daemon.connect("device"), threading.Event()
        hello = {"type": "hello", "token": token, "session": str(uuid.uuid4())}
        self.link.sendall(json.dumps(hello).encode() + b"\n")
        self.start()

    def run(self):
        while not self.is_over.wait(0.1):
            marker = {"type": "marker", "text": "x" * 90, "timestamp": time.time()}
            self.link.sendall(json.dumps(marker).encode() + b"\n")
            self.link.setblocking(False)
            try:
                self.link.recv(65536)
            except BlockingIOError:
                pass
            self.link.setblocking(True)
        self.link.close()

    def end(self):
        self.is_over.set()
        self.join()


class Churn:
    def __init__(self, daemon, client, tls, together):
        self.daemon, self.client, self.tls, self.together = daemon, client, tls, together
        self.pid = daemon.process.pid
        token = daemon.ask("device", "add", "runner")["token"]
        self.share = daemon.ask("share", "create", "--device", "runner")["id"]
        self.runner = Runner(daemon, token)
        self.seed = self.unanswered = 0

    def come(self, count, kind, *paths):
        self.seed += 1
        done = subprocess.run(
            [self.client, "127.0.0.1", str(self.daemon.port("http")), str(count),
             str(self.together), str(self.seed), kind, *paths],
            capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr.strip())
        self.unanswered += int(done.stdout)

    def connections(self, count, is_last=False):
        live, share = f"/v1/shares/{self.share}/live", f"/v1/shares/{self.share}"
        viewers = count * 8 // 10
        if self.tls and is_last:
            self.come(viewers // 2, "tls12", live)
            viewers -= viewers // 2
        self.come(viewers, "tls" if self.tls else "plain", live)
        if self.tls:
            self.come(count - count * 8 // 10, "tls", live)
        else:
            self.come(count - count * 8 // 10, "http", share + "/latest", share + "/history",
                      f"/s/{self.share}", "/v1/shares/AAAAAAAAAAAAAAAAAAAAAA/latest", "/nothing")

    def sessions(self, tokens, count, first):
        """Sends them in order, the devices beside one another."""
        failed = []

        def work(token):
            try:
                for place in range(count // len(tokens)):
                    self.send(token, first + place)
            except OSError as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(token,)) for token in tokens]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise SystemExit(f"a session was not taken: {failed[0]}")

    def send(self, token, place):
        """One session; an even one is recorded and stopped, an odd one is live and falls silent."""
        is_live = place % 2
        start = time.time() - SECONDS if is_live else time.time() - 86400 * 30 + place * 60
        data, last = session(token, uuid.uuid4(), start, SECONDS)
        if is_live:
            data, last = data[:-15].replace(b'"recorded": true', b'"recorded":false', 1), last - 1
        link, received, acked = self.daemon.connect("device"), bytearray(), 0
        link.settimeout(60)
        link.sendall(b"PLS1" + data)
        while acked < last:
            chunk = link.recv(65536)
            if not chunk:
                raise OSError(f"closed after {bytes(received)!r}")
            received.extend(chunk)
            acked = take_acks(received, acked)
        link.close()

    def erase(self, names):
        admin = http.client.HTTPConnection("localhost", timeout=300)
        admin.sock = socket.socket(socket.AF_UNIX)
        admin.sock.connect(self.daemon.addresses["admin"])
        for name in names:
            admin.request("DELETE", f"/devices/{name}")
            answer = admin.getresponse()
            if answer.status >= 300:
                raise SystemExit(f"{name} was not erased: {answer.read()}")
            answer.read()

    def rested(self, seconds, what):
        """The figures after a rest in which somebody asks a hundred times a second."""
        link = http.client.HTTPConnection("127.0.0.1", self.daemon.port("operations"))
        end, worst = time.perf_counter() + seconds, 0
        while (begin := time.perf_counter()) < end:
            link.request("GET", "/readyz")
            link.getresponse().read()
            worst = max(worst, time.perf_counter() - begin)
            time.sleep(0.01)
        link.close()
        return Figures(self.pid).row(
            f"{what}, after {seconds} s of rest; longest answer {1000 * worst:.0f} ms")


def in_rounds(churn, options, what, work):
    """The memory after each round."""
    found = []
    for number in range(options.rounds):
        work(number)
        time.sleep(1)
        found.append(Figures(churn.pid).row(f"{what}, round {number + 1}").resident)
    return slope(found)


def of_connections(churn, options, missed, name):
    begin = Figures(churn.pid).row(f"{name}: before")
    each = options.connections // options.rounds
    growth = in_rounds(churn, options, f"{each:,} connections",
                       lambda number: churn.connections(each, number == options.rounds - 1))
    end = churn.rested(options.rest, f"{options.connections:,} connections")
    kept, descriptors = end.resident - begin.resident, end.descriptors - begin.descriptors
    print(f"\n{name}: kept {kept:.1f} MiB, {descriptors} descriptors; "
          f"{growth:.2f} MiB a round at the end; {churn.unanswered} without an answer\n", flush=True)
    if kept > KEPT_MAX:
        missed.append(f"{name}: {kept:.1f} MiB of the connections are kept, {KEPT_MAX} allowed")
    if churn.unanswered:
        missed.append(f"{name}: {churn.unanswered} connections had no answer")
    if descriptors > DESCRIPTORS_MAX:
        missed.append(f"{name}: {descriptors} descriptors more than before")


def of_sessions(churn, options, missed):
    names = [f"device-{number}" for number in range(DEVICES)]
    tokens = [open(churn.daemon.token_file(name)).read() for name in names]
    # As many as a device can have live at a time, and more.
    churn.sessions(tokens, WARM * DEVICES, 0)
    begin = churn.rested(options.rest, "sessions: before")
    each = options.sessions // options.rounds // DEVICES * DEVICES
    growth = in_rounds(
        churn, options, f"{each:,} sessions",
        lambda number: churn.sessions(tokens, each, WARM + number * each // DEVICES))
    end = churn.rested(options.rest, f"{each * options.rounds:,} sessions")
    churn.erase(names[::2])
    erased = churn.rested(options.rest, "half of the devices erased")
    bytes_each = (end.resident - begin.resident) * 2**20 / (each * options.rounds)
    print(f"\nsessions: {bytes_each:.0f} bytes each; {growth:.2f} MiB a round at the end; "
          f"{erased.resident - begin.resident:.1f} MiB after half are erased\n", flush=True)
    if bytes_each > SESSION_BYTES_MAX:
        missed.append(f"a recorded session keeps {bytes_each:.0f} bytes, {SESSION_BYTES_MAX} allowed")
    if erased.resident - end.resident > 4:
        missed.append("an erasure of half the sessions leaves more memory than it found")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--connections", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--together", type=int, default=1000)
    parser.add_argument("--rest", type=int, default=75)
    parser.add_argument("--bars", action="store_true")
    options = parser.parse_args()
    missed = []
    with tempfile.TemporaryDirectory(prefix="churn") as folder:
        files, client = with_tls.certificate(folder), with_tls.client(folder, "churn")
        print("| | RSS, MiB | anonymous, MiB | descriptors |\n|---|---|---|---|")
        for name, settings in (("plain", SETTINGS), (
                "TLS", SETTINGS + with_tls.SETTINGS.format(**files))):
            place = tempfile.mkdtemp(dir=folder)
            with Serving(options.daemon, place, settings) as daemon:
                churn = Churn(daemon, client, name == "TLS", options.together)
                churn.connections(500, is_last=True)
                time.sleep(5)
                of_connections(churn, options, missed, name)
                if name == "plain" and options.sessions:
                    of_sessions(churn, options, missed)
                churn.runner.end()
                daemon.end(signal.SIGTERM)
    for what in missed:
        print(f"missed: {what}")
    return 1 if options.bars and missed else 0


if __name__ == "__main__":
    sys.exit(main())
