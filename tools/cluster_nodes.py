"""Servers of NATS and nodes of a cluster on loopback: started, ended by faults, started again.

All children are made by the main thread, and the kernel ends them with it.
"""
import asyncio, ctypes, json, os, random, signal, socket, subprocess, time
import urllib.error, urllib.request

from cluster_lines import Lines

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1
# What a leader that must give way ends with: systemd starts it again.
GAVE_WAY = 75


def end_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """Below the ports that the kernel gives to others: a node that is down keeps its own."""
    held = []
    while len(held) < count:
        link = socket.socket()
        try:
            link.bind(("127.0.0.1", random.SystemRandom().randrange(15_000, 32_000)))
            held.append(link)
        except OSError:
            link.close()
    ports = [link.getsockname()[1] for link in held]
    for link in held:
        link.close()
    return ports


def fetched(address, path, seconds=1):
    """Status and text of an HTTP answer; 0: there was none."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=seconds) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except (OSError, ValueError):
        return 0, ""


class Child:
    """A program that is started again when it ends by itself."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.journal = os.path.join(folder, "journal")
        self.process, self.is_wanted, self.is_paused = None, False, False
        # What it ended with when nobody had asked for it.
        self.ends, self.ended_at = [], 0
        os.makedirs(folder, exist_ok=True)

    def words(self):
        raise NotImplementedError

    def start(self):
        self.is_wanted, self.is_paused = True, False
        with open(self.journal, "a") as journal:
            self.process = subprocess.Popen(
                self.words(), stdin=subprocess.DEVNULL, stdout=journal, stderr=journal,
                preexec_fn=end_with_parent)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def tell(self, how):
        if self.is_running:
            self.process.send_signal(how)
            self.is_paused = how == signal.SIGSTOP or self.is_paused and how != signal.SIGCONT

    def end(self, how=signal.SIGKILL, seconds=30):
        """Comes back when it has ended; one that does not end in time is killed."""
        self.is_wanted = False
        self.tell(how)
        if self.is_paused:
            self.tell(signal.SIGCONT)
        if self.process is not None:
            try:
                return self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise RuntimeError(f"{self.name} did not end within {seconds} s of {how.name}")

    def look(self, wait=0.5):
        """Starts it again if it has ended by itself for `wait` seconds."""
        if not self.is_wanted or self.is_running:
            return
        if self.ended_at == 0:
            self.ended_at = time.monotonic()
            self.ends.append(self.process.returncode)
        elif time.monotonic() - self.ended_at >= wait:
            self.ended_at = 0
            self.start()


class NATSServer(Child):
    def __init__(self, program, name, folder, ports, routes):
        super().__init__(name, folder)
        self.program = program
        self.client, self.monitor, self.route = ports
        self.settings = os.path.join(folder, "settings")
        listed = ", ".join(f"nats-route://127.0.0.1:{port}" for port in routes)
        with open(self.settings, "w") as file:
            file.write(
                f"server_name: {name}\nlisten: 127.0.0.1:{self.client}\n"
                f"http: 127.0.0.1:{self.monitor}\n"
                f"jetstream {{ store_dir: {json.dumps(os.path.join(folder, 'store'))},"
                " max_memory_store: 64MB, max_file_store: 4GB, sync_interval: always }\n"
                f"cluster {{ name: local, listen: 127.0.0.1:{self.route}, routes: [{listed}] }}\n")

    def words(self):
        return [self.program, "-c", self.settings]

    def is_ready(self):
        """Also that its copies of streams have all messages."""
        return fetched(f"127.0.0.1:{self.monitor}", "/healthz")[0] == 200


class Node(Child):
    """`pulsecast serve` with its ports kept, so that the balancer knows it."""

    def __init__(self, program, name, folder, ports, key, settings):
        super().__init__(name, folder)
        self.program, self.state = program, os.path.join(folder, "state")
        self.device, self.http, self.operations = ports
        self.settings = os.path.join(folder, "settings.yaml")
        self.admin = os.path.join(folder, "admin")
        with open(self.settings, "w") as file:
            file.write(
                f"secrets:\n  master_key: {key}\nadmin:\n  socket: {self.admin}\n{settings}")

    def words(self):
        return [self.program, "serve", "--config", self.settings, "--state", self.state,
                "--device-port", str(self.device), "--http-port", str(self.http),
                "--operations-port", str(self.operations)]

    def readiness(self, seconds=1):
        return fetched(f"127.0.0.1:{self.operations}", "/readyz", seconds)

    def ask(self, *words):
        """A command's answer; only a leader has one."""
        done = subprocess.run(
            [self.program, *words, "--json", "--admin-socket", self.admin], text=True,
            capture_output=True, timeout=60, preexec_fn=end_with_parent)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")
        return json.loads(done.stdout)


def cluster_settings(node, name, ports):
    listed = ", ".join(f"nats://127.0.0.1:{port}" for port in ports)
    return f"cluster:\n  urls: [{listed}]\n  name: {name}\n  node: {node}\n"


class Cluster:
    """Three servers of NATS and three nodes, until the end of a `with`."""

    def __init__(self, program, nats, folder, settings="", count=3, is_cuttable=False):
        """Lines that can be cut cost time of this program: `speed` has none."""
        os.makedirs(folder, exist_ok=True)
        key = os.path.join(folder, "master.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        ports, lines = free_ports(3 * 3 + 3 * count), free_ports(3 * count)
        routes = ports[:3]
        self.folder, self.program = folder, program
        self.servers = [
            NATSServer(nats, f"nats-{number + 1}", os.path.join(folder, f"nats-{number + 1}"),
                       (ports[3 + number], ports[6 + number], routes[number]), routes)
            for number in range(3)]
        self.lines = [Lines(lines[3 * number:3 * number + 3], self.servers)
                      for number in range(count) if is_cuttable]
        ways = [one.ports for one in self.lines] or [
            [server.client for server in self.servers]] * count
        self.nodes = [
            Node(program, f"node-{number + 1}", os.path.join(folder, f"node-{number + 1}"),
                 ports[9 + 3 * number:12 + 3 * number], key,
                 settings + cluster_settings(f"node-{number + 1}", "pulsecast", ways[number]))
            for number in range(count)]
        self.children = [*self.servers, *self.nodes]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.is_wanted = False
            if child.is_running:
                child.process.kill()
                child.process.wait()

    async def start(self):
        """Starts all; comes back when one node leads."""
        for server in self.servers:
            server.start()
        for lines in self.lines:
            await lines.start()
        await until(lambda: all(server.is_ready() for server in self.servers), 30,
                    "the servers of NATS are not ready")
        for node in self.nodes:
            node.start()
        return await until(self.first_leader, 60, "no node leads")

    def first_leader(self):
        """At the start nothing may end: waiting for it would be in vain."""
        for child in self.children:
            if not child.is_running:
                with open(child.journal) as journal:
                    raise RuntimeError(f"{child.name} ended with {child.process.returncode}: "
                                       + journal.read().strip()[-500:])
        return self.leader()

    async def supervise(self):
        """As systemd does: starts again what ended by itself."""
        while True:
            for child in self.children:
                child.look()
            await asyncio.sleep(0.05)

    def leader(self):
        """The node that serves; `None`: there is none, or more than one says so."""
        ready = [node for node in self.nodes if node.is_running and not node.is_paused
                 and node.readiness(0.5)[0] == 200]
        return ready[0] if len(ready) == 1 else None

    def standbys(self):
        """Nodes that say that they stand by."""
        return [node for node in self.nodes if node.is_running and not node.is_paused
                and node.readiness(0.5)[0] == 503]

    def stream_leader(self):
        """The server that leads the stream's copies; `None`: not known."""
        for server in self.servers:
            if not server.is_running or server.is_paused:
                continue
            text = fetched(f"127.0.0.1:{server.monitor}", "/jsz?accounts=1&streams=1")[1]
            for account in json.loads(text or "{}").get("account_details") or []:
                for stream in account.get("stream_detail") or []:
                    name = (stream.get("cluster") or {}).get("leader")
                    if name:
                        return next((one for one in self.servers if one.name == name), None)
        return None


async def until(condition, seconds, failure):
    """The condition's first true value; asked in another thread, since it may wait."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := await asyncio.to_thread(condition):
            return value
        await asyncio.sleep(0.1)
    raise RuntimeError(f"{failure} after {seconds} s")
