#!/usr/bin/env python3
"""Measures what connections cost that do nothing, what a stalled viewer or a hot share costs the
others, and what a sample costs that comes in batches.

usage: standing.py --daemon PATH --bench FOLDER [--rounds N]

Memory is the growth of the daemon's private pages over the connections opened; CPU is the
daemon's own. The stalled viewer never reads; the others' p99 is compared with and without it.
"""
import argparse, contextlib, json, os, socket, ssl, statistics, subprocess, sys, tempfile, time
import uuid

import fan_out
import with_tls
from serving import Serving, watching

IDLE_VIEWERS = 9000
QUIET_SHARES, HOT_VIEWERS = 5000, 5000


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return 1024 * sum(
            int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Daemon(Serving):
    """One device with a share, and where both are reached."""

    def __init__(self, program, folder, tls=False):
        settings = fan_out.SETTINGS
        if tls:
            settings += with_tls.SETTINGS.format(**with_tls.certificate(folder))
        super().__init__(program, folder, settings, under=fan_out.CORE)
        self.token = self.ask("device", "add", "d")["token"]
        self.share = self.ask("share", "create", "--device", "d")["id"]

    def viewer(self, context=None):
        link = self.connect("http")
        link = watching(context.wrap_socket(link) if context else link, self.share)
        assert b"101" in link.recv(200)
        return link

    def device(self):
        link = self.connect("device")
        hello = {"type": "hello", "token": self.token, "session": str(uuid.uuid4()), "sentAt": 1}
        link.sendall(json.dumps(hello).encode() + b"\n")
        assert b"welcome" in link.recv(2000)
        return link


@contextlib.contextmanager
def running(options, tls=False):
    with tempfile.TemporaryDirectory(prefix="standing") as folder:
        with Daemon(options.daemon, folder, tls) as daemon:
            yield daemon


def memory(options, count, open_one, tls=False):
    with running(options, tls) as daemon:
        warm = [open_one(daemon) for _ in range(50)]
        time.sleep(0.5)
        before = private_bytes(daemon.process.pid)
        links = [open_one(daemon) for _ in range(count)]
        time.sleep(1)
        grown = private_bytes(daemon.process.pid) - before
        for link in warm + links:
            link.close()
        return grown / count / 1024


def idle_cpu(options):
    """Percent of a core, between the keep-alive pings' minutes."""
    with running(options) as daemon:
        links = [daemon.viewer() for _ in range(IDLE_VIEWERS)]
        time.sleep(3)
        before = cpu_seconds(daemon.process.pid)
        time.sleep(15)
        used = (cpu_seconds(daemon.process.pid) - before) / 15 * 100
        for link in links:
            link.close()
        return used


def p99(options, stalled):
    with tempfile.TemporaryDirectory(prefix="standing") as folder:
        server = fan_out.pulsecast(options.daemon, folder, 1)
        try:
            share = open(os.path.join(folder, "names")).read().split()[0]
            host, port = server.subscribe.split("/")[2].rsplit(":", 1)
            links = []
            for _ in range(10 if stalled else 0):
                link = socket.socket()
                link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                link.connect((host, int(port)))
                links.append(watching(link, share))
            found = fan_out.measure(options.bench, server, fan_out.fan(100, 100), 4)
            return found["lat_p99"] / 1000
        finally:
            server.stop()


def quiet_p99(options, hot):
    """Milliseconds from write to read on quiet shares, one viewer each, beside a hot one or not.

    In the common queue of the scheduler: before everything else the daemon's threads would wait a
    tenth of a second for each other on the one core."""
    with tempfile.TemporaryDirectory(prefix="standing") as folder:
        server = fan_out.pulsecast(
            options.daemon, folder, QUIET_SHARES + 1, under=fan_out.PINNED)
        loud = None
        try:
            lines = open(server.arguments[1]).readlines()
            for name, part in (("hot", lines[:1]), ("quiet", lines[1:])):
                with open(os.path.join(folder, name), "w") as file:
                    file.writelines(part)
            if hot:
                server.arguments[1] = os.path.join(folder, "hot")
                loud = subprocess.Popen(
                    fan_out.generator(options.bench, server, fan_out.fan(HOT_VIEWERS, 2), 60, []),
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(4)
            server.arguments[1] = os.path.join(folder, "quiet")
            # Before the other generator, whose reading is not what is asked for.
            first = ["chrt", "-r", "1"] if fan_out.FIRST else []
            scenario = fan_out.fan(QUIET_SHARES, 1000, topics=QUIET_SHARES)
            found = fan_out.measure(options.bench, server, scenario, 5, first)
            if hot and loud.poll() is not None:
                raise RuntimeError("the hot share's generator ended before the quiet ones'")
            return found["lat_p99"] / 1000
        finally:
            if loud:
                loud.kill()
                loud.wait()
            server.stop()


def sample_cost(options):
    """Microseconds of CPU, whatever thread: 240,000 samples a second, ten frames a write."""
    with tempfile.TemporaryDirectory(prefix="standing") as folder:
        server = fan_out.pulsecast(options.daemon, folder, 200, frame="motion")
        try:
            arguments = ["-P", "200", "-r", "60000", "-B", "10"]
            found = fan_out.measure(
                options.bench, server, {"mode": "ingest", "arguments": arguments}, 4)
        finally:
            server.stop()
    if found["per_s"] < 59000:
        raise RuntimeError(f"only {found['per_s']:.0f} of 60,000 frames a second were taken")
    return found["srv_us_per"] / fan_out.SAMPLES_A_FRAME


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    missed = 0
    print("| figure | ours (low–high) | bar | |\n|---|---|---|---|")

    def row(name, unit, bar, run):
        nonlocal missed
        values = sorted(run() for _ in range(options.rounds))
        middle = statistics.median(values)
        missed += middle > bar
        print(f"| {name} | {middle:.2f} ({values[0]:.2f}–{values[-1]:.2f}) {unit} | ≤ {bar} |"
              f" {'✓' if middle <= bar else '✗'} |", flush=True)

    row("idle viewer, plaintext", "KiB", 8, lambda: memory(options, 3000, Daemon.viewer))
    row("idle viewer, TLS", "KiB", 28,
        lambda: memory(options, 500, lambda daemon: daemon.viewer(context), tls=True))
    row("idle device", "KiB", 10, lambda: memory(options, 2000, Daemon.device))
    row(f"daemon with {IDLE_VIEWERS} idle viewers", "% of a core", 0.1, lambda: idle_cpu(options))
    row("10 stalled viewers' effect on the others' p99", "ms", 1,
        lambda: p99(options, True) - p99(options, False))
    row(f"a hot share's effect on the p99 of {QUIET_SHARES} quiet ones ({HOT_VIEWERS} viewers, 2 Hz)",
        "ms", 10, lambda: quiet_p99(options, True) - quiet_p99(options, False))
    row("motion sample, 200 devices × 1200 a second", "µs CPU (≤ 5: 200,000 a second on one core)",
        5, lambda: sample_cost(options))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
