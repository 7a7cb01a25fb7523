"""How the checks are run: one after the other, each with a line that says whether it held."""

import time
import traceback
import urllib.parse

from devtools import BrowserGone
from stage import Stage

# How often Chromium may end by itself in one run of the checks.
GONE_MAX = 2
# Long for a person, so that a busy machine does not fail.
PATIENCE = 30


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


def axe_findings(page, script, widths=(None,)):
    """The serious findings of axe, in light and dark, in each width: each with its width, its theme,
    its rule, its nodes."""
    findings = []
    page.run(f"{script};1")
    for width in widths:
        if width:
            page.resize(width, 1600, touch=width < 600)
        for theme in ["light", "dark"]:
            page.theme(theme)
            page.pump(0.3)
            findings += [[width, theme, *each] for each in page.run("""
                axe.run(document).then((result) => result.violations
                    .filter((each) => ['serious', 'critical'].includes(each.impact))
                    .map((each) => [each.id, each.nodes.map((node) => node.target.join(' '))]))""")]
    return findings


def look(browser, check, cast):
    """Whether the check held; says so. Raises `BrowserGone`."""
    name, began, held = check.__name__, time.monotonic(), False
    try:
        facts = check(browser, cast)
        held = True
        said = f"ok {name}{': ' + facts if facts else ''} ({time.monotonic() - began:.0f} s)"
    except BrowserGone:
        raise
    except (Failure, TimeoutError) as failure:
        said = f"NO {name}: {failure}"
    except Exception:  # A broken check must not hide the others. One line, since its reader takes lines.
        said = f"NO {name}: {' | '.join(traceback.format_exc().split(chr(10)))}"
    for page in list(browser.pages.values()):
        page.close()
    print(said, flush=True)
    return held


def judge(wanted, open_browser, binary, cast_of):
    """Whether every check held. One in which Chromium itself ended, which no page can make it do, is
    done again with all that is after it: a new browser, and a new cast on a new stage."""
    waiting, all_held, left = list(wanted), True, GONE_MAX
    while waiting:
        with open_browser() as browser, Stage(binary) as stage:
            cast = cast_of(stage)
            try:
                while waiting:
                    all_held = look(browser, waiting[0], cast) and all_held
                    waiting.pop(0)
            except BrowserGone as gone:
                print(f"again {waiting[0].__name__}: {gone}", flush=True)
                if left == 0:
                    return False
                left -= 1
            finally:
                cast.proxy.close()
    return all_held
