// The heart that beats as fast as the runner's does.

import { calmMotion } from "./dom.js";

const keyframes = [
  { transform: "scale(1)", offset: 0, easing: "cubic-bezier(.3,0,.4,1)" },
  { transform: "scale(1.18)", offset: 0.12, easing: "ease-out" },
  { transform: "scale(0.98)", offset: 0.3, easing: "ease-in-out" },
  { transform: "scale(1.07)", offset: 0.42, easing: "ease-out" },
  { transform: "scale(1)", offset: 0.62 },
  { transform: "scale(1)", offset: 1 },
];

export class Beat {
  #animation;
  #node;

  constructor(node) {
    this.#node = node;
  }

  /** Beats a minute; undefined: the heart stands still, as for a value that is not live. */
  show(bpm) {
    if (!(bpm > 0) || calmMotion()) {
      this.#animation?.cancel();
      this.#animation = undefined;
      return;
    }
    // One animation of a second whose rate changes: a new one each time would jump.
    this.#animation ??= this.#node.animate(keyframes, { duration: 1000, iterations: Infinity });
    this.#animation.updatePlaybackRate(bpm / 60);
  }
}
