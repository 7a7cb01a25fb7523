"""What the administration page must do, seen by headless Chromium against a real daemon: as in checks.py."""

import urllib.error
import urllib.request

from judging import PATIENCE, axe_findings, clean, expect

ANSWER = "document.querySelector('.sign-in .answer').textContent"
OWNED = "document.querySelector('.owned').checkVisibility()"


def administration(browser, cast):
    """A link opens once; the page shows health, adds, rotates and deletes a device, revokes a link."""
    with open(cast.axe, encoding="utf-8") as file:
        script = file.read()
    share = cast.stage.share("Sam", label="To revoke")
    path = cast.admin_path()
    secret = path.partition("#")[2]
    page = browser.open(f"{cast.base}{path}", width=900, height=1600)
    page.wait(f"{OWNED} && document.querySelectorAll('.health dd').length === 5", PATIENCE)
    expect(page.run("location.hash") == "", "the secret stays in the address bar")
    page.wait("document.querySelector('.health-state').textContent.includes('ready')", PATIENCE)
    page.wait("document.querySelectorAll('.storage dd').length === 6", PATIENCE)
    expect("GiB" in page.text(".storage .facts"), "no free disk is shown")
    page.wait("document.querySelectorAll('.device-list li').length > 10", PATIENCE)
    token = add(page, cast, script)
    delete(page, cast, script)
    expect(status(cast, token) == 401, "the deleted device's token still works")
    page.run("window.confirm = () => true")
    row = "[...document.querySelectorAll('.share-list li')].find((node) => node.textContent.includes('To revoke'))"
    page.wait(row, PATIENCE)
    page.run(f"{row}.querySelector('.danger').click()")
    page.wait(f"{row}.textContent.includes('revoked')", PATIENCE)
    expect(share["id"] not in page.run("document.documentElement.outerHTML"), "a link's secret is shown")
    kept = page.run("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
    expect("pa_" not in kept, f"the browser keeps {kept}")

    used = browser.open(f"{cast.base}{path}")
    used.wait(f"{ANSWER}.includes('used already')", PATIENCE)
    clean(used, cast.base, allowed=["status of 401"])
    # A new link in the same tab; the daemon's restart ends its session, and the page says so.
    used.run(f"location.hash = {cast.admin_path().partition('#')[2]!r}")
    used.wait(OWNED, PATIENCE)
    page.run("document.querySelector('.sign-out').click()")
    page.wait(f"{ANSWER}.includes('has ended')", PATIENCE)
    expect(not page.run("document.querySelector('.device-list li')"), "something is left of the session")
    cast.stage.command("admin-link", "--end")
    used.run("document.querySelector('.devices [name=device]').value = 'late'")
    used.run("document.querySelector('.devices form').requestSubmit()")
    used.wait(f"{ANSWER}.includes('has ended')", PATIENCE)
    clean(page, cast.base)
    sent = [url for url in page.requests + used.requests if secret in url.partition("#")[0]]
    expect(not sent, f"the secret stood in an address: {sent}")
    return "a link once, a device added, renewed and deleted, a link revoked"


def add(page, cast, script):
    """Adds a device and gives it a new token; returns that."""
    page.run("document.querySelector('.devices [name=device]').value = 'Nora 1'")
    page.run("document.querySelector('.devices form').requestSubmit()")
    page.wait("document.querySelector('dialog.qr').open", PATIENCE)
    first = page.text(".qr-secret")
    link = page.text(".qr-text")
    expect(first.startswith("pc_") and link.endswith(f"/record#{first}"), f"the link is {link}")
    expect(page.run("document.querySelector('.qr-picture path').getAttribute('d').length > 500"), "no code")
    expect(status(cast, first) == 200, "the token does not work")
    findings = axe_findings(page, script)
    expect(not findings, f"{findings}")
    close(page)
    page.run("window.confirm = () => true")
    page.run(f"{row('Nora 1')}.querySelector('button').click()")
    page.wait("document.querySelector('dialog.qr').open", PATIENCE)
    second = page.text(".qr-secret")
    expect([status(cast, first), status(cast, second)] == [401, 200], "the token was not renewed")
    close(page)
    return second


def delete(page, cast, script):
    """A device is deleted by its whole name, and by nothing less."""
    page.run(f"{row('Nora 1')}.querySelector('button:last-child').click()")
    page.wait("document.querySelector('.delete-device').open", PATIENCE)
    findings = axe_findings(page, script)
    expect(not findings, f"{findings}")
    for typed, is_off in [("Nora", True), ("nora 1", True), ("Nora 1", False)]:
        page.run(f"""(() => {{ const field = document.querySelector('.delete-device input');
            field.value = {typed!r};
            field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()""")
        expect(page.run("document.querySelector('.delete-device [type=submit]').disabled") == is_off, typed)
    page.run("document.querySelector('.delete-device [type=submit]').click()")
    page.wait(f"!{row('Nora 1')}", PATIENCE)


def close(page):
    page.run("document.querySelector('dialog.qr .close').click()")
    page.wait("!document.querySelector('.qr-secret').textContent", PATIENCE)


def row(name):
    return (f"[...document.querySelectorAll('.device-list li')]"
            f".find((node) => node.querySelector('b').textContent === {name!r})")


def status(cast, token):
    """How the daemon answers this token's owner."""
    request = urllib.request.Request(f"{cast.base}/v1/me", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code
