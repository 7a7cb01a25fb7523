// The checkpoints of the course: those reached, and when the others are predicted.

import * as format from "./format.js";
import { make } from "./dom.js";

/** In the order of the course; of those reached, what was so at the moment that is shown. Pure. */
export function checkpointsOf(marks, run) {
  const reached = marks
    .filter(({ kind, time }) => kind === "checkpointReached" && !(time > run.time))
    .map(({ message }) => ({ name: message.checkpoint, seconds: message.elapsedSeconds, reached: true }));
  const ahead = (run.course?.ahead ?? []).map(({ checkpoint, predictedSeconds }) =>
    ({ name: checkpoint, seconds: predictedSeconds, reached: false }));
  return [...reached, ...ahead];
}

export class CheckpointList {
  constructor(list, t) {
    this.list = list;
    this.t = t;
    this.shown = "";
  }

  show(checkpoints) {
    const key = JSON.stringify(checkpoints);
    if (key === this.shown) return;
    this.shown = key;
    this.list.replaceChildren(...checkpoints.map(({ name, seconds, reached }) => {
      const time = seconds === undefined ? format.missing : format.duration(seconds);
      return make("li", { "data-reached": String(reached) }, make("span", {}, name),
        make("span", { class: "number" }, reached ? this.t("reachedAt", { time }) : this.t("expectedAt", { time })));
    }));
  }
}
