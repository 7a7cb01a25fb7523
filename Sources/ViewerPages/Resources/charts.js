// Which charts a run has, and the axis they share. Used by the live page and the report.

import { paceTicks } from "./chart.js";
import * as format from "./format.js";

/** `units()`: what the viewer has chosen by then. */
export function chartSpecs(t, units) {
  const perPace = (speed) => format.pace(1000 / speed, units());
  return [
    {
      key: "bpm", column: "bpm", label: t("heartRate"), color: "accent", byZone: true,
      leastSpan: 20, tick: format.integer, text: (bpm) => `${format.integer(bpm)} ${t("bpm")}`,
    },
    {
      key: "pace", column: "speed", label: t("pace"), color: "pace", leastSpan: 0.8, trim: 0.04,
      tick: perPace, ticks: (range) => paceTicks(range, units().meters),
      text: (speed) => `${perPace(speed)} ${units().pace}`,
    },
    {
      key: "cadence", column: "cadence", label: t("cadence"), color: "cadence", leastSpan: 20,
      trim: 0.01, tick: format.integer, text: (steps) => `${format.integer(steps)} ${t("spm")}`,
    },
    {
      key: "altitude", column: "altitude", label: t("elevation"), color: "earth", fill: true,
      leastSpan: 15, tick: (meters) => format.height(meters, units()),
      text: (meters) => `${format.height(meters, units())} ${units().height}`,
    },
  ];
}

/** What of a session is drawn: `axis` is time or distance. */
export function chartView(axis, { series, timeline, start, end, units, settings = "", shown }) {
  const common = { shown, settings: `${units.name},${settings}` };
  if (axis === "distance") {
    const meters = series.length ? series.column.distance[series.length - 1] : 0;
    return {
      ...common, axis, from: 0, to: meters, pauses: [],
      axisStep: (range, count) => format.niceStep(range / units.meters, count) * units.meters,
      axisText: (offset) => `${+(offset / units.meters).toFixed(2)} ${units.distance}`,
    };
  }
  return {
    ...common, axis: "time", from: start, to: Math.max(end, start + 60),
    pauses: timeline.pauses.map((pause) => [pause.from, pause.to ?? end]),
    axisStep: timeStep, axisText: format.duration,
  };
}

function timeStep(range, count) {
  const steps = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
  return steps.find((step) => range / step <= count) ?? 14400;
}

/** One row as a sentence, for those who hear the charts. */
export function describeRow(specs, series, index, start) {
  if (index < 0) return "";
  const row = (name) => series.column[name][index];
  const parts = specs.filter((spec) => !Number.isNaN(row(spec.column)))
    .map((spec) => `${spec.label} ${spec.text(row(spec.column))}`);
  return [format.duration(row("time") - start), ...parts].join(", ");
}
