// The values a run has: how each is found in its state, written, and how far it can be trusted. Pure.

import * as format from "./format.js";

const session = (run) => run.state ?? "waiting";
const moving = (run) => (run.position?.state === "stale" && run.cadence?.state !== "live"
  ? "stale" : session(run));

/** What a sensor computed itself, of the first that is live, else of the first that has it. */
const sensorOf = (run, key) => {
  const all = (run.measured ?? []).filter((sensor) => sensor[key] !== undefined);
  return all.find((sensor) => sensor.state === "live") ?? all[0];
};
const nameOf = (sensor) => sensor?.source ?? sensor?.placement;
/** The sensor that stands in for the daemon's own value of that name. */
const standIn = (run, name) => nameOf(
  (run.measured ?? []).find((sensor) => sensor.standsIn?.includes(name)));
/** A value that only sensors have. `unit` is the same in all systems. */
const measured = (key, text, unit) => ({
  sensor: true, optional: true, value: (run) => sensorOf(run, key)?.[key], text,
  unit: () => unit, state: (run) => sensorOf(run, key)?.state ?? "waiting",
  age: (run) => sensorOf(run, key)?.ageSeconds, source: (run) => nameOf(sensorOf(run, key)),
});

/**
 * `sensor`: the value is of this moment; the others are sums and stay true when nothing comes.
 * `basic`: part of every share; the others come with the scope `metrics`. `optional`: shown only
 * where it is known. `source`: the sensor that computed it; undefined: the daemon.
 */
export const metrics = {
  heartRate: {
    basic: true, sensor: true, value: (run) => run.heartRate?.bpm, text: format.integer,
    unit: (units, t) => t("bpm"), state: (run) => run.heartRate?.state ?? "waiting",
    age: (run) => run.heartRate?.ageSeconds,
  },
  cadence: {
    sensor: true, value: (run) => run.cadence?.stepsPerMinute, text: format.integer,
    unit: (units, t) => t("spm"), state: (run) => run.cadence?.state ?? "waiting",
    source: (run) => run.cadence?.source,
  },
  pace: {
    sensor: true, value: (run) => run.paceSecondsPerKm, text: format.pace,
    unit: (units) => units.pace, state: moving,
    source: (run) => standIn(run, "speedMetersPerSecond"),
  },
  gradeAdjustedPace: {
    sensor: true, value: (run) => run.gradeAdjustedPaceSecondsPerKm, text: format.pace,
    unit: (units) => units.pace, state: moving,
  },
  distance: {
    value: (run) => run.distanceMeters, text: format.distance,
    unit: (units) => units.distance, state: session,
    source: (run) => standIn(run, "distanceMeters"),
  },
  movingTime: {
    basic: true, value: (run) => run.movingSeconds, text: format.duration, unit: () => "", state: session,
  },
  elapsedTime: {
    basic: true, value: (run) => run.elapsedSeconds, text: format.duration, unit: () => "", state: session,
  },
  climb: {
    value: (run) => run.elevationGainMeters, text: format.height,
    unit: (units) => units.height, state: session,
  },
  averageHeartRate: {
    basic: true, value: (run) => run.averageHeartRate, text: format.integer,
    unit: (units, t) => t("bpm"), state: session,
  },
  maxHeartRate: {
    basic: true, value: (run) => run.maxHeartRate, text: format.integer,
    unit: (units, t) => t("bpm"), state: session,
  },
  steps: {
    value: (run) => run.steps, text: format.integer, unit: () => "", state: session,
    source: (run) => standIn(run, "steps"),
  },
  power: { ...measured("powerWatts", format.integer, "W"), value: (run) => run.powerWatts },
  strideLength: measured("strideLengthMeters", format.hundredths, "m"),
  groundContact: measured("groundContactSeconds", format.thousandths, "ms"),
  verticalOscillation: measured("verticalOscillationMeters", format.centimeters, "cm"),
  pedalCadence: measured("revolutionsPerMinute", format.integer, "rpm"),
  inclination: measured("inclinationPercent", format.tenths, "%"),
  load: {
    value: (run) => run.trainingLoad?.hrTSS ?? run.trainingLoad?.trimp, text: format.integer,
    unit: () => "", state: session,
  },
};

/**
 * One value, ready to show.
 *
 * `link` says how the connection is: `{ lostSeconds }` since which nothing can have come, or
 * undefined; `lastLive(key)` gives the device time at which the value was last known to be live.
 */
export function present(key, run, { units, t, lostSeconds, sinceMessage = 0, lastLive }) {
  const metric = metrics[key];
  const value = metric.value(run);
  const known = typeof value === "number" && Number.isFinite(value);
  let state = known ? metric.state(run) : "waiting";
  let seconds;
  if (state === "stale") {
    const sent = metric.age?.(run);
    const seen = lastLive?.(key);
    const age = sent ?? (seen === undefined ? undefined : run.time - seen);
    // Where nobody knows since when, the page says only that it is old.
    seconds = age > 0 ? age + sinceMessage : undefined;
  }
  if (state === "live" && lostSeconds !== undefined) {
    state = "stale";
    seconds = (metric.age?.(run) ?? 0) + lostSeconds;
  }
  return {
    text: metric.text(value, units), unit: metric.unit(units, t), state, known,
    badge: badge(metric, state, seconds, t), isHidden: Boolean(metric.optional) && !known,
    source: known && state === "live" ? metric.source?.(run) : undefined,
  };
}

/** Whether a share that shows this run shows the values of the scope `metrics`. */
export function showsMetrics(run) {
  return run.distanceMeters !== undefined || run.steps !== undefined || run.cadence !== undefined
    || run.paceSecondsPerKm !== undefined;
}

/** The few words beside a value that is not live; "" beside one that is. */
function badge(metric, state, seconds, t) {
  if (!metric.sensor) return "";
  if (state === "stale") {
    return seconds === undefined ? t("stale") : t("staleFor", { age: format.age(seconds) });
  }
  if (state === "paused") return t("paused");
  return state === "ended" ? t("final") : "";
}
