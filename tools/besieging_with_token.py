"""Attacks of one who holds a device's token, for `tools/siege all`, as those of besieging.py."""
import collections, gzip, json, os, random, time, uuid

from besieger import at_once, each, hold, opened, read


def exports(target):
    def open_one(number):
        kind = random.choice(["mcap", "ndjson", "csv", "fit"])
        link = target.connect(receive=4096)
        target.request(link, "GET", f"/v1/me/sessions/{target.session}/export?format={kind}",
                       token=target.token)
        return link
    return hold(target, opened(target, 100, open_one))


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
    link, count = target.connect(), max(2, int(62 * target.scale))
    viewers = []
    for number in range(count):
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
    for number in range(count):
        target.ask(link, "DELETE", f"/v1/me/shares/b{number}", token=target.token)
    return collections.Counter({"pressed": pressed})


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


def many_links(target):
    """Links that fifty owners make and revoke at once."""
    makers, number = random.sample(target.tokens, len(target.tokens)), [0]

    def work(target, link, seen):
        number[0] += 1
        token, name = makers[number[0] % len(makers)], f"made-{number[0]}"
        link = link or target.connect()
        body = json.dumps({"name": name}).encode()
        seen[target.ask(link, "POST", "/v1/me/shares", body, token)] += 1
        seen[target.ask(link, "DELETE", f"/v1/me/shares/{name}", token=token)] += 1
        return link
    return each(target, 8, work)


def share_lists(target):
    """As many connections as a token may have ask for the list of as many shares as it may have."""
    link = target.connect()
    for number in range(60):
        body = json.dumps({"name": f"listed-{number}"}).encode()
        while target.ask(link, "POST", "/v1/me/shares", body, target.token) == 429:
            time.sleep(0.1)
    seen = at_once(target, 56, "GET", "/v1/me/shares", b"", target.token)
    for number in range(60):
        target.ask(link, "DELETE", f"/v1/me/shares/listed-{number}", token=target.token)
    return seen


def empty_pushes(target):
    """Bodies that are read at once, and hold nothing that a pace counts."""
    body = json.dumps({"messageId": 1, "sessionId": "x", "deviceId": "x",
                       "payload": [{"name": "x", "time": "0", "values": {}}] * 700}).encode()
    return at_once(target, 56, "POST", "/in/sensorlogger", body, target.token)


def requests_left(target):
    """Long bodies that take long to read; their sender leaves at once, and no connection counts them."""
    body = json.dumps({"messageId": 1, "sessionId": str(uuid.uuid4()), "deviceId": "x",
                       "payload": [{"name": "x", "time": "0", "values": {}}] * 2_000}).encode()
    paths = [("POST", "/in/sensorlogger"), ("PUT", "/v1/me/course"), ("POST", "/v1/me/import")]
    seen = collections.Counter()
    while target.goes_on:
        method, path = random.choice(paths)
        try:
            link = target.connect()
            target.request(link, method, path, body, target.token)
            # One in fifty stays, and hears what became of it.
            if random.random() < 0.02:
                seen[read(link)[0]] += 1
            link.close()
            seen["left"] += 1
        except OSError:
            seen["closed"] += 1
    return seen


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


def imports(target):
    """Files as large as may be, packed to a hundredth, all the same run and kept beside each other."""
    start = int(time.time()) - 86_400
    rows = "".join(f"{start + number},{48 + number * 2e-5:.9f},11.000000000,{120 + number % 9}\n"
                   for number in range(int(45_000 * target.scale)))
    body = gzip.compress(("time,latitude,longitude,heartRate\n" + rows).encode())

    def work(target, link, seen):
        link = link or target.connect()
        link.settimeout(30)
        path = "/v1/me/import?name=run.csv&duplicate=keep"
        seen[target.ask(link, "POST", path, body, target.token)] += 1
        return link
    return each(target, 8, work)


def unknown_fields(target):
    """Lines as long as may be, of fields that nobody knows."""
    fields = ",".join(f'"{number:x}":1' for number in range(5_000))
    line = '{"type":"heartRate","heartRate":120,"timestamp":' + str(time.time()) + "," + fields + "}\n"
    def welcomed():
        link = target.connect(target.device)
        link.sendall(target.hello())
        link.recv(4096)
        link.setblocking(False)
        return link

    links = [welcomed() for _ in range(max(2, int(60 * target.scale)))]
    owed, sent = [b""] * len(links), 0
    while target.goes_on:
        for index, link in enumerate(links):
            owed[index] = owed[index] or line.encode()
            try:
                count = link.send(owed[index])
                owed[index], sent = owed[index][count:], sent + count
                link.recv(65536)
            except BlockingIOError:
                pass
            except OSError:
                links[index], owed[index] = welcomed(), b""
        time.sleep(0.0005)
    return collections.Counter({"kilobytes": sent // 1000})
