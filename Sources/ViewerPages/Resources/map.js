// A map on canvas: whole route, free, or following with the heading up. Draws what its layers say.

import { colors, onThemeChange } from "./colors.js";
import { calmMotion, find, findAll, fitCanvas, onFrame, setText } from "./dom.js";
import { niceStep } from "./format.js";
import { fit, toScreen, toWorld, turn, worldMeters } from "./projection.js";
import { TileLayer } from "./tiles.js";

export const modes = ["whole", "free", "follow"];
const followMetersPerPixel = 0.9;
const metersPerPixelRange = [0.05, 40000];
const glideMilliseconds = 500;

/** A round number of meters, some sixty to a hundred and fifty pixels wide. */
const scaleMeters = (view) => niceStep((62 / view.scale) * worldMeters(view.y), 1.01);

export class MapView {
  #glide;
  #shownMode;
  #pointers = new Map();
  #pinch;

  /**
   * `bounds()`: the box of all that is to be seen; `focus()`: `{ x, y, course }` of the runner;
   * `layers`: functions of a painter `{ context, place, pixels, width, height, view }`.
   */
  constructor(root, { bounds, focus, layers, t }) {
    this.root = root;
    this.canvas = find("canvas", root);
    this.bounds = bounds;
    this.focus = focus;
    this.layers = layers;
    this.t = t;
    this.mode = "whole";
    this.view = undefined;
    this.draw = onFrame(() => this.#draw());
    this.tiles = new TileLayer(find("meta[name=pulsecast-tiles]", document), this.draw);
    setText(find(".attribution", root), this.tiles.attribution);
    this.size = fitCanvas(this.canvas, this.draw);
    onThemeChange(this.draw);
    for (const button of findAll("[data-mode]", root)) {
      button.addEventListener("click", () => this.setMode(button.dataset.mode));
    }
    find(".zoom-in", root)?.addEventListener("click", () => this.zoom(1.6));
    find(".zoom-out", root)?.addEventListener("click", () => this.zoom(1 / 1.6));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.#listenToPointers();
    this.setMode("whole");
  }

  setMode(mode) {
    this.mode = mode;
    this.root.dataset.mode = mode;
    for (const button of findAll("[data-mode]", this.root)) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    }
    if (mode !== "follow" && this.view) {
      this.view = { ...this.view, rotation: 0 };
    }
    this.draw();
  }

  zoom(factor, screenX = this.size.width / 2, screenY = this.size.height / 2) {
    if (!this.view) return;
    this.#free();
    const { width, height } = this.size;
    const fixed = toWorld(this.view, screenX, screenY, width, height);
    const meters = worldMeters(fixed.y);
    const scale = Math.min(meters / metersPerPixelRange[0],
      Math.max(meters / metersPerPixelRange[1], this.view.scale * factor));
    this.view = { ...this.view, scale };
    const moved = toWorld(this.view, screenX, screenY, width, height);
    this.view.x += fixed.x - moved.x;
    this.view.y += fixed.y - moved.y;
    this.draw();
  }

  pan(pixelsX, pixelsY) {
    if (!this.view) return;
    this.#free();
    this.view.x -= pixelsX / this.view.scale;
    this.view.y -= pixelsY / this.view.scale;
    this.draw();
  }

  /** The point of the world below a pixel; undefined while nothing is shown. */
  worldAt(screenX, screenY) {
    return this.view && toWorld(this.view, screenX, screenY, this.size.width, this.size.height);
  }

  #free() {
    if (this.mode === "free") return;
    this.view = { ...this.view, rotation: 0 };
    this.setMode("free");
  }

  /** Where the mode wants the view to be. */
  #wanted() {
    const { width, height } = this.size;
    const focus = this.focus();
    if (this.mode === "follow" && focus) {
      const rotation = Number.isFinite(focus.course)
        ? (-focus.course * Math.PI) / 180 : this.view?.rotation ?? 0;
      return {
        x: focus.x, y: focus.y, rotation, anchorX: 0.5, anchorY: 0.66,
        scale: worldMeters(focus.y) / followMetersPerPixel,
      };
    }
    if (this.mode === "free" && this.view) return this.view;
    const bounds = this.bounds();
    if (!bounds) return undefined;
    const wanted = fit(bounds, width, height);
    return this.#stillFits(wanted, bounds) ? this.view : wanted;
  }

  /** A view that shows all, and not much too small, stays: what is drawn can be kept. */
  #stillFits(wanted, bounds) {
    const { view } = this;
    const { width, height } = this.size;
    if (!view || this.#shownMode !== "whole" || view.rotation !== 0) return false;
    if (view.anchorY !== wanted.anchorY || view.scale < 0.85 * wanted.scale) return false;
    const room = 22;
    const low = toScreen(view, bounds.minX, bounds.minY, width, height);
    const high = toScreen(view, bounds.maxX, bounds.maxY, width, height);
    return low.x >= room && low.y >= room + 36 && high.x <= width - room
      && high.y <= height - room - 12;
  }

  /** Glides while following, so that a step a second does not look like one. */
  #settle(wanted) {
    if (this.mode !== "follow" || !this.view || calmMotion()) {
      this.#glide = undefined;
      return wanted;
    }
    const key = `${wanted.x}/${wanted.y}/${wanted.rotation}`;
    if (this.#glide?.key !== key) {
      this.#glide = { key, from: this.view, began: performance.now() };
    }
    const { from, began } = this.#glide;
    const part = Math.min(1, (performance.now() - began) / glideMilliseconds);
    if (part < 1) this.draw();
    const between = (a, b) => a + (b - a) * part;
    return {
      ...wanted, x: between(from.x, wanted.x), y: between(from.y, wanted.y),
      scale: from.scale * (wanted.scale / from.scale) ** part,
      rotation: from.rotation + turn(from.rotation, wanted.rotation) * part,
      anchorX: between(from.anchorX, wanted.anchorX),
      anchorY: between(from.anchorY, wanted.anchorY),
    };
  }

  #draw() {
    const { context, width, height } = this.size;
    if (!width) return;
    context.fillStyle = colors().ground;
    context.fillRect(0, 0, width, height);
    const wanted = this.#wanted();
    if (!wanted) return;
    this.view = { ...this.#settle(wanted) };
    this.#shownMode = this.mode;
    const { view } = this;
    const painter = {
      context, width, height, view,
      place: (x, y) => toScreen(view, x, y, width, height),
      pixels: (meters, y) => (meters / worldMeters(y)) * view.scale,
    };
    if (this.tiles.template) this.tiles.draw(painter);
    else this.#drawGrid(painter);
    for (const layer of this.layers) layer(painter);
    this.#drawScale(painter);
    if (Math.abs(view.rotation) > 0.01) this.#drawNorth(painter);
  }

  /** Squares as wide as the scale says, so that plain ground has a size. */
  #drawGrid({ context, width, height, view, place }) {
    const step = scaleMeters(view) / worldMeters(view.y);
    const reach = Math.hypot(width, height) / view.scale;
    context.lineWidth = 1;
    context.strokeStyle = colors().faint;
    context.beginPath();
    const line = (from, to) => {
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    };
    for (let x = Math.floor((view.x - reach) / step) * step; x < view.x + reach; x += step) {
      line(place(x, view.y - reach), place(x, view.y + reach));
    }
    for (let y = Math.floor((view.y - reach) / step) * step; y < view.y + reach; y += step) {
      line(place(view.x - reach, y), place(view.x + reach, y));
    }
    context.stroke();
  }

  #drawScale({ context, height, view, pixels }) {
    const meters = scaleMeters(view);
    const length = pixels(meters, view.y);
    const [x, y] = [14, height - 14];
    context.lineWidth = 1.5;
    context.strokeStyle = colors().muted;
    context.beginPath();
    context.moveTo(x, y - 4);
    context.lineTo(x, y);
    context.lineTo(x + length, y);
    context.lineTo(x + length, y - 4);
    context.stroke();
    context.fillStyle = colors().muted;
    context.font = `11px ${colors().font}`;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillText(meters < 1000 ? `${meters} m` : `${meters / 1000} km`, x + 4, y - 6);
  }

  #drawNorth({ context, width, height, view }) {
    context.save();
    context.translate(width - 30, height - 34);
    context.rotate(view.rotation);
    context.fillStyle = colors().accent;
    context.beginPath();
    context.moveTo(0, -15);
    context.lineTo(6, 4);
    context.lineTo(-6, 4);
    context.fill();
    context.fillStyle = colors().muted;
    context.font = `600 11px ${colors().font}`;
    context.textAlign = "center";
    context.fillText("N", 0, 16);
    context.restore();
  }

  #key(event) {
    const step = 60;
    const actions = {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(1.6), "=": () => this.zoom(1.6), "-": () => this.zoom(1 / 1.6),
      f: () => this.setMode("follow"), w: () => this.setMode("whole"),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  /** A mouse may always drag. A finger scrolls the page until the map is in free mode. */
  #listenToPointers() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" && this.mode !== "free") return;
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = this.#pointers.get(event.pointerId);
      if (!before) return;
      const now = { x: event.offsetX, y: event.offsetY };
      this.#pointers.set(event.pointerId, now);
      if (this.#pointers.size === 1) this.pan(now.x - before.x, now.y - before.y);
      else this.#pinchTo();
    });
    const release = (event) => {
      this.#pointers.delete(event.pointerId);
      this.#pinch = undefined;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("wheel", (event) => {
      // The page must still scroll where the map is only being passed.
      if (this.mode !== "free" && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => this.zoom(2, event.offsetX, event.offsetY));
  }

  #pinchTo() {
    const [first, second] = [...this.#pointers.values()];
    const spread = Math.hypot(first.x - second.x, first.y - second.y);
    const middle = { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
    if (this.#pinch) {
      this.zoom(spread / this.#pinch.spread, middle.x, middle.y);
      this.pan(middle.x - this.#pinch.middle.x, middle.y - this.#pinch.middle.y);
    }
    this.#pinch = { spread, middle };
  }
}
