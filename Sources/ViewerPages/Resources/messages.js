// What happens in a run, said once: splits, pauses, markers, alerts; and cheers back.

import * as format from "./format.js";
import { find, make, setText } from "./dom.js";

const shownMilliseconds = 6000;
const toastsMax = 3;

/** "10:00" or "0.40 km": how long or how far. Pure. */
export function goal({ goalSeconds, goalMeters }, units) {
  if (goalSeconds !== undefined) return format.duration(goalSeconds);
  return `${format.distance(goalMeters, units)} ${units.distance}`;
}

/** An event in words; undefined for one that the page shows in another way. Pure. */
export function sentence(message, units, t) {
  switch (message.event) {
    case "split":
      if (message[units.split] === undefined) return undefined;
      return t("split", { n: message[units.split], time: format.duration(message.seconds) });
    case "lap": return t("lap", { n: message.number ?? "" });
    case "intervalStarted":
      return t("intervalStarted", { n: message.number, of: message.of, goal: goal(message, units) });
    case "intervalEnded":
      return t("intervalEnded", { n: message.number, time: format.duration(message.seconds),
        way: message.distanceMeters === undefined ? ""
          : `${goal({ goalMeters: message.distanceMeters }, units)}, ${format.pace(message.paceSecondsPerKm, units)} ${units.pace}`,
        hr: message.averageHeartRate === undefined ? "" : `${format.integer(message.averageHeartRate)} ${t("bpm")}` });
    case "checkpointReached":
      return t("checkpointReached", { name: message.checkpoint, time: format.duration(message.elapsedSeconds) });
    case "marker": return message.text;
    case "paused": return t("pausedEvent");
    case "resumed": return t("resumedEvent");
    case "alert": {
      const what = t(`alert_${message.kind}`);
      if (message.phase === "cancelled") return t("cancelled", { what });
      return message.phase === "cleared" ? undefined : message.advice ? `${what}: ${message.advice}` : what;
    }
    default: return undefined;
  }
}

export class Messages {
  #alerts = "";

  constructor(toasts, alerts, t) {
    this.toasts = toasts;
    this.alerts = alerts;
    this.t = t;
  }

  tell(message, units) {
    const text = sentence(message, units, this.t);
    if (text) this.say(text);
  }

  say(text) {
    const toast = make("p", { class: "toast" }, text);
    this.toasts.append(toast);
    while (this.toasts.children.length > toastsMax) this.toasts.firstChild.remove();
    setTimeout(() => toast.remove(), shownMilliseconds);
  }

  /** Alerts that are on: kinds as text, or objects with kind and severity. */
  showAlerts(active = []) {
    const key = JSON.stringify(active);
    if (key === this.#alerts) return;
    this.#alerts = key;
    this.alerts.replaceChildren(...active.map((alert) => {
      const kind = typeof alert === "string" ? alert : alert.kind;
      const mild = ["zoneDrift", "pace", "offCourse"].includes(kind) ? "mild" : "emergency";
      return make("p", { class: "alert", "data-severity": alert.severity ?? mild },
        this.t(`alert_${kind}`));
    }));
  }
}

export function listenForCheers(form, share, t) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const field = find("input", form);
    const answer = find(".cheer-answer", form);
    const button = find("button", form);
    button.disabled = true;
    let sent = false;
    try {
      const response = await fetch(`/v1/shares/${encodeURIComponent(share)}/cheer`, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text: field.value }),
      });
      sent = response.ok;
    } catch {
      // Said below, like a refusal.
    }
    setText(answer, t(sent ? "cheerSent" : "cheerFailed"));
    if (sent) field.value = "";
    button.disabled = false;
  });
}
