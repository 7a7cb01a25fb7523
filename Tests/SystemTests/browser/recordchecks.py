"""What the record page must do, seen by headless Chromium against a real daemon.

Each check takes a browser and a `Field` (daemon, network, device), raises `Failure` or returns what
it measured.
"""

import json
import time

from judging import clean, expect
from recorddoorchecks import link, strangers
from recordsteps import (
    PATIENCE, PHASE, READY, STATE, again, all_sent, begin, enter, finish, kept_frames, later, measures,
    sensor, tap)
from recordvalues import compare, exported, given_values, same_as_pushed, values, verify
from recordworld import Phone, Walk

TRANSFER_BYTES_MAX = 80 * 1024
MAIN_THREAD_MAX = 0.05
# Whatever a network says that is not there for a moment.
NETWORK_NOISE = ["net::ERR_", "WebSocket connection to", "Failed to load resource"]


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
    all_sent(phone, page)
    took = time.monotonic() - began
    page.pump(3)
    expect(kept_frames(page) == 0, "frames are left in the browser")
    facts = compare(field, phone)
    verified = verify(page, field)
    pushed = same_as_pushed(field, phone)
    clean(page, field.proxy.base, allowed=NETWORK_NOISE)
    return (f"{seconds} s of measuring in {took:.0f} s: {facts}; {longest} values were kept at most;"
            f" {verified}; {pushed}")


def tabs(browser, field):
    """A second tab shows what the first records, its buttons work, and each may take over."""
    field = later(field)
    phone = Phone(browser, field.base, Walk(field.start))
    first = enter(phone, field)
    begin(phone, first)
    for second in range(3):
        phone.give_fix(second, phone.walk.start + 1000 * second)
        phone.give_motion(phone.walk.start + 1000 * second, phone.walk.start + 1000 * (second + 1))
    other = phone.open(context=first.context)
    other.wait(f"{PHASE} === 'run' && document.querySelector('.notice button')", PATIENCE)
    other.pump(1.5)
    expect(other.text(".hero .number") == first.text(".hero .number"), "the tabs show different numbers")
    other.run("document.querySelector('.lap').click()")
    other.wait("[...document.querySelectorAll('.name')].some((node) => node.textContent === 'Lap 2')", PATIENCE)
    # The first goes on while the second only shows.
    phone.page = first
    phone.give_motion(phone.walk.start + 3000, phone.walk.start + 3700)
    phone.page = other
    tap(other, ".notice button")
    measures(other)
    phone.note_fixes()
    phone.give_motion(phone.walk.start + 3700, phone.walk.start + 5200)
    phone.give_fix(5, phone.walk.start + 5200)
    # The one that leads dies; the other goes on by itself.
    other.kill()
    phone.page = first
    first.call("Page.bringToFront")
    first.run(f"world.set({phone.walk.start + 5200})")
    measures(first)
    phone.note_fixes()
    phone.give_motion(phone.walk.start + 5200, phone.walk.start + 6000)
    finish(phone, first, 6)
    return compare(field, phone, ["motion", "location"]) + ", over three changes"


def afar(browser, field):
    """Cheers arrive, the owner's commands are done, a call for help goes out and is taken back."""
    field = later(field)
    phone = Phone(browser, field.base, Walk(field.start))
    page = enter(phone, field)
    begin(phone, page, ["position"])
    phone.give_fix(0, phone.walk.start)
    page.wait(f"{STATE} === 'live'", PATIENCE)
    field.cheer("Go Anna!")
    page.wait("document.querySelector('.toasts').textContent.includes('Go Anna!')", PATIENCE)
    field.owner_command("pause")
    page.wait("document.querySelector('.run').dataset.state === 'paused'", PATIENCE)
    field.owner_command("resume")
    page.wait("document.querySelector('.run').dataset.state === 'recording'", PATIENCE)
    page.run(f"world.press('.sos', {phone.walk.start + 500}, true)")
    page.wait("document.querySelector('.help').open", PATIENCE)
    tap(page, ".help-cancel")
    page.pump(1)
    expect(field.alerts() == [], "a call that was cancelled went out")
    page.run(f"world.press('.sos', {phone.walk.start + 600}, true)")
    page.wait("document.querySelector('.help').dataset.state === 'out'", PATIENCE)
    expect("sos" in json.dumps(field.alerts()), f"viewers are told {field.alerts()}")
    tap(page, ".help-cancel")
    deadline = time.monotonic() + PATIENCE
    while field.alerts() and time.monotonic() < deadline:
        page.pump(0.2)
    expect(field.alerts() == [], "the call was not taken back")
    tap(page, ".lock")
    page.wait("document.querySelector('.locked').open", PATIENCE)
    page.run("world.press('.unlock', 0, true)")
    page.wait("!document.querySelector('.locked').open", PATIENCE)
    # A touch is no hold.
    page.run(f"world.press('.stop', {phone.walk.start + 700}, true)")
    page.run("document.querySelector('.stop').dispatchEvent(new PointerEvent('pointerup'))")
    page.pump(1.5)
    expect(page.run(PHASE) == "run", "a touch stopped the recording")
    field.owner_command("stop")
    page.wait(f"{PHASE} === 'done'", PATIENCE)
    clean(page, field.base)


def full(browser, field):
    """Where the room is full motion is left out, and that is said and recorded; all else goes on."""
    field = later(field)
    phone = Phone(browser, field.proxy.base, Walk(field.start))
    page = enter(phone, field)
    page.wait("navigator.serviceWorker.controller", PATIENCE)
    page.pump(3)
    usage = page.run("navigator.storage.estimate().then(({ usage }) => usage)")
    page.call("Storage.overrideQuotaForOrigin", {"origin": field.proxy.base, "quotaSize": usage + 60_000})
    begin(phone, page)
    page.wait(f"{STATE} === 'live'", PATIENCE)
    field.proxy.off()
    second = 0
    while not page.run("document.querySelector('.notices').textContent.includes('motion is no longer kept')"):
        expect(second < 200, "nothing says that the room is full")
        phone.give_fix(second, phone.walk.start + 1000 * second)
        phone.give_motion(phone.walk.start + 1000 * second, phone.walk.start + 1000 * (second + 1))
        second += 1
        page.pump(0.02)
    stopped = second
    for second in range(stopped, stopped + 20):
        phone.give_fix(second, phone.walk.start + 1000 * second)
        phone.give_motion(phone.walk.start + 1000 * second, phone.walk.start + 1000 * (second + 1))
    field.proxy.on()
    page.run("window.dispatchEvent(new Event('online'))")
    # All that was kept is sent first; a busy machine takes a minute for it.
    page.wait("!document.querySelector('.notices').textContent.includes('motion is no longer kept') && " + STATE + " === 'live'", 3 * PATIENCE)
    again_from = stopped + 20
    phone.give_motion(phone.walk.start + 1000 * again_from, phone.walk.start + 1000 * (again_from + 1))
    finish(phone, page, again_from + 1)
    frames = exported(field, field.session(field.name))
    recorded, given = list(values(frames)), list(given_values(phone))
    fixes = [[each for each in all_ if each[0] == "location"] for all_ in (recorded, given)]
    expect(fixes[0] == fixes[1], f"{len(fixes[0])} fixes recorded of {len(fixes[1])}")
    motion, kept = ([each for each in all_ if each[0] == "motion"] for all_ in (given, recorded))
    left_out = [each for each in motion if each not in kept]
    first = motion.index(left_out[0])
    expect(left_out == motion[first:first + len(left_out)], "motion was left out in several places")
    markers = [frame for frame in frames if frame["type"] == "marker"]
    expect(len(markers) == 1 and abs(markers[0]["timestamp"] - left_out[0][1] / 1000) < 0.02, f"{markers}")
    page.call("Storage.overrideQuotaForOrigin", {"origin": field.proxy.base})
    return f"after {stopped} s without a network; {len(left_out)} samples left out, as the marker says; {len(fixes[0])} fixes kept"


def interrupted(browser, field):
    """A session that broke off long ago is not gone on with by itself; its end is where it broke off."""
    field = later(field)
    phone = Phone(browser, field.base, Walk(field.start - 3600 * 1000))
    page = enter(phone, field)
    begin(phone, page, ["position"])
    for second in range(3):
        phone.give_fix(second, phone.walk.start + 1000 * second)
    page.wait(f"{STATE} === 'live'", PATIENCE)
    page.run(f"world.set({phone.walk.start + 1800 * 1000})")
    page.kill()
    page = phone.open(context=page.context)
    page.wait(f"{PHASE} === 'interrupted'", PATIENCE)
    tap(page, ".end-there")
    all_sent(phone, page)
    ends = [value for kind, _, value in values(exported(field, field.session(field.name))) if kind == "control"]
    expect(ends == ["start", "stop"], f"recorded were {ends}")
    clean(page, field.base)


def frugal(browser, field):
    """The page is small, and costs little while it measures at 60 Hz with the browser's own sensors."""
    field = later(field)
    page = browser.open(f"{field.base}/record#{field.token}", 390, 844, 2, touch=True)
    browser.send("Browser.grantPermissions", {
        "permissions": ["geolocation", "wakeLockScreen", "sensors"], "browserContextId": page.context})
    page.wait(f"{PHASE} === 'agree'", PATIENCE)
    transferred = page.run("""performance.getEntriesByType('resource')
        .concat(performance.getEntriesByType('navigation'))
        .filter((entry) => !entry.name.includes('/v1/'))
        .reduce((sum, entry) => sum + entry.transferSize, 0)""")
    expect(0 < transferred <= TRANSFER_BYTES_MAX, f"{transferred} bytes were transferred")
    tap(page, ".agree-keep")
    page.wait(READY, PATIENCE)
    page.call("Emulation.setGeolocationOverride", Walk(0).fix(0))
    for kind in ["accelerometer", "linear-acceleration", "gyroscope"]:
        page.call("Emulation.setSensorOverrideEnabled", {"enabled": True, "type": kind, "metadata": {
            "available": True, "minimumFrequency": 1, "maximumFrequency": 60}})
        page.call("Emulation.setSensorOverrideReadings", {"type": kind, "reading": {"xyz": {"x": 1, "y": 2, "z": 9}}})
    for name in ["position", "motion"]:
        page.run(f"{sensor(name)}.click()", tapped=True)
    page.run("window.events = 0, window.addEventListener('devicemotion', () => { events += 1; })")
    tap(page, ".start")
    page.wait(f"{PHASE} === 'run' && {STATE} === 'live'", PATIENCE)
    page.pump(3)
    seconds = 20
    page.run("events = 0")
    before, began = browser.main_thread_seconds(), time.monotonic()
    for second in range(seconds):
        page.call("Emulation.setGeolocationOverride", Walk(0).fix(second))
        page.pump(began + second + 1 - time.monotonic())
    took = time.monotonic() - began
    share = (browser.main_thread_seconds() - before) / took
    rate = page.run("events") / took
    expect(rate > 0, "the browser gave no motion")
    # What a busy machine gives, and takes, is not the page's: judged where nothing else runs.
    expect(not field.bars or rate > 50, f"the browser gave {rate:.0f} motions a second")
    expect(not field.bars or share <= MAIN_THREAD_MAX,
           f"the main thread took {100 * share:.1f} % of a core at {rate:.0f} Hz")
    page.run("document.querySelector('.stop').dispatchEvent(new PointerEvent('pointerdown'))")
    page.wait(f"{PHASE} === 'done'", PATIENCE)
    clean(page, field.base)
    return f"{transferred / 1024:.1f} KiB; {100 * share:.1f} % of a core at {rate:.0f} Hz"


def accessible(browser, field):
    """No serious finding of axe in any state, in light and dark, on a phone and on a desk."""
    with open(field.axe, encoding="utf-8") as file:
        script = file.read()
    findings, looked = [], []

    def look(page, state, base=field.base):
        page.run(f"{script};1")
        for width, height in [(390, 844), (1280, 900)]:
            page.resize(width, height, 1, width < 600)
            for theme in ["light", "dark"]:
                page.theme(theme)
                page.pump(0.3)
                looked.append(state)
                findings.extend([[state, width, theme, *each] for each in page.run("""
                    axe.run(document).then((result) => result.violations
                        .filter((each) => ['serious', 'critical'].includes(each.impact))
                        .map((each) => [each.id, each.nodes.map((node) => node.target.join(' '))]))""")])
        # Without https a browser ignores a header, and says so.
        clean(page, base, allowed=["Cross-Origin-Opener-Policy"])

    field = later(field)
    phone = Phone(browser, field.base, Walk(field.start))
    door = phone.open()
    door.wait(f"{PHASE} === 'sign-in'", PATIENCE)
    look(door, "door")
    elsewhere = field.base.replace("127.0.0.1", "run.example")
    insecure = browser.open(f"{elsewhere}/record")
    insecure.wait(f"{PHASE} === 'insecure'", PATIENCE)
    look(insecure, "insecure", elsewhere)
    insecure.close()
    page = phone.open(f"/record#{field.token}")
    page.wait(f"{PHASE} === 'agree'", PATIENCE)
    look(page, "agree")
    tap(page, ".agree-keep")
    page.wait(READY, PATIENCE)
    tap(page, ".start")
    page.run("document.querySelector('.kept').open = true")
    look(page, "setup")
    page.run(f"{sensor('screen')}.click()", tapped=True)
    begin(phone, page, ["position", "strap"])
    phone.give_fix(0, phone.walk.start)
    phone.give_beat(0, phone.walk.start)
    look(page, "run")
    phone.press(".pause", phone.walk.start + 500, "pause")
    look(page, "paused")
    tap(page, ".share-link")
    page.wait("document.querySelector('dialog.qr').open", PATIENCE)
    look(page, "share")
    tap(page, ".qr .close")
    tap(page, ".lock")
    look(page, "locked")
    page.run("document.querySelector('.locked').close()")
    page.run(f"world.press('.sos', {phone.walk.start + 600}, true)")
    page.wait("document.querySelector('.help').dataset.state === 'out'", PATIENCE)
    look(page, "help")
    tap(page, ".help-cancel")
    other = phone.open(context=page.context)
    other.wait("document.querySelector('.notice button')", PATIENCE)
    look(other, "other tab")
    other.close()
    phone.page = page
    finish(phone, page, 1)
    look(page, "done")
    expect(not findings, json.dumps(findings))
    return f"{len(set(looked))} states, {len(looked)} times"


ALL = [link, strangers, sensors, whole, tabs, afar, full, interrupted, frugal, accessible]
