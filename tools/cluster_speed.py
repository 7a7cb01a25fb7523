"""`tools/cluster speed`: what the stream's round trips cost, beside a node without a cluster.

Devices send binary heart rates in batches, directly to the node that leads, from two processes.
"""
import asyncio, json, multiprocessing, os, selectors, socket, statistics, struct, time, uuid

from cluster_nodes import Cluster, Node, end_with_parent, free_ports, until
from cluster_verdict import percentile

DEVICES, PROCESSES, BATCH_SECONDS, STEADY = 16, 2, 0.01, 20_000
# Frames of a device that wait for their ack in the search for the most.
WINDOW = 4000
SETTINGS = ("limits:\n  failures_per_minute: 10000\n  device_mebibytes_per_day: 1000000\n"
            "ingest:\n  frames_per_second: 1000000\nlogging:\n  level: warning\n")


class Sender:
    def __init__(self, port, token):
        self.link = socket.create_connection(("127.0.0.1", port))
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = json.dumps(
            {"token": token, "session": str(uuid.uuid4()), "recorded": True}).encode()
        self.link.sendall(
            b"PLS1" + struct.pack("<HBBIq", 14 + len(hello), 1, 0, 0, 0) + hello)
        self.rest, self.sent, self.acked, self.waiting = b"", 0, 0, []
        self.micros = int(time.time() * 1e6)
        while self.acked == 0 and not self.rest:
            self.rest = self.link.recv(1 << 16)
        self.take()

    def send(self, count, step):
        """`count` frames, `step` µs of device time between them."""
        frames = bytearray(20 * count)
        for index in range(count):
            self.sent += 1
            self.micros += step
            struct.pack_into("<HBBIqHBB", frames, 20 * index, 18, 2, 0, self.sent, self.micros,
                             1400 + self.sent % 7, 0, 0)
        self.waiting.append((self.sent, time.perf_counter()))
        self.link.sendall(frames)

    def hear(self, delays):
        data = self.link.recv(1 << 16)
        if not data:
            raise RuntimeError("the daemon closed a device's connection")
        self.rest += data
        self.take()
        now = time.perf_counter()
        while self.waiting and self.waiting[0][0] <= self.acked:
            delays.append(now - self.waiting.pop(0)[1])

    def take(self):
        while len(self.rest) >= 2:
            size = 2 + int.from_bytes(self.rest[:2], "little")
            if len(self.rest) < size:
                return
            if self.rest[2] == 0x82:
                self.acked = int.from_bytes(self.rest[4:8], "little")
            elif self.rest[2] == 0x84:
                raise RuntimeError(f"refused: {self.rest[16:size].decode()}")
            self.rest = self.rest[size:]


def most(senders, chosen, end, delays):
    """Each device sends on as soon as half of its window is acknowledged."""
    while time.perf_counter() < end:
        for sender in senders:
            if sender.sent - sender.acked <= WINDOW // 2:
                sender.send(WINDOW // 2, 1000)
        for key, _ in chosen.select(0.01):
            key.data.hear(delays)


def steady(senders, chosen, end, delays):
    """All devices together send at a fixed rate, whatever is acknowledged."""
    count = int(STEADY * BATCH_SECONDS / DEVICES + 0.5)
    period = count * DEVICES / STEADY
    due = time.perf_counter()
    while due < end:
        for sender in senders:
            sender.send(count, int(period * 1e6 / count))
        due += period
        while (wait := due - time.perf_counter()) > 0:
            for key, _ in chosen.select(wait):
                key.data.hear(delays)


def process(load, port, tokens, seconds, gate, answers):
    end_with_parent()
    try:
        senders, delays = [Sender(port, token) for token in tokens], []
        chosen = selectors.DefaultSelector()
        for sender in senders:
            chosen.register(sender.link, selectors.EVENT_READ, sender)
        gate.wait(30)
        begin = time.perf_counter()
        load(senders, chosen, begin + seconds, delays)
        frames, taken = sum(sender.acked for sender in senders), time.perf_counter() - begin
        until_last = time.perf_counter() + 10
        while any(sender.waiting for sender in senders) and time.perf_counter() < until_last:
            for key, _ in chosen.select(0.1):
                key.data.hear(delays)
        late = sum(len(sender.waiting) for sender in senders)
        answers.put((frames / taken, delays, late))
    except Exception as error:  # The parent tells it; a queue without an answer would block it.
        answers.put(f"{type(error).__name__}: {error}")


def measured(load, port, tokens, seconds):
    """Frames acknowledged a second, sorted delays of the batches' acks, and batches without."""
    gate, answers = multiprocessing.Barrier(PROCESSES), multiprocessing.Queue()
    share = len(tokens) // PROCESSES
    processes = [
        multiprocessing.Process(target=process, daemon=True, args=(
            load, port, tokens[number * share:(number + 1) * share], seconds, gate, answers))
        for number in range(PROCESSES)]
    for one in processes:
        one.start()
    found = [answers.get(timeout=seconds + 60) for _ in processes]
    for one in processes:
        one.join()
    if wrong := [one for one in found if isinstance(one, str)]:
        raise RuntimeError(wrong[0])
    return (sum(rate for rate, _, _ in found), sorted(sum((delays for _, delays, _ in found), [])),
            sum(late for _, _, late in found))


async def figures(node, seconds):
    tokens = [node.ask("device", "add", f"d{number}")["token"] for number in range(DEVICES)]
    rate, _, _ = await asyncio.to_thread(measured, most, node.device, tokens, seconds / 2)
    reached, delays, late = await asyncio.to_thread(
        measured, steady, node.device, tokens, seconds)
    return rate, reached, statistics.median(delays), percentile(delays, 0.99), late


async def run(options, folder):
    rows = []
    together = os.path.join(folder, "cluster")
    with Cluster(options.binary, options.nats, together, SETTINGS) as cluster:
        leader = await cluster.start()
        rows.append(("a cluster of three", await figures(leader, options.seconds)))
    alone = Node(options.binary, "alone", os.path.join(folder, "alone"), free_ports(3),
                 os.path.join(together, "master.key"), SETTINGS)
    try:
        alone.start()
        await until(lambda: alone.readiness()[0] == 200, 30, "the node alone is not ready")
        rows.append(("one node without a cluster", await figures(alone, options.seconds)))
    finally:
        alone.end()
    print(f"\n{DEVICES} devices, {os.cpu_count()} processors for everything\n\n"
          f"| | most frames/s | frames/s of {STEADY:,} | ack p50 | ack p99 | acks missing |\n"
          "|---|---|---|---|---|---|")
    for name, (rate, reached, p50, p99, late) in rows:
        print(f"| {name} | {rate:,.0f} | {reached:,.0f} | {p50 * 1000:.1f} ms"
              f" | {p99 * 1000:.1f} ms | {late} |")
    return not any(late for _, (*_, late) in rows)
