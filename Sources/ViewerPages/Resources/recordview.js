// What the record page shows. It knows a model, and nothing of how that came about.

import { find, findAll, make, setData, setHidden, setText } from "./dom.js";
import * as format from "./format.js";

const sections = [
  "insecure", "old", "nostore", "unreached", "sign-in", "switch", "agree", "interrupted", "setup", "run", "done"];

/** How each value is named and written; `t` and `units` say how. Pure. */
export const recordValues = {
  heartRate: { name: "heartRate", text: ({ beatsPerMinute }) => format.integer(beatsPerMinute), unit: "bpm" },
  movingTime: { name: "movingTime", text: ({ movingSeconds }) => format.duration(movingSeconds) },
  distance: { name: "distance", text: ({ meters }, units) => format.distance(meters, units), unit: "distance" },
  pace: { name: "pace", text: ({ paceSecondsPerKm }, units) => format.pace(paceSecondsPerKm, units), unit: "pace" },
  lap: { name: "lapTime", text: ({ lapSeconds }) => format.duration(lapSeconds) },
  averageHeartRate: {
    name: "average", text: ({ averageHeartRate }) => format.integer(averageHeartRate), unit: "bpm" },
  maxHeartRate: { name: "maximum", text: ({ maxHeartRate }) => format.integer(maxHeartRate), unit: "bpm" },
};

/** The five values to show, the largest first: what the sensors that are on can tell. Pure. */
export function slotsFor({ hasHeart, hasPosition }) {
  if (hasHeart && hasPosition) return ["heartRate", "pace", "distance", "movingTime", "lap"];
  if (hasPosition) return ["pace", "distance", "movingTime", "lap"];
  return hasHeart ? ["heartRate", "movingTime", "averageHeartRate", "maxHeartRate", "lap"]
    : ["movingTime", "lap"];
}

/** "23.4 kB": a size as people read it. Pure. */
export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power > 0 && bytes / 1000 ** power < 100 ? 1 : 0)} ${units[power]}`;
}

export class RecordView {
  #notices = new Map();

  constructor(root, t, units) {
    Object.assign(this, { root, t, units });
    this.slots = findAll("[data-slot]", root).map((node) => ({
      node, name: find(".name", node), number: find(".number", node), unit: find(".unit", node) }));
  }

  /** Shows one section, and all that the model says. */
  show(model) {
    setData(this.root.body, "phase", model.section);
    for (const name of sections) setHidden(find(`.${name}`, this.root), name !== model.section);
    setText(find(".device-name", this.root), model.device ?? "");
    setHidden(find(".share-link", this.root), !["setup", "run"].includes(model.section));
    this.#showLink(model.link);
    this.#showNotices(model.notices ?? []);
    if (model.section === "setup") this.#showSetup(model);
    if (model.section === "run") this.#showRun(model);
    if (model.section === "done") this.#showDone(model);
    if (model.interrupted) this.#showInterrupted(model.interrupted);
    setHidden(find(".kept", this.root), ["loading", "run", "follow", "insecure", "old", "nostore"].includes(model.section));
    if (model.kept) this.#showKept(model.kept);
  }

  say(text) {
    const toast = make("p", { class: "toast" }, text);
    find(".toasts", this.root).append(toast);
    setTimeout(() => toast.remove(), 5000);
  }

  #showLink(link) {
    const status = find(".status", this.root);
    setHidden(status, !link);
    if (!link) return;
    setData(status, "state", link.lamp);
    setText(find(".status-text", status), this.t(link.text));
    setText(find(".status-age", status), link.detail ?? "");
  }

  /** Sentences that stay until they are no longer true; each is made once, so it is read out once. */
  #showNotices(notices) {
    const list = find(".notices", this.root);
    const wanted = new Set(notices.map(({ key }) => key));
    for (const [key, node] of this.#notices) {
      if (wanted.has(key)) continue;
      node.remove();
      this.#notices.delete(key);
    }
    for (const { key, values, action, press, isGrave } of notices) {
      let node = this.#notices.get(key);
      if (!node) {
        node = make("div", { class: isGrave ? "notice grave" : "notice" }, make("p"),
          action && make("button", { type: "button", class: "quiet", onclick: () => press() }, this.t(action)));
        this.#notices.set(key, node);
        list.append(node);
      }
      setText(find("p", node), this.t(key, values));
    }
  }

  #showSetup({ device, sensors, startProblem }) {
    setText(find(".record-for", this.root), this.t("recordFor", { device }));
    for (const row of findAll("[data-sensor]", this.root)) {
      const { state, text, problem, action } = sensors[row.dataset.sensor];
      setData(row, "state", state);
      setText(find(".problem", row), problem ? this.t(problem) : "");
      const button = find("button", row);
      setText(button, text ?? this.t(action));
      button.setAttribute("aria-pressed", String(state === "on" || state === "waiting"));
    }
    setText(find("#start-answer", this.root), startProblem ? this.t(startProblem) : "");
  }

  #showInterrupted({ startedAt, lastAt }) {
    const [start, end] = [startedAt, lastAt].map((time) => format.date(time / 1000, this.t.locale));
    const short = format.clock(lastAt / 1000, this.t.locale);
    setText(find(".interrupted-text", this.root), this.t("interruptedText", { start, end }));
    setText(find(".end-there", this.root), this.t("endThere", { end: short }));
  }

  #showRun({ shown, state, slots, sources, beats, laps }) {
    setData(find(".run", this.root), "state", state);
    setData(find(".run", this.root), "count", String(slots.length));
    this.slots.forEach((slot, index) => {
      const key = slots[index];
      setHidden(slot.node, !key);
      if (!key) return;
      const value = recordValues[key];
      setText(slot.name, this.t(value.name, { n: laps + 1 }));
      setText(slot.number, value.text(shown, this.units));
      setText(slot.unit, this.#unit(value.unit));
      if (index === 0) setData(slot.node, "value", key);
    });
    setData(find(".hero", this.root), "beating", String(beats));
    setText(find(".sources", this.root), sources.join("  ·  "));
    const pause = find(".pause", this.root);
    setText(pause, this.t(state === "paused" ? "resumeRun" : "pauseRun"));
    find(".lap", this.root).disabled = state !== "recording";
    const locked = find(".locked", this.root);
    setText(find(".number", locked), this.slots[0].number.textContent);
    setText(find(".unit", locked), this.slots[0].unit.textContent);
  }

  #unit(unit) {
    if (unit === "distance") return this.t(this.units.distance);
    return unit === "pace" ? this.units.pace : unit ? this.t(unit) : "";
  }

  #showDone({ shown, waitingFrames }) {
    const keys = ["distance", "movingTime", "averageHeartRate", "maxHeartRate"]
      .filter((key) => !/--/.test(recordValues[key].text(shown, this.units)));
    const list = find(".summary", this.root);
    if (list.children.length !== keys.length) {
      list.replaceChildren(...keys.map((key) => make("div", {}, make("dt", {}, this.t(recordValues[key].name)),
        make("dd", {}, make("b", { class: "number" }, recordValues[key].text(shown, this.units)),
          make("span", { class: "unit" }, this.#unit(recordValues[key].unit))))));
    }
    const isSent = waitingFrames === 0;
    setText(find(".left-text", this.root), isSent ? this.t("allSent") : this.t("framesLeft", { n: waitingFrames }));
    setText(find(".left-hint", this.root), isSent ? "" : this.t("framesLeftText"));
  }

  #showKept({ token, frames, bytes, roomSeconds, hasCopy, canErase }) {
    const rows = [
      token ? this.t("storageToken", { device: token }) : this.t("storageNoToken"),
      frames === undefined ? this.t("storageUnknown") : frames > 0 ? this.t("storageFrames", { n: frames, size: size(bytes) }) : this.t("storageNone"),
      roomSeconds === undefined ? "" : this.t("storageRoom", { hours: this.#long(roomSeconds) }),
      hasCopy ? this.t("storageWorker") : "",
    ].filter(Boolean);
    const list = find(".kept-list", this.root);
    if ([...list.children].map((node) => node.textContent).join("\n") !== rows.join("\n")) {
      list.replaceChildren(...rows.map((row) => make("li", {}, row)));
    }
    setHidden(find(".forget", this.root), !token);
    find(".erase", this.root).disabled = !canErase;
    find(".forget", this.root).disabled = !canErase;
  }

  #long(seconds) {
    const hours = seconds / 3600;
    return hours < 72 ? this.t("hours", { n: Math.floor(hours) }) : this.t("days", { n: Math.floor(hours / 24) });
  }
}
