#!/usr/bin/env python3
"""Measures a log of a gibibyte: acks, the start after kill -9, seeks, reading and analyzing; and one
of years: starts, memory, hellos, history.

usage: aged_log.py --daemon PATH [--sessions N] [--starts N] [--seeks N] [--segments N] [--years-only]

Sessions of three hours at 100 Hz, a motion sample a frame, with a heart rate and a position a
second, fill the log through the device door. Then the daemon is killed while a watch sends, and
started again. Acks are those of a watch at 50 Hz while others send as fast as they can. Reading is
compared with cat of the same files, in turns. A seek is a rewinding viewer's message until its
snapshot is there. Ends with 1 where a bar is missed.

The log of years is 31,250 sealed segments of 64 MiB with 50,000 sessions, 2 TB: sparse files whose
headers and indices are true (`sparse_log.py`, 2 GB on disk), behind one session that was sent.
"""
import argparse, glob, json, os, random, signal, statistics, subprocess, sys, tempfile
import threading, time, uuid

from long_sessions import SESSION_SECONDS, Daemon, Rewinder, push, swallow
from years import years


def fill(daemon, token, options):
    began, frames, sessions = time.perf_counter(), 0, []
    start = 1_760_000_000_000_000
    for _ in range(options.sessions):
        session = str(uuid.uuid4())
        frames += push(daemon, token, session, SESSION_SECONDS, start)
        sessions.append((session, start / 1e6))
        start += (SESSION_SECONDS + 3600) * 1_000_000
    return frames, time.perf_counter() - began, sessions


def acks(daemon, token_file, token, seconds=15):
    """From each frame's write to the ack that covers it, and from ack to ack, beside a simulation
    at full speed, whose frames wait in front of ours."""
    load = subprocess.Popen(
        [daemon.program, "simulate", "--to", "tcp://" + daemon.addresses["device"],
         "--token-file", token_file, "--devices", "20", "--minutes", "600", "--speed", "max"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    link = daemon.connect("device")
    link.settimeout(0.002)
    hello = {"type": "hello", "token": token, "session": str(uuid.uuid4()), "recorded": True}
    link.sendall(json.dumps(hello).encode() + b"\n")
    sent, times, between, buffer, sequence, last = {}, [], [], b"", 0, None
    due = time.perf_counter()
    end = due + seconds
    while (now := time.perf_counter()) < end or sent:
        if due <= now < end:
            due += 0.02
            sequence += 1
            frame = {"type": "heartRate", "seq": sequence, "heartRate": 140,
                     "timestamp": 1_790_000_000 + sequence * 0.02}
            sent[sequence] = now
            link.sendall(json.dumps(frame).encode() + b"\n")
        try:
            received = link.recv(65536)
            if not received:
                raise OSError(f"the daemon ended the connection before frame {min(sent)}'s ack")
            buffer += received
        except TimeoutError:
            pass
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            answer = json.loads(line)
            if answer["type"] != "ack":
                continue
            received = time.perf_counter()
            between.append(received - (last or received))
            last = received
            for number in [number for number in sent if number <= answer["seq"]]:
                times.append(received - sent.pop(number))
    link.close()
    is_loaded = load.poll() is None
    load.terminate()
    load.wait(20)
    if not is_loaded:
        raise OSError("the simulation that was to be the load ended early")
    return statistics.median(times), max(between)


def starts(daemon, token, count):
    """Kill -9 under load, and the next start."""
    times = []
    for index in range(count):
        pusher = threading.Thread(
            target=lambda: swallow(push, daemon, token, str(uuid.uuid4()), 3000,
                                   1_770_000_000_000_000 + index * 10_000_000_000), daemon=True)
        pusher.start()
        time.sleep(1.5)
        daemon.end(signal.SIGKILL)
        daemon.start()
        times.append(daemon.ready)
    return times


def reading(daemon, rounds):
    """Seconds of cat and of log verify over the same files."""
    files = sorted(glob.glob(os.path.join(daemon.state, "log", "*.segment")))
    size = sum(os.path.getsize(file) for file in files)
    cats, verifies = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        with open(os.devnull, "w") as sink:
            subprocess.run(["cat", *files], stdout=sink, check=True)
        cats.append(time.perf_counter() - began)
        began = time.perf_counter()
        subprocess.run(
            [daemon.program, "log", "verify", "--state", daemon.state], check=True,
            capture_output=True)
        verifies.append(time.perf_counter() - began)
    return size, statistics.median(cats), statistics.median(verifies)


def analyses(daemon, session, rounds):
    """Seconds of computing a session's metrics anew."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run(
            [daemon.program, "analyze", session, "--state", daemon.state, "--json"], check=True,
            capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def seeks(daemon, share, start, count):
    viewer = Rewinder(daemon, share)
    viewer.message()
    viewer.send({"pause": True})
    draw = random.Random(1)
    times = [viewer.seek(start + 60 + draw.random() * (SESSION_SECONDS - 120))
             for _ in range(count)]
    times.sort()
    return statistics.median(times), times[min(len(times) - 1, int(len(times) * 0.99))]


def aged(options):
    """Rows about a log of a gibibyte."""
    with tempfile.TemporaryDirectory(prefix="aged") as folder:
        daemon = Daemon(options.daemon, folder)
        token_file = daemon.token_file("watch")
        token = open(token_file).read()
        share = daemon.ask("share", "create", "--device", "watch")["id"]
        frames, seconds, sessions = fill(daemon, token, options)
        median, p99 = seeks(daemon, share, sessions[-1][1], options.seeks)
        ack, between = acks(daemon, token_file, token)
        ready = starts(daemon, token, options.starts)
        daemon.end(signal.SIGTERM)
        size, cat, verify = reading(daemon, 3)
        analysis = analyses(daemon, sessions[-1][0], 3)
    return [
        ("log", f"{size / 2**30:.2f} GiB, {frames:,} frames in {seconds:.0f} s", "", True),
        ("acks of a watch at 50 Hz beside 20 at full speed: p50, longest from one to the next",
         f"{ack * 1000:.0f} ms, {between * 1000:.0f} ms", "next ≤ 250 ms", between <= 0.25),
        ("ready again after kill -9 under load, worst", f"{max(ready):.2f} s", "≤ 2 s",
         max(ready) <= 2),
        (f"seek in a session of 3 h at 100 Hz, p50 / p99 of {options.seeks}",
         f"{median * 1000:.1f} / {p99 * 1000:.1f} ms", "p99 ≤ 50 ms", p99 <= 0.05),
        ("log verify of all, against cat of the same files in memory",
         f"{verify:.2f} s against {cat:.2f} s: {size / 2**30 / verify:.2f} GiB/s", "", True),
        ("analyze of a session of 3 h at 100 Hz", f"{analysis:.2f} s", "≤ 2 s", analysis <= 2),
    ]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--seeks", type=int, default=300)
    parser.add_argument("--segments", type=int, default=31250)
    parser.add_argument("--years-only", action="store_true")
    options = parser.parse_args()
    rows = ([] if options.years_only else aged(options)) + years(options)
    print("| a log of years | measured | bar | |\n|---|---|---|---|")
    for name, measured, bar, holds in rows:
        print(f"| {name} | {measured} | {bar} | {'✓' if holds else '✗'} |")
    sys.exit(0 if all(row[3] for row in rows) else 1)


if __name__ == "__main__":
    main()
