// Rows of a session, one a second or thinned, kept as columns of numbers so that hours stay small. Pure.

/** `step`: seconds from a thinned row to the one before it, where there is no hole between them. */
export const columns = [
  "time", "bpm", "zone", "speed", "cadence", "altitude", "distance", "x", "y", "paused", "step",
];

/** A missing number is NaN, never 0. */
export class Series {
  constructor(capacity = 1024) {
    this.capacity = capacity;
    this.length = 0;
    this.column = {};
    for (const name of columns) this.column[name] = new Float64Array(capacity);
  }

  clear() {
    this.length = 0;
  }

  get lastTime() {
    return this.length ? this.column.time[this.length - 1] : -Infinity;
  }

  get firstTime() {
    return this.length ? this.column.time[0] : Infinity;
  }

  /** Rows come in order; one of the same whole second replaces the last, an earlier one is dropped. */
  append(row) {
    const second = Math.floor(row.time);
    if (this.length && second < Math.floor(this.lastTime)) return;
    const same = this.length && second === Math.floor(this.lastTime);
    const index = same ? this.length - 1 : this.length;
    if (index === this.capacity) this.#grow();
    for (const name of columns) this.column[name][index] = row[name] ?? NaN;
    // A distance holds until the next one, so that it can be searched.
    if (row.distance === undefined) {
      this.column.distance[index] = index > 0 ? this.column.distance[index - 1] : 0;
    }
    this.length = index + 1;
  }

  /** Whether row `index` comes so long after `time` that nothing is known of what lies between. */
  isAfterHole(index, time, breakSeconds) {
    return this.column.time[index] - time > breakSeconds + (this.column.step[index] || 0);
  }

  /** The last row at or before `time`; -1 before the first. */
  indexAt(time) {
    return this.indexBy("time", time);
  }

  /** The last row whose value in a rising column is at most `value`; -1 before the first. */
  indexBy(name, value) {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.column[name][middle] <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #grow() {
    this.capacity *= 2;
    for (const name of columns) {
      const wider = new Float64Array(this.capacity);
      wider.set(this.column[name]);
      this.column[name] = wider;
    }
  }
}

/** What of a run goes into a row. A value that is not live leaves a hole: no line is drawn there. */
export function rowOf(run, project) {
  const live = (part) => part && part.state !== "stale" && part.state !== "waiting";
  const heart = live(run.heartRate) ? run.heartRate : undefined;
  const cadence = live(run.cadence) ? run.cadence : undefined;
  const position = live(run.position) ? run.position : undefined;
  const paused = run.state === "paused" || run.autoPaused === true;
  const point = position ? project(position.latitude, position.longitude) : undefined;
  const fromPace = run.paceSecondsPerKm > 0 ? 1000 / run.paceSecondsPerKm : undefined;
  return {
    time: run.time,
    bpm: heart?.bpm,
    zone: heart?.zone,
    speed: paused ? undefined : fromPace ?? run.speedMetersPerSecond,
    cadence: paused ? undefined : cadence?.stepsPerMinute,
    altitude: position?.altitudeMeters,
    distance: run.distanceMeters,
    x: point?.x,
    y: point?.y,
    paused: paused ? 1 : 0,
  };
}

/** A run as one row knows it, for a moment of which no more is kept; undefined before the first. */
export function runOfRow(series, index) {
  if (!(index >= 0)) return undefined;
  const at = (name) => {
    const value = series.column[name][index];
    return Number.isNaN(value) ? undefined : value;
  };
  const part = (value, rest) => (value === undefined ? undefined : { ...rest, state: "live" });
  return {
    state: at("paused") ? "paused" : "live", time: at("time"),
    heartRate: part(at("bpm"), { bpm: at("bpm"), zone: at("zone") }),
    cadence: part(at("cadence"), { stepsPerMinute: at("cadence") }),
    paceSecondsPerKm: at("speed") ? 1000 / at("speed") : undefined, distanceMeters: at("distance"),
  };
}
