"""A runner on a course, and the watch that sends what happens."""

import bisect
import collections
import json
import math
import socket
import threading
import time
import uuid


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
    rates. `rate`: motion samples a second. `notes`: a marker with each second's number. `sos`: the
    second in which the runner calls for help."""

    def __init__(self, port, token, backlog=0, interval=1, rate=0, located=True, notes=False,
                 lasts=None, sos=None, **course):
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
        self.sos = sos
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
        if self.sos is not None and second == self.sos:
            frames.append({"type": "control", "action": "sos", "timestamp": when})
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
