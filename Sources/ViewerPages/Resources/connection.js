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

export class StatusPill {
  constructor(root, t) {
    this.root = root;
    this.t = t;
    this.text = find(".status-text", root);
    this.age = find(".status-age", root);
  }

  /** `seconds`: how old what is shown is; only said where it matters. */
  show(state, seconds) {
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
