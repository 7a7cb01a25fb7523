#!/usr/bin/env python3
"""Measures starts on an empty log, and restarts under load behind sockets that stay open.

usage: restart.py --daemon PATH [--starts N] [--restarts N] [--runners N] [--folder FOLDER]

The sockets are held as systemd holds them. Each runner has a viewer that comes back with its cursor.
At the end every frame that a runner counted must be in the log, once, and every event of the log
must have been shown, once. Ends with 1 where a bar is missed: ready in 200 ms, back in 1 s, 0 lost.
"""
import argparse, collections, fcntl, json, os, signal, socket, statistics, subprocess, sys
import tempfile, threading, time

DOORS = ["device", "http", "operations"]
READY_MAX, BACK_MAX = 0.2, 1.0


class Supervisor:
    """What systemd is to the daemon: opens its sockets, hears that it is ready, starts it again."""

    def __init__(self, daemon, folder):
        self.daemon, self.folder = daemon, folder
        self.state = os.path.join(folder, "state")
        self.doors = [socket.create_server(("127.0.0.1", 0), backlog=4096) for _ in DOORS]
        self.ports = {name: door.getsockname()[1] for name, door in zip(DOORS, self.doors)}
        self.heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.heard.bind(os.path.join(folder, "notify"))
        self.heard.settimeout(60)
        self.journal = open(os.path.join(folder, "journal"), "ab")
        self.environment = dict(
            os.environ, NOTIFY_SOCKET=self.heard.getsockname(), LISTEN_FDS="3",
            LISTEN_FDNAMES=":".join(DOORS))

    def start(self):
        """Starts the daemon and returns the seconds until it is ready."""
        began = time.monotonic()
        self.process = os.fork()
        if self.process == 0:
            self.become_daemon()
        while b"READY=1" not in self.heard.recv(4096):
            pass
        ready = time.monotonic() - began
        # clock_getcpuclockid(3), which this language lacks: all threads of that process.
        self.processor = time.clock_gettime(~self.process << 3 | 2)
        return ready

    def become_daemon(self):
        try:
            # Out of the way first: one of them may be 3, 4 or 5 already.
            high = [fcntl.fcntl(door.fileno(), fcntl.F_DUPFD, 64) for door in self.doors]
            for number, descriptor in enumerate(high):
                os.dup2(descriptor, 3 + number)
                os.close(descriptor)
            os.dup2(self.journal.fileno(), 1)
            os.dup2(self.journal.fileno(), 2)
            os.execve(
                self.daemon, [self.daemon, "serve", "--state", self.state],
                dict(self.environment, LISTEN_PID=str(os.getpid())))
        finally:
            os._exit(127)

    def stop(self):
        os.kill(self.process, signal.SIGTERM)
        status = os.waitpid(self.process, 0)[1]
        if status:
            with open(self.journal.name) as journal:
                sys.exit(f"the daemon ended with {status}:\n{journal.read()}")

    def say(self, *arguments):
        return subprocess.run(
            [self.daemon, *arguments, "--state", self.state], check=True, capture_output=True,
            text=True).stdout


class Viewer(threading.Thread):
    """Follows a share's events, and comes back at once with its cursor."""

    def __init__(self, port, share):
        super().__init__(daemon=True)
        self.port, self.share = port, share
        self.cursor, self.gaps, self.events = None, 0, []
        self.came, self.refused = [], 0
        self.start()

    def run(self):
        while True:
            try:
                self.follow()
            except ConnectionRefusedError:
                self.refused += 1
                time.sleep(0.05)
            except OSError:
                pass  # An end that was not orderly; the cursor says where to go on.

    def follow(self):
        after = f"?after={self.cursor}" if self.cursor else ""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(
                f"GET /v1/shares/{self.share}/events{after} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            first = True
            for line in connection.makefile("rb"):
                if not line.startswith(b"data: "):
                    continue
                message = json.loads(line[6:])
                self.cursor = message.get("cursor", self.cursor)
                self.gaps += message["type"] == "gap"
                if message["type"] in ("event", "end"):
                    self.events.append(int(message["cursor"].split("-")[1]))
                self.came.append((time.monotonic(), first))
                first = False

    def back_after(self, moment):
        """Seconds from `moment` to the first message of the next connection."""
        while True:
            for when, first in self.came:
                if first and when > moment:
                    return when - moment
            time.sleep(0.01)


def starts(options):
    """Seconds until ready, each with nothing there yet, and again on the log that is then empty;
    and what they took of a processor."""
    fresh, again, busy = [], [], []
    for _ in range(options.starts):
        with tempfile.TemporaryDirectory(dir=options.folder, prefix="start-") as folder:
            supervisor = Supervisor(options.daemon, folder)
            for seconds in (fresh, again):
                seconds.append(supervisor.start())
                busy.append(supervisor.processor)
                supervisor.stop()
    return fresh, again, busy


def restarts(options, folder):
    """Restarts under load; returns what was measured, and what was lost."""
    supervisor = Supervisor(options.daemon, folder)
    supervisor.start()
    viewers, senders = [], []
    for index in range(options.runners):
        added = json.loads(supervisor.say("device", "add", f"runner-{index}", "--json"))
        shared = json.loads(
            supervisor.say("share", "create", "--device", f"runner-{index}", "--json"))
        viewers.append(Viewer(supervisor.ports["http"], shared["id"]))
        token = os.path.join(folder, f"token-{index}")
        with open(token, "w") as file:
            file.write(added["token"])
        senders.append(subprocess.Popen(
            [options.daemon, "simulate", "--token-file", token, "--seed", str(index),
             "--to", f"tcp://127.0.0.1:{supervisor.ports['device']}", "--speed", "6",
             "--minutes", str(options.restarts * 0.3 + 0.4)], stdout=subprocess.DEVNULL))
    away, back = [], []
    for _ in range(options.restarts):
        time.sleep(2)
        if any(sender.poll() is not None for sender in senders):
            sys.exit("a runner ended before the restarts did")
        began = time.monotonic()
        supervisor.stop()
        supervisor.start()
        away.append(time.monotonic() - began)
        back += [viewer.back_after(began) for viewer in viewers]
    faults = ["a runner failed" for sender in senders if sender.wait()]
    time.sleep(2)
    supervisor.stop()
    return away, back, faults + lost(supervisor, viewers)


def lost(supervisor, viewers):
    """Sentences: what is missing in the log, and what viewers were not shown of it."""
    frames, events = collections.defaultdict(list), set()
    for line in supervisor.say("log", "cat").splitlines():
        record = json.loads(line)
        if record["type"] == "frame":
            frames[record["session"]].append(record["seq"])
        elif record["type"] == "event":
            events.add(record["offset"])
    faults = [
        f"{session}: {len(numbers)} frames, the last is {max(numbers)}"
        for session, numbers in frames.items()
        if sorted(numbers) != list(range(1, max(numbers) + 1))]
    if len(frames) != len(viewers):
        faults.append(f"{len(frames)} sessions of {len(viewers)} runners")
    shown = [offset for viewer in viewers for offset in viewer.events]
    if sorted(shown) != sorted(events):
        faults.append(f"{len(events)} events, shown were {len(shown)}: missing are"
                      f" {sorted(events - set(shown))[:9]}")
    faults += [f"a viewer saw {viewer.gaps} gaps" for viewer in viewers if viewer.gaps]
    faults += [f"a viewer was refused {viewer.refused} times" for viewer in viewers if viewer.refused]
    print(f"Frames in the log: {sum(map(len, frames.values()))}, events {len(events)}.")
    return faults


def row(name, seconds, bound):
    met = max(seconds) <= bound
    print(f"| {name} | {statistics.median(seconds) * 1000:.0f} ms | {max(seconds) * 1000:.0f} ms |"
          f" {bound * 1000:.0f} ms | {'✓' if met else '✗'} |")
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--runners", type=int, default=3)
    parser.add_argument("--folder", default="/var/tmp", help="on the disk that is meant")
    options = parser.parse_args()
    fresh, again, busy = starts(options)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="restart-") as folder:
        away, back, faults = restarts(options, folder)
    print("| | median | worst | bar | |\n|---|---|---|---|---|")
    met = [
        row("ready on an empty log", again, READY_MAX),
        row("ready, with keys, registry and log made first", fresh, READY_MAX),
        row("restart under load, order to ready", away, BACK_MAX),
        row("order to a viewer's first message", back, BACK_MAX)]
    print(f"A start takes {statistics.median(busy) * 1000:.0f} ms of a processor.")
    for fault in faults:
        print(f"✗ {fault}")
    sys.exit(0 if all(met) and not faults else 1)


main()
