"""What the record page must do, seen by headless Chromium against a real daemon.

Each check takes a browser and a `Field` (daemon, network, device), raises `Failure` or returns what
it measured.
"""

import json
import os
import struct
import time
import urllib.parse
import urllib.request

from checks import Failure, clean, expect
from recordworld import Phone, Walk

PATIENCE = 60
PHASE = "document.body.dataset.phase"
TRANSFER_BYTES_MAX = 80 * 1024
MAIN_THREAD_MAX = 0.05
SHARE_OF_WAIT = 40  # values that are always on their way
# Whatever a network says that is not there for a moment.
NETWORK_NOISE = ["net::ERR_", "WebSocket connection to", "Failed to load resource"]

READY = "document.body.dataset.phase === 'setup'"
STATE = "document.querySelector('.status')?.dataset.state"


def tap(page, selector):
    page.run(f"document.querySelector({json.dumps(selector)}).click()", tapped=True)


def sensor(name):
    return f"document.querySelector('[data-sensor={name}] button')"


def enter(phone, field, keep=True):
    """By the set-up link to the page before the start."""
    page = phone.open(f"/record#{field.token}")
    page.wait(f"{PHASE} === 'agree'", PATIENCE)
    tap(page, ".agree-keep" if keep else ".agree-not")
    page.wait(READY, PATIENCE)
    return page


def kept_frames(page):
    """How many frames the browser's store has."""
    return page.run("""new Promise((done) => { const ask = indexedDB.open("pulsecast-record");
        ask.onsuccess = () => { const database = ask.result;
            if (!database.objectStoreNames.contains("frames")) { database.close(); done(0); return; }
            const count = database.transaction("frames").objectStore("frames").count();
            count.onsuccess = () => { database.close(); done(count.result); }; }; })""")


def link(browser, field):
    """The token leaves the address at once, goes into no request's address, and is kept only if so wanted."""
    phone = Phone(browser, field.base, Walk(field.start))
    page = phone.open(f"/record#{field.token}")
    page.wait(f"{PHASE} === 'agree'", PATIENCE)
    expect(page.run("location.hash") == "", "the token is still in the address")
    stores = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
    expect(field.token not in page.run(stores), "the token was kept without asking")
    expect(field.name in page.text(".agree-text"), "it does not say for which device")
    tap(page, ".agree-not")
    page.wait(READY, PATIENCE)
    expect(field.token not in page.run(stores), "the token was kept against the person's word")
    page.call("Page.reload")
    page.wait(f"{PHASE} === 'sign-in'", PATIENCE)
    page.run(f"document.querySelector('#link').value = {json.dumps('pc_' + 'A' * 43)}")
    page.run("document.querySelector('.sign-in form').requestSubmit()")
    page.wait("document.querySelector('#door-answer').textContent", PATIENCE)
    page.run(f"document.querySelector('#link').value = {json.dumps(field.base + '/record#' + field.token)}")
    page.run("document.querySelector('.sign-in form').requestSubmit()")
    page.wait(f"{PHASE} === 'agree'", PATIENCE)
    tap(page, ".agree-keep")
    page.wait(READY, PATIENCE)
    expect(field.token in page.run(stores), "the token was not kept")
    page.call("Page.reload")
    page.wait(READY, PATIENCE)
    # A link of somebody else's device takes nothing over by itself.
    page.call("Page.navigate", {"url": f"{field.base}/record#{field.other_token}"})
    page.wait(f"{PHASE} === 'switch'", PATIENCE)
    expect(field.other_name in page.text(".switch-text"), "it does not say whose link it is")
    tap(page, ".switch-stay")
    page.wait(READY, PATIENCE)
    expect(field.name in page.text(".record-for"), "the stranger's device took over")
    page.run("window.confirm = () => true")
    tap(page, ".erase")
    page.wait(f"{PHASE} === 'sign-in'", PATIENCE)
    left = page.run("""Promise.all([indexedDB.databases(), caches.keys(), navigator.serviceWorker.getRegistrations()])
        .then((all) => [...all.map((each) => each.length),
            Object.keys(localStorage).filter((key) => key.startsWith("pulsecast.record.")).length])""")
    expect(left == [0, 0, 0, 0], f"databases, caches, workers, texts that are left: {left}")
    sent = [url for url in page.requests if field.token in urllib.parse.unquote(url).partition("#")[0]]
    expect(not sent, f"the token stood in an address: {sent}")
    clean(page, field.base, allowed=["status of 401"])


def strangers(browser, field):
    """Without a token the page shows a door, asks for nothing and gives nothing; other pages may not measure."""
    page = browser.open(f"{field.base}/record")
    page.wait(f"{PHASE} === 'sign-in'", PATIENCE)
    page.pump(1)
    asked = [url for url in page.requests if "/v1/" in url]
    expect(not asked, f"it asked the daemon: {asked}")
    clean(page, field.base)
    policies = {}
    for path in ["/record", "/", "/me", f"/s/{'A' * 22}"]:
        request = urllib.request.Request(field.base + path, headers={"Accept": "text/html"})
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as refused:
            answer = refused
        policies[path] = answer.headers["Permissions-Policy"]
        expect("default-src 'none'" in answer.headers["Content-Security-Policy"], f"{path} has no policy")
    for name in ["geolocation", "accelerometer", "gyroscope", "bluetooth", "screen-wake-lock"]:
        for path, policy in policies.items():
            wanted = f"{name}=(self)" if path == "/record" else f"{name}=()"
            expect(wanted in policy, f"{path}: {policy}")
    insecure = browser.open(field.base.replace("127.0.0.1", "run.example") + f"/record#{field.token}")
    insecure.wait(f"{PHASE} === 'insecure'", PATIENCE)
    expect(insecure.run("location.hash") == "", "the token stays in an address without https")
    expect("https" in insecure.text(".insecure"), "it does not say what to do")
    return "door, policies of 4 pages, http"


def sensors(browser, field):
    """Each sensor is asked for by itself, says what it has, and what is missing is said in words."""
    phone = Phone(browser, field.base, Walk(field.start))
    page = enter(phone, field)
    tap(page, ".start")
    page.wait("document.querySelector('#start-answer').textContent", PATIENCE)
    page.run(f"{sensor('motion')}.click()", tapped=True)
    page.run(f"{sensor('position')}.click()", tapped=True)
    states = "Object.fromEntries([...document.querySelectorAll('[data-sensor]')].map((row) => [row.dataset.sensor, row.dataset.state]))"
    page.wait(f"({states}).motion === 'problem'", PATIENCE)
    phone.give_fix(0, phone.walk.start)
    phone.choose_strap(sensor("strap"))
    phone.give_beat(0, phone.walk.start)
    page.wait(f"({states}).strap === 'on' && ({states}).position === 'on'", PATIENCE)
    expect("±" in page.run(f"{sensor('position')}.textContent"), "the accuracy is not shown")
    phone.give_motion(phone.walk.start, phone.walk.start + 1000)
    page.wait(f"({states}).motion === 'on'", PATIENCE)
    phone.lose_strap()
    page.wait(f"({states}).strap === 'waiting'", PATIENCE)
    phone.choose_strap(sensor("strap"))
    phone.give_beat(1, phone.walk.start + 1000)
    page.wait(f"({states}).strap === 'on'", PATIENCE)
    clean(page, field.base)


def whole(browser, field):
    """A run with everything that can go wrong: each value is recorded once, as it was measured."""
    seconds = field.seconds
    walk = Walk(field.start)
    phone = Phone(browser, field.proxy.base, walk)
    page = enter(phone, field)
    for name in ["position", "motion", "screen"]:
        page.run(f"{sensor(name)}.click()", tapped=True)
    phone.choose_strap(sensor("strap"))
    phone.press(".start", walk.start, "start")
    page.wait(f"{PHASE} === 'run'", PATIENCE)
    page.wait("navigator.serviceWorker.controller", PATIENCE)
    began = time.monotonic()
    off, reload, on, kill, pause, restart = (round(seconds * part) for part in [0.2, 0.3, 0.45, 0.6, 0.7, 0.8])
    longest = 0
    for second in range(seconds):
        wall = walk.start + 1000 * second
        if second == off:
            field.proxy.off()
        elif second == reload:
            page.call("Page.reload")
            again(phone)
        elif second == on:
            longest = page.run("Number(document.querySelector('.status-age').textContent.match(/\\d+/)?.[0] ?? 0)")
            field.proxy.on()
        elif second == kill:
            # In the middle of a batch.
            phone.give_motion(wall, wall + 333)
            page.kill()
            page = phone.open(context=page.context)
            again(phone)
            phone.give_motion(wall + 333, wall + 1000)
            continue
        elif second == pause:
            phone.press(".pause", wall - 1, "pause")
        elif second == pause + 5:
            phone.press(".pause", wall - 2, "resume")
            phone.press(".lap", wall - 1, "lap")
        elif second == restart:
            field.stage.restart(9)
        phone.second(second)
    end = walk.start + 1000 * seconds
    phone.press(".stop", end, "stop", held=True)
    page.wait(f"{PHASE} === 'done'", PATIENCE)
    page.wait("document.querySelector('.left-text').textContent.includes('with the daemon')", PATIENCE)
    took = time.monotonic() - began
    page.pump(3)
    expect(kept_frames(page) == 0, "frames are left in the browser")
    facts = compare(field, phone)
    verified = field.stage.command("replay", field.session(field.name), "--verify")
    pushed = same_as_pushed(field, phone)
    clean(page, field.proxy.base, allowed=NETWORK_NOISE)
    return (f"{seconds} s of measuring in {took:.0f} s: {facts}; {longest} values were kept at most;"
            f" {verified.strip().splitlines()[-1]}; {pushed}")


def again(phone):
    """After a reload the session goes on by itself; only the strap wants a tap."""
    page = phone.page
    page.wait(f"{PHASE} === 'run'", PATIENCE)
    strap = "[...document.querySelectorAll('.notice button')].find((node) => /strap/i.test(node.textContent))"
    page.wait(strap, PATIENCE)
    phone.choose_strap(strap)
    phone.note_fixes()


def exported(field, session):
    """The session's frames, in order."""
    lines = field.stage.command("export", session, "--format", "ndjson").splitlines()
    return [frame for frame in map(json.loads, lines) if "timestamp" in frame]


def values(frames):
    """What frames of the text form say, in the form of the phone's list."""
    for frame in frames:
        wall = round(frame["timestamp"] * 1e6) / 1000
        if frame["type"] == "motion":
            for index, axes in enumerate(frame["samples"]):
                rates = [round(axis * 800) for axis in axes[3:]]
                yield "motion", wall + index * frame["intervalMicroseconds"] / 1000, [
                    *(round(axis * 1024) for axis in axes[:3]), *rates]
        elif frame["type"] == "location":
            yield "location", wall, [frame[name] for name in [
                "latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy", "speed", "course"]]
        elif frame["type"] == "heartRate":
            yield "heartRate", wall, [frame["heartRate"], frame["contact"],
                                      *(round(interval * 1024) for interval in frame["rrSeconds"])]
        elif frame["type"] == "control":
            yield "control", wall, frame["action"]


def given_values(phone):
    for kind, wall, value in phone.given:
        if kind == "location":
            value = [value[name] for name in [
                "latitude", "longitude", "altitude", "accuracy", "altitudeAccuracy", "speed", "heading"]]
        elif kind == "heartRate":
            _, rate, interval = struct.unpack("<BBH", value)
            value = [rate, True, interval]
        yield kind, wall, value


def compare(field, phone):
    """Recorded against given, value by value and time by time."""
    frames = exported(field, field.session(field.name))
    recorded, given = list(values(frames)), list(given_values(phone))
    for kind in ["motion", "location", "heartRate", "control"]:
        ours = [each for each in recorded if each[0] == kind]
        theirs = [each for each in given if each[0] == kind]
        expect(len(ours) == len(theirs), f"{kind}: {len(ours)} recorded of {len(theirs)} given")
        for mine, other in zip(ours, theirs):
            expect(mine[2] == other[2] and abs(mine[1] - other[1]) < 0.0015, f"{kind}: recorded {mine}, given {other}")
    numbers = [frame["seq"] for frame in frames if "seq" in frame]
    expect(numbers == list(range(1, len(numbers) + 1)), "the frames' numbers have holes")
    return (f"{len(given)} values given and recorded, in {len(numbers)} frames; 0 missing, 0 doubled, 0 altered")


def same_as_pushed(field, phone):
    """The same values, sent by `push`: the same metrics."""
    path = os.path.join(field.stage.folder, "given.ndjson")
    with open(path, "w", encoding="utf-8") as file:
        # The machine's own battery is no value of the walk.
        status = [frame for frame in exported(field, field.session(field.name)) if frame["type"] == "status"]
        frames = [*text_frames(phone), *({key: frame[key] for key in ["type", "battery", "charging", "timestamp"]}
                                         for frame in status)]
        for frame in sorted(frames, key=lambda each: each["timestamp"]):
            file.write(json.dumps(frame) + "\n")
    token = os.path.join(field.stage.folder, "pushed-token")
    with open(token, "w", encoding="utf-8") as file:
        file.write(field.device("Pushed"))
    field.stage.push(path, token)
    ours, theirs = field.results(field.name), field.results("Pushed")
    other = {key: (ours.get(key), theirs.get(key)) for key in {*ours, *theirs} if ours.get(key) != theirs.get(key)}
    expect(not other, f"by the page and by push: {other}")
    return f"{len(ours)} metrics as by push"


def text_frames(phone):
    yield {"type": "source", "source": "Test strap", "timestamp": phone.walk.start / 1000}
    for kind, wall, value in given_values(phone):
        frame = {"timestamp": wall / 1000}
        if kind == "motion":
            axes = [axis / 1024 for axis in value[:3]] + [axis / 800 for axis in value[3:]]
            frame.update(type="motion", samples=[axes], intervalMicroseconds=0, gravityIncluded=True,
                         gyroscopePresent=True)
        elif kind == "location":
            frame.update(zip(["latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy",
                              "speed", "course"], value), type="location")
        elif kind == "heartRate":
            frame.update(type="heartRate", heartRate=value[0], contact=True, rrSeconds=[value[2] / 1024])
        else:
            frame.update(type="control", action=value)
        yield frame


ALL = [link, strangers, sensors, whole]
