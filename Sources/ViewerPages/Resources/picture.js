// What is costly to draw and seldom changes, drawn once and kept.

export class Picture {
  #canvas = document.createElement("canvas");
  #key;

  /** Shows the picture; `draw(context)` makes it anew when `key` is another. */
  show(context, width, height, key, draw) {
    const ratio = context.getTransform().a;
    const full = `${key}/${width}/${height}/${ratio}`;
    if (full !== this.#key) {
      this.#key = full;
      // Setting the size also clears.
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
      const inner = this.#canvas.getContext("2d");
      inner.setTransform(ratio, 0, 0, ratio, 0, 0);
      draw(inner);
    }
    context.drawImage(this.#canvas, 0, 0, width, height);
  }
}
