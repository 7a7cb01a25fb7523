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
  if (typeof run.time !== "number" || typeof run.elapsedSeconds !== "number") return undefined;
  return run.time - run.elapsedSeconds;
}

/**
 * Whether `next` belongs to a later session: its elapsed time began anew. Its time alone does not
 * tell, for a silent device's elapsed time stands still.
 */
export function isOtherSession(run, next) {
  return next.elapsedSeconds < run.elapsedSeconds - 5 && next.time >= run.time;
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
    const open = this.pauses.at(-1);
    if (message.event === "paused") {
      if (!open || open.to !== undefined) this.pauses.push({ from: time, to: undefined });
    } else if (message.event === "resumed") {
      if (open && open.to === undefined) open.to = time;
    } else if (["split", "lap", "marker", "alert"].includes(message.event)) {
      this.marks.push({ time: message.time, kind: message.event, message });
    }
    return true;
  }
}
