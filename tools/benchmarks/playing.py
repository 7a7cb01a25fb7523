#!/usr/bin/env python3
"""Measures what a delivery of an owner's playback costs beside a live one: the same run, the same
pace, the same number of viewers.

usage: playing.py --daemon PATH [--viewers N] [--seconds S] [--rounds N]

Cost is the daemon's processor time with N viewers less that with one, by message: so reading the
recording and taking in the frames do not count, and what is left is the delivery. Live and playback
take turns; the ratio is that of the medians.
"""
import argparse, glob, selectors, statistics, subprocess, tempfile, threading, time

import viewing
from serving import Serving
from viewing import Viewer

SAMPLES = 100


def processor_seconds(pid):
    """Of all threads: the scheduler counts nanoseconds, where /proc/PID/stat counts ticks of 10 ms."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path) as file:
            total += int(file.read().split()[0])
    return total / 1e9


def count_messages(daemon, pid, share, viewers, seconds, begin):
    """Processor seconds and messages of that many viewers, once `begin` has made the share move."""
    links = [Viewer(daemon, share).head() for _ in range(viewers)]
    with begin():
        # Snapshots and the first second are not the pace.
        time.sleep(2)
        selector = selectors.DefaultSelector()
        for viewer in links:
            viewer.link.setblocking(False)
            selector.register(viewer.link, selectors.EVENT_READ, viewer)
        messages, before, end = 0, processor_seconds(pid), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                try:
                    # One send by message: a read takes them apart well enough at this pace.
                    messages += 1 if key.data.link.recv(65536) else 0
                except BlockingIOError:
                    pass
        cost = processor_seconds(pid) - before
    for viewer in links:
        viewer.link.close()
    return cost, messages


class Live:
    """A device that sends as it runs, a second a second."""

    def __init__(self, daemon, token):
        self.daemon, self.token, self.isOver = daemon, token, threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __exit__(self, *_):
        self.isOver.set()
        self.thread.join()

    def run(self):
        viewing.send_live(self.daemon, self.token, self.isOver, SAMPLES)


class Playback:
    """The owner's command that plays a recording to a share."""

    def __init__(self, daemon, session, share):
        self.command = [daemon.program, "replay", session, "--share", share, "--speed", "1",
                        "--state", daemon.state]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], usage=__doc__.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("--daemon", required=True)
    arguments.add_argument("--viewers", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, \
            Serving(options.daemon, folder, viewing.SETTINGS) as daemon:
        pid = daemon.process.pid
        shares, tokens = {}, {}
        for device in ("ann", "bob"):
            tokens[device] = daemon.ask("device", "add", device)["token"]
            shares[device] = daemon.ask("share", "create", "--device", device)
        viewing.record(daemon, tokens["ann"], 0.25, SAMPLES)
        session = daemon.ask("session", "list", "--device", "ann")
        session = (session["sessions"] if isinstance(session, dict) else session)[0]["id"]
        ways = {
            "live": (shares["bob"], lambda: Live(daemon, tokens["bob"])),
            "playback": (shares["ann"], lambda: Playback(daemon, session, shares["ann"]["name"])),
        }
        costs = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, (share, begin) in ways.items():
                one = count_messages(daemon, pid, share["id"], 1, options.seconds, begin)
                many = count_messages(
                    daemon, pid, share["id"], options.viewers, options.seconds, begin)
                costs[way].append((many[0] - one[0]) / (many[1] - one[1]))
                print(f"{way}: 1 viewer {one[0]:.2f} s, {one[1]} messages; {options.viewers} "
                      f"viewers {many[0]:.2f} s, {many[1]} messages; "
                      f"{1e6 * costs[way][-1]:.1f} us a message", flush=True)
    middles = {way: statistics.median(costs[way]) for way in ways}
    print(f"a delivery: live {1e6 * middles['live']:.1f} us, playback "
          f"{1e6 * middles['playback']:.1f} us, ratio {middles['playback'] / middles['live']:.2f} "
          "(bar 1.2)")


if __name__ == "__main__":
    main()
