"""Devices that keep what is not acknowledged, and viewers that come back with their cursor.

Written from Protocol.md alone. All run on one event loop and reach the cluster by its balancer.
"""
import asyncio, collections, json, os, random, struct, time, uuid

BREAKS = (OSError, EOFError, asyncio.TimeoutError, asyncio.IncompleteReadError,
          asyncio.LimitOverrunError)
MARKER_EVERY = 5


class WebSocket:
    @classmethod
    async def open(cls, port, path):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        self.writer.write(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        if head.split()[1] != b"101":
            self.close()
            raise OSError(f"refused with {head.split()[1].decode()}")
        return self

    def send(self, opcode, payload):
        count = len(payload)
        head = bytes([0x80 | opcode])
        if count < 126:
            head += bytes([0x80 | count])
        elif count < 1 << 16:
            head += struct.pack(">BH", 0xFE, count)
        else:
            head += struct.pack(">BQ", 0xFF, count)
        # The mask is zero: the payload stays as it is.
        self.writer.write(head + bytes(4) + payload)

    async def receive(self):
        """Opcode and payload of the next message."""
        while True:
            first, count = await self.reader.readexactly(2)
            if count == 126:
                count = int.from_bytes(await self.reader.readexactly(2))
            elif count == 127:
                count = int.from_bytes(await self.reader.readexactly(8))
            payload = await self.reader.readexactly(count)
            if first & 15 == 9:
                self.send(10, payload)
            elif first & 15 == 8:
                raise EOFError(f"closed with {int.from_bytes(payload[:2])}")
            elif first & 15 in (1, 2):
                return first & 15, payload

    def close(self):
        self.writer.transport.abort()


def binary(kind, sequence, micros, payload):
    return struct.pack("<HBBIq", 14 + len(payload), kind, 0, sequence, micros) + payload


def answer(frame):
    """A binary frame of the daemon's as the object that its text form is."""
    if frame[2] == 0x82:
        return {"type": "ack", "seq": int.from_bytes(frame[4:8], "little")}
    return json.loads(frame[16:])


class DeviceLink:
    """One connection of a device, in one of four forms."""

    @classmethod
    async def open(cls, device, ports):
        self = cls()
        self.is_binary, self.socket = device.is_binary, None
        if device.has_socket:
            self.socket = await WebSocket.open(ports["http"], "/v1/device")
            self.writer = self.socket.writer
        else:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", ports["device"])
        hello = json.dumps({
            "type": "hello", "token": device.token, "session": device.session}).encode()
        if self.is_binary and self.socket is None:
            self.writer.write(b"PLS1")
        self.send([binary(1, 0, 0, hello) if self.is_binary else hello])
        return self

    def send(self, frames):
        if self.socket and self.is_binary:
            self.socket.send(2, b"".join(frames))
        elif self.socket:
            self.socket.send(1, b"[" + b",".join(frames) + b"]" if len(frames) > 1 else frames[0])
        elif self.is_binary:
            self.writer.write(b"".join(frames))
        else:
            self.writer.write(b"\n".join(frames) + b"\n")

    async def receive(self):
        """The daemon's next messages."""
        if self.socket:
            opcode, payload = await self.socket.receive()
            if opcode == 1:
                return [json.loads(payload)]
            found = []
            while payload:
                size = 2 + int.from_bytes(payload[:2], "little")
                found.append(answer(payload[:size]))
                payload = payload[size:]
            return found
        if self.is_binary:
            size = await self.reader.readexactly(2)
            return [answer(size + await self.reader.readexactly(int.from_bytes(size, "little")))]
        if not (line := await self.reader.readline()):
            raise EOFError("ended")
        return [json.loads(line)]

    def close(self):
        self.writer.transport.abort()


class Device:
    """Makes frames by its own clock, whether it is connected or not, and keeps those not acked."""

    def __init__(self, number, token, per_second):
        self.name, self.token, self.per_second = f"d{number}", token, per_second
        self.is_binary, self.has_socket = number % 2 == 1, number // 2 % 2 == 1
        self.session = str(uuid.uuid4())
        # Of each sequence: what the log must have; and its bytes until it is acknowledged.
        self.expected, self.bytes = [], {}
        self.acked, self.next, self.fallbacks, self.connections = 0, 1, 0, 0
        self.refused = collections.Counter()
        self.is_over, self.new = False, asyncio.Event()

    @property
    def sent(self):
        return len(self.expected)

    def add(self, marker=None, bpm=None):
        sequence, now = self.sent + 1, time.time()
        if self.is_binary:
            kind, payload = ((8, marker.encode()) if marker else
                             (2, struct.pack("<HBB", bpm * 10, 0, 0)) if bpm else (5, b"\5"))
            encoded = binary(kind, sequence, int(now * 1e6), payload)
        else:
            fields = ({"type": "marker", "text": marker} if marker else
                      {"type": "heartRate", "heartRate": bpm} if bpm else
                      {"type": "control", "action": "stop"})
            encoded = json.dumps({"seq": sequence, **fields, "timestamp": now}).encode()
        self.expected.append(marker or bpm)
        self.bytes[sequence] = encoded
        self.new.set()

    async def produce(self):
        """Until it is cancelled; the loop may be late, the number of frames is not."""
        due = time.monotonic() + random.random() / self.per_second
        while True:
            await asyncio.sleep(max(0, due - time.monotonic()))
            due += 1 / self.per_second
            sequence = self.sent + 1
            if sequence % MARKER_EVERY == 0:
                self.add(marker=f"{self.name}-{sequence}")
            else:
                self.add(bpm=60 + sequence % 120)

    async def run(self, ports):
        while True:
            link = None
            try:
                link = await asyncio.wait_for(DeviceLink.open(self, ports), 5)
                await self.use(link)
            except BREAKS:
                pass
            finally:
                if link:
                    link.close()
            await asyncio.sleep(random.uniform(0.05, 0.3))

    async def use(self, link):
        while not any(self.heard(one) for one in await asyncio.wait_for(link.receive(), 10)):
            pass
        self.connections += 1
        sending = asyncio.create_task(self.send(link))
        try:
            while True:
                # A device that waits for an ack for long tries another connection.
                for one in await asyncio.wait_for(link.receive(), 15 if self.bytes else None):
                    self.heard(one)
        finally:
            sending.cancel()

    def heard(self, message):
        """Whether it is the welcome."""
        if message.get("type") == "welcome":
            # Less than it was: an ack was given for what is not there any more.
            self.fallbacks += message["acked"] < self.acked
            self.free(message["acked"])
            self.next = message["acked"] + 1
            return True
        if message.get("type") == "ack":
            self.free(message["seq"])
        elif message.get("type") == "error":
            self.refused[message["code"]] += 1
        return False

    def free(self, acked):
        for sequence in range(self.acked + 1, acked + 1):
            self.bytes.pop(sequence, None)
        self.acked = max(self.acked, acked)

    async def send(self, link):
        while True:
            self.new.clear()
            if frames := [self.bytes[sequence] for sequence in
                          range(self.next, min(self.sent, self.next + 199) + 1)
                          if sequence in self.bytes]:
                link.send(frames)
                self.next = min(self.sent, self.next + 199) + 1
                await link.writer.drain()
            if self.next > self.sent:
                await self.new.wait()


class Viewer:
    def __init__(self, device, share):
        self.device, self.share, self.cursor = device, share, None
        self.seen, self.gaps, self.connections = collections.Counter(), 0, 0
        # When each connection began, and when its first message came.
        self.returns = []

    async def run(self, ports):
        while True:
            link, begin = None, time.monotonic()
            after = f"&after={self.cursor}" if self.cursor else ""
            try:
                link = await asyncio.wait_for(WebSocket.open(
                    ports["http"], f"/v1/shares/{self.share}/live?rate=20{after}"), 5)
                self.connections += 1
                self.heard(await asyncio.wait_for(link.receive(), 10))
                self.returns.append((begin, time.monotonic()))
                while True:
                    self.heard(await link.receive())
            except BREAKS:
                pass
            finally:
                if link:
                    link.close()
            await asyncio.sleep(random.uniform(0.05, 0.15))

    def heard(self, message):
        message = json.loads(message[1])
        self.cursor = message.get("cursor", self.cursor)
        self.gaps += message["type"] == "gap"
        if message.get("event") == "marker":
            self.seen[message["text"]] += 1

    def back_after(self, moment):
        """Seconds until a connection that began after that moment had its first message."""
        return next((first - moment for begin, first in self.returns if begin >= moment), None)

    @property
    def repeated(self):
        return sum(count - 1 for count in self.seen.values())

    def missing(self):
        """Markers that it was not shown."""
        return [text for text in self.device.expected
                if isinstance(text, str) and text not in self.seen]
