"""What devices send in each form, counted at a daemon's sockets; for `bytes.py`."""
import concurrent.futures, http.client, math, socket, threading, time

import wire_forms

PACKET, SEGMENT = 52, 1448


class Tally:
    """Messages and bytes of one form, both ways."""

    def __init__(self):
        self.sent = self.received = 0
        self.payload_sent = self.payload_received = 0
        self.socket_sent = self.socket_received = 0
        self.packets = 0

    def send(self, payload, whole):
        self.sent += 1
        self.payload_sent += payload
        self.socket_sent += whole
        self.packets += math.ceil(whole / SEGMENT)

    def receive(self, payload, whole, times=1):
        self.received += times
        self.payload_received += payload * times
        self.socket_received += whole * times
        self.packets += 2 * math.ceil(whole / SEGMENT) * times

    def wire(self):
        return self.socket_sent + self.socket_received + PACKET * self.packets


def thousands(count):
    return f"{count / 1000:,.0f}" if count >= 10_000 else f"{count / 1000:.1f}"


def read_head(link):
    """Reads until the end of an HTTP head; what came behind it."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = link.recv(65536)
        if not piece:
            raise SystemExit(f"closed after {data!r}")
        data += piece
    return data.split(b"\r\n\r\n", 1)


def open_native(daemon, form, token):
    link = daemon.connect("device" if form.door == "TCP" else "http")
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if form.door == "WebSocket":
        link.sendall(form.upgrade())
        read_head(link)
    link.sendall(form.greeting(token))
    return link


class Answers(threading.Thread):
    """Reads a device's connection: counts, and waits for the ack of a sequence."""

    def __init__(self, link, form, last):
        super().__init__(daemon=True)
        self.link, self.form, self.last = link, form, last
        self.count = self.bytes = 0
        self.done = threading.Event()

    def run(self):
        # Both forms of an ack end what is read with the sequence.
        text = f'"seq":{self.last}}}'.encode()
        wanted = text if self.form.is_text else b"\x82\x00" + self.last.to_bytes(4, "little")
        tail = b""
        while True:
            try:
                piece = self.link.recv(65536)
            except OSError:
                return
            if not piece:
                return
            self.count += 1
            self.bytes += len(piece)
            tail = (tail + piece)[-4096:]
            if wanted in tail:
                self.done.set()


def count_native(daemon, form, run, tally):
    """The whole run at full speed, until the last frame is acknowledged."""
    token = daemon.new_token()
    messages = [message for _, message in form.messages(run)]
    link = open_native(daemon, form, token)
    answers = Answers(link, form, len(messages))
    answers.start()
    batch = []
    for message in messages:
        wrapped = form.wrapped(message)
        tally.send(len(message), len(wrapped))
        batch.append(wrapped)
        if len(batch) == 500:
            link.sendall(b"".join(batch))
            batch = []
    link.sendall(b"".join(batch))
    if not answers.done.wait(120):
        raise SystemExit(f"{form.name}: the last frame was not acknowledged")
    link.close()


def count_acks(daemon, form, run, tally, hours):
    """A minute at the pace of life."""
    token = daemon.new_token()
    link = open_native(daemon, form, token)
    time.sleep(0.5)
    answers = Answers(link, form, 0)
    # The welcome is no ack.
    link.recv(65536)
    answers.start()
    first = run.frames[0]["timestamp"]
    begin = time.time()
    for at, message in form.messages(run):
        if at - first > 60:
            break
        time.sleep(max(0, begin + at - first - time.time()))
        link.sendall(form.wrapped(message))
    time.sleep(0.5)
    link.close()
    if answers.count == 0:
        raise SystemExit(f"{form.name}: nothing was acknowledged")
    whole = answers.bytes / answers.count
    tally.receive(whole, whole, round(answers.count * 60 * hours))


def count_push(daemon, push, run, tally):
    token = daemon.new_token()
    link = http.client.HTTPConnection("127.0.0.1", daemon.port("http"))
    link.connect()
    sock = link.sock
    for body in push.bodies(run):
        asked = push.asks(token, body)
        tally.send(len(body), len(asked))
        sock.sendall(asked)
        head, rest = read_head(sock)
        length = [line for line in head.lower().split(b"\r\n")
                  if line.startswith(b"content-length:")]
        length = int(length[0].split(b":")[1]) if length else 0
        while len(rest) < length:
            rest += sock.recv(65536)
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise SystemExit(f"{push.name}: {head.decode()}\n{rest.decode()}")
        tally.receive(length, len(head) + 4 + length)
    sock.close()


def show(daemon, run, hours):
    """Prints the table; figures with their bars."""
    natives = [*wire_forms.NATIVE, *wire_forms.NATIVE_WATCH]
    tallies = {form.name: Tally() for form in natives}
    with concurrent.futures.ThreadPoolExecutor(len(natives)) as pool:
        list(pool.map(lambda form: count_acks(daemon, form, run, tallies[form.name], hours), natives))
    for form in natives:
        count_native(daemon, form, run, tallies[form.name])
    pushes = [*wire_forms.PUSHES, *wire_forms.PUSHES_WATCH]
    tallies |= {push.name: Tally() for push in pushes}
    # Side by side: an answer waits for a sync.
    with concurrent.futures.ThreadPoolExecutor(len(pushes)) as pool:
        list(pool.map(lambda push: count_push(daemon, push, run, tallies[push.name]), pushes))
    print("| form | messages | payload | at the socket | answers | on the wire |")
    print("|---|---|---|---|---|---|")
    for who, forms in (
            ("phone, position and heart rate a second", [*wire_forms.NATIVE, *wire_forms.PUSHES]),
            ("watch, 50 Hz motion, position and heart rate a second",
             [*wire_forms.NATIVE_WATCH, *wire_forms.PUSHES_WATCH])):
        print(f"| **{who}** | | | | | |")
        for form in forms:
            show_device(form.name, tallies[form.name], hours)
    sent = {name: tally.socket_sent for name, tally in tallies.items()}
    peers = [sent[push.name] for push in wire_forms.PUSHES if push.has_positions]
    return [
        ("a phone's binary frames on TCP ÷ the least of OwnTracks, Overland, Traccar Client, "
         "GPSLogger and Sensor Logger, at the socket", sent[wire_forms.NATIVE[0].name] / min(peers),
         0.25),
        ("a watch's binary frames of 25 samples ÷ its text frames",
         sent[wire_forms.NATIVE_WATCH[0].name] / sent[wire_forms.NATIVE_WATCH[2].name], 0.1),
    ]


def show_device(name, tally, hours):
    print(f"| {name} | {tally.sent / hours:,.0f} | {thousands(tally.payload_sent / hours)} "
          f"| {thousands(tally.socket_sent / hours)} | {thousands(tally.socket_received / hours)} "
          f"| {thousands(tally.wire() / hours)} |")
