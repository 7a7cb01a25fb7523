#!/usr/bin/env python3
"""Measures what a second event loop brings, and what of the daemon's work stays serial.

usage: loops.py --daemon PATH [--rounds N] [--seconds S]

Viewers (crowd.c, built here) cost little, so that the daemon decides how many deliveries a second
there are. One and two loops take turns, each on all processors; figures are medians, ratios are of
the same round. The serial work is the time within the pipeline's turns, as the daemon counts it
(pulsecast_pipeline_seconds_total). Ends with 1 where a bar is missed or a delivery is lost.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, threading, urllib.request, uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import fan_out
from serving import Serving

HERE = os.path.dirname(os.path.abspath(__file__))
# Before the daemon and the viewers, where that is allowed: what a machine does besides is nobody's
# figure. The viewers come first, since they only wait.
DAEMON = ["chrt", "-r", "1"] if os.geteuid() == 0 else []
VIEWERS = ["chrt", "-r", "2"] if os.geteuid() == 0 else []
RUNNERS, MINUTES = 8, 10


def serving(program, folder, loops):
    settings = fan_out.SETTINGS.replace("limits:\n", f"limits:\n  event_loops: {loops}\n")
    return Serving(program, folder, settings, under=DAEMON)


def crowd(options, built, loops, shares, viewers, witnesses):
    """Deliveries to `viewers` of `shares`; a share sends on when its last `witnesses` have all."""
    with tempfile.TemporaryDirectory(prefix="loops") as folder, serving(
            options.daemon, folder, loops) as daemon:
        names = os.path.join(folder, "names")
        with open(names, "w") as file:
            for token, share in daemon.add_many(shares):
                file.write(f"{share} {token} {uuid.uuid4()}\n")
        fan_out.settle(daemon.process.pid)
        done = subprocess.run(
            [*VIEWERS, built, "127.0.0.1", str(daemon.port("http")),
             str(daemon.port("operations")), names, str(shares), str(viewers), str(witnesses),
             str(options.seconds), str(daemon.process.pid)],
            capture_output=True, text=True, timeout=300)
        if not done.stdout:
            raise RuntimeError(f"crowd said nothing: {done.stderr.strip()[:300]}")
        return json.loads(done.stdout)


def metric(daemon, name):
    page = urllib.request.urlopen(f"http://{daemon.addresses['operations']}/metrics").read()
    lines = [line.split() for line in page.decode().splitlines()]
    return sum(float(words[1]) for words in lines if words and words[0] == name)


def discard(link):
    while link.recv(1 << 16):
        pass


def runners(options):
    """Serial µs for a second of a runner, who is watched: motion, positions, heart rate, metrics."""
    with tempfile.TemporaryDirectory(prefix="loops") as folder, serving(
            options.daemon, folder, 1) as daemon:
        files = []
        for number in range(RUNNERS):
            files.append(daemon.token_file(f"r{number}"))
            share = daemon.ask("share", "create", "--device", f"r{number}")["id"]
            threading.Thread(target=discard, args=[daemon.watch(share)], daemon=True).start()
        names = "pulsecast_pipeline_seconds_total", "pulsecast_frames_recorded_total"
        before = [metric(daemon, name) for name in names]
        sending = [
            threading.Thread(target=daemon.send, args=[
                file, "simulate", "--minutes", str(MINUTES), "--speed", "max", "--seed",
                str(number)]) for number, file in enumerate(files)]
        for thread in sending:
            thread.start()
        for thread in sending:
            thread.join()
        held, frames = (metric(daemon, name) - was for name, was in zip(names, before))
        return {"us": held * 1e6 / (RUNNERS * MINUTES * 60), "frames": frames / (RUNNERS * MINUTES * 60)}


def row(name, unit, values, bar="–", verdict=""):
    middle = statistics.median(values)
    print(f"| {name} | {unit} | {middle:.4g} ({min(values):.4g}–{max(values):.4g}) | {bar} | {verdict} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("Two event loops were not measured: there is one processor.")
        return 0
    missed = 0
    print("| figure | unit | reached (low–high) | bar | |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="loops") as folder:
        built = os.path.join(folder, "crowd")
        subprocess.run(["cc", "-O2", "-o", built, os.path.join(HERE, "crowd.c")], check=True)
        for name, scenario, bar in (
                ("4 shares × 500 viewers", (4, 2000, 8), 1.5),
                ("1,000 shares × 5 viewers", (1000, 5000, 1), None)):
            found = {1: [], 2: []}
            for _ in range(options.rounds):
                for loops in found:
                    found[loops].append(crowd(options, built, loops, *scenario))
            ratios = [two["per_s"] / one["per_s"] for one, two in zip(found[1], found[2])]
            is_met = bar is None or statistics.median(ratios) >= bar
            missed += not is_met
            row(f"{name}, two loops ÷ one", "deliveries/s", ratios, f"at least {bar}" if bar else "–",
                "" if bar is None else "✓" if is_met else "✗")
            for loops, results in found.items():
                for key, unit in (("per_s", "deliveries/s"), ("srv_us_per", "µs CPU a delivery"),
                                  ("turn_us_a_frame", "µs in the pipeline's turn a frame")):
                    row(f"the same, {loops} loop{'s' * (loops > 1)}", unit,
                        [result[key] for result in results])
            wrong = sum(r["lost"] + r["repeated"] for results in found.values() for r in results)
            row("the same, lost or repeated", "deliveries", [wrong], "0", "✗" if wrong else "✓")
            missed += wrong > 0
    found = [runners(options) for _ in range(options.rounds)]
    row("a second of a watched runner", "µs in the pipeline's turn", [one["us"] for one in found])
    row("the same", "frames", [one["frames"] for one in found])
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
