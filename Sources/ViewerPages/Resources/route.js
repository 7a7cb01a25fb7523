// One runner's route on a map: the line, kilometer marks, start, and where the runner is.

import { colors, zoneColor } from "./colors.js";
import { Picture } from "./picture.js";

/** Points this near to the last one drawn, pixels, are left out. */
const thinPixels = 1.4;
/** A longer silence than this is a hole in the route, seconds. */
const breakSeconds = 12;
/** The older part of a route is a picture; so many rows at its end are drawn each time. */
const freshRows = 32;

/** The rows at which each whole unit of distance was reached. Pure. */
export function markRows(series, meters) {
  const rows = [];
  let next = meters;
  for (let index = 0; index < series.length; index += 1) {
    if (series.column.distance[index] >= next) {
      rows.push({ index, number: Math.round(next / meters) });
      next = (Math.floor(series.column.distance[index] / meters) + 1) * meters;
    }
  }
  return rows;
}

/** A color that does not last this many seconds is not drawn: at a border it would only flicker. */
const steadySeconds = 8;

/** For each row its class, without changes that do not last; `timeOf(index)` counts, by default rows. Pure. */
export function steadyClasses(length, classOf, least = steadySeconds, timeOf = (index) => index) {
  const classes = new Uint8Array(length);
  let shown = length ? classOf(0) : 0;
  let candidate = shown;
  let began = 0;
  for (let index = 0; index < length; index += 1) {
    const found = classOf(index);
    if (found !== candidate) {
      candidate = found;
      began = index;
    }
    if (candidate !== shown && timeOf(index) - timeOf(began) + 1 >= least) {
      shown = candidate;
      classes.fill(shown, began, index);
    }
    classes[index] = shown;
  }
  return classes;
}

/** Draws rows `from`…`to`; `classOf(index)` picks the color, `colorOf(class)` gives it. */
export function drawRoute(painter, series, { from, to, classOf, colorOf, width }) {
  const { context, place } = painter;
  const { x, y, time } = series.column;
  const outside = (point) => point.x < -20 || point.y < -20 || point.x > painter.width + 20
    || point.y > painter.height + 20;
  context.lineWidth = width;
  context.lineJoin = "round";
  context.lineCap = "round";
  let drawn;
  let lastTime = -Infinity;
  let kind;
  const finish = () => {
    if (drawn) context.stroke();
  };
  for (let index = from; index <= to; index += 1) {
    if (Number.isNaN(x[index])) continue;
    const point = place(x[index], y[index]);
    const next = classOf(index);
    const hole = series.isAfterHole(index, lastTime, breakSeconds);
    lastTime = time[index];
    if (drawn && outside(point) && outside(drawn)) {
      finish();
      drawn = undefined;
      context.beginPath();
    }
    if (!drawn || hole) {
      finish();
      context.beginPath();
      context.strokeStyle = colorOf(next);
      context.moveTo(point.x, point.y);
    } else {
      const near = Math.abs(point.x - drawn.x) + Math.abs(point.y - drawn.y) < thinPixels;
      if (near && next === kind && index < to) continue;
      context.lineTo(point.x, point.y);
      if (next !== kind) {
        context.stroke();
        context.beginPath();
        context.strokeStyle = colorOf(next);
        context.moveTo(point.x, point.y);
      }
    }
    kind = next;
    drawn = point;
  }
  finish();
}

export class RouteLayer {
  /** `model()`: what to draw: `{ series, shown, runner, cursor, byPace, paceClass, units }`. */
  constructor(model) {
    this.model = model;
    this.picture = new Picture();
  }

  #look({ series, byPace, paceClass }, shown) {
    const { zone, speed, time } = series.column;
    const classes = steadyClasses(shown + 1,
      byPace ? (index) => paceClass(speed[index]) : (index) => zone[index] || 0, undefined,
      (index) => time[index]);
    return {
      width: 4.5, classOf: (index) => classes[index],
      colorOf: byPace
        ? (step) => (step ? colors()[`scale-${step}`] : colors()["zone-0"]) : zoneColor,
    };
  }

  paint(painter) {
    const model = this.model();
    const { series } = model;
    if (series.length) this.#paintRoute(painter, model);
    if (model.cursor !== undefined) this.#drawCursor(painter, series, model.cursor);
    if (model.runner) drawRunner(painter, model.runner);
  }

  #paintRoute(painter, model) {
    const { series } = model;
    const last = series.length - 1;
    const shown = Math.min(model.shown ?? last, last);
    const settled = Math.max(0, shown - (shown % freshRows) - freshRows);
    const { view, width, height, context } = painter;
    const look = this.#look(model, shown);
    const key = [...Object.values(view), settled, shown < last ? last : "", model.byPace,
      colors().card].join("/");
    this.picture.show(context, width, height, key, (inner) => {
      const still = { ...painter, context: inner };
      const casing = { classOf: () => 0, colorOf: () => colors().card, width: 8 };
      drawRoute(still, series, { ...casing, from: 0, to: shown < last ? last : settled });
      if (shown < last) {
        drawRoute(still, series,
          { from: settled, to: last, classOf: () => 0, colorOf: () => colors().line, width: 4 });
      }
      drawRoute(still, series, { ...look, from: 0, to: settled });
    });
    drawRoute(painter, series, { ...look, from: settled, to: shown });
    this.#drawStart(painter, series);
    for (const mark of markRows(series, model.units.meters)) {
      if (mark.index <= shown) this.#drawMark(painter, series, mark, model.units.meters);
    }
  }

  #drawStart({ context, place }, series) {
    const { x, y } = series.column;
    const first = x.subarray(0, series.length).findIndex((value) => !Number.isNaN(value));
    if (first < 0) return;
    const point = place(x[first], y[first]);
    dot(context, point, 6, colors().card, colors().ink, 2.5);
  }

  #drawMark({ context, place, pixels }, series, { index, number }, meters) {
    const { x, y } = series.column;
    if (Number.isNaN(x[index])) return;
    // Far out only every fifth or tenth, so that marks do not cover the route.
    const apart = pixels(meters, y[index]);
    const every = [1, 5, 10, 50].find((step) => apart * step >= 34) ?? 100;
    if (number % every !== 0) return;
    const point = place(x[index], y[index]);
    dot(context, point, 9, colors().card, colors().ink, 1.5);
    context.fillStyle = colors().ink;
    context.font = `600 10px ${colors().font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(number), point.x, point.y + 0.5);
  }

  #drawCursor({ context, place }, series, index) {
    const { x, y } = series.column;
    if (!Number.isNaN(x[index])) {
      dot(context, place(x[index], y[index]), 6, colors().ink, colors().card, 3);
    }
  }
}

export function dot(context, { x, y }, radius, fill, stroke, width) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = width;
  context.strokeStyle = stroke;
  context.stroke();
}

/** A dot that letters stand on; `shape` 1 is a square, for who has another's color. */
export function token(context, point, radius, fill, stroke, shape) {
  if (!shape) {
    dot(context, point, radius, fill, stroke, 2.5);
    return;
  }
  const side = radius * 1.8;
  context.beginPath();
  context.roundRect(point.x - side / 2, point.y - side / 2, side, side, 4);
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = 2.5;
  context.strokeStyle = stroke;
  context.stroke();
}

/** `{ x, y, accuracyMeters, course, live, color }`: hollow when the place is not of this moment. */
export function drawRunner({ context, place, pixels, view }, runner) {
  const point = place(runner.x, runner.y);
  const color = runner.color ?? colors().accent;
  const reach = pixels(runner.accuracyMeters ?? 0, runner.y);
  if (reach > 10) {
    context.beginPath();
    context.arc(point.x, point.y, reach, 0, 2 * Math.PI);
    context.globalAlpha = 0.14;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 0.5;
    context.lineWidth = 1;
    context.strokeStyle = color;
    context.stroke();
    context.globalAlpha = 1;
  }
  if (runner.live && Number.isFinite(runner.course)) {
    context.save();
    context.translate(point.x, point.y);
    context.rotate((runner.course * Math.PI) / 180 + view.rotation);
    context.beginPath();
    context.moveTo(0, -19);
    context.lineTo(8, -7);
    context.lineTo(-8, -7);
    context.fillStyle = color;
    context.fill();
    context.restore();
  }
  if (runner.live) dot(context, point, 9, color, colors().card, 3);
  else dot(context, point, 8, colors().card, color, 3);
}
