#!/usr/bin/env python3
"""Measures the whole daemon against the least a server can do, and against peers.

usage: fan_out.py --daemon PATH --bench FOLDER [--rounds N] [--seconds S] [--only NAME]
                  [--before TABLE] [--no-peers]

The load generator (fanbench) and the floor (floorsrv: one bare send a subscriber) are neutral C
programs in FOLDER. Server on core 0, generator on core 1; contenders take turns, figures are
medians, ratios are of the same round. Ends with 1 where a bar is missed, or where even the best
round's ratio is more than a tenth worse than the median of an earlier table.
"""
import argparse, json, os, shutil, statistics, struct, subprocess, sys, tempfile, time, uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serving import Serving

# Room for every viewer and device, and for what the bars ask of them.
SETTINGS = """limits:
  connections: 20000
  unauthenticated: 10000
logging:
  level: error
ingest:
  frames_per_second: 100000
"""

STAMP = "FB1:" + "0" * 36
SAMPLES_A_FRAME = 4

# Before everything else, where that is allowed: what a machine does besides is nobody's figure.
FIRST = ["chrt", "-r", "1"] if os.geteuid() == 0 else []
PINNED = ["taskset", "-c", "0"]
CORE = [*FIRST, *PINNED]


class Server:
    """A process under test, where to publish to it and where to subscribe."""

    def __init__(self, process, subscribe, publish, arguments=()):
        self.process = process
        self.subscribe, self.publish, self.arguments = subscribe, publish, list(arguments)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def started(*command):
    process = subprocess.Popen(
        [*CORE, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.4)
    return process


def pulsecast(program, folder, topics, form="ws", frame="marker", under=CORE):
    """The real daemon with `topics` devices and a share each; log durability always."""
    shutil.rmtree(os.path.join(folder, "state"), ignore_errors=True)
    daemon = Serving(program, folder, SETTINGS, under=under)
    names = os.path.join(folder, "names")
    with open(names, "w") as file:
        for token, share in daemon.add_many(topics):
            file.write(f'{share} {token}","session":"{uuid.uuid4()}\n')
    settle(daemon.process.pid)
    http = daemon.addresses["http"]
    hello = '{"type":"hello","token":"%k","recorded":true,"sentAt":1763700000}'
    return Server(
        daemon.process,
        f"{form}://{http}/v1/shares/%n/" + ("live" if form == "ws" else "events"),
        f"ws://{http}/v1/device",
        ["-N", names, "-J", hello, "-F", frame_file(folder, frame),
         *(["-2"] if frame == "motion" else [])])


def settle(pid):
    """Waits until no thread has ended for a while.

    The load generator adds up the times of the threads there are. Those that adding the devices
    began end after some idle seconds and would take theirs along, out of the figure."""
    since, before = time.monotonic(), None
    while time.monotonic() - since < 7:
        threads = set(os.listdir(f"/proc/{pid}/task"))
        if before is None or before - threads:
            since = time.monotonic()
        before = threads
        time.sleep(0.2)


def frame_file(folder, kind):
    path = os.path.join(folder, kind)
    if kind == "marker":
        content = json.dumps(
            {"type": "marker", "text": STAMP, "timestamp": 1763700000.5}).encode()
    else:
        # With rotation, 12 bytes a sample: the stamp needs 40, and its digits are fair values.
        samples = (STAMP + "1" * 8).encode()
        payload = struct.pack("<BBHI", SAMPLES_A_FRAME, 1, 0, 20000) + samples
        content = struct.pack("<HBBIq", 14 + len(payload), 3, 0, 0, 1763700000500000) + payload
    with open(path, "wb") as file:
        file.write(content)
    return path


def floor(bench, folder, frame="marker"):
    return Server(
        started(os.path.join(bench, "floorsrv"), "7908", "send"), "ws://127.0.0.1:7908/sub/t%t",
        "ws://127.0.0.1:7908/pub/t%t", ["-F", frame_file(folder, frame)])


NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so"


def nchan(folder):
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as file:
        file.write(
            f"load_module {NCHAN}; worker_rlimit_nofile 20000; user root; daemon off;\n"
            f"master_process off; pid {folder}/nginx.pid; error_log /dev/null;\n"
            "events { worker_connections 19000; use epoll; multi_accept on; }\n"
            "http { access_log off; tcp_nodelay on; nchan_shared_memory_size 512M;\n"
            " nchan_message_buffer_length 1024; nchan_message_timeout 10s;\n"
            " server { listen 127.0.0.1:7901 backlog=4096;\n"
            "  location ~ ^/pub/(.+)$ { nchan_publisher websocket; nchan_channel_id $1; }\n"
            "  location ~ ^/sub/(.+)$ { nchan_subscriber websocket; nchan_channel_id $1;\n"
            "   nchan_subscriber_first_message newest; } } }\n")
    return Server(
        started("nginx", "-p", folder, "-c", config), "ws://127.0.0.1:7901/sub/t%t",
        "ws://127.0.0.1:7901/pub/t%t", ["-b", "130"])


def nats(folder):
    config = os.path.join(folder, "nats.conf")
    with open(config, "w") as file:
        file.write(
            "host: 127.0.0.1, port: 7902, max_connections: 18000\n"
            "websocket { host: 127.0.0.1, port: 7903, no_tls: true, compression: false }\n")
    return Server(
        started("nats-server", "-c", config), "natsws://127.0.0.1:7903/t%t",
        "natsws://127.0.0.1:7903/t%t", ["-b", "130"])


def redis():
    return Server(
        started(
            "redis-server", "--port", "7904", "--bind", "127.0.0.1", "--save", "", "--appendonly",
            "no", "--maxclients", "15000", "--client-output-buffer-limit", "pubsub 0 0 0",
            "--tcp-backlog", "4096"),
        "redis://127.0.0.1:7904/t%t", "redis://127.0.0.1:7904/t%t", ["-b", "130"])


def generator(bench, server, scenario, seconds, first=FIRST):
    # A child of taskset is the server itself: taskset replaces itself.
    return [
        *first, "taskset", "-c", "1", os.path.join(bench, "fanbench"), "-m", scenario["mode"],
        "-s", server.subscribe, "-p", server.publish, "-S", str(server.process.pid),
        "-d", str(seconds), "-e", "1000", *scenario["arguments"], *server.arguments]


def measure(bench, server, scenario, seconds, first=FIRST):
    command = generator(bench, server, scenario, seconds, first)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"fanbench said nothing: {done.stderr.strip()[:300]}")
    return json.loads(lines[-1])


def fan(subscribers, rate, topics=1, window=None):
    arguments = ["-n", str(subscribers), "-T", str(topics), "-P", str(topics), "-r", str(rate)]
    return {"mode": "fanout", "arguments": arguments + (["-w", str(window)] if window else [])}


def scenarios():
    """Name, what is run, the figure, how ours is held against the floor's, the bar."""
    for viewers in (1000, 5000):
        yield (f"1 share, {viewers} viewers, 10,000 deliveries/s", fan(viewers, 10000 // viewers),
               1, "srv_us_per", "µs CPU a delivery", "at most", 1.15)
        yield (f"1 share, {viewers} viewers, one message in flight", fan(viewers, 0, window=1),
               1, "per_s", "deliveries/s", "at least", 0.9)
    yield ("1,000 shares × 5 viewers at 1 Hz", fan(5000, 1000, topics=1000), 1000, "srv_us_per",
           "µs CPU a delivery", "at most", 1.3)
    yield ("200 devices × 50 Hz, binary motion frames",
           {"mode": "ingest", "arguments": ["-P", "200", "-r", "10000"]}, 200, "srv_us_per",
           "µs CPU a frame", "at most", 1.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--before")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    missed, before = 0, earlier(options.before)
    print("| figure | unit | ours | floor | ours ÷ floor (low–high) | bar | before"
          " | p99 µs, ours / floor | peers | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, scenario, topics, key, unit, sense, bar in scenarios():
        if options.only not in name:
            continue
        found = run(options, scenario, topics, peers=not options.no_peers)
        ours, least = ([result[key] for result in found[who]] for who in ("pulsecast", "floor"))
        ratios = sorted(a / b for a, b in zip(ours, least))
        ratio = statistics.median(ratios)
        was = before.get(name)
        if sense == "at most":
            met = ratio <= bar and (was is None or ratios[0] <= 1.1 * was)
        else:
            met = ratio >= bar and (was is None or ratios[-1] >= 0.9 * was)
        missed += not met
        tails = " / ".join(
            f"{statistics.median([r.get('lat_p99', 0) for r in found[who]]):.0f}"
            for who in ("pulsecast", "floor"))
        peers = ", ".join(
            f"{who} {statistics.median([r[key] for r in results]):.4g}"
            for who, results in found.items() if who not in ("pulsecast", "floor")) or "–"
        print(f"| {name} | {unit} | {statistics.median(ours):.4g} | {statistics.median(least):.4g}"
              f" | {ratio:.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f}) | {sense} {bar}"
              f" | {was or '–'} | {tails} | {peers} | {'✓' if met else '✗'} |", flush=True)
        lost = sum(result.get("lost", 0) for result in found["pulsecast"])
        if lost:
            print(f"lost {lost} deliveries in {name}", file=sys.stderr)
            missed += 1
    return 1 if missed else 0


def earlier(path):
    """The ratios of a table that was kept, by figure."""
    names, found = {scenario[0] for scenario in scenarios()}, {}
    for line in open(path) if path else []:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and cells[1] in names:
            found[cells[1]] = float(cells[5].split()[0])
    return found


def run(options, scenario, topics, peers=True):
    """Results by contender, a round each; contenders take turns."""
    frame = "motion" if scenario["mode"] == "ingest" else "marker"
    found = {}
    with tempfile.TemporaryDirectory(prefix="fan") as folder:
        contenders = {
            "pulsecast": lambda: pulsecast(options.daemon, folder, topics, frame=frame),
            "floor": lambda: floor(options.bench, folder, frame),
        }
        if frame == "marker" and peers:
            contenders["pulsecast, SSE"] = lambda: pulsecast(
                options.daemon, folder, topics, form="sse")
            if os.path.exists(NCHAN):
                contenders["nchan"] = lambda: nchan(folder)
            if shutil.which("nats-server"):
                contenders["NATS"] = lambda: nats(folder)
            if shutil.which("redis-server"):
                contenders["Redis"] = redis
        for _ in range(options.rounds):
            for who, start in contenders.items():
                server = start()
                try:
                    found.setdefault(who, []).append(
                        measure(options.bench, server, scenario, options.seconds))
                finally:
                    server.stop()
    return found


if __name__ == "__main__":
    sys.exit(main())
