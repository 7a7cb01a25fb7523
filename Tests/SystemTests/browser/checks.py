"""What the viewer's pages must do, seen by headless Chromium against a real daemon.

Each check takes a browser and a `Cast` (who runs on the stage), raises `Failure` or returns what it
measured. What takes how long is said, not judged: that depends on the machine.
"""

import json
import time
import urllib.parse
import urllib.request

import adminchecks
import alertchecks
import overlaychecks
import ownerchecks
from judging import PATIENCE, Failure, axe_findings, clean, expect
from terminal import Terminal, dots

STATE = "document.querySelector('.status')?.dataset.state"
NUMBER = "document.querySelector('.hero .number')?.textContent"
HERO = "document.querySelector('.hero')?.dataset.state"
TRANSFER_BYTES_MAX = 100 * 1024
HEAP_BYTES_MAX = 150 * 1024 * 1024
# Of the daemon, for a source's heart rate: three of its intervals, 6 s at least.
STALE_SECONDS = {1: 6, 4: 12}
SAID = f"""window.said = []; setInterval(() => {{
    const now = {STATE}; if (said.at(-1) !== now) said.push(now); }}, 5)"""
# Keeps the numbers of the markers that reach the page, by whatever way.
NOTES = """
    window.notes = new Set();
    const keep = (item) => {
        const number = /^note (\\d+)$/.exec(item?.text ?? "")?.[1];
        if (item?.event === "marker" && number) notes.add(Number(number));
    };
    const Socket = window.WebSocket;
    window.WebSocket = class extends Socket {
        constructor(...rest) {
            super(...rest);
            this.addEventListener("message", (event) => keep(JSON.parse(event.data)));
        }
    };
    const ask = window.fetch;
    window.fetch = async (...rest) => {
        const answer = await ask(...rest);
        if (/history|overview/.test(String(rest[0]))) {
            answer.clone().json().then((page) => (page.items ?? page.events)?.forEach(keep));
        }
        return answer;
    };"""


def nothing_missing(page):
    """Every marker from the first that the page knows to the last."""
    notes = sorted(page.run("[...notes]"))
    holes = [number for number in range(notes[0], notes[-1]) if number not in set(notes)]
    expect(not holes, f"the page never heard of {holes}")
    return len(notes)


def first_value(browser, cast):
    """The first value stands soon; nothing is asked of anyone else; it is small."""
    openings = []
    for _ in range(3):  # The best of three: what else the machine does must not count.
        page = browser.open(f"{cast.base}/s/{cast.live}", first=f"""
            const watch = setInterval(() => {{
                if (!/\\d/.test({NUMBER})) return;
                clearInterval(watch);
                window.firstValueAt = performance.now();
            }}, 5);""")
        page.wait("window.firstValueAt", PATIENCE)
        openings.append(page.run("window.firstValueAt") / 1000)
    page.wait(f"{STATE} === 'live'", PATIENCE)
    page.pump(1)
    clean(page, cast.base)
    transferred = page.run("""performance.getEntriesByType('resource')
        .concat(performance.getEntriesByType('navigation'))
        .filter((entry) => !entry.name.includes('/v1/'))
        .reduce((sum, entry) => sum + entry.transferSize, 0)""")
    expect(0 < transferred <= TRANSFER_BYTES_MAX, f"{transferred} bytes were transferred")
    return f"{min(openings) * 1000:.0f} ms, {transferred / 1024:.1f} KiB"


def constant(browser, cast):
    """A heart rate that stays the same stays live."""
    page = browser.open(f"{cast.base}/s/{cast.constant}")
    page.wait(f"{HERO} === 'live'", PATIENCE)
    # Whether a beat is late is the machine's affair; that none is missed for long is ours.
    page.run(f"window.heard = []; setInterval(() => heard.push([{HERO}, {NUMBER}]), 100)")
    page.pump(3 * STALE_SECONDS[1])
    heard = page.run("heard")
    expect(len({number for _, number in heard}) == 1, f"the source was not constant: {heard[-1]}")
    wrong = [state for state, _ in heard if state != "live"]
    expect(not wrong, f"a constant value was shown as {set(wrong)}")
    return f"{3 * STALE_SECONDS[1]} s"


def stale(browser, cast):
    """A value is old when its own source's rhythm does not explain the silence; it says how old."""
    pages = {}
    for interval, (share, _) in cast.silent.items():
        pages[interval] = browser.open(f"{cast.base}/s/{share}")
        pages[interval].wait(f"{HERO} === 'live'", PATIENCE)
    for _, runner in cast.silent.values():
        runner.silent.set()
    facts = []
    for interval, page in sorted(pages.items()):
        runner = cast.silent[interval][1]
        page.wait(f"{HERO} === 'stale'", PATIENCE)
        seconds = time.monotonic() - runner.last_heart_sent
        expect(seconds > STALE_SECONDS[interval] - 0.5, f"it was stale after {seconds:.1f} s already")
        said = "document.querySelector('.hero .badge').textContent"
        page.wait(f"/\\d/.test({said})", PATIENCE)
        expect(not page.run("document.querySelector('.heart').getAnimations().length"), "the heart beats")
        clean(page, cast.base)
        facts.append(f"every {interval} s: after {seconds:.1f} s, “{page.run(said)}”")
    return "; ".join(facts)


def rewind(browser, cast):
    """By keyboard alone: back to the beginning, and to live again."""
    page = browser.open(f"{cast.base}/s/{cast.live}")
    page.wait(f"{STATE} === 'live' && !document.querySelector('.scrub').hidden", PATIENCE)
    page.run("document.querySelector('.scrub input').focus()")
    page.press("Home")
    page.wait(f"{STATE} === 'replay'", PATIENCE)
    elapsed = "document.querySelector('[data-value=elapsedTime] .number').textContent"
    page.wait(f"/^00:[0-3]/.test({elapsed})", PATIENCE)
    page.run("document.querySelector('.to-live').focus()")
    page.press("Enter")
    page.wait(f"{STATE} === 'live'", PATIENCE)
    page.wait(f"!/^00:[0-3]/.test({elapsed})", PATIENCE)
    clean(page, cast.base)


def keyboard(browser, cast):
    """Tab reaches everything that can be used, and one sees where it is."""
    page = browser.open(f"{cast.base}/s/{cast.live}", width=1280, height=900)
    page.wait(f"{STATE} === 'live' && !document.querySelector('.map').hidden", PATIENCE)
    usable = page.run("""[...document.querySelectorAll('a[href],button,select,input,[tabindex="0"]')]
        .filter((node) => node.checkVisibility() && !node.disabled).length""")
    seen, unseen = set(), []
    for index in range(usable + 3):
        page.press("Tab")
        place = page.run("""(() => { const node = document.activeElement;
            if (node === document.body) return null;
            node.dataset.reached ??= String(Math.random());
            const style = getComputedStyle(node);
            return [node.dataset.reached, node.className + ' ' + node.tagName,
              style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]; })()""")
        if place:
            seen.add(place[0])
            if not place[2]:
                unseen.append(place[1])
    expect(len(seen) >= usable, f"{len(seen)} of {usable} places were reached")
    expect(not unseen, f"no focus is seen on {unseen}")
    page.run("document.querySelector('.map canvas').focus()")
    page.press("f")
    expect(page.run("document.querySelector('.map').dataset.mode") == "follow", "F does not follow")
    page.press("w")
    page.run("document.querySelector('.chart-stack').focus()")
    page.press("ArrowLeft", times=3)
    spoken = page.run("document.querySelector('.chart-stack').getAttribute('aria-valuetext')")
    expect(spoken and "bpm" in spoken, f"the chart says {spoken!r}")
    return f"{usable} places"


def wake(browser, cast):
    """A phone that changed its network has a socket that looks open and is not."""
    page = browser.open(f"{cast.proxy.base}/s/{cast.live}", first=NOTES)
    page.wait(f"{STATE} === 'live' && notes.size > 2", PATIENCE)
    page.run(SAID)
    cast.proxy.swallow()
    page.pump(4)
    began = time.monotonic()
    page.run("window.dispatchEvent(new Event('online'))")
    page.wait("said.includes('catchingUp')", PATIENCE)
    page.wait(f"{STATE} === 'live'", PATIENCE)
    seconds = time.monotonic() - began
    page.pump(2)
    return f"live again after {seconds:.1f} s, {nothing_missing(page)} markers, {' → '.join(page.run('said'))}"


def restart(browser, cast):
    """After the daemon restarts the page comes back by itself, with nothing missing."""
    page = browser.open(f"{cast.base}/s/{cast.live}", first=NOTES)
    page.wait(f"{STATE} === 'live' && notes.size > 2", PATIENCE)
    page.run(SAID)
    before = page.run("Math.max(...notes)")
    began = time.monotonic()
    cast.restart()
    ran = time.monotonic() - began
    page.wait(f"{STATE} === 'live' && Math.max(...notes) > {before} + 3", 2 * PATIENCE)
    seconds = time.monotonic() - began
    page.pump(2)
    said = page.run("said")
    expect("catchingUp" in said, f"catching up was not shown: {said}")
    # Whatever a network says that is not there for a moment.
    clean(page, cast.base, allowed=["net::ERR_", "WebSocket connection to"])
    return (f"{seconds:.1f} s, of which the daemon took {ran:.1f} s; {nothing_missing(page)} markers;"
            f" {' → '.join(said)}")


def group(browser, cast):
    """A board with every runner, sorted as one likes."""
    page = browser.open(f"{cast.base}/s/{cast.group}")
    page.wait(f"{STATE} === 'live' && document.querySelectorAll('.board tbody tr').length === 10", PATIENCE)
    page.pump(2)
    names = "[...document.querySelectorAll('.runner-name')].map((node) => node.textContent)"
    before = page.run(names)
    page.run("document.querySelector('[data-column=name] button').click()")
    page.pump(0.3)
    after = page.run(names)
    expect(after == sorted(after, key=str.lower), f"not sorted: {after}")
    expect(sorted(before) == sorted(after), "runners were lost by sorting")
    # The past of each came in one answer, and all of it: the leader was where the others are now.
    overviews = [url for url in page.requests if "/overview?" in url]
    expect(len(set(overviews)) == 10, f"{len(overviews)} overviews were asked for")
    # Each of them trains today, by whatever clock.
    page.wait(f"document.querySelectorAll('.day[data-trained=true]').length === {len(after)}", PATIENCE)
    gaps = "[...document.querySelectorAll('[data-key=gap]')].map((node) => node.textContent)"
    expect(all(any(letter.isdigit() or letter == "l" for letter in gap) for gap in page.run(gaps)),
           f"gaps are missing: {page.run(gaps)}")
    farthest = """Math.max(...[...document.querySelectorAll('td[data-key=distance]')]
        .map((node) => Number(node.textContent) || 0))"""
    ahead = page.run(farthest)
    page.run("document.querySelector('.scrub input').focus()")
    page.press("Home")
    page.wait(f"{STATE} === 'replay' && {farthest} < {ahead} / 2", PATIENCE)
    page.run("document.querySelector('.to-live').click()")
    page.wait(f"{STATE} === 'live' && {farthest} >= {ahead}", PATIENCE)
    clean(page, cast.base)
    return f"{len(after)} runners, the first {ahead} km ahead"


def overlay(browser, cast):
    """Nothing but the values on nothing."""
    page = browser.open(f"{cast.base}/overlay/{cast.live}?metrics=heartRate,pace,distance&size=60", width=900, height=200)
    page.wait(f"/\\d/.test({NUMBER})", PATIENCE)
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    expect(ground == "rgba(0, 0, 0, 0)", f"the ground is {ground}")
    expect(page.run("document.documentElement.scrollHeight <= innerHeight"), "it can scroll")
    clean(page, cast.base)


def nothing(browser, cast):
    """An unknown link says no more than that."""
    page = browser.open(f"{cast.base}/s/{'A' * 22}")
    page.wait("document.body?.textContent.trim()", PATIENCE)
    clean(page, cast.base, allowed=["status of 404"])


def long(browser, cast):
    """Hours of data cost no more than a frame an update, and little memory."""
    page = browser.open(f"{cast.base}/s/{cast.long}", width=1280, height=1400, first="""
        window.frames = [];
        const ask = window.requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (draw) => ask((time) => {
            const began = performance.now();
            draw(time);
            frames.push(performance.now() - began);
        });""")
    page.wait(f"{STATE} === 'live'", 2 * PATIENCE)
    page.pump(2)
    # Three hours, of which no more comes than what a screen shows.
    # On a busy machine some is asked for again, at the same address.
    asked = {url for url in page.requests if "/history?" in url or "/overview?" in url}
    expect(len(asked) <= 3 and sum("/overview?" in url for url in asked) == 1, f"asked for {asked}")
    updates = 12
    page.run("frames.length = 0")
    page.pump(updates)
    # The longest are the updates themselves, the others only count ages. Of the updates one that
    # was not held up: what else the machine does must not count.
    longest = sorted(page.run("frames"), reverse=True)[:updates]
    expect(longest, "nothing was drawn")
    milliseconds = longest[len(longest) * 3 // 4]
    page.call("HeapProfiler.collectGarbage")
    heap = page.call("Runtime.getHeapUsage")["usedSize"]
    expect(heap <= HEAP_BYTES_MAX, f"{heap / 1048576:.0f} MiB are used")
    shown = page.text("[data-value=elapsedTime] .number")
    return f"{shown}: {milliseconds:.1f} ms an update, {heap / 1048576:.1f} MiB"


def accessible(browser, cast):
    """No serious finding of axe and a silent console, in light and dark, on a phone and on a desk."""
    with open(cast.axe, encoding="utf-8") as file:
        script = file.read()
    asked, (first, taken) = cast.alarm("Tara")[0], cast.alarm("Uma")
    cast.confirm(first)
    paths = ["/", "/me", f"/me#{cast.token}", "/admin", cast.admin_path(), f"/s/{'A' * 22}", f"/@{cast.public}",
             f"/overlay/{cast.live}", f"/overlay/{cast.live}/setup", asked, taken]
    paths += [f"/s/{share}" for share in [cast.live, cast.ended, cast.group]] + [cast.report]
    findings = []
    for path in paths:
        is_file = path.startswith("file:")
        page = browser.open(path if is_file else f"{cast.base}{path}", height=1600)
        page.wait("document.readyState === 'complete' && document.body", PATIENCE)
        page.pump(2)
        page.run("document.querySelectorAll('.owned details').forEach((node) => { node.open = true; })")
        findings += [[path, *each] for each in axe_findings(page, script, widths=[390, 1280])]
        if not is_file:
            clean(page, cast.base, allowed=["status of 404"] if "AAAA" in path else [])
        page.close()
    expect(not findings, json.dumps(findings))
    return f"{len(paths)} pages, each in two widths, light and dark"


def watch(_, cast):
    """The terminal shows chart and route, follows its size, and is given back."""
    terminal = Terminal([cast.stage.binary, "watch", f"{cast.base}/s/{cast.ended}"], 100, 30)
    terminal.wait(lambda lines: lines and "ENDED" in lines[0] and dots(lines) > 60, PATIENCE)
    wide = terminal.screen()
    expect(len(wide) <= 30 and max(map(len, wide)) <= 100, "it is larger than the terminal")
    terminal.resize(50, 20)
    terminal.wait(lambda lines: max(map(len, lines)) <= 50 and len(lines) <= 20 and dots(lines) > 30, PATIENCE)
    status = terminal.interrupt()
    expect(status == 0, f"it ended with {status}")
    expect("\x1b[?1049l" in terminal.said and "\x1b[?25h" in terminal.said, "the terminal was not given back")
    return f"{dots(wide)} characters of braille on 100 × 30"


def revoke(browser, cast):
    """A revoked link ends at once, for good, and says so. Last: the share is gone after it."""
    page = browser.open(f"{cast.base}/s/{cast.live}")
    page.wait(f"/\\d/.test({NUMBER})", PATIENCE)
    began = time.monotonic()
    cast.revoke()
    page.wait(f"{STATE} === 'gone'", PATIENCE)
    seconds = time.monotonic() - began
    expect(page.run("!document.querySelector('.gone').hidden"), "nothing says that the link ended")
    before = len(page.requests)
    page.pump(4)
    # What it was loading of the past may be asked for once more where an answer takes long.
    after = [url for url in page.requests[before:] if "/history" not in url and "/overview" not in url]
    expect(not after, f"the page came back after the end: {after}")
    return f"{seconds:.2f} s"


ALL = [
    rewind, keyboard, overlay, overlaychecks.chosen_overlay, alertchecks.alert, nothing, group,
    ownerchecks.owner, ownerchecks.settings, adminchecks.administration, stale, constant, first_value, accessible, long,
    watch, wake, restart, revoke,
]
