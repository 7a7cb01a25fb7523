"""What the owner's page must do, seen by headless Chromium against a real daemon: as in checks.py."""

import json
import tempfile
import urllib.parse
import urllib.request

from judging import PATIENCE, clean, expect

COURSE = """<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><rte><name>Lake</name>
<rtept lat="48.1" lon="11.5"/><rtept lat="48.11" lon="11.5"/><rtept lat="48.11" lon="11.52"/></rte></gpx>"""


def owner(browser, cast):
    """The owner's side: everything by the token, and the token in no address that is sent."""
    cheer = urllib.request.Request(
        f"{cast.base}/v1/shares/{cast.live}/cheer", data=json.dumps({"text": "Go Anna!"}).encode(),
        headers={"Content-Type": "application/json"})
    urllib.request.urlopen(cheer).close()
    page = browser.open(f"{cast.base}/me#{cast.token}", width=390, height=1400)
    page.wait("document.querySelectorAll('.session').length === 1", PATIENCE)
    page.wait("document.querySelector('.cheer-list li')?.textContent.includes('Go Anna!')", PATIENCE)
    page.wait("document.querySelectorAll('.training:not([hidden]) dd').length === 7", PATIENCE)
    page.run("document.querySelector('.session-note').open = true")
    page.wait("document.querySelector('.session-note form')", PATIENCE)
    page.run("document.querySelector('.session-note [name=name]').value = 'By the lake'")
    page.run("document.querySelector('.session-note [name=exertion]').value = '7'")
    page.run("document.querySelector('.session-note form').requestSubmit()")
    page.wait("document.querySelector('.session-name').textContent === 'By the lake'", PATIENCE)
    page.wait("document.querySelector('.session-words').textContent.includes('7 of 10')", PATIENCE)
    search(page)
    links(page, cast)
    expect(page.run("document.querySelectorAll('.weeks tbody tr').length === 6"), "six weeks do not stand there")
    expect(page.run("document.querySelectorAll('.days tbody tr').length === 1"), "the day of the run is missing")
    page.run("document.querySelector('.new-share').open = true")
    page.run("document.querySelector('.new-share [name=label]').value = 'Mum'")
    page.run("document.querySelector('.new-share form').requestSubmit()")
    page.wait("document.querySelector('dialog.qr').open", PATIENCE)
    expect(page.run("document.querySelector('.qr-picture path').getAttribute('d').length > 500"), "no code")
    page.run("document.querySelector('.qr .close').click()")
    named = "[...document.querySelectorAll('.share b')].some((node) => node.textContent === 'Mum')"
    page.wait(named, PATIENCE)
    page.run("window.confirm = () => true")
    page.run("""[...document.querySelectorAll('.share')].find((node) => node.textContent.includes('Mum'))
        .querySelector('.danger').click()""")
    page.wait(f"!({named})", PATIENCE)
    page.wait("document.querySelectorAll('.apps > li').length > 5", PATIENCE)
    page.run("document.querySelector('.apps button').click()")
    page.wait("document.querySelector('dialog.qr').open", PATIENCE)
    page.run("document.querySelector('.qr .close').click()")
    page.run("document.querySelector('[data-command=lap]').click()")
    page.wait("[...document.querySelectorAll('.toast')].some((node) => node.textContent === 'Sent to the watch')",
              PATIENCE)
    clean(page, cast.base)
    expect(not [url for url in page.requests if cast.token in urllib.parse.unquote(url).partition("#")[0]],
           "the token stood in an address")


def links(page, cast):
    """A link's code, overlay and openings; free times; one that has ended is told apart."""
    page.run("document.querySelector('.new-share').open = true")
    page.run("""for (const [name, value] of [['label', 'Soon over'], ['expiresText', '2s'], ['delayText', '90s'],
        ['name', 'soon']]) document.querySelector(`.new-share [name=${name}]`).value = value""")
    page.run("document.querySelector('.new-share form').requestSubmit()")
    page.wait("document.querySelector('dialog.qr').open", PATIENCE)
    page.run("document.querySelector('.qr .close').click()")
    row = "document.querySelector('.share-list > .share')"
    expect(page.run(f"{row}.querySelector('a').pathname") == f"/overlay/{cast.live}/setup", "no overlay")
    page.run(f"{row}.querySelector('.share-more').open = true")
    page.wait(f"{row}.querySelector('.openings').textContent.includes('opened')", PATIENCE)
    page.run(f"{row}.querySelector('.code-row input').value = '3h'")
    page.run(f"{row}.querySelector('.code-row').requestSubmit()")
    page.wait(f"/code is [A-Z0-9]{{6}}/i.test({row}.querySelector('.code-row b').textContent)", PATIENCE)
    page.pump(2)
    # Whatever makes the page look again.
    page.call("Page.reload")
    ended = "document.querySelector('.ended-shares:not([hidden]) li')"
    page.wait(f"{ended}?.textContent.includes('Soon over')", PATIENCE)
    expect(not page.run(f"{ended}.querySelector('button')"), "a link that has ended has buttons")
    expect(not page.run("document.querySelector('.share-list').textContent.includes('Soon over')"),
           "a link that has ended stands among the others")
    page.wait("document.querySelectorAll('.training:not([hidden]) dd').length === 7", PATIENCE)


def search(page):
    """What is typed is searched in the name; a text that nothing has says so, and leaves with the text."""
    def type_text(text):
        page.run(f"(field => {{ field.value = '{text}'; field.dispatchEvent(new Event('input')); }})("
                 "document.querySelector('.session-search input'))")

    expect(page.run("document.querySelector('.session-search label').textContent").startswith("Search"),
           "the field has no label")
    type_text("marathon")
    page.wait("document.querySelector('.sessions .empty').checkVisibility()", PATIENCE)
    page.wait("!document.querySelector('.session')", PATIENCE)
    expect("marathon" in page.run("document.querySelector('.sessions .empty').textContent"), "nothing is said")
    type_text("LAKE ")
    page.wait("document.querySelector('.session-name')?.textContent === 'By the lake'", PATIENCE)
    expect(not page.run("document.querySelector('.sessions .empty').checkVisibility()"), "it says empty")
    type_text("")


def settings(browser, cast):
    """Hidden places on the map and in numbers, trims, profile and course: the daemon has what is said."""
    def asked(path):
        request = urllib.request.Request(
            f"{cast.base}/v1/me{path}", headers={"Authorization": f"Bearer {cast.settled}"})
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()

    def save(card, said):
        submit(f"{card} form", said)

    def submit(form, said):
        # Earlier words would stand before those of this attempt.
        page.run("document.querySelectorAll('.toast').forEach((toast) => toast.remove())")
        page.run(f"document.querySelector('{form}').requestSubmit()")
        page.wait(f"document.querySelector('.toast')?.textContent.includes('{said}')", PATIENCE)

    page = browser.open(f"{cast.base}/me#{cast.settled}", width=900, height=2400)
    page.wait("document.querySelector('.hidden-places .map')?.checkVisibility()", PATIENCE)
    # Where the run began, where the map is tapped, and by numbers.
    page.run("document.querySelector('.place-start').click()")
    page.run("document.querySelector('.place-add').click()")
    page.pump(0.5)
    box = page.run("(({ left, top }) => [left, top])("
                   "document.querySelector('.hidden-places canvas').getBoundingClientRect())")
    for kind in ["mousePressed", "mouseReleased"]:
        page.call("Input.dispatchMouseEvent", {
            "type": kind, "x": box[0] + 60, "y": box[1] + 90, "button": "left", "clickCount": 1})
    page.wait("document.querySelectorAll('.place').length === 2", PATIENCE)
    page.run("document.querySelector('.place-typed').click()")
    fill = """(row, values) => values.forEach((value, index) => {
        const field = row.querySelectorAll('input')[index];
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
    })"""
    page.run(f"({fill})(document.querySelector('.place:last-child'), ['Work', 350, 48.2, 11.6])")
    page.run("document.querySelector('[name=trimFinish]').value = 150")
    save(".hidden-places", "Saved")
    kept = json.loads(asked("/zones"))
    first, tapped, typed = kept["zones"]
    expect([first["name"], tapped["name"]] == ["Place 1", "Place 2"], f"{kept}")
    expect(first != tapped and abs(first["latitude"] - tapped["latitude"]) < 0.05, f"{kept}")
    expect(typed == {"name": "Work", "radiusMeters": 350, "latitude": 48.2, "longitude": 11.6}, f"{kept}")
    expect(kept["trimFinishMeters"] == 150 and kept["trimStartMeters"] == 0, f"{kept}")
    # What the daemon refuses is said in its words, and nothing is lost of what was typed.
    page.run(f"({fill})(document.querySelector('.place'), ['Work'])")
    save(".hidden-places", "name of its own")
    expect(len(json.loads(asked("/zones"))["zones"]) == 3, "a refused change was kept")
    for _ in range(3):
        page.run("document.querySelector('.place .danger').click()")
    save(".hidden-places", "Saved")
    expect(json.loads(asked("/zones"))["zones"] == [], "a place is left")

    page.run("document.querySelector('.profile details').open = true")
    page.run("""for (const [name, value] of [['maxHeartRate', '187'], ['zoneScheme', 'custom'],
        ['zoneBounds', '120, 140, 160'], ['targetPaceSecondsPerKm', '5:15'], ['timeZone', 'Asia/Seoul'],
        ['safetyTimerSeconds', '90']]) {
            const field = document.querySelector(`.profile [name=${name}]`);
            field.value = value;
            field.dispatchEvent(new Event('input', { bubbles: true }));
            field.dispatchEvent(new Event('change', { bubbles: true }));
        }""")
    save(".profile", "Saved")
    profile = json.loads(asked("/profile"))
    wanted = {"maxHeartRate": 187, "zones": "120,140,160", "targetPaceSecondsPerKm": 315,
              "timeZone": "Asia/Seoul", "safetyTimerSeconds": 5400}
    expect({key: profile.get(key) for key in wanted} == wanted, f"{profile}")

    with tempfile.NamedTemporaryFile("w", suffix=".gpx") as file:
        file.write(COURSE)
        file.flush()
        node = page.call("Runtime.evaluate", {"expression": "document.querySelector('.course-file input')"})
        page.call("DOM.setFileInputFiles", {"files": [file.name], "objectId": node["result"]["objectId"]})
        page.wait("document.querySelector('.course-state').textContent.startsWith('3 points')", PATIENCE)
    expect(asked("/course") == COURSE, "the course is another")
    page.run("document.querySelector('.course-remove').click()")
    page.wait("document.querySelector('.course-state').textContent === 'No course.'", PATIENCE)
    page.run("document.querySelector('.new-receiver').open = true")
    page.run("""for (const [name, value] of [['name', 'mum'], ['address', 'https://ntfy.example/anna'],
        ['silentMinutes', '20']]) document.querySelector(`.receivers [name=${name}]`).value = value""")
    save(".receivers", "Saved")
    page.wait("document.querySelector('.receiver-list li')?.textContent.includes('20 min')", PATIENCE)
    told = json.loads(asked("/receivers"))
    expect([told[0]["kind"], told[0]["share"]] == ["ntfy", "alerts"], f"{told}")
    page.run("document.querySelector('.receiver-list .danger').click()")
    page.wait("!document.querySelector('.receiver-list li')", PATIENCE)
    page.run("document.querySelector('.new-group').open = true")
    page.run("document.querySelector('.new-group [name=label]').value = 'Sunday'")
    page.run("document.querySelector('.new-group form button[type=submit]').click()")
    page.wait("document.querySelector('.group-list li')?.textContent.includes('Sunday')", PATIENCE)
    page.wait("document.querySelector('.share-list').textContent.includes('You in the group “Sunday”')", PATIENCE)
    page.run("document.querySelector('.group-list button:not(.quiet):not(.danger)').click()")
    page.wait("document.querySelector('.qr-text').textContent.includes('/me#join=')", PATIENCE)
    # The dialog forgets its link when it is closed.
    page.run("""document.querySelector('.join-group [name=invitation]').value =
        document.querySelector('.qr-text').textContent""")
    page.run("document.querySelector('.qr .close').click()")
    submit(".join-group", "in the group already")
    page.run("window.confirm = () => true; document.querySelector('.group-list .danger').click()")
    page.wait("!document.querySelector('.group-list li.group')", PATIENCE)
    page.run("document.querySelector('.new-target').open = true")
    page.run("""for (const [name, value] of [['name', 'diary'], ['kind', 'fittrackee'],
        ['address', 'https://runs.example'], ['secret', 'tk'], ['sport', '27']]) {
            const field = document.querySelector(`.deliveries [name=${name}]`);
            field.value = value;
            field.dispatchEvent(new Event('change', { bubbles: true }));
        }""")
    save(".deliveries", "Saved")
    page.wait("document.querySelector('.target-list li')?.textContent.includes('FitTrackee')", PATIENCE)
    told = json.loads(asked("/targets"))
    expect([told[0][key] for key in ["kind", "hasSecret", "sport"]] == ["fittrackee", True, 27], f"{told}")
    page.wait("document.querySelector('.session-deliver:not([hidden]) [value=diary]')", PATIENCE)
    page.run("document.querySelector('.target-list .danger').click()")
    page.wait("!document.querySelector('.target-list li')", PATIENCE)
    imports(page, asked)
    # Sam's watch has stopped, and is gone.
    cast.sam.leave()
    page.run("document.querySelectorAll('.toast').forEach((toast) => toast.remove())")
    page.wait("""(document.querySelector('[data-command=lap]').click(),
        [...document.querySelectorAll('.toast')].some((node) => node.textContent.includes('No watch')))""", PATIENCE)
    page.run("document.querySelector('.sign-out').click()")
    expect(page.run("[...document.querySelectorAll('.settings input:not([type=checkbox])')]"
                    ".every((field) => !Number(field.value))"), "something is left after signing out")
    clean(page, cast.base, allowed=["status of 400", "status of 409"])
    return "3 places, a refusal, profile, course, a run brought in twice"


def imports(page, asked):
    """A file is taken, refused the second time, and takes the place of the first."""
    def choose(name):
        node = page.call("Runtime.evaluate", {"expression": "document.querySelector('.import input')"})
        page.call("DOM.setFileInputFiles", {"files": [name], "objectId": node["result"]["objectId"]})

    def said(words):
        page.wait(f"document.querySelector('.import-list li:last-child').textContent.includes('{words}')",
                  PATIENCE)

    before = len(json.loads(asked("/sessions")))
    points = "".join(
        f'<trkpt lat="{48.2 + number * 3e-5}" lon="11.6"><time>2026-10-01T06:{number // 60:02}:'
        f'{number % 60:02}Z</time></trkpt>' for number in range(300))
    with tempfile.NamedTemporaryFile("w", suffix=".gpx") as file:
        file.write('<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
                   f'{points}</trkseg></trk></gpx>')
        file.flush()
        choose(file.name)
        said("Taken: 300")
        choose(file.name)
        said("there already")
        expect(len(json.loads(asked("/sessions"))) == before + 1, "it was taken twice")
        page.run("document.querySelector('.import-list li:last-child button').click()")
        said("Taken: 300")
    expect(len(json.loads(asked("/sessions"))) == before + 1, "it did not take the place of the first")
