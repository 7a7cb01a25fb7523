"""A real daemon with runners on it, for those who look at its pages.

    with Stage("…/pulsecast") as stage:
        device = stage.device("Anna")
        share = stage.share("Anna")
        runner = stage.runner(device, backlog=600)
        browser.open(f"{stage.base}/s/{share['id']}")
"""

import bisect
import collections
import http.client
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid


class Stage:
    def __init__(self, binary):
        self.binary = binary
        # Short: the admin socket lies in it, and a socket's path has at most 107 bytes.
        self.folder = tempfile.mkdtemp(prefix="pcs-", dir="/tmp")
        self.state = os.path.join(self.folder, "state")
        self.ports = {"device": 0, "http": 0, "operations": 0}
        self.runners = []
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for runner in self.runners:
            runner.leave()
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Starts the daemon; after a stop on the same ports."""
        flags = [f"--{name}-port={port}" for name, port in self.ports.items()]
        with open(os.path.join(self.folder, "complaints"), "a", encoding="utf-8") as complaints:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--state", self.state, "--print-addresses", *flags],
                stdout=subprocess.PIPE, stderr=complaints, stdin=subprocess.DEVNULL)
        addresses = json.loads(self.process.stdout.readline())
        self.ports = {name: int(addresses[name].rsplit(":", 1)[1]) for name in self.ports}

    def command(self, *words):
        """What a command says about this daemon's state."""
        return self._run(*words, "--state", self.state)

    def push(self, path, token_file):
        """Sends a recording as a device would."""
        port = self.ports["device"]
        self._run("push", path, "--to", f"tcp://127.0.0.1:{port}", "--token-file", token_file, "--speed", "max")

    def _run(self, *words):
        """What the program prints; when it fails, what it complains of."""
        run = subprocess.run([self.binary, *words], capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{words[0]} ended with {run.returncode}: {run.stderr.strip()}")
        return run.stdout

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def restart(self, number=signal.SIGTERM):
        self.stop(number)
        self.start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.ports['http']}"

    # What an owner does.

    def ask(self, method, path, body=None):
        connection = AdminConnection(os.path.join(self.state, "admin.sock"))
        connection.request(method, path, body=None if body is None else json.dumps(body),
                           headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text}")
        return json.loads(text) if text.strip() else None

    def device(self, name, **profile):
        """The device's token."""
        token = self.ask("POST", "/devices", {"device": name})["token"]
        if profile:
            self.ask("PATCH", f"/devices/{urllib.parse.quote(name)}/profile", profile)
        return token

    def share(self, device, **wish):
        return self.ask("POST", "/shares", {"device": device, "label": device, **wish})

    def group(self, names, **wish):
        return self.ask("POST", "/shares/group", {"shares": names, **wish})

    def revoke(self, name):
        self.ask("POST", f"/shares/{urllib.parse.quote(name)}/revoke")

    def runner(self, token, **manner):
        runner = Runner(lambda: self.ports["device"], token, **manner)
        self.runners.append(runner)
        runner.start()
        return runner

    def acknowledged(self, runner, seconds=60):
        """Waits until the daemon has everything that the runner sent so far."""
        wanted = runner.sent_count
        deadline = time.monotonic() + seconds
        while runner.acked < wanted:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{runner.acked} of {wanted} frames were acknowledged")
            time.sleep(0.02)


class AdminConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class Proxy(threading.Thread):
    """Stands between a browser and the daemon, and can lose what goes through it: as a network does
    that is gone without a word."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.is_off = False
        self.door = socket.create_server(("127.0.0.1", 0))
        self.open = []
        self.start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def swallow(self):
        """From now on nothing comes through what is open; new connections work."""
        for gone in self.open:
            gone.set()

    def off(self):
        """No network: nothing comes through what is open, and what is new is refused."""
        self.is_off = True
        self.swallow()

    def on(self):
        self.is_off = False

    def close(self):
        self.door.close()

    def run(self):
        while True:
            try:
                near, _ = self.door.accept()
            except OSError:
                return
            if self.is_off:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.port()))
            except OSError:  # the daemon is being restarted
                near.close()
                continue
            gone = threading.Event()
            self.open.append(gone)
            for source, target in [(near, far), (far, near)]:
                threading.Thread(target=self._carry, args=(source, target, gone), daemon=True).start()

    @staticmethod
    def _carry(source, target, gone):
        try:
            while part := source.recv(65536):
                if gone.is_set():
                    return  # both ends stay open
                target.sendall(part)
            if not gone.is_set():
                target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()


class Course:
    """Where a runner is and how the heart beats, by the second: a loop over hills, in the Atlantic
    where nobody runs. `pauses`: seconds at which the runner stands, and for how long."""

    METERS_PER_DEGREE = 111_195
    # Of the loop, radians.
    STEP = 0.005

    def __init__(self, speed=3.0, size=420.0, pulse=None, pauses=(), shift=0.0):
        self.speed = speed
        self.size = size
        self.pulse = pulse
        self.pauses = pauses
        self.shift = shift
        # Meters along the loop at each step.
        self.along = [0.0]

    def moving(self, second):
        """Seconds of movement so far, and whether the runner moves."""
        rested = 0.0
        for begin, length in self.pauses:
            if second >= begin + length:
                rested += length
            elif second >= begin:
                return begin - rested, False
        return second - rested, True

    def meters(self, second):
        moved, _ = self.moving(second)
        # Not even: 10 % faster and slower over five minutes.
        return self.speed * (moved + 0.1 * 48 * (1 - math.cos(moved / 48)))

    def heart_rate(self, second):
        if self.pulse is not None:
            return self.pulse
        moved, moves = self.moving(second)
        warm = 62 * (1 - math.exp(-moved / 150))
        hard = 18 * math.sin(moved / 110) + 9 * math.sin(moved / 37 + 1)
        return round((88 if moves else 76) + (warm + hard if moves else warm * 0.6))

    def place(self, angle):
        """Meters east and north: a clover, straight enough to read."""
        radius = self.size * (1 + 0.32 * math.sin(3 * angle) + 0.11 * math.sin(7.3 * angle))
        return radius * math.sin(angle), 0.72 * radius * math.cos(angle)

    def angle(self, meters):
        """Where on the loop one is after so many meters along it."""
        while self.along[-1] < meters:
            reached = (len(self.along) - 1) * self.STEP
            self.along.append(self.along[-1] + math.dist(self.place(reached), self.place(reached + self.STEP)))
        index = bisect.bisect_right(self.along, meters) - 1
        after = self.along[min(index + 1, len(self.along) - 1)]
        part = (meters - self.along[index]) / (after - self.along[index]) if after > meters else 0
        return (index + part) * self.STEP

    def location(self, second, when):
        angle = self.angle(self.meters(second) + self.shift)
        east, north = self.place(angle)
        ahead = self.place(angle + self.STEP)
        _, moves = self.moving(second)
        latitude = 31.5 + north / self.METERS_PER_DEGREE
        return {
            "type": "location", "latitude": latitude,
            "longitude": -38.25 + east / self.METERS_PER_DEGREE / math.cos(math.radians(31.5)),
            "altitude": 60 + 22 * math.sin(angle * 2) + 6 * math.sin(angle * 9),
            "horizontalAccuracy": 4, "verticalAccuracy": 5,
            "speed": self.speed * (1 + 0.1 * math.sin(self.moving(second)[0] / 48)) if moves else 0,
            "course": math.degrees(math.atan2(ahead[0] - east, ahead[1] - north)) % 360,
            "timestamp": when,
        }

    def motion(self, second, when, rate):
        """Arm swing and steps, 2.8 a second."""
        _, moves = self.moving(second)
        for index in range(rate if moves else 0):
            phase = 2 * math.pi * 2.8 * (second + index / rate)
            yield {
                "accelerometerX": round(0.35 * math.sin(phase / 2), 3),
                "accelerometerY": round(0.55 * math.sin(phase), 3),
                "accelerometerZ": round(0.18 * math.sin(phase + 1), 3),
                "gyroscopeX": round(1.2 * math.sin(phase / 2), 3), "gyroscopeY": 0.1,
                "gyroscopeZ": 0.2, "timestamp": round(when + index / rate, 3),
            }


class Runner(threading.Thread):
    """A watch: numbers its frames, keeps what is not acknowledged, comes back after a cut.

    `backlog`: seconds that it ran before it found a network. `interval`: seconds between heart
    rates. `rate`: motion samples a second. `notes`: a marker with each second's number."""

    def __init__(self, port, token, backlog=0, interval=1, rate=0, located=True, notes=False,
                 lasts=None, **course):
        super().__init__(daemon=True)
        self.port = port
        self.token = token
        self.course = Course(**course)
        self.backlog = backlog
        self.interval = interval
        self.rate = rate
        self.located = located
        self.notes = notes
        self.lasts = lasts
        self.session = str(uuid.uuid4())
        self.silent = threading.Event()
        self.left = threading.Event()
        self.sent_count = 0
        self.acked = 0
        self.last_heart_sent = None
        self.kept = collections.deque()
        self.wishes = collections.deque()
        self.socket = None
        self.text = b""

    def leave(self):
        self.left.set()

    def control(self, action):
        self.wishes.append({"type": "control", "action": action, "timestamp": time.time()})

    def run(self):
        began = time.time() - self.backlog
        for second in range(self.backlog):
            if not self.silent.is_set():
                self._keep(self.frames(second, began + second))
        self._flush()
        second = self.backlog
        while not self.left.is_set():
            if self.wishes:
                self._send([self.wishes.popleft()])
            wait = began + second - time.time()
            if wait > 0:
                self._listen(min(wait, 0.1))
                continue
            if not self.silent.is_set():
                self._send(self.frames(second, began + second))
                if second % self.interval == 0:
                    self.last_heart_sent = time.monotonic()
            second += 1
        if self.socket:
            self.socket.close()

    def frames(self, second, when):
        frames = []
        if second % self.interval == 0:
            frames.append({"type": "heartRate", "heartRate": self.course.heart_rate(second),
                           "timestamp": when, "source": "strap"})
        if self.located:
            frames.append(self.course.location(second, when))
        if self.rate:
            frames += self.course.motion(second, when, self.rate)
        if self.notes:
            frames.append({"type": "marker", "text": f"note {second}", "timestamp": when})
        if self.lasts is not None and second == self.lasts:
            frames.append({"type": "control", "action": "stop", "timestamp": when})
            self.silent.set()
        return frames

    def _keep(self, frames):
        for frame in frames:
            self.sent_count += 1
            line = json.dumps({"seq": self.sent_count, **frame}) + "\n"
            self.kept.append((self.sent_count, line.encode()))

    def _send(self, frames):
        first = self.sent_count
        self._keep(frames)
        self._flush(first)

    def _flush(self, after=None):
        """Sends what is kept; without a connection the welcome says where to go on."""
        try:
            if self.socket is None:
                after = self._connect()
            lines = [line for number, line in self.kept if after is None or number > after]
            for start in range(0, len(lines), 500):
                self.socket.sendall(b"".join(lines[start:start + 500]))
                self._listen(0)
        except OSError:
            self._drop()

    def _connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port()), timeout=10)
        self.text = b""
        hello = {"type": "hello", "token": self.token, "session": self.session, "sentAt": time.time()}
        self.socket.sendall(json.dumps(hello).encode() + b"\n")
        while b"\n" not in self.text:
            part = self.socket.recv(4096)
            if not part:
                raise ConnectionError("the daemon closed the door")
            self.text += part
        line, self.text = self.text.split(b"\n", 1)
        welcome = json.loads(line)
        if welcome["type"] != "welcome":
            raise ConnectionError(line)
        self._take(welcome["acked"])
        return self.acked

    def _take(self, acked):
        self.acked = max(self.acked, acked)
        while self.kept and self.kept[0][0] <= self.acked:
            self.kept.popleft()

    def _listen(self, seconds):
        if self.socket is None:
            time.sleep(max(seconds, 0.02))
            return
        try:
            self.socket.settimeout(seconds or 0.001)
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError("the daemon has gone")
            self.text += part
            *lines, self.text = self.text.split(b"\n")
            for line in lines:
                answer = json.loads(line)
                if answer.get("type") == "ack":
                    self._take(answer["seq"])
        except TimeoutError:
            pass
        except OSError:
            self._drop()
        finally:
            if self.socket:
                self.socket.settimeout(10)

    def _drop(self):
        if self.socket:
            self.socket.close()
        self.socket = None
