// What happened before a page was opened, or while it was away: an overview, thinned to what a screen
// can show, and the history.

import { fetchAnew } from "./protocol.js";
import { busyDelay } from "./retry.js";

/** A daemon that has too much to read says when to come back; after this many times it is left alone. */
const busyAnswersMax = 5;
/** Where it does not say. */
const busyMilliseconds = 2000;
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** What is at an address, as soon as the daemon is not too busy; `probe` as for `fetchAnew`. */
async function ask(address, probe, { fetch = globalThis.fetch, pause = sleep, isWanted } = {}) {
  for (let busyAnswers = 0; ; busyAnswers += 1) {
    const answer = await fetchAnew(address, fetch, probe, isWanted);
    if ([429, 503].includes(answer.status) && busyAnswers < busyAnswersMax) {
      await pause(busyDelay(answer) ?? busyMilliseconds);
      continue;
    }
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer.json();
  }
}

/** All of a share's history after a cursor, oldest first, page by page, for as long as it is wanted. */
export async function* history(share, { after, base = "", limit = 1000, ...rest } = {}) {
  const path = `${base}/v1/shares/${encodeURIComponent(share)}`;
  let cursor = after;
  for (;;) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (cursor) query.set("after", cursor);
    const page = await ask(`${path}/history?${query}`, `${path}/latest`, rest);
    yield page.items;
    if (!page.more || !page.nextCursor || page.nextCursor === cursor) return;
    cursor = page.nextCursor;
  }
}

/** More points than this are less than a pixel apart, on any screen. */
export const pointsMax = 1024;

/** A session's overview; `runner` names one of a group, `columns` what is wanted of it. Fails where the
 * daemon refuses. */
export async function overview(share, { runner, columns, points = pointsMax, base = "", ...rest } = {}) {
  const path = `${base}/v1/shares/${encodeURIComponent(share)}`;
  const query = new URLSearchParams({ points: String(points) });
  if (columns !== undefined) query.set("columns", columns.join(","));
  if (runner !== undefined) query.set("runner", runner);
  // A group's latest values are many, and a probe need not be of the share.
  return ask(`${path}/overview?${query}`, `${base}/manifest.webmanifest`, rest);
}

/** The states of a run that an overview knows, oldest first. Pure. */
export function* runsOf({ start, points }) {
  const part = (value, rest) => (value === undefined ? undefined : { ...rest, state: "live" });
  for (let index = 0; index < points.seconds.length; index += 1) {
    const at = (name) => points[name]?.[index] ?? undefined;
    const [latitude, longitude] = [at("latitude"), at("longitude")];
    yield {
      time: start + points.seconds[index], state: at("paused") ? "paused" : "live",
      heartRate: part(at("bpm"), { bpm: at("bpm"), zone: at("zone") }),
      cadence: part(at("stepsPerMinute"), { stepsPerMinute: at("stepsPerMinute") }),
      position: part(latitude, { latitude, longitude, altitudeMeters: at("altitudeMeters") }),
      distanceMeters: at("distanceMeters"), paceSecondsPerKm: at("paceSecondsPerKm"),
      speedMetersPerSecond: at("speedMetersPerSecond"),
    };
  }
}

/** Overviews that are asked for at a time; a browser has few connections. */
const loadersMax = 4;
/** What a board and a map of several runners show. */
const groupColumns = ["bpm", "zone", "distanceMeters", "paceSecondsPerKm", "latitude", "longitude", "paused"];
/** Runners whose past is shown at a time. */
const changedEvery = 10;

/**
 * Loads the overviews of a group's runners, a few at a time. An entry is `{ key, series, waiting }`;
 * while its past is loaded, `waiting` takes what is live.
 */
export class PastLoader {
  #behind = [];
  #loaders = 0;

  /** `append(entry, run, step)` adds a row; `points()` says how many a route may have; `changed()` is
   * called when a runner's past is there; `isWanted()` says whether the past is still wanted. */
  constructor(share, { append, points, changed, isWanted, load = overview }) {
    Object.assign(this, { share, append, points, changed, isWanted, load });
  }

  get isLoading() {
    return this.#loaders > 0;
  }

  add(entry) {
    if (entry.waiting) return;
    entry.waiting = [];
    this.#behind.push(entry);
    if (this.#loaders < loadersMax) this.#loadNext();
  }

  async #loadNext() {
    this.#loaders += 1;
    for (let entry = this.#behind.shift(); entry; entry = this.#behind.shift()) {
      try {
        const past = await this.load(this.share,
          { runner: entry.key, columns: groupColumns, points: this.points(), isWanted: this.isWanted });
        entry.series.clear();
        for (const run of runsOf(past)) this.append(entry, run, past.stepSeconds);
      } catch {
        // The runner's route then begins with what comes now.
      }
      for (const run of entry.waiting) this.append(entry, run);
      entry.waiting = undefined;
      // To draw a map of many routes takes longer than to load one of them.
      if (this.#behind.length % changedEvery === 0) this.changed();
    }
    this.#loaders -= 1;
    this.changed();
  }
}
