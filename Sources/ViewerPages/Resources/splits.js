// The table of kilometers (or miles) that are done.

import * as format from "./format.js";
import { make } from "./dom.js";

/** Those of one unit: a run may have both. Pure. */
export function splitsOf(splits, units) {
  return splits.filter((split) => split[units.split] !== undefined);
}

/** The fastest and the slowest, so that bars have a scale. Pure. */
export function paceRange(splits) {
  const paces = splits.map((split) => split.seconds).filter((seconds) => seconds > 0);
  return { fastest: Math.min(...paces), slowest: Math.max(...paces) };
}

/** The length of a split's bar: the fastest is full, none is shorter than a third. Pure. */
export function barShare(seconds, { fastest, slowest }) {
  if (!(seconds > 0) || !(slowest > fastest)) return 1;
  return 1 - (0.6 * (seconds - fastest)) / (slowest - fastest);
}

export class SplitTable {
  constructor(table, empty, t) {
    this.body = table.tBodies[0];
    this.table = table;
    this.empty = empty;
    this.t = t;
    this.shown = "";
  }

  show(all = [], units) {
    const splits = splitsOf(all, units);
    const key = JSON.stringify([splits, units.name]);
    if (key === this.shown) return;
    this.shown = key;
    this.empty.hidden = splits.length > 0;
    this.table.hidden = splits.length === 0;
    const range = paceRange(splits);
    this.body.replaceChildren(...splits.map((split) => {
      const bar = make("span", { class: "bar" });
      bar.style.setProperty("--share", String(barShare(split.seconds, range)));
      const best = splits.length > 1 && split.seconds === range.fastest;
      return make("tr", { "data-best": String(best) },
        make("th", { scope: "row" }, String(split[units.split])),
        make("td", { class: "split-pace" }, make("b", {}, format.pace(split.seconds)),
          make("span", { class: "bar-track", "aria-hidden": "true" }, bar)),
        make("td", {}, format.integer(split.averageHeartRate)),
        make("td", {}, signed(split.elevationMeters, units)));
    }));
  }
}

function signed(meters, units) {
  if (typeof meters !== "number") return format.missing;
  const whole = Math.round(meters * units.perMeter);
  return `${whole > 0 ? "+" : whole < 0 ? "−" : ""}${Math.abs(whole)} ${units.height}`;
}
