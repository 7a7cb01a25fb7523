#!/usr/bin/env python3
"""Checks the viewer pages in headless Chromium against a running daemon.

    check --base http://127.0.0.1:7480 --live ID [--constant ID] [--stale ID] [--group ID]
          [--long ID] [--silence CMD] [--restart CMD] [--revoke CMD] [--axe axe.min.js]

--live is a share whose runner sends now. --stale is one whose runner fell silent; or --silence
makes the live one fall silent. --long is a recorded session of hours. CMD runs in a shell. A check
whose share or command is not given is left out, and said to be. Exit 1 if any fails.
"""

import argparse
import json
import subprocess
import sys
import time
import traceback
import urllib.parse

from devtools import Browser

STATE = "document.querySelector('.status')?.dataset.state"
NUMBER = "document.querySelector('.hero .number')?.textContent"
HERO = "document.querySelector('.hero')?.dataset.state"
FIRST_VALUE_SECONDS = 1.0
REVOKE_SECONDS = 1.0
RECONNECT_SECONDS = 30.0
TRANSFER_BYTES_MAX = 100 * 1024
FRAME_SECONDS_MAX = 0.016
HEAP_BYTES_MAX = 150 * 1024 * 1024


class Failure(Exception):
    pass


def expect(condition, words):
    if not condition:
        raise Failure(words)


def clean(page, base, allowed=()):
    """No complaint in the console, no request to anyone else."""
    complaints = [each for each in page.complaints if not any(word in each for word in allowed)]
    expect(not complaints, f"the console says {complaints}")
    host = urllib.parse.urlsplit(base).netloc
    foreign = [url for url in page.requests
               if urllib.parse.urlsplit(url).netloc != host and not url.startswith(("blob:", "about:", "data:"))]
    expect(not foreign, f"requests to others: {foreign}")


def first_value(browser, o):
    """The first value stands within a second; nothing is asked of anyone else; it is small."""
    openings = []
    for _ in range(3):  # The best of three: what else the machine does must not count.
        page = browser.open(f"{o.base}/s/{o.live}", first=f"""
            const watch = setInterval(() => {{
                if (!/\\d/.test({NUMBER})) return;
                clearInterval(watch);
                window.firstValueAt = performance.now();
            }}, 5);""")
        page.wait("window.firstValueAt", seconds=10)
        openings.append(page.run("window.firstValueAt") / 1000)
    seconds = min(openings)
    page.wait(f"{STATE} === 'live'", seconds=10)
    page.pump(1)
    clean(page, o.base)
    kilobytes = page.run("""performance.getEntriesByType('resource')
        .concat(performance.getEntriesByType('navigation'))
        .filter((entry) => !entry.name.includes('/v1/'))
        .reduce((sum, entry) => sum + entry.transferSize, 0)""")
    expect(seconds <= FIRST_VALUE_SECONDS, f"the first value took {seconds:.2f} s")
    expect(kilobytes <= TRANSFER_BYTES_MAX, f"{kilobytes} bytes were transferred")
    return f"{seconds * 1000:.0f} ms, {kilobytes / 1024:.1f} KiB"


def constant(browser, o):
    """A heart rate that stays the same stays live."""
    page = browser.open(f"{o.base}/s/{o.constant}")
    page.wait(f"{HERO} === 'live'", seconds=10)
    values = set()
    for _ in range(24):
        page.pump(0.5)
        expect(page.run(HERO) == "live", "a constant value was shown as not live")
        values.add(page.run(NUMBER))
    expect(len(values) == 1, f"the source was not constant: {values}")
    return "12 s"


def stale(browser, o):
    """What is old is shown as old, with its age, and the age grows."""
    page = browser.open(f"{o.base}/s/{o.stale}")
    page.wait(f"{HERO} === 'stale'", seconds=10)
    said = "document.querySelector('.hero .badge').textContent"
    page.wait(f"/\\d/.test({said})", seconds=5)
    expect(not page.run("document.querySelector('.heart').getAnimations().length"), "the heart beats")
    clean(page, o.base)
    return page.run(said)


def silence(browser, o):
    """A runner who falls silent is shown as stale."""
    page = browser.open(f"{o.base}/s/{o.live}")
    page.wait(f"{HERO} === 'live'", seconds=10)
    subprocess.run(o.silence, shell=True, check=True)
    return f"{page.wait(f'{HERO} === `stale`', seconds=o.stale_limit):.1f} s"


def rewind(browser, o):
    """By keyboard alone: back to the beginning, and to live again."""
    page = browser.open(f"{o.base}/s/{o.live}")
    page.wait(f"{STATE} === 'live' && !document.querySelector('.scrub').hidden", seconds=10)
    page.run("document.querySelector('.scrub input').focus()")
    page.press("Home")
    page.wait(f"{STATE} === 'replay'", seconds=5)
    elapsed = "document.querySelector('[data-value=elapsedTime] .number').textContent"
    page.wait(f"/^00:[0-3]/.test({elapsed})", seconds=5)
    page.run("document.querySelector('.to-live').focus()")
    page.press("Enter")
    page.wait(f"{STATE} === 'live'", seconds=5)
    page.wait(f"!/^00:[0-3]/.test({elapsed})", seconds=5)
    clean(page, o.base)


def keyboard(browser, o):
    """Tab reaches everything that can be used, and one sees where it is."""
    page = browser.open(f"{o.base}/s/{o.live}", width=1280, height=900)
    page.wait(f"{STATE} === 'live' && !document.querySelector('.map').hidden", seconds=10)
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


def restart(browser, o):
    """After the daemon restarts the page comes back by itself, with nothing missing."""
    page = browser.open(f"{o.base}/s/{o.live}")
    page.wait(f"{STATE} === 'live'", seconds=10)
    page.run(f"""window.said = []; setInterval(() => {{
        const now = {STATE}; if (said.at(-1) !== now) said.push(now); }}, 5)""")
    began = time.monotonic()
    subprocess.run(o.restart, shell=True, check=True)
    page.wait("said.length > 1", seconds=5)
    page.wait(f"{STATE} === 'live'", seconds=RECONNECT_SECONDS)
    seconds = time.monotonic() - began
    said = page.run("said")
    expect("catchingUp" in said, f"catching up was not shown: {said}")
    return f"{seconds:.1f} s, {' → '.join(said)}"


def group(browser, o):
    """A board with every runner, sorted as one likes."""
    page = browser.open(f"{o.base}/s/{o.group}")
    page.wait("document.querySelectorAll('.board tbody tr').length >= 2", seconds=10)
    page.pump(2)
    names = "[...document.querySelectorAll('.runner-name')].map((node) => node.textContent)"
    before = page.run(names)
    page.run("document.querySelector('[data-column=name] button').click()")
    page.pump(0.3)
    after = page.run(names)
    expect(after == sorted(after, key=str.lower), f"not sorted: {after}")
    expect(sorted(before) == sorted(after), "runners were lost by sorting")
    clean(page, o.base)
    return f"{len(after)} runners"


def overlay(browser, o):
    """Nothing but the values on nothing."""
    page = browser.open(f"{o.base}/overlay/{o.live}?metrics=heartRate,pace,distance&size=60", width=900, height=200)
    page.wait(f"/\\d/.test({NUMBER})", seconds=10)
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    expect(ground == "rgba(0, 0, 0, 0)", f"the ground is {ground}")
    expect(page.run("document.documentElement.scrollHeight <= innerHeight"), "it can scroll")
    clean(page, o.base)


def nothing(browser, o):
    """An unknown link says no more than that."""
    page = browser.open(f"{o.base}/s/{'A' * 22}")
    page.wait("document.body?.textContent.trim()", seconds=5)
    clean(page, o.base, allowed=["status of 404"])


def long(browser, o):
    """Hours of data cost no more than a frame an update, and little memory."""
    page = browser.open(f"{o.base}/s/{o.long}", width=1280, height=1400, first="""
        window.frames = [];
        const ask = window.requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (draw) => ask((time) => {
            const began = performance.now();
            draw(time);
            frames.push(performance.now() - began);
        });""")
    page.wait(f"['live','ended','stale','paused'].includes({STATE})", seconds=30)
    page.pump(3)
    updates = 15
    page.run("frames.length = 0")
    page.pump(updates)
    # The longest are the updates themselves, the others only count ages. Of the updates one that
    # was not held up: what else the machine does must not count.
    longest = sorted(page.run("frames"), reverse=True)[:updates]
    expect(longest, "nothing was drawn")
    seconds = longest[len(longest) * 3 // 4] / 1000
    heap = page.call("Runtime.getHeapUsage")["usedSize"]
    expect(seconds <= FRAME_SECONDS_MAX, f"an update costs {seconds * 1000:.1f} ms")
    expect(heap <= HEAP_BYTES_MAX, f"{heap / 1048576:.0f} MiB are used")
    return f"{seconds * 1000:.1f} ms an update, {heap / 1048576:.1f} MiB"


def accessible(browser, o):
    """No serious finding of axe, in light and dark, on every page."""
    with open(o.axe, encoding="utf-8") as file:
        script = file.read()
    paths = ["/", "/me"] + [f"/s/{share}" for share in [o.live, o.stale, o.group] if share]
    for path in paths:
        for dark in [False, True]:
            page = browser.open(f"{o.base}{path}", height=1600, dark=dark)
            page.pump(2)
            page.run(f"{script};1")
            found = page.run("""axe.run(document).then((result) => result.violations
                .filter((each) => ['serious', 'critical'].includes(each.impact))
                .map((each) => [each.id, each.nodes[0].target.join(' ')]))""")
            expect(not found, f"{path} {'dark' if dark else 'light'}: {json.dumps(found)}")
            page.close()
    return f"{len(paths)} pages"


def revoke(browser, o):
    """A revoked link ends at once, for good, and says so. Last: the share is gone after it."""
    page = browser.open(f"{o.base}/s/{o.live}")
    page.wait(f"/\\d/.test({NUMBER})", seconds=10)
    began = time.monotonic()
    subprocess.run(o.revoke, shell=True, check=True)
    ran = time.monotonic() - began
    page.wait(f"{STATE} === 'gone'", seconds=5)
    seconds = time.monotonic() - began
    expect(seconds - ran <= REVOKE_SECONDS, f"the end came after {seconds:.2f} s")
    expect(page.run("!document.querySelector('.gone').hidden"), "nothing says that the link ended")
    sockets = len(page.requests)
    page.pump(4)
    expect(len(page.requests) == sockets, "the page came back after the end")
    return f"{seconds:.2f} s, the command took {ran:.2f} s of it"


CHECKS = [
    (first_value, "live"), (rewind, "live"), (keyboard, "live"), (overlay, "live"), (nothing, "base"),
    (constant, "constant"), (stale, "stale"), (group, "group"), (long, "long"), (accessible, "axe"),
    (restart, "restart"), (silence, "silence"), (revoke, "revoke"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", required=True)
    parser.add_argument("--live", required=True)
    for name in ["constant", "stale", "group", "long", "silence", "restart", "revoke", "axe"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("--stale-limit", type=float, default=20)
    parser.add_argument("--only")
    options = parser.parse_args()
    options.base = options.base.rstrip("/")
    failures = 0
    for check, needs in CHECKS:
        if options.only and check.__name__ not in options.only.split(","):
            continue
        if not getattr(options, needs):
            print(f"–  {check.__name__}: left out, no --{needs}")
            continue
        with Browser("en-GB") as browser:
            try:
                facts = check(browser, options)
                print(f"ok {check.__name__}{': ' + facts if facts else ''}", flush=True)
            except (Failure, TimeoutError) as failure:
                failures += 1
                print(f"NO {check.__name__}: {failure}", flush=True)
            except Exception:  # A broken check must not hide the others.
                failures += 1
                print(f"NO {check.__name__}: {traceback.format_exc()}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
