// What a viewer knows of a run: snapshots replace it, updates are laid over it. Pure.

const headerKeys = new Set(["type", "cursor", "initial", "event"]);

/** Cursors are `e<epoch>-<offset>`; negative when `left` is the earlier one. */
export function compareCursors(left, right) {
  const parse = (cursor) => /^e(\d+)-(\d+)$/.exec(cursor ?? "")?.slice(1).map(Number) ?? [-1, -1];
  const [leftEpoch, leftOffset] = parse(left);
  const [rightEpoch, rightOffset] = parse(right);
  return leftEpoch - rightEpoch || leftOffset - rightOffset;
}

/** The run after one more message. Nested objects come whole; `null` takes a value away. */
export function merge(run, message) {
  const next = message.type === "snapshot" ? {} : { ...run };
  for (const [key, value] of Object.entries(message)) {
    if (headerKeys.has(key)) continue;
    if (value === null) delete next[key];
    else next[key] = value;
  }
  if (message.type === "end") next.state = "ended";
  return next;
}

/** Device time at which the session began, as far as one message tells. */
export function startTime(run) {
  if (run.startedAt !== undefined) return run.startedAt;
  if (typeof run.time !== "number" || typeof run.elapsedSeconds !== "number") return undefined;
  return run.time - run.elapsedSeconds;
}

/**
 * Whether `next` belongs to another session: another start, or an elapsed time that began anew.
 * The time alone does not tell, for a silent device's elapsed time stands still.
 */
export function isOtherSession(run, next) {
  if (run.startedAt !== undefined && next.startedAt !== undefined) {
    return run.startedAt !== next.startedAt;
  }
  return next.elapsedSeconds < run.elapsedSeconds - 5 && next.time >= run.time;
}

/**
 * The run after one more item of history or of a rewind. Such items may be whole: what they do
 * not name is unknown then, but for the splits, which come as events.
 */
export function mergePast(run, item) {
  if (item.type === "event") {
    return item.event === "split" ? { ...run, splits: withSplit(run.splits ?? [], item) } : run;
  }
  const whole = item.type === "snapshot" || ("state" in item && "elapsedSeconds" in item);
  return merge(whole && run.splits ? { splits: run.splits } : whole ? {} : run,
    whole && item.type === "snapshot" ? item : { ...item, type: "update" });
}

function withSplit(splits, { km, mile, seconds, averageHeartRate, elevationMeters }) {
  const split = { km, mile, seconds, averageHeartRate, elevationMeters };
  const others = splits.filter((each) => each.km !== km || each.mile !== mile);
  return [...others, split].sort((a, b) => (a.km ?? a.mile) - (b.km ?? b.mile));
}

/** Pauses, splits and markers in the order of time, from the events of a session. */
export class Timeline {
  constructor() {
    this.clear();
  }

  clear() {
    this.pauses = [];
    this.marks = [];
    this.cursors = new Set();
  }

  /** Returns whether the event was new: after a reconnect some come twice. */
  add(message) {
    if (message.cursor) {
      const key = `${message.cursor}/${message.event}`;
      if (this.cursors.has(key)) return false;
      this.cursors.add(key);
    }
    const time = message.since ?? message.time;
    if (message.corrected) return this.#correct(message, time);
    const open = this.pauses.at(-1);
    if (message.event === "paused") {
      if (!open || open.to !== undefined) this.pauses.push({ from: time, to: undefined });
    } else if (message.event === "resumed") {
      if (open && open.to === undefined) open.to = time;
    } else if (["split", "lap", "intervalEnded", "checkpointReached", "marker", "alert"].includes(message.event)) {
      this.marks.push({ time: message.time, kind: message.event, message });
    }
    return true;
  }

  /** Something said earlier was wrong: a pause moves; a split is already where it was. */
  #correct(message, time) {
    const end = message.event === "resumed" ? "to" : "from";
    const pause = this.pauses.find((each) => each[end] === message.shownSince);
    if (pause && message.event !== "split") pause[end] = time;
    return false;
  }
}
