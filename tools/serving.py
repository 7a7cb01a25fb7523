"""A daemon for a tool of one's own: on free ports, with its state in a folder of the tool's."""
import base64, http.client, json, os, signal, socket, subprocess


def watching(link, share):
    """Asks for a share's live WebSocket over `link`, which it gives back."""
    key = base64.b64encode(os.urandom(16)).decode()
    link.sendall(
        (f"GET /v1/shares/{share}/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
         f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
         "\r\n").encode())
    return link


class Serving:
    """`pulsecast serve` until the end of a `with`."""

    def __init__(self, program, folder, settings="", under=(), environment=None):
        """`settings`: of its YAML file; `under`: a command before it, as taskset."""
        self.program, self.folder, self.under = program, folder, list(under)
        self.state = os.path.join(folder, "state")
        self.settings = os.path.join(folder, "settings.yaml")
        self.journal = os.path.join(folder, "journal")
        self.environment = dict(os.environ, **(environment or {}))
        with open(self.settings, "w") as file:
            file.write(settings)
        self.start()

    def start(self):
        """Also after an end; listens when this comes back."""
        self.process = subprocess.Popen(
            [*self.under, self.program, "serve", "--config", self.settings, "--state", self.state,
             "--device-port", "0", "--http-port", "0", "--operations-port", "0",
             "--print-addresses"],
            stdout=subprocess.PIPE, stderr=open(self.journal, "w"), text=True,
            env=self.environment)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.program} serve ended: {open(self.journal).read().strip()}")
        self.addresses = json.loads(line)

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def run(self, *words):
        """What a command of the program prints."""
        return subprocess.run(
            [self.program, *words], capture_output=True, text=True, check=True).stdout

    def ask(self, *words):
        """A command's answer about this daemon's state."""
        return json.loads(self.run(*words, "--json", "--state", self.state))

    def add_many(self, count):
        """Devices with a share each, over one connection; yields token and share ID."""
        admin = http.client.HTTPConnection("localhost")
        admin.sock = socket.socket(socket.AF_UNIX)
        admin.sock.connect(self.addresses["admin"])

        def post(path, body):
            admin.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            return json.load(admin.getresponse())

        for number in range(count):
            token = post("/devices", {"device": f"d{number}"})["token"]
            yield token, post("/shares", {"device": f"d{number}"})["id"]

    def token_file(self, device):
        """A new device's token, as commands that send take it."""
        path = os.path.join(self.folder, f"token-{device}")
        with open(path, "w") as file:
            file.write(self.ask("device", "add", device)["token"])
        return path

    def send(self, token_file, command, *words):
        """As a device: `push` or `simulate`, until all is acknowledged."""
        return self.run(command, *words, "--to", "tcp://" + self.addresses["device"],
                        "--token-file", token_file)

    def port(self, door):
        return int(self.addresses[door].rsplit(":", 1)[1])

    def connect(self, door):
        return socket.create_connection(("127.0.0.1", self.port(door)))

    def watch(self, share):
        return watching(self.connect("http"), share)
