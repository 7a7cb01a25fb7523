"""What a person does on the record page, step by step."""

import json

PATIENCE = 60
PHASE = "document.body.dataset.phase"
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


def again(phone):
    """After a reload the session goes on by itself; only the strap wants a tap."""
    page = phone.page
    page.wait(f"{PHASE} === 'run'", PATIENCE)
    strap = "[...document.querySelectorAll('.notice button')].find((node) => /strap/i.test(node.textContent))"
    page.wait(strap, PATIENCE)
    phone.choose_strap(strap)
    phone.note_fixes()


def begin(phone, page, names=("position", "motion")):
    """Starts a session with these sensors; the strap last, if it is one of them."""
    for name in names:
        if name == "strap":
            phone.choose_strap(sensor(name))
        else:
            page.run(f"{sensor(name)}.click()", tapped=True)
    phone.press(".start", phone.walk.start, "start")
    page.wait(f"{PHASE} === 'run'", PATIENCE)


def measures(page):
    """Waits until a tab that took over measures: it leads a moment before its sensors are on."""
    page.wait(f"""{PHASE} === 'run' && !document.querySelector('.notice')
        && document.querySelector('.sources').textContent.includes('Hz')""", PATIENCE)


def all_sent(phone, page):
    """Waits until the recording has ended, and the daemon has everything.

    A page that starts to measure gets the browser's last fix again, on a busy machine only after the
    values of the test: it is noted as given here."""
    page.wait(f"{PHASE} === 'done'", PATIENCE)
    phone.note_fixes()
    page.wait("document.querySelector('.left-text').textContent.includes('with the daemon')", PATIENCE)


def finish(phone, page, second):
    """Stops, and waits until the daemon has everything."""
    phone.press(".stop", phone.walk.start + 1000 * second, "stop", held=True)
    all_sent(phone, page)


def later(field):
    """A field whose walk is after what was recorded before."""
    field.name = f"Anna {len(field.shares)}"
    field.token = field.device(field.name)
    return field
