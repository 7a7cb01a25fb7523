"""What `tools/siege all` plays against a daemon: one attack a function, each in a process of its own.

An attack gets a Target (besieger.py) and runs until its time is up; it returns how often it was
refused, by what.
"""
import base64, collections, json, os, random, socket, struct, sys, time, uuid

from besieger import UPGRADE, Target, each, hold, left, masked, opened, read


def nobody(target):
    """Attacks nobody, and takes what an attacker takes of a machine: the daemon's share is told from it."""
    data, rounds = b"x" * 65536, 0
    reader, writer = socket.socketpair()
    while target.goes_on:
        writer.send(data)
        rounds += len(reader.recv(65536)) > 0
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


def exports(target):
    def open_one(number):
        kind = random.choice(["mcap", "ndjson", "csv", "fit"])
        link = target.connect(receive=4096)
        target.request(link, "GET", f"/v1/me/sessions/{target.session}/export?format={kind}",
                       token=target.token)
        return link
    return hold(target, opened(target, 100, open_one))


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


def shares(target):
    seen = collections.Counter()
    link = target.connect()
    for number in range(300):
        body = json.dumps({"name": f"s{number}", "delay": f"{3600 + number}s"}).encode()
        seen[target.ask(link, "POST", "/v1/me/shares", body, target.token)] += 1
    device = target.connect(target.device)
    device.sendall(target.hello())
    sequence = 0
    while target.goes_on:
        sequence += 1
        device.sendall(json.dumps({"seq": sequence, "type": "marker", "text": "x" * 100,
                                   "timestamp": time.time()}).encode() + b"\n")
        time.sleep(0.002)
        if sequence % 64 == 0:
            device.recv(65536)
    for number in range(300):
        target.ask(link, "DELETE", f"/v1/me/shares/s{number}", token=target.token)
    return seen


def sessions_tcp(target):
    def open_one(number):
        link = target.connect(target.device)
        frame = {"seq": 1, "type": "heartRate", "heartRate": 120, "timestamp": time.time()}
        link.sendall(target.hello() + json.dumps(frame).encode() + b"\n")
        return link
    return hold(target, opened(target, 2000, open_one))


def sessions_push(target):
    def work(target, link, seen):
        link = link or target.connect()
        body = json.dumps({"messageId": 1, "sessionId": str(uuid.uuid4()), "deviceId": "x",
                           "payload": [{"name": "heartrate", "time": str(time.time_ns()),
                                        "values": {"bpm": 120}}]}).encode()
        seen[target.ask(link, "POST", "/in/sensorlogger", body, target.token)] += 1
        return link
    return each(target, 4, work)


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


def deletions(target):
    def work(target, link, seen):
        link = link or target.connect()
        name = str(uuid.uuid4())
        device = target.connect(target.device)
        frame = {"seq": 1, "type": "heartRate", "heartRate": 120, "timestamp": time.time()}
        device.sendall(json.dumps({"type": "hello", "token": target.token, "session": name})
                       .encode() + b"\n" + json.dumps(frame).encode() + b"\n")
        while b'"ack"' not in device.recv(4096):
            pass
        seen[target.ask(link, "DELETE", f"/v1/me/sessions/{name}", token=target.token)] += 1
        device.close()
        return link
    return each(target, 2, work)


def live_sessions(target, count=8):
    links = []
    for _ in range(count):
        links.append(target.connect(target.device))
        frame = {"seq": 1, "type": "heartRate", "heartRate": 120, "timestamp": time.time()}
        links[-1].sendall(target.hello() + json.dumps(frame).encode() + b"\n")
    return links


def put_in_a_loop(target, path, bodies):
    live, number = live_sessions(target), [0]

    def work(target, link, seen):
        link = link or target.connect()
        number[0] += 1
        body = bodies[number[0] % len(bodies)]
        seen[target.ask(link, "PUT", path, body, target.token)] += 1
        return link
    seen = each(target, 2, work)
    seen["links"] = len(live)
    return seen


def zones(target):
    return put_in_a_loop(target, "/v1/me/zones", [
        json.dumps({"zones": [{"name": "z", "latitude": 48 + number / 100, "longitude": 11,
                               "radiusMeters": 500}]}).encode() for number in range(2)])


def courses(target):
    def gpx(longitude):
        places = [f'lat="{48 + number * 1e-4:.4f}" lon="{longitude}"' for number in range(4096)]
        points = "".join(f"<trkpt {place}/>" for place in places)
        named = "".join(f"<wpt {place}><name>{number}</name></wpt>"
                        for number, place in enumerate(places[::16]))
        return f'<gpx version="1.1">{named}<trk><trkseg>{points}</trkseg></trk></gpx>'.encode()
    return put_in_a_loop(target, "/v1/me/course", [gpx(11), gpx(12)])


def device_links(target):
    def open_one(number):
        link = target.connect(target.device if number % 2 else target.http)
        if number % 2:
            link.sendall(target.hello())
            link.recv(4096)
        else:
            target.ask(link, "GET", "/v1/me", token=target.token)
        return link
    return hold(target, opened(target, 2000, open_one))


def buttons(target):
    """Each press is an event, which goes to every viewer of each of the device's shares."""
    link = target.connect()
    viewers = []
    for number in range(62):
        body = json.dumps({"name": f"b{number}"}).encode()
        target.request(link, "POST", "/v1/me/shares", body, target.token)
        status, answer = read(link)
        if status == 201:
            viewers.append(target.upgrade(f"/v1/shares/{json.loads(answer)['id']}/live"))
    device = target.connect(target.device)
    device.sendall(target.hello())
    device.recv(4096)
    for one in [device, *viewers]:
        one.setblocking(False)
    pressed, waiting = 0, b""
    while target.goes_on:
        if not waiting:
            for _ in range(200):
                pressed += 1
                waiting += json.dumps({"seq": pressed, "type": "control", "action": "lap",
                                       "timestamp": time.time()}).encode() + b"\n"
        try:
            waiting = waiting[device.send(waiting):]
        except BlockingIOError:
            time.sleep(0.001)
        for one in [device, *viewers]:
            try:
                one.recv(65536)
            except OSError:
                pass
    for number in range(62):
        target.ask(link, "DELETE", f"/v1/me/shares/b{number}", token=target.token)
    return collections.Counter({"pressed": pressed})


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


# What an owner may do to all

def owners(target):
    paths = ["sessions?limit=500", "training", f"sessions/{target.session}",
             f"sessions/{target.session}/report", "shares", "profile", "zones", "cheers"]

    def work(target, link, seen):
        link = link or target.connect()
        seen[target.ask(link, "GET", f"/v1/me/{random.choice(paths)}", token=target.token)] += 1
        return link
    return each(target, 8, work)


def links(target):
    number = [0]

    def work(target, link, seen):
        link = link or target.connect()
        number[0] += 1
        name = f"made-{os.getpid()}-{number[0]}"
        body = json.dumps({"name": name}).encode()
        seen[target.ask(link, "POST", "/v1/me/shares", body, target.token)] += 1
        seen[target.ask(link, "DELETE", f"/v1/me/shares/{name}", token=target.token)] += 1
        return link
    return each(target, 4, work)


def profiles(target):
    return put_in_a_loop(target, "/v1/me/profile", [
        json.dumps({"maxHeartRate": 180 + number}).encode() for number in range(2)])


def pushes(target):
    """Bodies as large as may be, of the smallest values."""
    begin, name = time.time_ns(), str(uuid.uuid4())
    values = [{"name": "heartrate", "time": str(begin + number * 1_000_000), "values": {"bpm": 120}}
              for number in range(12_000)]
    body = json.dumps({"messageId": 1, "sessionId": name, "deviceId": "x",
                       "payload": values}).encode()

    def work(target, link, seen):
        link = link or target.connect()
        seen[target.ask(link, "POST", "/in/sensorlogger", body, target.token)] += 1
        return link
    return each(target, 4, work)


# What of the refusals must have been seen: a status, a close code, connections that were closed.
ATTACKS = [
    (guessing, [429]), (slowloris, []), (hellos, [4029]), (seeks, ["refused"]), (exports, []),
    (history, []), (cheers, [429]), (shares, [409]), (sessions_tcp, ["closed"]),
    (sessions_push, []), (upgrades, []), (half_messages, ["closed"]), (resets, []),
    (behind_heads, []), (deletions, [429]), (zones, [200]), (courses, [200]),
    (device_links, ["closed"]), (streams, []), (playbacks, []), (resumes, []), (weeks, []),
    (owners, []), (links, []), (profiles, []), (pushes, []), (openings, []), (pages_left, []),
    (latests_left, []), (rooms, []), (buttons, ["pressed"]),
]

# Too many changes in ten seconds are refused, also those of the attack before: each has its own device.
CHANGES = [zones, courses, profiles]


def main():
    """usage: besieging.py ATTACK TARGET   as JSON; prints what was refused, as JSON"""
    words = json.loads(sys.argv[2])
    attack = next(attack for attack, _ in [(nobody, []), *ATTACKS] if attack.__name__ == sys.argv[1])
    print(json.dumps(dict(attack(Target(**words, until=time.monotonic() + words["seconds"])))))


if __name__ == "__main__":
    main()
