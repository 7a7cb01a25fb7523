"""What viewers receive in each form, counted at a daemon's sockets; for `bytes.py`."""
import http.client, json, selectors, time

import shrinking, wire_forms
from device_bytes import Answers, Tally, open_native, read_head, thousands
from wire_forms import masked, upgrade

# Seconds that one of the run takes; the slow viewer asks for two updates a second, one for five.
PACE = 0.1


class Stream:
    """A viewer's connection that stays open."""

    def __init__(self, daemon, name, asked):
        self.name, self.tally, self.clocked = name, Tally(), Tally()
        self.messages = []
        self.link = daemon.connect("http")
        self.link.sendall(asked)
        head, self.rest = read_head(self.link)
        self.status = head.split(b"\r\n")[0]
        if not (b" 101 " in self.status or b" 200 " in self.status):
            raise SystemExit(f"{name}: {head.decode()}")
        self.link.setblocking(False)

    def read(self):
        """Whether a message came."""
        before = self.tally.received
        try:
            while True:
                piece = self.link.recv(65536)
                if not piece:
                    raise SystemExit(f"{self.name}: closed")
                self.rest += piece
        except BlockingIOError:
            pass
        while self.take():
            pass
        return self.tally.received > before

    def scaled(self, pace):
        """With what the daemon sent by its own clock, as if the run had taken its time."""
        for _ in range(round(self.clocked.received * pace)):
            whole = self.clocked.socket_received // self.clocked.received
            self.tally.receive(0, whole)
            if self.clocked.sent:
                self.tally.send(0, self.clocked.socket_sent // self.clocked.sent)
        return self.tally


class WebSocketStream(Stream):
    def __init__(self, daemon, name, path, *texts):
        super().__init__(daemon, name, upgrade(path))
        for text in texts:
            self.say(text)

    def say(self, text):
        self.link.send(masked(1, text.encode()))

    def take(self):
        if len(self.rest) < 2:
            return False
        length, start = self.rest[1] & 127, 2
        if length == 126:
            if len(self.rest) < 4:
                return False
            length, start = int.from_bytes(self.rest[2:4], "big"), 4
        if len(self.rest) < start + length:
            return False
        opcode, payload = self.rest[0] & 15, self.rest[start:start + length]
        self.rest = self.rest[start + length:]
        if opcode == 9:
            answer = masked(10, payload)
            self.link.send(answer)
            self.clocked.receive(0, start + length)
            self.clocked.send(0, len(answer))
        elif opcode == 1:
            self.tally.receive(length, start + length)
            self.messages.append(payload)
        else:
            raise SystemExit(f"{self.name}: closed, {payload!r}")
        return True


class EventStream(Stream):
    def __init__(self, daemon, name, path):
        super().__init__(daemon, name, (
            f"GET {path} HTTP/1.1\r\nHost: pulse.example.com\r\nAccept: text/event-stream\r\n\r\n"
        ).encode())

    def take(self):
        event, found, rest = self.rest.partition(b"\n\n")
        if not found:
            return False
        self.rest = rest
        whole = len(event) + 2
        if event.startswith(b":") or b"keep-alive" in event:
            self.clocked.receive(0, whole)
            return True
        data = [line[5:] for line in event.split(b"\n") if line.startswith(b"data:")]
        self.tally.receive(sum(map(len, data)), whole)
        return True


class Poll:
    """Asks each second, with the last answer's ETag."""

    def __init__(self, daemon, name, path):
        self.name, self.path, self.tally, self.tag = name, path, Tally(), None
        self.unchanged = 0
        self.link = daemon.connect("http")

    def ask(self):
        tag = f"If-None-Match: {self.tag}\r\n" if self.tag else ""
        asked = wire_forms.request("GET", self.path, headers=tag)
        self.tally.send(0, len(asked))
        self.link.sendall(asked)
        head, rest = read_head(self.link)
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        fields = {name.lower(): value for name, value in fields.items()}
        length = int(fields.get("content-length", 0))
        status = head.split(b" ", 2)[1]
        if status == b"304":
            self.unchanged += 1
            length = 0
        elif status != b"200":
            raise SystemExit(f"{self.name}: {head.decode()}")
        while len(rest) < length:
            rest += self.link.recv(65536)
        self.tag = fields.get("etag", self.tag)
        self.tally.receive(length, len(head) + 4 + length)

    def scaled(self, _):
        return self.tally


def set_course(daemon, token, run):
    """The run's own way, with twenty checkpoints."""
    fixes = run.of("location")[::20]
    every = max(1, len(fixes) // 20)
    points = "".join(f'<trkpt lat="{fix["latitude"]}" lon="{fix["longitude"]}"/>' for fix in fixes)
    marks = "".join(
        f'<wpt lat="{fix["latitude"]}" lon="{fix["longitude"]}"><name>Point {number}</name></wpt>'
        for number, fix in enumerate(fixes[every::every][:20], 1))
    body = (f'<?xml version="1.0"?><gpx version="1.1" creator="bytes">{marks}<trk><trkseg>{points}'
            "</trkseg></trk></gpx>").encode()
    link = http.client.HTTPConnection("127.0.0.1", daemon.port("http"))
    link.request("PUT", "/v1/me/course", body, {
        "Authorization": f"Bearer {token}", "Content-Type": "application/gpx+xml"})
    answer = link.getresponse()
    if answer.status not in (200, 204):
        raise SystemExit(f"course: {answer.status} {answer.read().decode()}")


def open_viewers(daemon, run):
    """The runners' connections, and their viewers; the first viewer sets the pace."""
    runner, racer = daemon.new_token(), daemon.new_token()
    set_course(daemon, racer, run)
    daemon.run("device", "set", "d1", "--race-km", "10", "--state", daemon.state)

    def share(device, *words):
        return daemon.ask("share", "create", "--device", device, *words)["id"]

    everything = share("d0")
    scopes = {"heart rate": share("d0", "--scope", "heartRate"),
              "heart rate and metrics": share("d0", "--scope", "heartRate,metrics")}

    def live(id, rate=20):
        return f"/v1/shares/{id}/live?rate={rate}"

    join = json.dumps({"topic": f"hr:{everything}", "event": "phx_join", "payload": {}, "ref": 0})
    streams = [
        WebSocketStream(daemon, "WebSocket, all scopes", live(everything)),
        *(WebSocketStream(daemon, f"WebSocket, {name}", live(id)) for name, id in scopes.items()),
        WebSocketStream(daemon, "WebSocket, all scopes, `rate=0.2`", live(everything, 2)),
        WebSocketStream(daemon, "WebSocket, all scopes, in a race with 20 checkpoints",
                        live(share("d1"))),
        EventStream(daemon, "server-sent events, all scopes",
                    f"/v1/shares/{everything}/events?rate=20"),
        WebSocketStream(daemon, "Pulsoid's socket",
                        f"/api/v1/data/real_time?access_token={everything}"),
        WebSocketStream(daemon, "Pulsoid's socket, bare number",
                        f"/api/v1/data/real_time?access_token={everything}"
                        "&response_mode=text_plain_only_heart_rate"),
        WebSocketStream(daemon, "HypeRate's socket", "/socket/websocket?token=key", join),
        EventStream(daemon, "`publicStreams`, as a stream",
                    f"/publicStreams/{everything}/latest.json"),
    ]
    polls = [
        Poll(daemon, "`publicStreams`, asked each second",
             f"/publicStreams/{everything}/latest.json"),
        Poll(daemon, "`/latest` with ETag, asked each second", f"/v1/shares/{everything}/latest"),
    ]
    return [runner, racer], streams, polls


def by_second(run):
    """The binary frames of each second of the run."""
    second, part, sequence = None, [], 0
    for frame in run.frames:
        now = int(frame["timestamp"])
        if part and now != second:
            yield b"".join(part)
            part = []
        second = now
        for kind, at, payload in wire_forms.binary_frames(frame, 25):
            sequence += 1
            part.append(wire_forms.binary(kind, sequence, at, payload))
    yield b"".join(part)


def show(daemon, run, hours, keep):
    """Prints the tables; figures with their bars."""
    tokens, streams, polls = open_viewers(daemon, run)
    form = wire_forms.Native("", "TCP", False, ())
    links = [open_native(daemon, form, token) for token in tokens]
    for link in links:
        Answers(link, form, 0).start()
    selector = selectors.DefaultSelector()
    for stream in streams:
        selector.register(stream.link, selectors.EVENT_READ, stream)
    begin = time.monotonic()
    seconds = 0
    for part in by_second(run):
        start = time.monotonic()
        for link in links:
            link.sendall(part)
        has_come = False
        while (left := PACE - (time.monotonic() - start)) > 0 or not has_come and left > -0.5:
            for key, _ in selector.select(max(left, 0.01)):
                has_come = key.data.read() and key.data is streams[0] or has_come
        for poll in polls:
            poll.ask()
        seconds += 1
    pace = seconds / (time.monotonic() - begin)
    print("| form | messages | payload | at the socket | on the wire |")
    print("|---|---|---|---|---|")
    for viewer in [*streams, *polls]:
        tally = viewer.scaled(pace)
        if tally.payload_received == 0:
            raise SystemExit(f"{viewer.name}: nothing came")
        print(f"| {viewer.name} | {tally.received / hours:,.0f} "
              f"| {thousands(tally.payload_received / hours)} "
              f"| {thousands((tally.socket_received + tally.socket_sent) / hours)} "
              f"| {thousands(tally.wire() / hours)} |")
    print(f"\n{seconds} seconds of the run, {pace:.1f} in a second; of {polls[1].tally.received} "
          f"polls of /latest {polls[1].unchanged} found nothing new.")
    if keep:
        with open(keep, "w") as file:
            json.dump({stream.name: [message.decode() for message in stream.messages]
                       for stream in streams if stream.messages}, file)
    usual, _, race = (shrinking.show_members(stream.name, stream.messages)
                      for stream in (streams[0], streams[3], streams[4]))
    shrinking.show_digits(streams[0].name, streams[0].messages)
    shrinking.show_forms(streams[0].name, streams[0].messages)
    return [
        ("bytes of an update, all scopes", usual[0], 600),
        ("percent of them as the viewer had them", usual[1], 0.1),
        ("bytes of an update in a race with 20 checkpoints", race[0], 720),
    ]
