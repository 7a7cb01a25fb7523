"""What attacks of besieging.py have in common: where the daemon is, and how one knocks."""
import collections, json, socket, struct, time, uuid

KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" + KEY


class Target:
    """Where the daemon is, and what a hostile owner and viewer hold.

    `group`: a link of 50 devices; `tokens`: of many devices, whose owners are hostile together.
    """

    def __init__(self, device, http, token, tokens, share, group, session, seconds, until, scale=1):
        self.device, self.http, self.token, self.tokens = device, http, token, tokens
        self.share, self.group, self.session = share, group, session
        # A tenth of all is played where the daemon under it is slow.
        self.seconds, self.until, self.scale = seconds, until, scale

    @property
    def goes_on(self):
        return time.monotonic() < self.until

    def connect(self, port=None, receive=None):
        link = socket.socket()
        if receive:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        link.settimeout(5)
        link.connect(("127.0.0.1", port or self.http))
        return link

    def request(self, link, method, path, body=b"", token=None):
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        link.sendall(head.encode() + b"\r\n" + body)

    def ask(self, link, method, path, body=b"", token=None):
        """The status, with the whole answer read."""
        self.request(link, method, path, body, token)
        return read(link)[0]

    def upgrade(self, path, receive=None, fields=""):
        link = self.connect(receive=receive)
        link.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{UPGRADE}{fields}\r\n".encode())
        return link

    def hello(self, **more):
        return json.dumps({"type": "hello", "token": self.token, "session": str(uuid.uuid4()),
                           **more}).encode() + b"\n"


def read(link):
    data = b""
    while b"\r\n\r\n" not in data:
        more = link.recv(65536)
        if not more:
            return 0, b""
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = next((int(line[15:]) for line in head.lower().split(b"\r\n")
                   if line.startswith(b"content-length:")), 0)
    while len(body) < length:
        body += link.recv(65536)
    return int(head.split(b" ")[1]), body


def masked(opcode, payload, final=True, announced=None):
    """A client's WebSocket frame; `announced`: bytes it says, of which `payload` is the start."""
    count = announced or len(payload)
    head = bytes([(0x80 if final else 0) | opcode])
    if count < 126:
        head += bytes([0x80 | count])
    elif count < 65536:
        head += struct.pack(">BH", 0xFE, count)
    else:
        head += struct.pack(">BQ", 0xFF, count)
    return head + bytes(4) + payload


def each(target, count, work):
    """`work` on so many connections, again and again until the time is up."""
    seen = collections.Counter()
    count = max(2, int(count * target.scale))
    links = [None] * count
    while target.goes_on:
        for index in range(count):
            if not target.goes_on:
                break
            try:
                links[index] = work(target, links[index], seen)
            except OSError as error:
                seen["closed"] += 1
                links[index] = None
        time.sleep(0.001)
    return seen


def at_once(target, count, *words):
    """A request on so many connections at once, again when all are answered; `words`: of `request`."""
    seen, links = collections.Counter(), []
    while target.goes_on:
        try:
            while len(links) < max(2, int(count * target.scale)):
                links.append(target.connect())
            for link in links:
                target.request(link, *words)
            for link in links:
                seen[read(link)[0]] += 1
        except OSError:
            seen["closed"] += 1
            links = []
    return seen


def hold(target, links):
    """Keeps them until the time is up; counts those that the daemon has closed."""
    while target.goes_on:
        time.sleep(0.05)
    seen = collections.Counter(links=len(links))
    for link in links:
        link.settimeout(0)
        try:
            while link.recv(65536):
                pass
            seen["closed"] += 1
        except BlockingIOError:
            pass
        except OSError:
            seen["closed"] += 1
    return seen


def opened(target, count, open_one):
    links, count = [], max(20, int(count * target.scale))
    while len(links) < count and target.goes_on:
        try:
            links.append(open_one(len(links)))
        except OSError:
            time.sleep(0.005)
    return links


def left(target, head):
    """Asks and leaves, on one connection at a time: no limit of connections counts it."""
    seen = collections.Counter()
    while target.goes_on:
        try:
            link = target.connect()
            link.sendall(head.encode())
            if "Upgrade" in head:
                link.recv(40)
            link.close()
            seen["left"] += 1
        except OSError:
            seen["closed"] += 1
    return seen
