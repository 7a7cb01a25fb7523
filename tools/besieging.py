"""What `tools/siege all` plays against a daemon: one attack a function, each in a process of its own.

An attack gets a Target (besieger.py) and runs until its time is up; it returns how often it was
refused, by what.
"""
import base64, json, os, random, socket, struct, sys, time

from besieger import UPGRADE, Target, each, hold, left, masked, opened
from besieging_with_token import (
    buttons, courses, deletions, device_links, empty_pushes, exports, imports, links, many_links,
    owners, profiles, pushes, requests_left, sessions_push, sessions_tcp, share_lists, shares,
    unknown_fields, zones)
from besieging_with_tls import half_handshakes, handshakes


def nobody(target):
    """Attacks nobody, and keeps every processor busy, as an attacker on the daemon's own machine does
    together with the daemon: what such a machine costs everybody is told from it."""
    data, rounds, others = b"x" * 65536, 0, []
    while len(others) < os.cpu_count() - 1 and 0 not in others:
        others.append(os.fork())
    reader, writer = socket.socketpair()
    while target.goes_on:
        writer.send(data)
        rounds += len(reader.recv(65536)) > 0
    if 0 in others:
        os._exit(0)
    for child in others:
        os.waitpid(child, 0)
    return {"rounds": rounds}


# The attacks

def guessing(target):
    def work(target, link, seen):
        link = link or target.connect()
        text = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        seen[target.ask(link, "GET", f"/v1/shares/{text}/latest")] += 1
        return link
    return each(target, 8, work)


def slowloris(target):
    text = b"GET /v1/shares/" + b"A" * 4000

    def work(target, link, seen):
        link = link or target.connect()
        link.send(text[:1])
        time.sleep(1 / 300)
        return link
    return each(target, 300, work)


def hellos(target):
    def work(target, link, seen):
        link = target.connect(target.device)
        proof = {"token": None, "proof": "0" * 64, "device": "nobody", "sentAt": time.time()}
        link.sendall(target.hello(**random.choice([proof, {"token": "A" * 43}])))
        answer = link.recv(4096)
        seen[next((code for code in (4003, 4029) if str(code).encode() in answer), "other")] += 1
        link.close()
    return each(target, 16, work)


def seeks(target):
    def work(target, link, seen):
        link = link or target.upgrade(f"/v1/shares/{target.share}/live")
        link.settimeout(0)
        try:
            data = link.recv(1 << 20)
            seen["refused"] += data.count(b'"code":40')
        except BlockingIOError:
            pass
        wish = {"seek": time.time() - random.random() * 30, "speed": random.choice([1, 64, -1])}
        link.settimeout(5)
        link.sendall(masked(1, json.dumps(wish).encode()))
        return link
    return each(target, 50, work)


def history(target):
    def open_one(number):
        link = target.connect(receive=4096)
        for _ in range(20):
            target.request(link, "GET", f"/v1/shares/{target.share}/history?limit=1000")
        return link
    return hold(target, opened(target, 100, open_one))


def cheers(target):
    def work(target, link, seen):
        link = link or target.connect()
        body = json.dumps({"text": "go " * 26}).encode()
        seen[target.ask(link, "POST", f"/v1/shares/{target.share}/cheer", body)] += 1
        return link
    return each(target, 8, work)


def upgrades(target):
    paths = ["/v1/device", "/socket/websocket", f"/v1/shares/{target.share}/live",
             f"/v1/shares/{'A' * 22}/live"]

    def work(target, link, seen):
        link = target.upgrade(random.choice(paths))
        seen[link.recv(4096)[9:12].decode()] += 1
        link.close()
    return each(target, 16, work)


def half_messages(target):
    part, whole = b"a" * 1_000_000, 1_048_576

    def open_one(number):
        if number % 3 == 0:
            link = target.connect()
            link.sendall(f"POST /v1/shares/{target.share}/cheer HTTP/1.1\r\nHost: x\r\n"
                         f"Content-Length: {whole}\r\n\r\n".encode())
        else:
            path = "/socket/websocket" if number % 3 == 1 else "/v1/device"
            link = target.upgrade(path)
            link.recv(4096)
            link.sendall(masked(1, b"", announced=whole))
        link.settimeout(0.3)
        try:
            link.sendall(part)
        except OSError:
            pass
        return link
    return hold(target, opened(target, 240, open_one))


def resets(target):
    def work(target, link, seen):
        link = target.upgrade(f"/v1/shares/{target.share}/live")
        link.recv(300)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()
        seen["reset"] += 1
    return each(target, 16, work)


def behind_heads(target):
    many = b"a" * (1 << 20)

    def work(target, link, seen):
        if not link:
            link = target.connect()
            field = random.choice(["", "Connection: upgrade\r\nUpgrade: x\r\n", UPGRADE])
            path = random.choice([f"/v1/shares/{target.share}/events", "/v1/device", "/"])
            link.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{field}\r\n".encode())
        link.settimeout(0.02)
        try:
            seen["MiB"] += link.send(many) / (1 << 20)
        except TimeoutError:
            seen["waits"] += 1
        return link
    return each(target, 24, work)


# A group's link: what it shows is 50 times as much

def openings(target):
    return left(target, f"GET /v1/shares/{target.group}/live HTTP/1.1\r\nHost: x\r\n{UPGRADE}\r\n")


def pages_left(target):
    return left(target, f"GET /v1/shares/{target.group}/history HTTP/1.1\r\nHost: x\r\n\r\n")


def latests_left(target):
    return left(target, f"GET /v1/shares/{target.group}/latest HTTP/1.1\r\nHost: x\r\n\r\n")


def rooms(target):
    """Pulsoid's rooms, which follow each runner, and are not read."""
    path = f"/api/v2/data/rooms/x/real_time?access_token={target.group}"
    return hold(target, opened(target, 500, lambda _: target.upgrade(path, receive=4096)))


# Answers that are large, and not read

def streams(target):
    def open_one(number):
        link = target.connect(receive=4096)
        link.sendall(f"GET /publicStreams/{target.share}/heartRate.json?after=0 HTTP/1.1\r\nHost: x\r\n"
                     "Accept: text/event-stream\r\n\r\n".encode())
        return link
    return hold(target, opened(target, 256, open_one))


def playbacks(target):
    def open_one(number):
        return target.upgrade(
            f"/v1/shares/{target.share}/live?at={time.time() - 3000}&speed=64", receive=4096)
    return hold(target, opened(target, 600, open_one))


def resumes(target):
    def work(target, link, seen):
        link = target.upgrade(f"/v1/shares/{target.share}/live?after=e1-1", receive=4096)
        seen[link.recv(4096)[9:12].decode()] += 1
        link.close()
        return None
    return each(target, 32, work)


def weeks(target):
    def work(target, link, seen):
        link = link or target.connect()
        path = random.choice(["week", "history?limit=1000", "latest"])
        seen[target.ask(link, "GET", f"/v1/shares/{target.share}/{path}")] += 1
        return link
    return each(target, 16, work)


# What of the refusals must have been seen: a status, a close code, connections that were closed.
ATTACKS = [
    (guessing, [429]), (slowloris, []), (hellos, [4029]), (seeks, ["refused"]), (exports, []),
    (history, []), (cheers, [429]), (shares, [409]), (sessions_tcp, ["closed"]),
    (sessions_push, []), (upgrades, []), (half_messages, ["closed"]), (resets, []),
    (behind_heads, []), (deletions, [429]), (zones, [200]), (courses, [200]),
    (device_links, ["closed"]), (streams, []), (playbacks, []), (resumes, []), (weeks, []),
    (owners, []), (links, []), (profiles, []), (pushes, []), (openings, []), (pages_left, []),
    (latests_left, []), (rooms, []), (buttons, ["pressed"]), (imports, [201]),
    (unknown_fields, ["kilobytes"]), (many_links, [201]), (share_lists, [200]),
    (empty_pushes, [200]), (requests_left, ["left"]),
]

# Against a daemon whose viewers come over TLS.
TLS_ATTACKS = [(handshakes, ["answered"]), (half_handshakes, [])]

# Too many changes in ten seconds are refused, also those of the attack before: each has its own device.
CHANGES = [zones, courses, profiles, imports, share_lists]


def main():
    """usage: besieging.py ATTACK TARGET   as JSON; prints what was refused, as JSON"""
    words = json.loads(sys.argv[2])
    every = [(nobody, []), *ATTACKS, *TLS_ATTACKS]
    attack = next(attack for attack, _ in every if attack.__name__ == sys.argv[1])
    print(json.dumps(dict(attack(Target(**words, until=time.monotonic() + words["seconds"])))))


if __name__ == "__main__":
    main()
