"""`tools/siege all`: every attack of besieging.py beside good devices and good viewers."""
import asyncio, json, os, random, socket, ssl, subprocess, sys, tempfile, threading, time
import urllib.request, uuid

import besieger, besieging
from serving import Serving

RSS_MAX_MEBIBYTES, P99_TIMES_MAX, READY_MAX_SECONDS = 150, 2, 0.1


class Watch(threading.Thread):
    """Peak memory, processor time and the slowest /readyz of one phase."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.pid, self.ready = daemon.process.pid, daemon.addresses["operations"]
        self.peak = self.worst = 0
        self.begin = self.processor()
        self.is_over = False
        self.start()

    def resident(self):
        with open(f"/proc/{self.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    def processor(self):
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def run(self):
        while not self.is_over:
            begin = time.perf_counter()
            with urllib.request.urlopen(f"http://{self.ready}/readyz", timeout=30) as answer:
                answer.read()
            self.worst = max(self.worst, time.perf_counter() - begin)
            self.peak = max(self.peak, self.resident())
            time.sleep(0.1)

    def end(self):
        self.is_over = True
        self.join()
        return self.peak, self.processor() - self.begin, self.worst


class Crowd:
    """Good devices that send a marker a second, and viewers that get it, over TLS where it is told how."""

    def __init__(self, daemon, owners, viewers, context=None):
        self.daemon, self.owners, self.viewers, self.context = daemon, owners, viewers, context
        self.acks, self.shown, self.lost, self.watching = [], [], 0, 0

    async def device(self, token):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.daemon.port("device"))
        hello = {"type": "hello", "token": token, "session": str(uuid.uuid4())}
        writer.write(json.dumps(hello).encode() + b"\n")
        await reader.readline()
        # By its own clock: those that wait for the last ack would all send at once after a minute.
        number, due = 0, time.perf_counter() + random.random()
        while True:
            number, due = number + 1, due + 1
            await asyncio.sleep(max(0, due - time.perf_counter()))
            begin = time.perf_counter()
            frame = {"seq": number, "type": "marker", "text": f"at {begin}",
                     "timestamp": time.time()}
            writer.write(json.dumps(frame).encode() + b"\n")
            while f'"seq":{number}}}'.encode() not in (line := await reader.readline()):
                if not line:
                    self.lost += 1
                    return
            self.acks.append(time.perf_counter() - begin)

    async def viewer(self, share, wait):
        # No more come at once than the daemon lets wait at its door.
        await asyncio.sleep(wait)
        try:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self.daemon.port("http"), ssl=self.context)
            writer.write(f"GET /v1/shares/{share}/live HTTP/1.1\r\nHost: x\r\n{besieger.UPGRADE}\r\n"
                         .encode())
            await reader.readuntil(b"\r\n\r\n")
            self.watching += 1
            while True:
                head = await reader.readexactly(2)
                count = head[1]
                if count == 126:
                    count = int.from_bytes(await reader.readexactly(2))
                payload = await reader.readexactly(count)
                if head[0] == 0x89:
                    writer.write(besieger.masked(10, payload))
                if b'"marker"' in payload:
                    sent = float(json.loads(payload)["text"][3:])
                    self.shown.append(time.perf_counter() - sent)
        except (OSError, asyncio.IncompleteReadError):
            self.lost += 1

    def start(self):
        loop = asyncio.new_event_loop()

        async def everybody():
            tasks = [self.device(token) for token, _ in self.owners]
            # A signature of RSA 4096 takes 6 ms, and handshakes get half of a loop's time.
            per_second = 40 if self.context else 200
            tasks += [self.viewer(self.owners[number % len(self.owners)][1], number / per_second)
                      for number in range(self.viewers)]
            await asyncio.gather(*tasks)

        def run():
            prefer_this_thread()
            asyncio.set_event_loop(loop)
            loop.run_until_complete(everybody())

        threading.Thread(target=run, daemon=True).start()
        while self.watching + self.lost < self.viewers:
            time.sleep(0.05)

    def forget(self):
        self.acks, self.shown = [], []

    def take(self, seconds):
        """p99 in seconds since the last call."""
        acks, shown = sorted(self.acks), sorted(self.shown)
        self.forget()
        # Who heard nothing waited for all of the phase.
        return [values[int(len(values) * 0.99)] if values else seconds
                for values in (acks, shown)]


def prefer_this_thread():
    """Devices and viewers are other machines: what they wait for a processor here is not the daemon's."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    except PermissionError:
        print("without root the good ones' own waits for a processor count as the daemon's")


def recorded(daemon, token):
    """A session of the hostile device's that is worth an export."""
    session = str(uuid.uuid4())
    link = socket.create_connection(("127.0.0.1", daemon.port("device")))
    hello = {"type": "hello", "token": token, "session": session, "recorded": True}
    lines, begin = [json.dumps(hello)], time.time() - 3600
    for number in range(1, 20_001):
        lines.append(json.dumps({
            "seq": number, "type": "location", "latitude": 48 + number * 1e-6, "longitude": 11.5,
            "altitude": 500, "horizontalAccuracy": 4, "verticalAccuracy": 4, "speed": 3,
            "course": 0, "timestamp": begin + number / 6}))
    link.sendall("\n".join(lines).encode() + b"\n")
    data = b""
    while b'"seq":20000}' not in data:
        data = data[-100:] + link.recv(65536)
    return session


def phase(daemon, crowd, seconds, attack=None, target=None):
    """The attacker is another process: its own slowness is not the daemon's."""
    crowd.forget()
    watch = Watch(daemon)
    if attack:
        words = json.dumps(dict(target, seconds=seconds))
        attacker = subprocess.Popen(
            [sys.executable, besieging.__file__, attack.__name__, words], text=True,
            stdout=subprocess.PIPE)
    time.sleep(seconds)
    figures = watch.end()
    waits = crowd.take(seconds)
    seen = json.loads(attacker.communicate(timeout=60)[0] or "{}") if attack else {}
    return figures, waits, seen


def span(phases, index):
    """The p99 of several phases."""
    times = [waits[index] * 1000 for _, waits, _ in phases]
    return f"{min(times):.0f} to {max(times):.0f} ms"


def certified(folder):
    """Settings of a certificate whose signatures cost a daemon most, and how good ones ask it."""
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:4096", "-nodes", "-days", "9", "-keyout", key,
         "-out", certificate, "-subj", "/CN=localhost"], check=True, capture_output=True)
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    return f"http:\n  tls: true\ntls:\n  certificate: {certificate}\n  private_key: {key}\n", context


def siege(program, devices, viewers, seconds, small, only=None):
    is_fine = True
    for attacks, has_tls in [(besieging.ATTACKS, False), (besieging.TLS_ATTACKS, True)]:
        wanted = [entry for entry in attacks if not only or entry[0].__name__ in only]
        if wanted:
            is_fine &= besiege(program, devices, viewers, seconds, small, wanted, has_tls)
    return is_fine


def besiege(program, devices, viewers, seconds, small, attacks, has_tls):
    """Plays the attacks against a daemon of their own."""
    # Where times do not count, a slow disk is nobody's fault.
    where = "/dev/shm" if small and os.path.isdir("/dev/shm") else None
    rounds = range(1 if small else 3)
    with tempfile.TemporaryDirectory(dir=where) as folder:
        settings, context = certified(folder) if has_tls else ("", None)
        settings += "limits:\n  connections: 10000\n"
        with Serving(program, folder, settings) as daemon:
            accomplices = 5 if small else 50
            owners = list(daemon.add_many(devices + 1 + len(besieging.CHANGES) + accomplices))
            tokens = [owners.pop()[0] for _ in range(accomplices)]
            token, share = owners.pop()
            changers = {attack: owners.pop()[0] for attack in besieging.CHANGES}
            members = [word for _, share in owners[:50] for word in ("--share", share)]
            target = {"device": daemon.port("device"), "http": daemon.port("http"), "token": token,
                      "tokens": tokens, "share": share,
                      "group": daemon.ask("share", "group", *members)["id"],
                      "session": recorded(daemon, token), "scale": 0.1 if small else 1}
            crowd = Crowd(daemon, owners, viewers, context)
            crowd.start()
            time.sleep(3)
            quiet = [phase(daemon, crowd, seconds) for _ in rounds]
            # Beside processes that take the machine as an attacker and the daemon do, and attack nobody.
            beside = [phase(daemon, crowd, seconds, besieging.nobody, target) for _ in rounds]
            print(f"{devices} good devices, {viewers} good viewers{' over TLS' if has_tls else ''},"
                  f" {seconds} s a phase; undisturbed: {quiet[-1][0][0]:.0f} MiB, processor"
                  f" {quiet[-1][0][1]:.1f} s", flush=True)
            for name, phases in [("alone", quiet), ("beside busy processors", beside)]:
                print(f"{name}: p99 of acks {span(phases, 0)}, of markers at viewers {span(phases, 1)}")
            is_fine = True
            for attack, refusals in attacks:
                words = dict(target, token=changers.get(attack, token))
                attacked = phase(daemon, crowd, seconds, attack, words)
                is_fine &= judge(attack.__name__, refusals, attacked, quiet, beside, crowd, small)
                if not small:
                    time.sleep(2)
            return is_fine


def judge(name, refusals, attacked, quiet, beside, crowd, small):
    """Prints a line of figures, and what is beyond a bar."""
    (peak, processor, ready), waits, seen = attacked
    idle = quiet[-1][0][0]
    base, busy = ([max(waits[index] for _, waits, _ in phases) for index in (0, 1)]
                  for phases in (quiet, beside))
    times = [waits[index] / base[index] for index in (0, 1)]
    faults = [f"never refused with {refusal}" for refusal in refusals if not seen.get(str(refusal))]
    if peak - idle > RSS_MAX_MEBIBYTES:
        faults.append("memory")
    if not small and max(times) > P99_TIMES_MAX:
        faults.append("p99")
    if not small and ready > READY_MAX_SECONDS:
        faults.append("/readyz")
    if crowd.lost:
        faults.append(f"{crowd.lost} good connections lost")
    print(f"{name:14} +{peak - idle:4.0f} MiB, processor {processor:4.1f} s,"
          f" acks {waits[0] * 1000:4.0f} ms ({times[0]:.1f}x, {waits[0] / busy[0]:.1f}x busy),"
          f" viewers {waits[1] * 1000:4.0f} ms ({times[1]:.1f}x, {waits[1] / busy[1]:.1f}x busy),"
          f" /readyz {ready * 1000:3.0f} ms, {seen}"
          + (f"  FAULT: {', '.join(faults)}" if faults else ""), flush=True)
    return not faults
