"""A real daemon with runners on it, for those who look at its pages.

    with Stage("…/pulsecast") as stage:
        device = stage.device("Anna")
        share = stage.share("Anna")
        runner = stage.runner(device, backlog=600)
        browser.open(f"{stage.base}/s/{share['id']}")
"""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from receiver import Receiver
from runner import Runner


class Stage:
    def __init__(self, binary):
        self.binary = binary
        # Short: the admin socket lies in it, and a socket's path has at most 107 bytes.
        self.folder = tempfile.mkdtemp(prefix="pcs-", dir="/tmp")
        self.state = os.path.join(self.folder, "state")
        self.ports = {"device": 0, "http": 0, "operations": 0}
        self.runners = []
        self.receiver = Receiver()
        with open(os.path.join(self.folder, "config.yaml"), "w", encoding="utf-8") as config:
            config.write(f"alerts:\n  trusted_hosts: {self.receiver.place}\n")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for runner in self.runners:
            runner.leave()
        self.stop(signal.SIGKILL)
        self.receiver.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Starts the daemon; after a stop on the same ports."""
        flags = [f"--{name}-port={port}" for name, port in self.ports.items()]
        flags += ["--config", os.path.join(self.folder, "config.yaml")]
        with open(os.path.join(self.folder, "complaints"), "a", encoding="utf-8") as complaints:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--state", self.state, "--print-addresses", *flags],
                stdout=subprocess.PIPE, stderr=complaints, stdin=subprocess.DEVNULL)
        addresses = json.loads(self.process.stdout.readline())
        self.ports = {name: int(addresses[name].rsplit(":", 1)[1]) for name in self.ports}

    def command(self, *words):
        """What a command says about this daemon's state."""
        return self._run(*words, "--state", self.state)

    def push(self, path, token_file):
        """Sends a recording as a device would."""
        port = self.ports["device"]
        self._run("push", path, "--to", f"tcp://127.0.0.1:{port}", "--token-file", token_file, "--speed", "max")

    def _run(self, *words):
        """What the program prints; when it fails, what it complains of."""
        run = subprocess.run([self.binary, *words], capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{words[0]} ended with {run.returncode}: {run.stderr.strip()}")
        return run.stdout

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def restart(self, number=signal.SIGTERM):
        self.stop(number)
        self.start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.ports['http']}"

    # What an owner does.

    def ask(self, method, path, body=None):
        connection = AdminConnection(os.path.join(self.state, "admin.sock"))
        connection.request(method, path, body=None if body is None else json.dumps(body),
                           headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text}")
        return json.loads(text) if text.strip() else None

    def device(self, name, **profile):
        """The device's token."""
        token = self.ask("POST", "/devices", {"device": name})["token"]
        if profile:
            self.ask("PATCH", f"/devices/{urllib.parse.quote(name)}/profile", profile)
        return token

    def share(self, device, **wish):
        return self.ask("POST", "/shares", {"device": device, "label": device, **wish})

    def group(self, names, **wish):
        return self.ask("POST", "/shares/group", {"shares": names, **wish})

    def name_receiver(self, token, name):
        """Names this stage's receiver for a device's alerts, under a name of its own."""
        request = urllib.request.Request(
            f"{self.base}/v1/me/receivers/{name}", method="PUT",
            data=json.dumps({"kind": "webhook", "address": f"http://{self.receiver.place}/{name}"}).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        urllib.request.urlopen(request).close()

    def revoke(self, name):
        self.ask("POST", f"/shares/{urllib.parse.quote(name)}/revoke")

    def runner(self, token, **manner):
        runner = Runner(lambda: self.ports["device"], token, **manner)
        self.runners.append(runner)
        runner.start()
        return runner

    def acknowledged(self, runner, seconds=60):
        """Waits until the daemon has everything that the runner sent so far."""
        wanted = runner.sent_count
        deadline = time.monotonic() + seconds
        while runner.acked < wanted:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{runner.acked} of {wanted} frames were acknowledged")
            time.sleep(0.02)


class AdminConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class Proxy(threading.Thread):
    """Stands between a browser and the daemon, and can lose what goes through it: as a network does
    that is gone without a word."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.is_off = False
        self.door = socket.create_server(("127.0.0.1", 0))
        self.open = []
        self.start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def swallow(self):
        """From now on nothing comes through what is open; new connections work."""
        for gone in self.open:
            gone.set()

    def off(self):
        """No network: nothing comes through what is open, and what is new is refused."""
        self.is_off = True
        self.swallow()

    def on(self):
        self.is_off = False

    def close(self):
        self.door.close()

    def run(self):
        while True:
            try:
                near, _ = self.door.accept()
            except OSError:
                return
            if self.is_off:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.port()))
            except OSError:  # the daemon is being restarted
                near.close()
                continue
            gone = threading.Event()
            self.open.append(gone)
            for source, target in [(near, far), (far, near)]:
                threading.Thread(target=self._carry, args=(source, target, gone), daemon=True).start()

    @staticmethod
    def _carry(source, target, gone):
        try:
            while part := source.recv(65536):
                if gone.is_set():
                    return  # both ends stay open
                target.sendall(part)
            if not gone.is_set():
                target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()
