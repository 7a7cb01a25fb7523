"""Who gets into the record page, and what it keeps of a token."""

import json
import urllib.parse
import urllib.request

from judging import clean, expect
from recordsteps import PATIENCE, PHASE, READY, tap
from recordworld import Phone, Walk


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
    page.wait(f"{PHASE} === 'sign-in' && document.readyState === 'complete'", PATIENCE)
    left = page.run("""Promise.all([indexedDB.databases(), caches.keys(), navigator.serviceWorker.getRegistrations()])
        .then((all) => [...all.map((each) => each.length),
            Object.keys(localStorage).filter((key) => key.startsWith("pulsecast.record.")).length])""")
    expect(left == [0, 0, 0, 0], f"databases, caches, workers, texts that are left: {left}")
    page.call("Page.navigate", {"url": f"{field.base}/me#{field.token}"})
    page.wait("document.querySelector('.record-here a')?.hash", PATIENCE)
    tap(page, ".record-here a")
    page.wait(f"{PHASE} === 'agree' && location.hash === ''", PATIENCE)
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
