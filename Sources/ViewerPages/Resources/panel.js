// The heart rate and the values beside it, with their states. Shared by the live page and overlay.

import { Beat } from "./beat.js";
import { find, findAll, make, setData, setHidden, setText } from "./dom.js";
import { metrics, present, showsMetrics } from "./metrics.js";
import { showZoneScale, zoneName } from "./zones.js";

/** What has not come by then is not part of what this share shows. */
const outOfScopeSeconds = 20;

export class Panel {
  constructor(root, t) {
    this.t = t;
    this.hero = find(".hero", root);
    this.heart = find(".heart", root);
    this.beat = this.heart ? new Beat(this.heart) : undefined;
    this.nodes = findAll("[data-value]", root).map((node) => ({
      node, key: node.dataset.value, number: find(".number", node), unit: find(".unit", node),
      badge: find(".badge", node), source: find(".source", node),
    }));
    this.inScope = false;
  }

  /** `context`: units, lostSeconds, sinceMessage, lastLive, still (nothing beats in a preview). */
  show(run, context) {
    this.inScope ||= showsMetrics(run);
    const outOfScope = !this.inScope && run.elapsedSeconds > outOfScopeSeconds;
    for (const part of this.nodes) {
      const shown = present(part.key, run, { ...context, t: this.t });
      setHidden(part.node, shown.isHidden || (outOfScope && !metrics[part.key].basic));
      setText(part.number, shown.text);
      setText(part.unit, shown.unit);
      if (part.badge) setText(part.badge, shown.badge);
      setHidden(part.badge, shown.badge === "");
      if (part.source) {
        setText(part.source, shown.source ? this.t("measuredBy", { source: shown.source }) : "");
        setHidden(part.source, !shown.source);
      }
      setData(part.node, "state", shown.state);
      setData(part.node, "known", String(shown.known));
      if (part.key === "heartRate") this.#showHeart(run, shown, context);
    }
  }

  #showHeart(run, shown, context) {
    const live = shown.state === "live" || (shown.state === "paused" && shown.known);
    const zone = live ? run.heartRate?.zone ?? 0 : 0;
    this.beat?.show(live && !context.still ? run.heartRate?.bpm : undefined);
    if (!this.hero) return;
    setData(this.hero, "zone", String(zone));
    const chip = find(".hero-zone .zone-chip", this.hero);
    if (chip) {
      setHidden(chip, zone === 0);
      setText(chip, zone ? this.t("zone", { n: zone }) : "");
      setText(find(".hero-zone .zone-label", this.hero), zone ? zoneName(zone, this.t) : "");
    }
    const scale = find(".zone-scale", this.hero);
    if (scale && run.zoneSeconds?.length) showZoneScale(scale, run.zoneSeconds.length, zone);
    const doubt = find(".doubt", this.hero);
    const reason = doubtAbout(run.heartRate);
    setHidden(doubt, !reason);
    if (reason) setText(doubt, this.t(reason));
  }
}

/** Why the heart rate may be wrong, or not be the newest. Pure. */
export function doubtAbout(heartRate) {
  if (heartRate?.cadenceLockSuspected) return "suspectHeartRate";
  return heartRate?.spikeSuspected ? "doubtedHeartRate" : undefined;
}

/** One value as the panel expects it, for pages that choose their own. */
export function makeValue(key, t) {
  return make("div", { class: "value", "data-value": key },
    make("span", { class: "label" }, t(key)),
    make("span", { class: "figure" }, make("b", { class: "number" }, metrics[key].text(undefined)),
      make("span", { class: "unit" }), make("span", { class: "badge", hidden: true }),
      make("span", { class: "source", hidden: true })));
}
