// The owner's training: today's values, the last weeks, and each day on which there was a run.

import { find, make, setHidden, setText } from "./dom.js";
import * as format from "./format.js";

const shownWeeks = 6;
const shownDays = shownWeeks * 7;
const digits = (value, count) => (typeof value === "number" ? value.toFixed(count) : format.missing);

export class Training {
  /** `page`: `{ t, attempt }`. */
  constructor(root, page) {
    this.root = root;
    this.page = page;
  }

  async load(owner) {
    const training = await this.page.attempt(() => owner.training(shownDays));
    const today = training?.days?.at(-1);
    const isKnown = typeof today?.fitness === "number";
    setHidden(this.root, !isKnown);
    if (!isKnown) return;
    this.#showToday(today, training);
    this.#showTables(training);
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    setHidden(this.root, true);
    for (const selector of [".training-values", ".weeks tbody", ".days tbody"]) {
      find(selector, this.root).replaceChildren();
    }
  }

  #showToday(today, { weeks, heartRateDrift }) {
    const { t } = this.page;
    const week = weeks?.at(-1);
    const values = [
      ["weekDistance", week?.distanceKm, 1], ["weekClimb", week?.climbMeters, 0],
      ["fitness", today.fitness, 0], ["fatigue", today.fatigue, 0], ["form", today.form, 0],
      ["acuteToChronic", today.acuteToChronic, 2], ["monotony", today.monotony, 1],
    ];
    find(".training-values", this.root).replaceChildren(...values.map(([name, value, count]) =>
      make("div", {}, make("dt", {}, t(name)), make("dd", {}, digits(value, count)))));
    const warning = today.warning
      ?? (heartRateDrift?.isWarned ? "heartRateDrift" : undefined)
      ?? (today.monotonyLevel === "high" ? "monotonyHigh" : undefined);
    setHidden(find(".training-warning", this.root), !warning);
    setText(find(".training-warning", this.root), warning ? t(warning) : "");
  }

  /** The newest first. The week at the edge of what was asked for may be a part of one: it is left out. */
  #showTables({ weeks, days }) {
    const row = (name, ...cells) => make("tr", {}, make("th", { scope: "row" }, name),
      ...cells.map((cell) => make("td", {}, cell)));
    const day = (text) => new Intl.DateTimeFormat(this.page.t.locale, {
      day: "numeric", month: "short", timeZone: "UTC",
    }).format(new Date(`${text}T12:00:00Z`));
    find(".weeks tbody", this.root).replaceChildren(...weeks.slice(-shownWeeks).reverse().map((week) =>
      row(day(week.start), String(week.sessions), digits(week.distanceKm, 1),
        digits(week.climbMeters, 0), format.duration(week.movingSeconds), digits(week.load, 0))));
    find(".days tbody", this.root).replaceChildren(
      ...days.filter(({ sessions }) => sessions > 0).reverse().map((each) =>
        row(day(each.day), String(each.sessions), digits(each.load, 0), digits(each.fitness, 0),
          digits(each.fatigue, 0), digits(each.form, 0))));
  }
}
