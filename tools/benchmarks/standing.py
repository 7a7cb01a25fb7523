#!/usr/bin/env python3
"""Measures what connections cost that do nothing, and what a stalled viewer costs the others.

usage: standing.py --daemon PATH --bench FOLDER [--rounds N]

Memory is the growth of the daemon's private pages over the connections opened; CPU is the
daemon's own. The stalled viewer never reads; the others' p99 is compared with and without it.
"""
import argparse, base64, contextlib, importlib.util, json, os, socket, ssl, statistics, subprocess
import sys, tempfile, time, uuid

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("fan_out", os.path.join(here, "fan_out.py"))
fan_out = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fan_out)

IDLE_VIEWERS = 9000


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return 1024 * sum(
            int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def address(server, name):
    host, port = server.addresses[name].rsplit(":", 1)
    return host, int(port)


class Daemon:
    """One device with a share, and where both are reached."""

    def __init__(self, options, folder, tls=False):
        config = os.path.join(folder, "config.yaml")
        text = ("limits:\n  connections: 20000\n  unauthenticated: 10000\n"
                "logging:\n  level: error\n")
        if tls:
            certificate, key = os.path.join(folder, "c.pem"), os.path.join(folder, "k.pem")
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                 "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out",
                 certificate], check=True, capture_output=True)
            text += f"http:\n  tls: true\ntls:\n  certificate: {certificate}\n  private_key: {key}\n"
        with open(config, "w") as file:
            file.write(text)
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", options.daemon, "serve", "--config", config, "--state",
             os.path.join(folder, f"state-{uuid.uuid4()}"), "--device-port", "0", "--http-port",
             "0", "--operations-port", "0", "--print-addresses"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addresses = json.loads(self.process.stdout.readline())
        self.token = self.ask(options, "device", "add", "d")["token"]
        self.share = self.ask(options, "share", "create", "--device", "d")["id"]

    def ask(self, options, *arguments):
        done = subprocess.run(
            [options.daemon, *arguments, "--admin-socket", self.addresses["admin"], "--json"],
            capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def viewer(self, context=None):
        link = socket.create_connection(address(self, "http"))
        if context:
            link = context.wrap_socket(link)
        key = base64.b64encode(os.urandom(16)).decode()
        link.sendall(
            (f"GET /v1/shares/{self.share}/live HTTP/1.1\r\nHost: localhost\r\n"
             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        assert b"101" in link.recv(200)
        return link

    def device(self):
        link = socket.create_connection(address(self, "device"))
        hello = {"type": "hello", "token": self.token, "session": str(uuid.uuid4()), "sentAt": 1}
        link.sendall(json.dumps(hello).encode() + b"\n")
        assert b"welcome" in link.recv(2000)
        return link

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


@contextlib.contextmanager
def running(options, tls=False):
    with tempfile.TemporaryDirectory(prefix="standing") as folder:
        daemon = Daemon(options, folder, tls)
        try:
            yield daemon
        finally:
            daemon.stop()


def memory(options, count, open_one, tls=False):
    with running(options, tls) as daemon:
        warm = [open_one(daemon) for _ in range(50)]
        time.sleep(0.5)
        before = private_bytes(daemon.process.pid)
        links = [open_one(daemon) for _ in range(count)]
        time.sleep(1)
        grown = private_bytes(daemon.process.pid) - before
        for link in warm + links:
            link.close()
        return grown / count / 1024


def idle_cpu(options):
    """Percent of a core, between the keep-alive pings' minutes."""
    with running(options) as daemon:
        links = [daemon.viewer() for _ in range(IDLE_VIEWERS)]
        time.sleep(3)
        before = cpu_seconds(daemon.process.pid)
        time.sleep(15)
        used = (cpu_seconds(daemon.process.pid) - before) / 15 * 100
        for link in links:
            link.close()
        return used


def p99(options, stalled):
    with tempfile.TemporaryDirectory(prefix="standing") as folder:
        server = fan_out.pulsecast(options.daemon, folder, 1)
        try:
            share = open(os.path.join(folder, "names")).read().split()[0]
            host, port = server.subscribe.split("/")[2].rsplit(":", 1)
            links = []
            for _ in range(10 if stalled else 0):
                link = socket.socket()
                link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                link.connect((host, int(port)))
                link.sendall(
                    (f"GET /v1/shares/{share}/live HTTP/1.1\r\nHost: localhost\r\n"
                     "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
                links.append(link)
            found = fan_out.measure(options.bench, server, fan_out.fan(100, 100), 4)
            return found["lat_p99"] / 1000
        finally:
            server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    missed = 0
    print("| figure | ours (low–high) | bar | |\n|---|---|---|---|")

    def row(name, unit, bar, run):
        nonlocal missed
        values = sorted(run() for _ in range(options.rounds))
        middle = statistics.median(values)
        missed += middle > bar
        print(f"| {name} | {middle:.2f} ({values[0]:.2f}–{values[-1]:.2f}) {unit} | ≤ {bar} |"
              f" {'✓' if middle <= bar else '✗'} |", flush=True)

    row("idle viewer, plaintext", "KiB", 8, lambda: memory(options, 3000, Daemon.viewer))
    row("idle viewer, TLS", "KiB", 28,
        lambda: memory(options, 500, lambda daemon: daemon.viewer(context), tls=True))
    row("idle device", "KiB", 10, lambda: memory(options, 2000, Daemon.device))
    row(f"daemon with {IDLE_VIEWERS} idle viewers", "% of a core", 0.1, lambda: idle_cpu(options))
    row("10 stalled viewers' effect on the others' p99", "ms", 1,
        lambda: p99(options, True) - p99(options, False))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
