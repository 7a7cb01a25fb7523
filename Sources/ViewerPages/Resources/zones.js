// Heart-rate zones: names, and the bars of time in each.

import { duration } from "./format.js";
import { find, make, setData, setText } from "./dom.js";

export function zoneName(zone, t) {
  return t("zoneNames").split("|")[zone - 1] ?? "";
}

/** Seconds of each zone and its part of them all. Pure. */
export function zoneShares(zoneSeconds = []) {
  const total = zoneSeconds.reduce((sum, seconds) => sum + seconds, 0);
  return zoneSeconds.map((seconds, index) => ({
    zone: index + 1, seconds, share: total > 0 ? seconds / total : 0,
  }));
}

/** The bars, highest zone on top, as in every running watch. */
export class ZoneBars {
  constructor(list, t) {
    this.list = list;
    this.t = t;
    this.rows = [];
  }

  show(zoneSeconds, current) {
    const shares = zoneShares(zoneSeconds);
    if (shares.length !== this.rows.length) this.#build(shares.length);
    const longest = Math.max(0.001, ...shares.map((each) => each.share));
    for (const { zone, seconds, share } of shares) {
      const row = this.rows[zone - 1];
      find(".bar", row).style.setProperty("--share", String(share / longest));
      setText(find(".zone-time", row), duration(seconds));
      setText(find(".zone-share", row), `${Math.round(share * 100)} %`);
      setData(row, "current", String(zone === current));
    }
  }

  #build(count) {
    this.rows = Array.from({ length: count }, (_, index) => {
      const zone = index + 1;
      return make("li", { class: "zone-row", "data-zone": String(zone) },
        make("span", { class: "zone-chip" }, this.t("zoneShort", { n: zone })),
        make("span", { class: "zone-label" }, zoneName(zone, this.t)),
        make("span", { class: "bar-track", "aria-hidden": "true" },
          make("span", { class: "bar" })),
        make("span", { class: "zone-time" }),
        make("span", { class: "zone-share" }));
    });
    this.list.replaceChildren(...[...this.rows].reverse());
  }
}

/** The row of segments under the heart rate; the current one stands out. */
export function showZoneScale(scale, count, current) {
  if (scale.children.length !== count) {
    scale.replaceChildren(...Array.from({ length: count }, (_, index) =>
      make("span", { "data-zone": String(index + 1) })));
  }
  [...scale.children].forEach((segment, index) =>
    setData(segment, "current", String(index + 1 === current)));
}
