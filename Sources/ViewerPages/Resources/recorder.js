// All that a page knows of one session: the newest state, the rows behind the charts and the
// route, pauses and marks. What was before comes from an overview; holes after a reconnect and after
// a rewind from history.

import { metrics } from "./metrics.js";
import { history, overview, runsOf } from "./past.js";
import { project } from "./projection.js";
import { rowOf, Series } from "./series.js";
import { isOtherSession, merge, mergePast, startTime, Timeline } from "./state.js";

/** A hole this long between history and what is live is worth asking again. */
const holeSeconds = 5;
/** A longer hole is not filled second by second, but with a new overview. */
const farSeconds = 900;
const fillAttempts = 3;

export class Recorder {
  #queue;
  #cursor;
  #past = {};

  /** `changed()` is called when rows came from history; `loading(bool)` around it; `isWanted()` says that
   * the past may still be asked for. */
  constructor(share, { changed = () => {}, loading = () => {}, load = history, loadOverview = overview, isWanted,
    pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)) } = {}) {
    this.share = share;
    this.changed = changed;
    this.loading = loading;
    this.load = load;
    this.loadOverview = loadOverview;
    this.isWanted = isWanted;
    this.pause = pause;
    this.series = new Series();
    this.timeline = new Timeline();
    /** What is shown: the newest state, or that of the rewind. */
    this.run = {};
    /** The newest state. */
    this.newest = {};
    this.replaying = false;
    /** Device time at which each value was last seen live. */
    this.seen = {};
  }

  /** Takes one message of the stream. Returns whether it is an event nobody has seen yet. */
  accept(message, { replay }) {
    this.replaying = replay;
    if (message.type === "gap") this.#cursor = message.cursor;
    if (replay) {
      this.run = mergePast(this.run, message);
      return false;
    }
    if (message.type === "event") return this.#event(message);
    const next = merge(this.newest, message);
    if (isOtherSession(this.newest, next)) this.#forget();
    this.newest = next;
    this.run = next;
    if (message.type === "snapshot") this.#fill();
    this.#record(message.cursor);
    return false;
  }

  /** Device time at which what is known of the session begins. */
  get start() {
    const first = startTime(this.newest);
    return this.series.length ? Math.min(this.series.firstTime, first ?? Infinity) : first;
  }

  get end() {
    return Math.max(this.newest.time ?? -Infinity, this.series.lastTime);
  }

  lastLive = (key) => this.seen[key];

  #event(message) {
    if (this.#queue) {
      this.#queue.push({ message });
      return false;
    }
    this.#cursor = message.cursor ?? this.#cursor;
    return this.timeline.add(message);
  }

  #record(cursor) {
    if (this.#queue) {
      this.#queue.push({ run: this.newest, cursor });
      return;
    }
    this.#cursor = cursor ?? this.#cursor;
    this.#append(this.newest);
  }

  #append(run, step) {
    this.#past = run;
    if (typeof run.time !== "number") return;
    // Without a state the daemon itself does not know yet: it is reading the session back.
    if (run.state && run.state !== "waiting") this.series.append({ ...rowOf(run, project), step });
    for (const [key, metric] of Object.entries(metrics)) {
      if (metric.sensor && metric.state(run) === "live") this.seen[key] = run.time;
    }
  }

  #forget() {
    this.series.clear();
    this.timeline.clear();
    this.seen = {};
    this.#cursor = undefined;
    this.#past = {};
  }

  /** Loads what happened after the last known cursor; what comes meanwhile waits its turn. */
  async #fill() {
    if (this.#queue) return;
    this.#queue = [];
    this.loading(true);
    try {
      if (this.#isFarBehind()) await this.#begin();
      for (let attempt = 0; attempt < fillAttempts; attempt += 1) {
        if (attempt > 0) await this.pause(attempt * 1500);
        for await (const items of this.load(this.share, { after: this.#cursor, isWanted: this.isWanted })) {
          for (const item of items) this.#appendPast(item);
          this.changed();
        }
        if (!this.#lagsBehind()) break;
      }
    } catch {
      // The page then goes on with what it has; the next snapshot tries again.
    }
    const waiting = this.#queue;
    this.#queue = undefined;
    for (const { message, run, cursor } of waiting) {
      this.#cursor = (message?.cursor ?? cursor) ?? this.#cursor;
      if (message) this.timeline.add(message);
      else this.#append(run);
    }
    this.loading(false);
    this.changed();
  }

  #isFarBehind() {
    return this.#cursor === undefined || this.newest.time - this.series.lastTime > farSeconds;
  }

  /** Begins with an overview. Where it had to leave out events, all of the history is read instead. */
  async #begin() {
    const past = await this.loadOverview(this.share, { isWanted: this.isWanted });
    if (!past?.cursor || past.eventsOmitted) return;
    this.#forget();
    this.#cursor = past.cursor;
    for (const run of runsOf(past)) this.#append(run, past.stepSeconds);
    for (const item of past.events) {
      if (item.type === "event") this.timeline.add(item);
    }
    // Its rows are of the session that history continues, whose values it does not know whole.
    this.#past = {};
    this.changed();
  }

  /** History comes from the disk, and may be some seconds behind what is live. */
  #lagsBehind() {
    const first = this.#queue.find(({ run }) => run)?.run;
    return first?.state === "live" && first.time - this.series.lastTime > holeSeconds;
  }

  #appendPast(item) {
    if (item.cursor) this.#cursor = item.cursor;
    if (item.type === "event") {
      this.timeline.add(item);
      return;
    }
    const next = mergePast(this.#past, item);
    if (isOtherSession(this.#past, next)) {
      // A share's history may hold several sessions; the newest is shown.
      this.series.clear();
      this.timeline.clear();
    }
    this.#append(next);
  }
}
