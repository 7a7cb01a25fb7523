// The week strip: who trained on which day, by each runner's own time zone and days that end at 3.

import { find, make, setHidden } from "./dom.js";
import { fetchAnew } from "./protocol.js";

/** Days change seldom, and a session that just began makes one. */
const refreshMilliseconds = 5 * 60 * 1000;
/** Of a runner who has just come nothing may be told yet: it is asked again so soon, then half as often. */
const firstRetryMilliseconds = 5000;

/** By runner's name: `{ start: "2026-11-16", days: [true, …] }`; empty where none is told. */
export async function weeksOf(share, fetch = globalThis.fetch) {
  try {
    const path = `/v1/shares/${encodeURIComponent(share)}`;
    const answer = await fetchAnew(`${path}/week`, fetch, `${path}/latest`);
    if (!answer.ok) return new Map();
    const { runners } = await answer.json();
    return new Map(runners.map(({ runner, week }) => [runner, week]));
  } catch {
    return new Map();  // The page is whole without it.
  }
}

export class WeekStrip {
  #weeks = new Map();
  #shown;
  #load;
  #retry;
  #retryMilliseconds = firstRetryMilliseconds;

  constructor(root, t, share, changed) {
    this.root = root;
    this.t = t;
    this.#load = async () => {
      this.#weeks = await weeksOf(share);
      changed();
    };
    this.#load();
    setInterval(this.#load, refreshMilliseconds);
  }

  #askAgain() {
    if (this.#retry || this.#retryMilliseconds > refreshMilliseconds) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#load();
    }, this.#retryMilliseconds);
    this.#retryMilliseconds *= 2;
  }

  /** Monday to Sunday: filled where the runner trained. */
  show(entries) {
    const known = entries.filter((entry) => this.#weeks.has(entry.key));
    if (known.length < entries.length) this.#askAgain();
    setHidden(this.root, known.length === 0);
    const key = JSON.stringify(known.map((entry) => [entry.name, this.#weeks.get(entry.key)]));
    if (!known.length || key === this.#shown) return;
    this.#shown = key;
    const { t } = this;
    const { start, days } = this.#weeks.get(known[0].key);
    const monday = Date.parse(`${start}T12:00:00Z`);
    const name = (offset, style) => new Intl.DateTimeFormat(t.locale, { weekday: style, timeZone: "UTC" })
      .format(new Date(monday + offset * 86400000));
    find("thead tr", this.root).replaceChildren(make("th", { scope: "col" }, t("runner")),
      ...days.map((_, index) => make("th", { scope: "col" },
        make("abbr", { title: name(index, "long") }, name(index, "short")))));
    find("tbody", this.root).replaceChildren(...known.map((entry) => make("tr", {},
      make("th", { scope: "row" }, entry.name),
      ...this.#weeks.get(entry.key).days.map((trained) => make("td", {},
        make("span", { class: "day", "data-hue": String(entry.hue), "data-trained": String(trained) },
          make("span", { class: "hidden" }, t(trained ? "trained" : "notTrained"))))))));
  }
}
