#!/usr/bin/env python3
"""Counts what an hour costs in bytes: what a phone or a watch sends in each form, and what a viewer
receives in each, both counted at the sockets of a real daemon, over one simulated run.

usage: bytes.py --daemon PATH [--minutes M] [--seed S] [--only devices|viewers] [--bars] [--keep FILE]

Forms of other applications are their published messages, filled from the same run; `wire_forms.py`
has them. A second of the run is sent when the viewers have the one before, but not before 0.1 s: they
ask for 20 updates a second, and get one for each second of the run, as at the usual rate of one. What
a daemon sends by its own clock (pings, comments) is scaled by the pace. Acks of native frames depend
on the pace, so they are counted over one minute at the pace of life.

Bytes on the wire are computed: socket bytes, and 52 (IPv4, TCP, timestamps) for each packet. A packet
has a message, at most 1,448 bytes of it; what a phone or viewer receives is acknowledged by a packet
of its own, what it sends by its answer's. TLS adds 22 to each message, and its handshake.
"""
import argparse, itertools, os, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import device_bytes, viewer_bytes, wire_forms
from serving import Serving

SETTINGS = "limits:\n  per_address: 2000\nlogging:\n  level: error\n"


class Counting(Serving):
    """A daemon with devices that are named d0, d1 …"""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.numbers = itertools.count()

    def new_token(self):
        return self.ask("device", "add", f"d{next(self.numbers)}")["token"]


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], usage=__doc__.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("--daemon", required=True)
    arguments.add_argument("--minutes", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", choices=("devices", "viewers"))
    arguments.add_argument(
        "--bars", action="store_true", help="exit with 1 if a bar is missed; they are for an hour")
    arguments.add_argument("--keep", help="a file for the viewers' messages, as JSON")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, \
            Counting(options.daemon, folder, SETTINGS) as daemon:
        path = os.path.join(folder, "run.ndjson")
        daemon.run("simulate", "--output", path, "--minutes", str(options.minutes),
                   "--seed", str(options.seed))
        run = wire_forms.Run(path)
        hours = run.seconds() / 3600
        print(f"Kilobytes an hour (1,000 bytes), of {hours * 60:.1f} simulated minutes, "
              f"seed {options.seed}.\n")
        bars = []
        if options.only != "devices":
            bars += viewer_bytes.show(daemon, run, hours, options.keep)
            print()
        if options.only != "viewers":
            bars += device_bytes.show(daemon, run, hours)
    if options.bars:
        print("\n| figure | reached | bar | |\n|---|---|---|---|")
        for name, reached, bar in bars:
            print(f"| {name} | {reached:.3g} | <= {bar:g} | {'✓' if reached <= bar else '✗'} |")
        sys.exit(any(reached > bar for _, reached, bar in bars))


if __name__ == "__main__":
    main()
