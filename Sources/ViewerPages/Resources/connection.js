// How the page and the run are doing, in a word: the pill at the top.

import { age } from "./format.js";
import { find, setData, setHidden, setText } from "./dom.js";

/** The one state to show, from the connection's and the run's. Pure. */
export function overallState({ status, loading, mode, run }) {
  if (status === "gone") return "gone";
  if (["connecting", "reconnecting", "offline", "busy"].includes(status)) return status;
  if (status === "catchingUp" || loading) return "catchingUp";
  if (mode !== "live") return "replay";
  return run.state ?? "waiting";
}

/** A reconnect may take a blink; what was said about it must still be readable. */
const saidMilliseconds = 700;

export class StatusPill {
  #heldUntil = 0;

  constructor(root, t) {
    this.root = root;
    this.t = t;
    this.text = find(".status-text", root);
    this.age = find(".status-age", root);
  }

  /** The connection's status changed: it may change again before the next frame is drawn. */
  heard(status) {
    if (status === "catchingUp") this.#heldUntil = performance.now() + saidMilliseconds;
  }

  /** `seconds`: how old what is shown is; only said where it matters. */
  show(wanted, seconds) {
    this.heard(wanted);
    const held = wanted === "live" && performance.now() < this.#heldUntil;
    const state = held ? "catchingUp" : wanted;
    setData(this.root, "state", state);
    // Read aloud when the word changes; the age beside it counts in silence.
    setText(this.text, this.t(state === "gone" ? "goneShort" : state));
    const said = ["stale", "reconnecting", "offline", "replay"].includes(state) && seconds > 1;
    setText(this.age, said ? this.t("behind", { age: age(seconds) }) : "");
  }
}

/** The sentence that stays when a link has ended. */
export function showGone(notice, gone, t) {
  setHidden(notice, !gone);
  if (gone) setText(notice, t("goneText"));
}
