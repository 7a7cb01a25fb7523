// The runner's profile on the owner's page.

import { find, setHidden, setUsable } from "./dom.js";
import { pace } from "./format.js";

/** Seconds a kilometer of "4:30"; 0 of nothing; undefined of anything else. Pure. */
export function secondsOfPace(text) {
  if (text.trim() === "") return 0;
  const [, minutes, seconds] = /^(\d{1,2}):([0-5]\d)$/.exec(text.trim()) ?? [];
  return minutes === undefined ? undefined : 60 * Number(minutes) + Number(seconds);
}

const number = {
  shown: (value) => value ?? "",
  // What can be taken back is taken back by 0; what cannot stays.
  sent: (text) => (text.trim() === "" ? undefined : Number(text)),
};
const target = { shown: (value) => value || "", sent: (text) => Number(text || 0) };
const choice = { shown: (value) => value ?? "", sent: (text) => text || undefined };

/** How each field is shown, and what is sent of it. */
const fields = {
  maxHeartRate: number, restingHeartRate: number, thresholdHeartRate: number, weightKg: number,
  sex: choice, placement: choice, timeZone: choice, autoPause: choice,
  targetZone: target, raceKm: target,
  targetPaceSecondsPerKm: { shown: (value) => (value ? pace(value) : ""), sent: secondsOfPace },
  safetyTimerSeconds: {
    shown: (value) => (value ? value / 60 : ""), sent: (text) => 60 * Number(text || 0),
  },
  intervals: { shown: (value) => value ?? "", sent: (text) => text.trim() },
  strideCalibration: { shown: (value) => value ?? "", sent: (text) => text.trim() },
};

const schemes = ["percentOfMaximum", "karvonen", "friel", "coggan", "seiler"];

/** What of the form differs from what was shown, in the API's form. Pure. */
export function changesOf(form, shown) {
  const changes = {};
  for (const [name, { sent }] of Object.entries(fields)) {
    if (form[name] === shown[name]) continue;
    const value = sent(form[name]);
    if (value !== undefined) changes[name] = value;
  }
  const zones = form.zoneScheme === "custom" ? form.zoneBounds : form.zoneScheme;
  const before = shown.zoneScheme === "custom" ? shown.zoneBounds : shown.zoneScheme;
  if (zones !== before) changes.zones = zones.replaceAll(" ", "");
  if (form.treadmill !== shown.treadmill) changes.treadmill = form.treadmill;
  return changes;
}

/** The form's texts for a profile of the API. Pure. */
export function formOf(profile) {
  const isKnown = schemes.includes(profile.zones);
  const texts = Object.entries(fields).map(([name, { shown }]) => [name, String(shown(profile[name]))]);
  return {
    ...Object.fromEntries(texts), zoneScheme: isKnown ? profile.zones : "custom",
    zoneBounds: isKnown ? "" : profile.zones ?? "", treadmill: Boolean(profile.treadmill),
  };
}

export class Profile {
  #shown;

  /** `page`: `{ t, say, attempt }`. */
  constructor(root, page) {
    this.form = find("form", root);
    this.page = page;
    find("#time-zones", root).replaceChildren(
      ...(Intl.supportedValuesOf?.("timeZone") ?? []).map((name) => new Option(name, name)));
    this.form.elements.zoneScheme.addEventListener("change", () => this.#showBounds());
    this.form.elements.targetPaceSecondsPerKm.addEventListener("input", ({ target: field }) =>
      field.setCustomValidity(secondsOfPace(field.value) === undefined ? "4:30" : ""));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    this.clear();
  }

  async load(owner) {
    this.owner = owner;
    const profile = await this.page.attempt(() => owner.profile());
    if (!profile || this.owner !== owner) return;
    this.#show(profile);
    setUsable(this.form, true);
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.#shown = undefined;
    this.form.reset();
    setUsable(this.form, false);
  }

  #show(profile) {
    this.#shown = formOf(profile);
    for (const [name, value] of Object.entries(this.#shown)) {
      const field = this.form.elements[name];
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
      field.setCustomValidity?.("");
    }
    this.#showBounds();
  }

  #showBounds() {
    const isCustom = this.form.elements.zoneScheme.value === "custom";
    setHidden(find(".zone-bounds", this.form), !isCustom);
    this.form.elements.zoneBounds.required = isCustom;
  }

  #values() {
    const names = Object.keys(this.#shown);
    return Object.fromEntries(names.map((name) => {
      const field = this.form.elements[name];
      return [name, field.type === "checkbox" ? field.checked : field.value];
    }));
  }

  async #save() {
    const changes = changesOf(this.#values(), this.#shown);
    const profile = await this.page.attempt(() => this.owner.setProfile(changes));
    if (!profile) return;
    this.#show(profile);
    this.page.say(this.page.t("saved"));
  }
}
