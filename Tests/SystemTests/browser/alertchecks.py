"""What the page of an alert must do, seen by headless Chromium against a real daemon: as in checks.py."""

from judging import PATIENCE, clean, expect


def alert(browser, cast):
    """Who, what and since when stand there; a look confirms nothing; the next receiver is not asked again."""
    first, second = cast.alarm("Sofia")
    for path in [first, second]:
        page = browser.open(f"{cast.base}{path}", width=390)
        page.wait("document.querySelector('form button')", PATIENCE)
        expect(page.text(".what") == "Sofia calls for help", page.text(".what"))
        page.wait("/^Since .*\\d:\\d\\d/.test(document.querySelector('.since').textContent)", PATIENCE)
        expect("31.5" not in page.run("document.documentElement.outerHTML"), "a place stands there")
        clean(page, cast.base)
    page.run("document.querySelector('form button').click()")
    page.wait("document.querySelector('.state')", PATIENCE)
    expect("takes care" in page.text(".state"), page.text(".state"))
    other = browser.open(f"{cast.base}{first}", width=390)
    other.wait("document.querySelector('.state')", PATIENCE)
    expect(other.text(".state") == page.text(".state"), other.text(".state"))
    expect(not other.run("document.querySelector('form')"), "it asks again")
    clean(other, cast.base)
    return other.text(".state")
