#!/usr/bin/env python3
"""Measures viewers over TLS beside plaintext, and nginx with nchan beside both.

usage: tls.py --daemon PATH [--rounds N] [--seconds S] [--viewers N] [--no-peers]

1,000 viewers of one share at 10 Hz, the same certificate for both servers. Server on core 0, viewers
(viewers.c, built here) on core 1; contenders take turns, figures are medians, ratios are of the same
round. A handshake alone is `openssl s_server`'s. Ends with 1 where a bar is missed.
"""
import argparse, base64, json, os, socket, statistics, struct, subprocess, sys, tempfile, threading
import time, uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import fan_out
import with_tls
from serving import Serving

PADDING = "x" * 90  # A marker holds 120 bytes.


class Publisher:
    """Sends a message with the time in it ten times a second."""

    def __init__(self, send):
        self.send, self.is_over = send, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.is_over.wait(0.1):
            self.send(f"FB1:{time.monotonic_ns():020} {PADDING}")

    def end(self):
        self.is_over.set()
        self.thread.join()


def masked(text):
    data, key = text.encode(), os.urandom(4)
    head = bytes([0x81]) + (bytes([0x80 | len(data)]) if len(data) < 126
                            else struct.pack(">BH", 0xFE, len(data)))
    return head + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(data))


class Ours:
    def __init__(self, program, folder, files, tls):
        settings = fan_out.SETTINGS + (with_tls.SETTINGS.format(**files) if tls else "")
        self.daemon = Serving(program, folder, settings, under=fan_out.CORE)
        token = self.daemon.ask("device", "add", "d")["token"]
        share = self.daemon.ask("share", "create", "--device", "d")["id"]
        fan_out.settle(self.daemon.process.pid)
        self.pid, self.port = self.daemon.process.pid, self.daemon.port("http")
        self.path = f"/v1/shares/{share}/live"
        self.link = self.daemon.connect("device")
        hello = {"type": "hello", "token": token, "session": str(uuid.uuid4()), "recorded": True}
        self.link.sendall(json.dumps(hello).encode() + b"\n")
        threading.Thread(target=self.discard, daemon=True).start()

    def discard(self):
        try:
            while self.link.recv(65536):
                pass
        except OSError:
            pass

    def send(self, text):
        marker = {"type": "marker", "text": text, "timestamp": time.time()}
        self.link.sendall(json.dumps(marker).encode() + b"\n")

    def stop(self):
        self.link.close()
        self.daemon.end()


class Nchan:
    def __init__(self, folder, files, tls):
        config = os.path.join(folder, "nginx.conf")
        lines = f" ssl; ssl_certificate {files['c']}; ssl_certificate_key {files['k']}" if tls else ""
        with open(config, "w") as file:
            file.write(
                f"load_module {fan_out.NCHAN}; worker_rlimit_nofile 20000; user root; daemon off;\n"
                f"master_process off; pid {folder}/nginx.pid; error_log /dev/null;\n"
                "events { worker_connections 19000; use epoll; multi_accept on; }\n"
                "http { access_log off; tcp_nodelay on; nchan_shared_memory_size 512M;\n"
                " nchan_message_buffer_length 1024; nchan_message_timeout 10s;\n"
                f" server {{ listen 127.0.0.1:7911 backlog=4096{lines};\n"
                "  location ~ ^/sub/(.+)$ { nchan_subscriber websocket; nchan_channel_id $1;\n"
                "   nchan_subscriber_first_message newest; } }\n"
                " server { listen 127.0.0.1:7912;\n"
                "  location ~ ^/pub/(.+)$ { nchan_publisher websocket; nchan_channel_id $1; } } }\n")
        self.process = fan_out.started("nginx", "-p", folder, "-c", config)
        self.pid, self.port, self.path = self.process.pid, 7911, "/sub/t"
        self.link = socket.create_connection(("127.0.0.1", 7912))
        key = base64.b64encode(os.urandom(16)).decode()
        self.link.sendall(
            (f"GET /pub/t HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.link.recv(1000)
        threading.Thread(target=lambda: [None for _ in iter(self.read, b"")], daemon=True).start()

    def read(self):
        try:
            return self.link.recv(65536)
        except OSError:
            return b""

    def send(self, text):
        # As long as the daemon's event around the same text.
        self.link.sendall(masked(text + "y" * 100))

    def stop(self):
        self.link.close()
        self.process.terminate()
        self.process.wait()


def handshake_alone(folder, files):
    """What a handshake costs `openssl s_server`, with one connection after the other, µs."""
    server = subprocess.Popen(
        [*fan_out.CORE, "openssl", "s_server", "-accept", "127.0.0.1:7913", "-cert", files["c"],
         "-key", files["k"], "-quiet", "-www"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            time.sleep(0.1)
            try:
                socket.create_connection(("127.0.0.1", 7913)).close()
                break
            except ConnectionRefusedError:
                if server.poll() is not None:
                    raise SystemExit("openssl s_server ended: is port 7913 in use?")

        def spent():
            return int(open(f"/proc/{server.pid}/schedstat").read().split()[0])
        context = __import__("ssl").create_default_context(cafile=files["c"])
        context.check_hostname = False
        for count in (20, 300):
            before = spent()
            for _ in range(count):
                link = socket.create_connection(("127.0.0.1", 7913))
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                context.wrap_socket(link).close()
        return (spent() - before) / 1e3 / count
    finally:
        server.kill()
        server.wait()


def measure(viewers, contender, options, tls):
    publisher = Publisher(contender.send)
    try:
        command = [*fan_out.FIRST, "taskset", "-c", "1", viewers, "127.0.0.1",
                   str(contender.port), contender.path, str(options.viewers), str(options.seconds),
                   str(contender.pid), "tls" if tls else "plain"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise SystemExit(done.stderr.strip())
        return json.loads(done.stdout)
    finally:
        publisher.end()
        contender.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    found, alone = {}, []
    with tempfile.TemporaryDirectory(prefix="tls") as folder:
        files, viewers = with_tls.certificate(folder), with_tls.client(folder, "viewers")
        has_peers = not options.no_peers and os.path.exists(fan_out.NCHAN)
        if not has_peers and not options.no_peers:
            print("nchan is not measured: its module is missing (apt-get install nginx"
                  " libnginx-mod-nchan)", file=sys.stderr)
        for _ in range(options.rounds):
            for tls in (False, True):
                name = "TLS" if tls else "plain"
                place = tempfile.mkdtemp(dir=folder)
                found.setdefault(f"ours {name}", []).append(
                    measure(viewers, Ours(options.daemon, place, files, tls), options, tls))
                if has_peers:
                    found.setdefault(f"nchan {name}", []).append(
                        measure(viewers, Nchan(place, files, tls), options, tls))
            alone.append(handshake_alone(folder, files))
    return table(found, alone)


def table(found, alone):
    names = list(found)
    print("| figure | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for key, title in (("delivery_us", "µs of processor a delivery"),
                       ("arriving_us", "µs of processor to connect and upgrade"),
                       ("kib", "KiB a viewer"), ("p50_us", "p50 of a delivery, µs"),
                       ("p99_us", "p99 of a delivery, µs")):
        cells = (f"{statistics.median([result[key] for result in found[name]]):.1f}"
                 for name in names)
        print(f"| {title} | " + " | ".join(cells) + " |")
    print(f"handshake alone: {statistics.median(alone):.0f} µs")

    def ratio(one, other, key="delivery_us"):
        pairs = zip(found[one], found[other])
        ratios = sorted(a[key] / b[key] for a, b in pairs)
        return statistics.median(ratios), f"({ratios[0]:.2f}–{ratios[-1]:.2f})"

    missed = 0
    bars = [("TLS delivery ÷ plaintext", ratio("ours TLS", "ours plain"), 1.5)]
    if "nchan TLS" in found:
        bars.append(("TLS delivery ÷ nchan's", ratio("ours TLS", "nchan TLS"), 0.75))
    for name, bar in (("ours plain", 120), ("ours TLS", 450)):
        value = statistics.median([result["arriving_us"] for result in found[name]])
        bars.append((f"{name}: µs to connect and upgrade", (value, ""), bar))
    bars.append(("KiB a TLS viewer",
                 (statistics.median([result["kib"] for result in found["ours TLS"]]), ""), 20))
    for title, (value, spread), bar in bars:
        met = value <= bar
        missed += not met
        print(f"{title}: {value:.2f} {spread} at most {bar} {'✓' if met else '✗'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
