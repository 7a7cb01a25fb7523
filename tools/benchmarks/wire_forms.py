"""What a phone or a watch sends of one run, in each form that a daemon takes: native frames, and the
messages of applications as these publish them, each filled with every value that the form has.
"""
import base64, json, os, struct, time, uuid

# Of one HTTP request, besides its own: what such clients commonly send.
HEADERS = "Accept: */*\r\nAccept-Encoding: gzip\r\nConnection: Keep-Alive\r\n"
SESSION = "6f1c2f0a-1b2c-4d3e-8f4a-5b6c7d8e9f00"
KNOTS = 3600 / 1852
# A name, as owners give; and a link's.
DEVICE = "watch"


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def iso(seconds, zone="Z"):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + zone


class Run:
    """A simulated run's frames, in the order of their times."""

    def __init__(self, path):
        self.frames = []
        with open(path) as file:
            for line in file:
                frame = json.loads(line)
                if frame["type"] in ("location", "heartRate", "motion", "pressure", "status"):
                    self.frames.append(frame)
        self.frames.sort(key=lambda frame: frame["timestamp"])

    def seconds(self):
        return self.frames[-1]["timestamp"] - self.frames[0]["timestamp"]

    def of(self, *kinds):
        return [frame for frame in self.frames if frame["type"] in kinds]

    def moved(self, seconds):
        """The same frames at other times."""
        for frame in self.frames:
            frame["timestamp"] += seconds
        return self


def hello(token):
    return compact({"type": "hello", "token": token, "session": str(uuid.uuid4()),
                    "sentAt": round(time.time(), 3)})


def binary(kind, sequence, seconds, payload):
    return struct.pack(
        "<HBBIq", 14 + len(payload), kind, 0, sequence, round(seconds * 1e6)) + payload


def binary_frames(frame, samples):
    """A frame's kind, time and payload; motion in batches of so many samples."""
    at = frame["timestamp"]
    if frame["type"] == "heartRate":
        yield 2, at, struct.pack("<HBB", round(frame["heartRate"] * 10), 2, 0)
    elif frame["type"] == "location":
        yield 4, at, struct.pack(
            "<iiiHHhH", round(frame["latitude"] * 1e7), round(frame["longitude"] * 1e7),
            round(frame["altitude"] * 100), round(frame["horizontalAccuracy"] * 10),
            round(frame["verticalAccuracy"] * 10), round(frame["speed"] * 100),
            round(frame["course"] * 100))
    elif frame["type"] == "pressure":
        yield 6, at, struct.pack("<f", frame["hectopascals"])
    elif frame["type"] == "status":
        yield 7, at, struct.pack("<BB", round(frame["battery"] * 100), frame["charging"])
    else:
        interval = frame["intervalMicroseconds"]
        for start in range(0, len(frame["samples"]), samples):
            part = frame["samples"][start:start + samples]
            body = b"".join(
                struct.pack("<6h", *(round(value * 1024) for value in sample[:3]),
                            *(round(value * 800) for value in sample[3:])) for sample in part)
            yield 3, at + start * interval / 1e6, struct.pack(
                "<BBHI", len(part), 3, 0, interval) + body


def text_frames(frame, state):
    """Text frames of one frame: each motion sample is one, with the newest heart rate, as the watch
    application of Sources/Documentation/Protocol.md sends them."""
    at = frame["timestamp"]
    if frame["type"] == "heartRate":
        state["heartRate"] = frame["heartRate"]
    if frame["type"] != "motion":
        yield {name: value for name, value in frame.items() if name not in ("seq", "arrivalTime")}
        return
    names = [f"{sensor}{axis}" for sensor in ("accelerometer", "gyroscope") for axis in "XYZ"]
    for index, sample in enumerate(frame["samples"]):
        values = {name: round(value, 4) for name, value in zip(names, sample)}
        rate = {"heartRate": state["heartRate"]} if "heartRate" in state else {}
        yield {**values, **rate, "gravityIncluded": True,
               "timestamp": round(at + index * frame["intervalMicroseconds"] / 1e6, 3)}


class Native:
    """Frames of a connection that stays open; `messages` yields (device time, bytes of a frame)."""

    def __init__(self, name, door, is_text, kinds, samples=25):
        self.name, self.door, self.is_text = name, door, is_text
        self.kinds, self.samples = kinds, samples

    def messages(self, run):
        sequence, state = 0, {}
        for frame in run.of(*self.kinds):
            if self.is_text:
                for text in text_frames(frame, state):
                    sequence += 1
                    yield text["timestamp"], compact({**text, "seq": sequence})
            else:
                for kind, at, payload in binary_frames(frame, self.samples):
                    sequence += 1
                    yield at, binary(kind, sequence, at, payload)

    def wrapped(self, message):
        """As the connection carries it."""
        if self.door == "TCP":
            return message + b"\n" if self.is_text else message
        return masked(1 if self.is_text else 2, message)

    def greeting(self, token):
        if self.is_text:
            return self.wrapped(hello(token))
        frame = binary(1, 0, time.time(), hello(token))
        return b"PLS1" + frame if self.door == "TCP" else self.wrapped(frame)

    def upgrade(self):
        """What comes before the hello."""
        return b"" if self.door == "TCP" else upgrade("/v1/device")


def upgrade(path, headers=""):
    key = base64.b64encode(os.urandom(16)).decode()
    return (f"GET {path} HTTP/1.1\r\nHost: pulse.example.com\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"{headers}\r\n").encode()


def masked(opcode, payload):
    """A client's frame of WebSocket."""
    mask, count = os.urandom(4), len(payload)
    head = bytes([0x80 | opcode, 0x80 | count]) if count < 126 else struct.pack(
        ">BBH", 0x80 | opcode, 0xFE, count)
    whole = int.from_bytes(payload, "big") ^ int.from_bytes(
        (mask * (count // 4 + 1))[:count], "big")
    return head + mask + whole.to_bytes(count, "big")


def request(method, path, body=b"", content_type="application/json", headers=""):
    about = f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n" if body else ""
    return (f"{method} {path} HTTP/1.1\r\nHost: pulse.example.com\r\n{HEADERS}{headers}{about}\r\n"
            ).encode() + body


class Push:
    """Requests of an application; `bodies` yields what each carries."""

    def __init__(self, name, bodies, asks, has_positions=True):
        self.name, self.bodies, self.asks = name, bodies, asks
        self.has_positions = has_positions


def own_tracks(run):
    for fix in run.of("location"):
        at = int(fix["timestamp"])
        yield compact({
            "_type": "location", "lat": round(fix["latitude"], 6),
            "lon": round(fix["longitude"], 6), "tst": at, "acc": round(fix["horizontalAccuracy"]),
            "alt": round(fix["altitude"]), "vac": round(fix["verticalAccuracy"]),
            "vel": round(fix["speed"] * 3.6), "cog": round(fix["course"]), "batt": 87, "bs": 1,
            "tid": "JJ", "t": "u", "conn": "m", "m": 2, "created_at": at + 1,
            "topic": "owntracks/jane/phone", "_id": f"{at:08x}"})


def overland(size):
    """Batches of so many points."""
    def bodies(run):
        fixes = run.of("location")
        for start in range(0, len(fixes), size):
            part = fixes[start:start + size]
            yield compact({"locations": [{
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [fix["longitude"], fix["latitude"]]},
                "properties": {
                    "timestamp": iso(fix["timestamp"], "+0000"), "altitude": round(fix["altitude"]),
                    "speed": round(fix["speed"], 2), "course": round(fix["course"]),
                    "horizontal_accuracy": round(fix["horizontalAccuracy"]),
                    "vertical_accuracy": round(fix["verticalAccuracy"]), "motion": ["running"],
                    "battery_state": "unplugged", "battery_level": 0.87, "wifi": "",
                    "device_id": DEVICE, "pauses": False, "activity": "fitness",
                    "desired_accuracy": 10, "deferred": 0, "significant_change": "disabled",
                    "locations_in_payload": len(part)}} for fix in part]})
    return bodies


def tracker_query(run):
    """Traccar Client's query, and many a tracker's: speed in knots."""
    for fix in run.of("location"):
        yield (f"id={DEVICE}&timestamp={int(fix['timestamp'])}&lat={fix['latitude']}"
               f"&lon={fix['longitude']}&speed={fix['speed'] * KNOTS:.2f}"
               f"&bearing={fix['course']:.1f}&altitude={fix['altitude']:.1f}"
               f"&accuracy={fix['horizontalAccuracy']:.1f}&batt=87&charge=false").encode()


def traccar_json(run):
    for fix in run.of("location"):
        yield compact({"device_id": DEVICE, "location": {
            "timestamp": iso(fix["timestamp"], ".000Z"),
            "coords": {
                "latitude": fix["latitude"], "longitude": fix["longitude"],
                "accuracy": fix["horizontalAccuracy"], "speed": round(fix["speed"], 2),
                "heading": round(fix["course"], 1), "altitude": round(fix["altitude"], 1)},
            "is_moving": True, "odometer": 5012.4, "event": "motionchange",
            "activity": {"type": "running"}, "battery": {"level": 0.87, "is_charging": False},
            "mock": False, "extras": {}}})


def gps_logger(run):
    start = int(run.frames[0]["timestamp"])
    for fix in run.of("location"):
        yield (f"lat={fix['latitude']}&lon={fix['longitude']}&alt={fix['altitude']:.1f}"
               f"&acc={fix['horizontalAccuracy']}&spd={fix['speed']:.2f}&dir={fix['course']:.1f}"
               f"&timestamp={int(fix['timestamp'])}&starttimestamp={start}&batt=87&desc=").encode()


def sensor_logger(*kinds):
    """A message a second, with what that second measured."""
    def readings(frame):
        at = round(frame["timestamp"] * 1e6) * 1000
        if frame["type"] == "heartRate":
            yield {"name": "heartrate", "time": at, "values": {"bpm": frame["heartRate"]}}
        elif frame["type"] == "location":
            yield {"name": "location", "time": at, "values": {
                "latitude": frame["latitude"], "longitude": frame["longitude"],
                "altitude": frame["altitude"], "altitudeAboveMeanSeaLevel": frame["altitude"],
                "speed": frame["speed"], "bearing": frame["course"],
                "horizontalAccuracy": frame["horizontalAccuracy"],
                "verticalAccuracy": frame["verticalAccuracy"], "speedAccuracy": 0.5,
                "bearingAccuracy": 10}}
        elif frame["type"] == "motion":
            for index, sample in enumerate(frame["samples"]):
                moment = at + index * frame["intervalMicroseconds"] * 1000
                # Gravity is a sensor of its own there; the motion's share is what is measured here.
                for name, values in (("accelerometeruncalibrated", sample[:3]),
                                     ("gyroscope", sample[3:])):
                    yield {"name": name, "time": moment, "values": {
                        axis: round(value, 6) for axis, value in zip("xyz", values)}}

    def bodies(run):
        second, payload, number = None, [], 0
        for frame in run.of(*kinds):
            now = int(frame["timestamp"])
            if payload and now != second:
                yield compact({"messageId": number, "sessionId": SESSION, "deviceId": SESSION,
                               "payload": payload})
                payload, number = [], number + 1
            second = now
            payload += readings(frame)
    return bodies


def heart_rate_query(run):
    for frame in run.of("heartRate"):
        yield f"bpm={frame['heartRate']}".encode()


def hr_push(run):
    for frame in run.of("heartRate"):
        yield compact({"event": "heartRate", "heartRate": frame["heartRate"],
                       "percent": round(frame["heartRate"] / 190, 2), "connected": True,
                       "device": "Polar H10", "timestamp": iso(frame["timestamp"], ".000Z")})


def hds(run):
    for frame in run.of("heartRate"):
        yield compact({"data": f"heartRate:{frame['heartRate']}"})


def posting(format, content_type="application/json", headers=""):
    return lambda token, body: request("POST", f"/in/{format}/{token}", body, content_type, headers)


def getting(format):
    return lambda token, body: request("GET", f"/in/{format}/{token}?{body.decode()}")


def with_bearer(format):
    return lambda token, body: request(
        "POST", f"/in/{format}", body, headers=f"Authorization: Bearer {token}\r\n")


def with_password(format):
    def asks(token, body):
        word = base64.b64encode(f"{DEVICE}:{token}".encode()).decode()
        return request("POST", f"/in/{format}", body, headers=(
            f"Authorization: Basic {word}\r\nX-Limit-U: jane\r\nX-Limit-D: phone\r\n"))
    return asks


PHONE, WATCH = ("location", "heartRate"), ("motion", "heartRate", "location")
NATIVE = [
    Native(f"{form}, {door}", door, is_text, PHONE)
    for form, is_text in (("binary frames", False), ("text frames", True))
    for door in ("TCP", "WebSocket")
]
NATIVE_WATCH = [
    Native("binary frames, 25 samples each, TCP", "TCP", False, WATCH),
    Native("binary frames, one sample each, TCP", "TCP", False, WATCH, samples=1),
    Native("text frames, one sample each, TCP", "TCP", True, WATCH),
    Native("text frames, one sample each, WebSocket", "WebSocket", True, WATCH),
]
PUSHES = [
    Push("OwnTracks, a point a request", own_tracks, with_password("owntracks")),
    Push("Overland, 10 points a request", overland(10), with_bearer("overland")),
    Push("Overland, 200 points a request", overland(200), with_bearer("overland")),
    Push("Traccar Client, a query a point", tracker_query, getting("osmand")),
    Push("Traccar Client, JSON a point", traccar_json, posting("osmand")),
    Push("GPSLogger, a query a point", gps_logger, getting("gpslogger")),
    Push("Sensor Logger, position and heart rate", sensor_logger(*PHONE),
         posting("sensorlogger")),
    Push("heart rate alone, `hr`", heart_rate_query, getting("hr"), has_positions=False),
    Push("heart rate alone, hr_push", hr_push, posting("hrpush"), has_positions=False),
    Push("heart rate alone, HDS", hds, posting("hds"), has_positions=False),
]
PUSHES_WATCH = [
    Push("Sensor Logger, 50 Hz motion, one message a second",
         sensor_logger(*WATCH), posting("sensorlogger")),
]
