// Charts over time or distance, one above the other, with one cursor for all.

import { colors, zoneColor } from "./colors.js";
import { find, fitCanvas, make, onFrame, setHidden, setText } from "./dom.js";
import { niceStep } from "./format.js";
import { Picture } from "./picture.js";
import { steadyClasses } from "./route.js";

const margins = { left: 40, right: 10, top: 8, bottom: 8 };
const axisHeight = 20;
/** A hole in the data this long breaks the line, seconds. */
const breakSeconds = 15;

/**
 * The least and greatest of a column for each pixel, so that hours cost what minutes cost.
 * Pure. Returns one array of `{ x, low, high, index }` a line without holes.
 */
export function envelope(series, column, { axis, from, to, width }) {
  const values = series.column[column];
  const positions = series.column[axis];
  const { time } = series.column;
  const lines = [];
  let line;
  let last;
  let lastTime = -Infinity;
  for (let index = 0; index < series.length; index += 1) {
    const value = values[index];
    if (Number.isNaN(value)) continue;
    const x = Math.round(((positions[index] - from) / (to - from)) * width);
    if (!line || series.isAfterHole(index, lastTime, breakSeconds)) {
      line = [];
      lines.push(line);
      last = undefined;
    }
    lastTime = time[index];
    if (last?.x === x) {
      last.low = Math.min(last.low, value);
      last.high = Math.max(last.high, value);
      last.sum += value;
      last.count += 1;
      last.index = index;
    } else {
      last = { x, low: value, high: value, sum: value, count: 1, index };
      line.push(last);
    }
  }
  return lines;
}

/** A range for the axis; `trim` leaves out that part at each end, what sticks out. Pure. */
export function axisRange(lines, leastSpan, trim = 0) {
  const values = lines.flat().map((point) => point.sum / point.count).sort((a, b) => a - b);
  if (!values.length) return undefined;
  const low = values[Math.floor(values.length * trim)];
  const high = values[Math.ceil(values.length * (1 - trim)) - 1] ?? low;
  const missing = Math.max(0, leastSpan - (high - low)) / 2;
  const room = 0.06 * Math.max(leastSpan, high - low);
  return { low: low - missing - room, high: high + missing + room };
}

/** Round values within a range, five or fewer. Pure. */
export function roundTicks({ low, high }) {
  const step = niceStep(high - low, 5);
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return ticks;
}

/** Speeds within a range whose paces are round, per unit of `meters`. Pure. */
export function paceTicks({ low, high }, meters) {
  const slowest = Math.min(1200, meters / Math.max(0.4, low));
  const fastest = meters / high;
  const step = [5, 10, 15, 30, 60, 120, 300].find((each) => (slowest - fastest) / each <= 5) ?? 600;
  const ticks = [];
  for (let seconds = Math.ceil(fastest / step) * step; seconds <= slowest; seconds += step) {
    ticks.push(meters / seconds);
  }
  return ticks;
}

/** One chart: a heading with the value under the cursor, and a canvas. */
class Chart {
  constructor(spec, redraw) {
    this.spec = spec;
    this.picture = new Picture();
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.value = make("span", { class: "chart-value" });
    this.node = make("div", { class: "chart", "data-chart": spec.key },
      make("div", { class: "chart-head" }, make("span", { class: "chart-label" }, spec.label),
        this.value),
      this.canvas);
    this.size = fitCanvas(this.canvas, redraw);
  }

  draw(series, view) {
    const { context, width, height } = this.size;
    if (!width) return;
    const plot = {
      left: margins.left, top: margins.top, width: width - margins.left - margins.right,
      height: height - margins.top - margins.bottom - (view.last === this ? axisHeight : 0),
    };
    // A second that moves nothing by a pixel needs no new picture.
    const pixel = (view.to - view.from) / plot.width;
    const key = [view.axis, view.from, Math.floor(view.to / Math.max(1, pixel)), view.pauses.length,
      view.settings, view.last === this, colors().card].join("/");
    context.clearRect(0, 0, width, height);
    this.picture.show(context, width, height, key, (inner) =>
      this.#drawStill(inner, series, view, plot, height));
    setHidden(this.node, !this.drawn);
    if (this.drawn) this.#drawCursor(context, plot, view, series);
  }

  /** All but the cursor. Keeps what the cursor needs to stand on the same scale. */
  #drawStill(context, series, view, plot, height) {
    const lines = envelope(series, this.spec.column, { ...view, width: plot.width });
    const range = axisRange(lines, this.spec.leastSpan, this.spec.trim);
    this.drawn = undefined;
    if (!range) return;
    const y = (value) => {
      const part = (value - range.low) / (range.high - range.low);
      return plot.top + plot.height * (1 - Math.min(1.03, Math.max(-0.03, part)));
    };
    this.drawn = { y, from: view.from, to: view.to };
    this.#drawPauses(context, plot, view);
    this.#drawGrid(context, plot, range, y);
    for (const line of lines) this.#drawLine(context, line, plot, y, series);
    if (view.last === this) drawAxis(context, plot, view, height);
  }

  #drawPauses(context, plot, view) {
    context.fillStyle = colors().faint;
    for (const [from, to] of view.pauses) {
      const x = plot.left + ((from - view.from) / (view.to - view.from)) * plot.width;
      const end = plot.left + ((to - view.from) / (view.to - view.from)) * plot.width;
      context.fillRect(x, plot.top, Math.max(1, end - x), plot.height);
    }
  }

  #drawGrid(context, plot, range, y) {
    context.font = `11px ${colors().font}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.lineWidth = 1;
    context.strokeStyle = colors().line;
    context.fillStyle = colors().muted;
    for (const value of (this.spec.ticks ?? roundTicks)(range)) {
      const line = Math.round(y(value)) + 0.5;
      context.beginPath();
      context.moveTo(plot.left, line);
      context.lineTo(plot.left + plot.width, line);
      context.stroke();
      context.fillText(this.spec.tick(value), plot.left - 7, line);
    }
  }

  #drawLine(context, line, plot, y, series) {
    const { column } = series;
    context.lineWidth = 2;
    context.lineJoin = "round";
    const bottom = plot.top + plot.height;
    if (this.spec.fill) {
      context.beginPath();
      context.moveTo(plot.left + line[0].x, bottom);
      for (const point of line) context.lineTo(plot.left + point.x, y(point.sum / point.count));
      context.lineTo(plot.left + line.at(-1).x, bottom);
      context.globalAlpha = 0.22;
      context.fillStyle = colors()[this.spec.color];
      context.fill();
      context.globalAlpha = 1;
    }
    const zones = this.spec.byZone
      ? steadyClasses(line.length, (index) => column.zone[line[index].index] || 0, 2) : undefined;
    const colorAt = (index) => (zones ? zoneColor(zones[index]) : colors()[this.spec.color]);
    let color;
    line.forEach((point, index) => {
      const next = colorAt(index);
      const place = [plot.left + point.x, y(point.sum / point.count)];
      if (index === 0 || next !== color) {
        if (index > 0) {
          context.lineTo(...place);
          context.stroke();
        }
        context.beginPath();
        context.strokeStyle = next;
        color = next;
        context.moveTo(...place);
      } else context.lineTo(...place);
    });
    context.stroke();
  }

  #drawCursor(context, plot, view, series) {
    const { y, from, to } = this.drawn;
    const index = view.cursor ?? series.length - 1;
    const value = index >= 0 ? series.column[this.spec.column][index] : NaN;
    setText(this.value, Number.isNaN(value) ? "" : this.spec.text(value));
    if (view.cursor === undefined || index < 0) return;
    const part = (series.column[view.axis][index] - from) / (to - from);
    const x = plot.left + Math.min(1, part) * plot.width;
    context.strokeStyle = colors().ink;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, plot.top);
    context.lineTo(x, plot.top + plot.height);
    context.stroke();
    if (Number.isNaN(value)) return;
    context.beginPath();
    context.arc(x, y(value), 4.5, 0, 2 * Math.PI);
    context.fillStyle = colors().card;
    context.fill();
    context.lineWidth = 2.5;
    context.strokeStyle = this.spec.byZone
      ? zoneColor(series.column.zone[index]) : colors()[this.spec.color];
    context.stroke();
  }
}

function drawAxis(context, plot, view, height) {
  context.fillStyle = colors().muted;
  context.textBaseline = "alphabetic";
  const step = view.axisStep(view.to - view.from, Math.max(2, Math.floor(plot.width / 90)));
  for (let offset = 0; offset <= view.to - view.from + step / 1000; offset += step) {
    const x = plot.left + (offset / (view.to - view.from)) * plot.width;
    context.textAlign = offset === 0 ? "left" : x > plot.left + plot.width - 20 ? "right" : "center";
    context.fillText(view.axisText(offset), x, height - 5);
  }
}

/** All charts of a page. `onCursor` gets the row under the cursor, or undefined. */
export class ChartStack {
  constructor(root, specs, { series, onCursor, describe }) {
    this.root = root;
    this.series = series;
    this.onCursor = onCursor;
    this.describe = describe;
    this.cursor = undefined;
    this.view = { axis: "time", pauses: [] };
    this.draw = onFrame(() => this.#draw());
    this.charts = specs.map((spec) => new Chart(spec, this.draw));
    root.replaceChildren(...this.charts.map((chart) => chart.node));
    root.addEventListener("pointermove", (event) => this.#point(event));
    root.addEventListener("pointerdown", (event) => this.#point(event));
    root.addEventListener("pointerleave", () => this.setCursor(undefined));
    root.addEventListener("blur", () => this.setCursor(undefined));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  setCursor(index) {
    if (index === this.cursor) return;
    this.cursor = index;
    this.root.setAttribute("aria-valuenow", String(index ?? this.series.length - 1));
    this.root.setAttribute("aria-valuetext", this.describe(index ?? this.series.length - 1));
    this.onCursor(index);
    this.draw();
  }

  #draw() {
    const shown = this.charts.filter((chart) => !chart.node.hidden);
    const view = { ...this.view, cursor: this.cursor ?? this.view.shown, last: shown.at(-1) ?? this.charts[0] };
    this.root.setAttribute("aria-valuemax", String(Math.max(0, this.series.length - 1)));
    if (view.to > view.from) for (const chart of this.charts) chart.draw(this.series, view);
    // A chart that has its first value now moves the axis below the last one.
    const last = this.charts.filter((chart) => !chart.node.hidden).at(-1);
    if (last && last !== view.last) this.draw();
  }

  #point(event) {
    const box = find("canvas", this.root).getBoundingClientRect();
    const part = (event.clientX - box.left - margins.left)
      / (box.width - margins.left - margins.right);
    const { axis, from, to } = this.view;
    const index = this.series.indexBy(axis, from + Math.min(1, Math.max(0, part)) * (to - from));
    this.setCursor(index < 0 ? undefined : index);
  }

  #key(event) {
    const last = this.series.length - 1;
    const step = event.shiftKey ? 60 : 10;
    const current = this.cursor ?? last;
    const targets = {
      ArrowLeft: current - step, ArrowRight: current + step, Home: 0, End: last,
    };
    if (!(event.key in targets) || last < 0) return;
    event.preventDefault();
    this.setCursor(Math.min(last, Math.max(0, targets[event.key])));
  }
}
