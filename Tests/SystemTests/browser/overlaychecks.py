"""What the page that sets an overlay up must do, seen by headless Chromium: as in checks.py."""

from judging import PATIENCE, clean, expect

INSIDE = "document.querySelector('iframe').contentDocument"


def chosen_overlay(browser, cast):
    """Presets and choices are seen at once, over three grounds; the address shows what was seen."""
    page = browser.open(f"{cast.base}/overlay/{cast.live}/setup", width=900, height=1400)
    page.wait(f"/\\d/.test({INSIDE}?.querySelector('.hero .number')?.textContent)", PATIENCE)
    page.run("document.querySelector('iframe').contentWindow.stays = true")
    for name in page.run("[...document.querySelector('[name=preset]').options].map((each) => each.value)"):
        choose(page, "preset", name)
        address = page.run("document.querySelector('[name=address]').value")
        seen = page.run(f"({state})({INSIDE})")
        shown = browser.open(address)
        shown.wait("document.querySelector('.overlay .value')", PATIENCE)
        wanted = shown.run(f"({state})(document)")
        expect(seen == wanted, f"{name}: {seen} is not {wanted}")
        clean(shown, cast.base)
        shown.close()
    choose(page, "coloring", "own")
    page.run("document.querySelector('[name=font]').value = 'Noto Sans KR'")
    choose(page, "size", "40")
    tick(page, "climb")
    address = page.run("document.querySelector('[name=address]').value")
    expect(address.startswith(f"{cast.base}/overlay/{cast.live}?metrics="), address)
    for word in [",climb&", "size=40", "color=ffd400", "font=Noto%20Sans%20KR"]:
        expect(word in address, f"{word} is not in {address}")
    choose(page, "size", "9999")
    expect(page.run("document.querySelector('[name=address]').value") == address, "a wrong size was taken")
    for ground in ["dark", "light", "checkered"]:
        page.run(f"document.querySelector('[name=ground][value={ground}]').click()")
        expect(page.run("document.querySelector('.stand-ground').dataset.ground") == ground, ground)
    expect(page.run(f"getComputedStyle({INSIDE}.body).backgroundColor") == "rgba(0, 0, 0, 0)", "it is not clear")
    page.run("document.querySelector('.copy').click()")
    page.wait("document.querySelector('.copied').textContent", PATIENCE)
    expect(page.run("document.querySelector('iframe').contentWindow.stays"), "the overlay was loaded again")
    clean(page, cast.base)
    return address.partition("?")[2]


state = """(inside) => {
    const root = inside.querySelector('.overlay');
    return [{ ...root.dataset, status: undefined }, root.getAttribute('style'),
        [...root.querySelectorAll('.value')].map((node) => node.dataset.value)];
}"""


def choose(page, name, value):
    page.run(f"""(() => {{ const field = document.querySelector('.choices [name={name}]');
        field.value = '{value}';
        for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, {{ bubbles: true }})); }})()""")


def tick(page, value):
    page.run(f"document.querySelector('.values [value={value}]').click()")
