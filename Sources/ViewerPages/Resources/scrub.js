// The bar over the whole session: drag back, play at another speed, jump to live.

import * as format from "./format.js";
import { find, make, setData, setHidden, setText } from "./dom.js";

export const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
/** This close to the end a drag means "now". */
const liveSeconds = 3;

/** Where a moment lies on the bar, 0…1. Pure. */
export function partOf(time, start, end) {
  if (!(end > start)) return 1;
  return Math.min(1, Math.max(0, (time - start) / (end - start)));
}

/** What the bar asks of a page: its `mode` follows, and the stream, which may be made later. */
export function playbackActions(page, stream, redraw) {
  return {
    seek: (time, speed) => {
      if (page.mode === "live") page.mode = "replay";
      stream().seek(time, speed);
      redraw();
    },
    pause: (paused) => {
      page.mode = paused ? "paused" : "replay";
      stream().pause(paused);
      redraw();
    },
    live: () => {
      if (page.mode === "live") return;
      page.mode = "live";
      stream().live();
      redraw();
    },
  };
}

export class ScrubBar {
  #dragging = false;
  #seekTimer;
  #marks = "";

  /** `actions`: preview(time or undefined), seek(time, speed), pause(bool), live(). */
  constructor(root, t, actions) {
    this.root = root;
    this.t = t;
    this.actions = actions;
    this.range = find("input[type=range]", root);
    this.play = find(".play", root);
    this.speed = find(".speed", root);
    this.liveButton = find(".to-live", root);
    this.start = 0;
    this.end = 0;
    this.mode = "live";
    this.speed.replaceChildren(...speeds.map((value) =>
      make("option", { value: String(value), selected: value === 1 }, `×${value}`)));
    this.range.addEventListener("input", () => this.#drag());
    this.range.addEventListener("change", () => this.#release());
    this.play.addEventListener("click", () => this.#toggle());
    this.liveButton.addEventListener("click", () => this.goLive());
    this.speed.addEventListener("change", () => this.#seek(this.time));
  }

  get time() {
    return this.start + Number(this.range.value);
  }

  /**
   * `mode`: live, replay or paused. `now` is the newest moment, `time` what the page shows,
   * `state` how the run is doing.
   */
  show({ start, now, time, mode, state, canRewind }) {
    setHidden(this.root, !(now > start) || !canRewind);
    this.start = start;
    this.end = now;
    this.mode = mode;
    this.range.max = String(Math.max(1, Math.floor(now - start)));
    if (!this.#dragging) this.range.value = String(Math.floor(time - start));
    setData(this.root, "mode", mode);
    setData(this.root, "state", state);
    const nowWord = this.t({ live: "live", ended: "ended", gone: "goneShort" }[state] ?? "now");
    this.#label(this.#dragging ? this.time : time);
    setText(this.play, mode === "replay" ? "❚❚" : "▶");
    this.play.setAttribute("aria-label", this.t(mode === "replay" ? "pausePlayback" : "play"));
    setText(find(".live-text", this.liveButton), nowWord);
    this.liveButton.setAttribute("aria-label",
      mode === "live" ? nowWord : `${nowWord}: ${this.t("jumpToLive")}`);
    this.liveButton.setAttribute("aria-pressed", String(mode === "live"));
  }

  /** Pauses as stretches, splits as ticks. */
  showMarks(timeline, start, end, units) {
    const marks = timeline.marks.filter(({ kind, message }) =>
      kind !== "split" || message[units.split] !== undefined);
    const key = `${units.name}/${timeline.pauses.length}/${timeline.marks.length}/${Math.floor((end - start) / 5)}`;
    if (key === this.#marks) return;
    this.#marks = key;
    const place = (node, from, to) => {
      node.style.setProperty("--from", String(partOf(from, start, end)));
      if (to !== undefined) node.style.setProperty("--to", String(partOf(to, start, end)));
      return node;
    };
    find(".marks", this.root).replaceChildren(
      ...timeline.pauses.map((pause) =>
        place(make("span", { class: "pause" }), pause.from, pause.to ?? end)),
      ...marks.map((mark) => place(make("span", { class: mark.kind }), mark.time)));
  }

  goLive() {
    this.#dragging = false;
    this.actions.preview(undefined);
    this.actions.live();
  }

  #label(time) {
    const passed = format.duration(time - this.start);
    setText(find(".passed", this.root), passed);
    setText(find(".whole", this.root), format.duration(this.end - this.start));
    this.range.style.setProperty("--part", String(partOf(time, this.start, this.end)));
    const behind = this.end - time;
    this.range.setAttribute("aria-valuetext", behind < liveSeconds
      ? `${passed}, ${this.t("now")}`
      : `${passed}, ${this.t("behind", { age: format.age(behind) })}`);
  }

  #drag() {
    this.#dragging = true;
    this.#label(this.time);
    this.actions.preview(this.time);
  }

  #release() {
    this.#dragging = false;
    // Arrow keys release at every step; only the last one asks the daemon.
    clearTimeout(this.#seekTimer);
    this.#seekTimer = setTimeout(() => {
      this.actions.preview(undefined);
      if (this.end - this.time < liveSeconds) this.actions.live();
      else this.#seek(this.time);
    }, 180);
  }

  #seek(time) {
    const from = this.mode === "live" && this.end - time < liveSeconds ? this.start : time;
    this.actions.seek(from, Number(this.speed.value));
  }

  #toggle() {
    if (this.mode === "live") this.#seek(this.end);
    else this.actions.pause(this.mode === "replay");
  }
}
