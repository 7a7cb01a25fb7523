"""A daemon with sessions of hours: how they get into it, and how one reads in them."""
import json, os, struct, sys, threading, time, urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serving import Serving

HOURS, RATE = 3, 100
SESSION_SECONDS = HOURS * 3600


def second(first_sequence, micros):
    """A second of one session: 100 motion frames, a heart rate, a position."""
    out, sequence = [], first_sequence
    for index in range(RATE):
        step = 0.3 if (index // 17) % 2 else -0.2
        out.append(struct.pack(
            "<HBBIqBBHI6h", 34, 0x03, 0, sequence, micros + index * 10_000, 1, 1, 0, 10_000,
            int(step * 1000), 0, int(step * 500), 10, 20, 30))
        sequence += 1
    out.append(struct.pack("<HBBIqHBB", 18, 0x02, 0, sequence, micros, 1400 + sequence % 200, 1, 0))
    sequence += 1
    out.append(struct.pack(
        "<HBBIqiiiHHhH", 34, 0x04, 0, sequence, micros, 481000000 + sequence % 100000, 115000000,
        50000, 40, 60, 300, 9000))
    return b"".join(out), sequence + 1


class Daemon(Serving):
    def start(self):
        """Sets `ready`: seconds until /readyz says yes."""
        began = time.perf_counter()
        super().start()
        while True:
            try:
                with urllib.request.urlopen(
                        f"http://{self.addresses['operations']}/readyz", timeout=5) as answer:
                    if answer.status == 200:
                        self.ready = time.perf_counter() - began
                        return
            except OSError:
                time.sleep(0.002)


def push(daemon, token, session, seconds, start_micros):
    """Sends a session and waits for its last ack; returns the frames sent."""
    link = daemon.connect("device")
    hello = json.dumps(
        {"type": "hello", "token": token, "session": session, "recorded": True}).encode()
    link.sendall(b"PLS1" + struct.pack("<HBBIq", 14 + len(hello), 1, 0, 0, 0) + hello)
    acked, received = [0], bytearray()

    def listen():
        while data := swallow(link.recv, 65536):
            received.extend(data)
            acked[0] = take_acks(received, acked[0])

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    sequence = 1
    for index in range(seconds):
        block, sequence = second(sequence, start_micros + index * 1_000_000)
        link.sendall(block)
    while acked[0] < sequence - 1:
        if not listener.is_alive():
            raise OSError(f"the daemon ended the connection after frame {acked[0]}")
        time.sleep(0.01)
    link.close()
    return sequence - 1


def take_acks(received, acked):
    """Takes whole frames out of `received`; returns the last acknowledged number, `acked` without one."""
    while len(received) >= 2:
        size = 2 + struct.unpack_from("<H", received)[0]
        if len(received) < size:
            break
        if received[2] == 0x82:
            acked = struct.unpack_from("<I", received, 4)[0]
        del received[:size]
    return acked


def swallow(work, *arguments):
    try:
        return work(*arguments)
    except OSError:
        return None


class Rewinder:
    """A viewer's WebSocket; reads one message at a time."""

    def __init__(self, daemon, share):
        self.link = daemon.watch(share)
        self.stream = self.link.makefile("rb")
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def send(self, message):
        text = json.dumps(message).encode()
        self.link.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)

    def message(self):
        head = self.stream.read(2)
        size = head[1] & 127
        if size >= 126:
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        return json.loads(self.stream.read(size)) if head[0] & 15 == 1 else self.stream.read(size)

    def seek(self, time_asked):
        """Seconds until the snapshot of that moment. A viewer's next seek is begun 250 ms after its
        last."""
        time.sleep(0.26)
        began = time.perf_counter()
        self.send({"seek": time_asked})
        while True:
            found = self.message()
            if (isinstance(found, dict) and found.get("type") == "snapshot"
                    and abs(found["time"] - time_asked) < 1.5):
                return time.perf_counter() - began
