#!/usr/bin/env python3
"""Measures lists over a log of years: many short sessions of ten devices.

usage: many_sessions.py --daemon PATH [--sessions N,N…] [--seconds N] [--asks N] [--bars]

Each device has a session every 17.5 hours, back from now, so that 50,000 of them are ten years. All
are sent through the device door, a heart rate a second and a stop. Each session gets notes, up to
what a device may have. Then the daemon is started again, and each list is asked for: once cold, and
for the median of the next. The search is for a word that is nowhere. The archive is of one device,
read to its end once; its first byte has a bar. With --bars it ends with 1 where a bar is missed.
"""
import argparse, json, os, signal, sqlite3, statistics, struct, subprocess, sys, tempfile, threading
import time, urllib.request, uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from long_sessions import take_acks
from serving import Serving

DEVICES, GAP_SECONDS = 10, 17.52 * 3600
NOTES_BYTES = 1 << 20  # of one device
BARS = {"session list": 0.1, "/v1/me/sessions": 0.05, "/v1/me/training": 0.1, "search": 0.05,
        "session list --search": 0.1, "archive, first byte": 0.05}
# A search reads all notes, so it grows with them.
STEADY = ("session list", "/v1/me/sessions", "/v1/me/training", "archive, first byte")


def binary(kind, sequence, micros, payload):
    return struct.pack("<HBBIq", 14 + len(payload), kind, 0, sequence, micros) + payload


def session(token, name, start, seconds):
    """All bytes of one session, hello first, and its number of frames."""
    hello = json.dumps(
        {"type": "hello", "token": token, "session": str(name), "recorded": True}).encode()
    out = [binary(1, 0, 0, hello)]
    for index in range(seconds):
        beats = struct.pack("<HBB", 1200 + index * 5 % 400, 1, 0)
        out.append(binary(2, index + 1, int((start + index) * 1e6), beats))
    out.append(binary(5, seconds + 1, int((start + seconds) * 1e6), b"\x05"))
    return b"".join(out), seconds + 1


def send(daemon, token, count, seconds, newest):
    """Sends a device's sessions, oldest first, each once the one before is on disk; their IDs."""
    names = [uuid.uuid4() for _ in range(count)]
    for place, name in enumerate(names):
        data, last = session(token, name, newest - (count - 1 - place) * GAP_SECONDS, seconds)
        link, received, acked = daemon.connect("device"), bytearray(), 0
        link.sendall(b"PLS1" + data)
        while acked < last:
            chunk = link.recv(65536)
            if not chunk:
                raise OSError("the daemon ended the connection")
            received.extend(chunk)
            acked = take_acks(received, acked)
        link.close()
    return names


def fill(daemon, sessions, seconds):
    """The first device's token, and the sessions of each device."""
    tokens = [open(daemon.token_file(f"device-{number}")).read() for number in range(DEVICES)]
    newest = time.time() - seconds - 60
    failed, names = [], {}

    def work(number, token):
        try:
            names[f"device-{number}"] = send(daemon, token, sessions // DEVICES, seconds,
                                             newest - number * 3600)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(tokens)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return tokens[0], names


def annotate(state, names):
    """Writes notes about each session, while no daemon has the registry open."""
    with sqlite3.connect(os.path.join(state, "registry.sqlite")) as registry:
        for device, sessions in names.items():
            (number,) = registry.execute(
                "SELECT id FROM device WHERE name = ?", (device,)).fetchone()
            text = ("easy, along the river. " * 22)[:min(500, NOTES_BYTES // len(sessions)) - 10]
            registry.executemany(
                "INSERT INTO sessionNote VALUES (?, ?, ?, ?, NULL)",
                ((name.bytes, number, f"Run {place}", text) for place, name in enumerate(sessions)))


def times(ask, count=20):
    """Seconds of the first time, and the median of `count` more."""
    taken = []
    for _ in range(count + 1):
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    return taken[0], statistics.median(taken[1:])


def measure(program, sessions, seconds, count):
    with tempfile.TemporaryDirectory(prefix="many") as folder:
        daemon = Serving(program, folder)
        began = time.perf_counter()
        token, names = fill(daemon, sessions, seconds)
        print(f"# {sessions} sessions filled in {time.perf_counter() - began:.0f} s",
              file=sys.stderr)
        daemon.end(signal.SIGTERM)
        annotate(daemon.state, names)
        began = time.perf_counter()
        daemon.start()
        started = time.perf_counter() - began
        log = os.path.join(daemon.state, "log")
        size = sum(os.path.getsize(os.path.join(log, name)) for name in os.listdir(log))

        def own(path):
            request = urllib.request.Request(
                f"http://{daemon.addresses['http']}{path}",
                headers={"Authorization": f"Bearer {token}"})
            return lambda: urllib.request.urlopen(request, timeout=300).read()

        def command(*more):
            return lambda: subprocess.run(
                [program, "session", "list", "--json", "--state", daemon.state, *more], check=True,
                stdout=subprocess.DEVNULL)

        def archive():
            """Seconds to the first byte and to the end, and the bytes."""
            began = time.perf_counter()
            request = urllib.request.Request(
                f"http://{daemon.addresses['http']}/v1/me/archive?format=fit",
                headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(request, timeout=300) as answer:
                count = len(answer.read(1))
                first = time.perf_counter() - began
                while part := answer.read(1 << 20):
                    count += len(part)
            return first, time.perf_counter() - began, count

        found = {
            "session list": times(command(), count),
            "/v1/me/sessions": times(own("/v1/me/sessions?limit=50"), count),
            "/v1/me/training": times(own("/v1/me/training"), count),
            "/v1/me": times(own("/v1/me"), count),
            "search": times(own("/v1/me/sessions?limit=50&search=nowhere"), count),
            "session list --search": times(command("--search", "nowhere"), count),
        }
        first, last, size_packed = archive()
        found["archive, first byte"] = (first, first)
        print(f"# archive of {sessions // DEVICES:,} sessions: {last:.1f} s, "
              f"{size_packed / 2**20:.1f} MiB", file=sys.stderr)
        daemon.end(signal.SIGTERM)
        return size, started, found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--sessions", default="500,5000,50000")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--asks", type=int, default=20)
    parser.add_argument("--bars", action="store_true")
    options = parser.parse_args()
    counts = [int(text) for text in options.sessions.split(",")]
    results, missed = {}, []
    print("| sessions | log | started | list | cold | warm, median |\n|---|---|---|---|---|---|")
    for count in counts:
        size, started, found = measure(options.daemon, count, options.seconds, options.asks)
        results[count] = found
        for name, (cold, warm) in found.items():
            print(f"| {count:,} | {size / 2**20:.0f} MiB | {started * 1000:.0f} ms | {name} "
                  f"| {cold * 1000:.1f} ms | {warm * 1000:.1f} ms |", flush=True)
            if warm > BARS.get(name, 1):
                missed.append(f"{name} at {count}: {warm * 1000:.0f} ms")
    for name in STEADY:
        ratio = results[counts[-1]][name][1] / results[counts[0]][name][1]
        print(f"{name}: {ratio:.2f} times from {counts[0]:,} to {counts[-1]:,}")
        if ratio > 2:
            missed.append(f"{name} grows {ratio:.1f} times")
    for what in missed:
        print(f"missed: {what}")
    sys.exit(1 if options.bars and missed else 0)


if __name__ == "__main__":
    main()
