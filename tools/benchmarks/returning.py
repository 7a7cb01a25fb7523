#!/usr/bin/env python3
"""Measures viewers that all come back after a restart, and what others notice of it.

usage: returning.py --daemon PATH [--viewers N] [--seconds S] [--rounds N] [--no-tls]

A device sends ten markers a second. The daemon restarts; the device and 100 viewers are there at
once, and are the good ones. N viewers (10,000) return at random times within S seconds (10), each
with the cursor that it had before. Server on core 0, viewers (returning.c, built here) on core 1.
Figures are medians of the rounds. Ends with 1 where a viewer did not come back or a good one was closed.
"""
import argparse, json, os, socket, ssl, statistics, subprocess, sys, tempfile, threading
import time, uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import fan_out
import tls
import with_tls
from serving import Serving, watching

GOOD = 100


class Watch:
    """The device: sends stamped markers and notes when each is acknowledged."""

    def __init__(self, daemon, token):
        self.link = daemon.connect("device")
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = {"type": "hello", "token": token, "session": str(uuid.uuid4()), "recorded": True}
        self.link.sendall(json.dumps(hello).encode() + b"\n")
        self.sent, self.acks, self.is_over = {}, [], threading.Event()
        self.threads = [threading.Thread(target=self.send), threading.Thread(target=self.read)]
        for thread in self.threads:
            thread.start()

    def send(self):
        number = 0
        while not self.is_over.wait(0.1):
            number += 1
            self.sent[number] = now = time.monotonic_ns()
            marker = {"type": "marker", "seq": number, "text": f"FB1:{now:020} {tls.PADDING}",
                      "timestamp": time.time()}
            self.link.sendall(json.dumps(marker).encode() + b"\n")

    def read(self):
        try:
            for line in self.link.makefile("rb"):
                answer, now = json.loads(line), time.monotonic_ns()
                if answer["type"] != "ack":
                    continue
                for number in [one for one in list(self.sent) if one <= answer["seq"]]:
                    sent = self.sent.pop(number)
                    self.acks.append((sent, (now - sent) / 1e6))
        except OSError:
            pass

    def end(self):
        self.is_over.set()
        self.threads[0].join()
        self.link.shutdown(socket.SHUT_RDWR)
        self.threads[1].join()


def cursor(daemon, share, certificate):
    """The cursor of the newest event, as a viewer has it; `certificate`: with TLS."""
    link = daemon.connect("http")
    if certificate:
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = False
        link = context.wrap_socket(link)
    watching(link, share)
    link.settimeout(1)
    received = b""
    try:
        while more := link.recv(65536):
            received += more
            if received.count(b'"cursor"') > 3:
                break
    except TimeoutError:
        pass
    link.close()
    return received.rsplit(b'"cursor":"', 1)[1].split(b'"')[0].decode()


def spent(pid):
    return sum(int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0])
               for task in os.listdir(f"/proc/{pid}/task"))


def measure(program, folder, viewers, files, options, has_tls):
    settings = fan_out.SETTINGS + (with_tls.SETTINGS.format(**files) if has_tls else "")
    with Serving(program, folder, settings, under=fan_out.CORE) as daemon:
        token = daemon.ask("device", "add", "d")["token"]
        share = daemon.ask("share", "create", "--device", "d")["id"]
        watch = Watch(daemon, token)
        time.sleep(1)
        seen = "?after=" + cursor(daemon, share, files["c"] if has_tls else None)
        watch.end()
        daemon.end()
        daemon.start()
        watch = Watch(daemon, token)
        path = f"/v1/shares/{share}/live"
        before = spent(daemon.process.pid)
        done = subprocess.run(
            [*fan_out.FIRST, "taskset", "-c", "1", viewers, "127.0.0.1", str(daemon.port("http")),
             f"{path},{path}{seen}", str(GOOD), str(options.viewers), str(options.seconds),
             "tls" if has_tls else "plain"], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise SystemExit(done.stderr.strip())
        found = json.loads(done.stdout)
        found["processor_s"] = (spent(daemon.process.pid) - before) / 1e9
        watch.end()
        quiet = [ack for sent, ack in watch.acks
                 if found["from_ns"] - 2e9 < sent < found["from_ns"]]
        busy = [ack for sent, ack in watch.acks if found["from_ns"] <= sent < found["to_ns"]]
        found["acks_before"], found["acks_during"] = percentiles(quiet), percentiles(busy)
        return found


def percentiles(times):
    times = sorted(times) or [-1]
    return [times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)], times[-1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--viewers", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-tls", action="store_true")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="returning") as folder:
        files, viewers = with_tls.certificate(folder), with_tls.client(folder, "returning")
        for has_tls in (False,) if options.no_tls else (False, True):
            rounds = []
            for _ in range(options.rounds):
                place = tempfile.mkdtemp(dir=folder)
                rounds.append(measure(options.daemon, place, viewers, files, options, has_tls))
            failed |= any(one["returned"] != options.viewers or one["good"] != GOOD
                          for one in rounds)
            show("TLS" if has_tls else "plaintext", rounds)
    return 1 if failed else 0


def show(name, rounds):
    def median(key, index=None):
        return statistics.median(one[key] if index is None else one[key][index] for one in rounds)

    print(f"{name}: {median('returned'):.0f} returned, {sum(one['refused'] for one in rounds)} "
          f"refused, {min(one['good'] for one in rounds)} of {GOOD} good ones stayed; "
          f"{median('processor_s'):.1f} s of processor")
    print("| ms | p50 | p99 | longest |\n|---|---|---|---|")
    print("| connect to first message, those who return | "
          + " | ".join(f"{median('back_' + key):.1f}" for key in ("p50", "p99", "longest")) + " |")
    for key, title in (("before", "before"), ("during", "meanwhile")):
        longest = f"{median('during_longest'):.1f}" if key == "during" else ""
        print(f"| marker at a good viewer, {title} | {median(key + '_p50'):.1f} | "
              f"{median(key + '_p99'):.1f} | {longest} |")
        print(f"| ack of the good device, {title} | "
              + " | ".join(f"{median('acks_' + key, index):.1f}" for index in range(3)) + " |")


if __name__ == "__main__":
    sys.exit(main())
