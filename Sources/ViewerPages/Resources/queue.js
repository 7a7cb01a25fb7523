// What was measured in one session, numbered, until the daemon has it on disk. Touches no page.
//
//   const queue = new FrameQueue(store, record);
//   queue.append(kinds.control, Date.now(), controlPayload("start"));
//
// A frame may be sent once the store says that it would survive a flat battery (`sendable`). Else a
// number could be given twice: a crash would forget a frame that the daemon has, and the next one
// under its number would be taken for the same.
//
// `store` is a FrameStore, or what behaves like one. `record` is the session as the store keeps it.

import { encodeFrame } from "./frames.js";

/** What a frame costs in the store beyond its bytes: key, index, entry of the log. */
export const frameOverheadBytes = 96;
/** Frames that are kept in memory as well, to be sent without being read back. */
const recentBytesMax = 1024 * 1024;
/** A store that refused is asked again after this. */
const retryMilliseconds = 1000;
/** After this many refusals frames are sent from memory: better than not at all. */
const refusalsMax = 3;
/** Acknowledged frames are deleted this often. */
const discardMilliseconds = 2000;

export const newRecord = ({ id, owner, milliseconds }) => ({
  id, owner, startedAt: milliseconds, state: "recording", next: 1, acked: 0, bytes: 0,
  lastAt: milliseconds, motionUntil: 0, run: undefined,
});

export class FrameQueue {
  /** Bytes by number: all that the store has not confirmed, and of the others the newest. */
  #recent = new Map();
  #recentBytes = 0;
  #sizes = new Map();
  #durable;
  #refusals = 0;
  #retryTimer;
  #discardTimer;

  /**
   * `changed` is called when more may be sent, or less is kept. `trouble(error)`: the store refuses;
   * `trouble()`: no longer. `taken()`: another tab gives the same numbers.
   */
  constructor(store, record, {
    changed = () => {}, trouble = () => {}, taken = () => {}, environment = globalThis } = {}) {
    this.store = store;
    this.record = record;
    this.changed = changed;
    this.trouble = trouble;
    this.taken = taken;
    this.environment = environment;
    this.#durable = record.next - 1;
  }

  /** The newest number that may be sent. */
  get sendable() {
    return this.#refusals >= refusalsMax ? this.record.next - 1 : this.#durable;
  }

  /** Whether the store refuses: frames then wait in memory. */
  get isRefused() {
    return this.#refusals > 0;
  }

  /** Numbers above `durable` that may have been sent all the same; 0: none. */
  get unstored() {
    return this.#refusals >= refusalsMax ? this.record.next - 1 : 0;
  }

  /** Bytes that are in memory only. */
  get unconfirmedBytes() {
    let bytes = 0;
    for (const [sequence, frame] of this.#recent) if (sequence > this.#durable) bytes += frame.length;
    return bytes;
  }

  get waitingFrames() {
    return this.record.next - 1 - this.record.acked;
  }

  get isDone() {
    return this.record.state === "ended" && this.waitingFrames <= 0;
  }

  /** Numbers a frame and hands it to the store within this call. Returns its number. */
  append(kind, milliseconds, payload) {
    const sequence = this.record.next;
    this.record.next += 1;
    this.record.lastAt = Math.max(this.record.lastAt, milliseconds);
    const bytes = encodeFrame(kind, sequence, milliseconds, payload);
    this.record.bytes += bytes.length + frameOverheadBytes;
    this.#recent.set(sequence, bytes);
    this.#recentBytes += bytes.length;
    this.#trim();
    if (!this.isRefused) this.#put([{ sequence, bytes }]);
    return sequence;
  }

  /** Keeps what changed in `record` besides frames. */
  save() {
    if (!this.isRefused) this.#put([]);
  }

  /** Frames after a number, in order, at most about `bytesMax`. */
  async read(after, bytesMax) {
    const frames = [];
    let bytes = 0;
    for (let next = after + 1; next <= this.sendable && bytes < bytesMax; next += 1) {
      const found = this.#recent.get(next);
      if (!found) break;
      frames.push({ sequence: next, bytes: found });
      bytes += found.length;
    }
    if (frames.length > 0 || after >= this.sendable) return frames;
    const stored = await this.store.read(this.record.id, after, bytesMax);
    for (const { sequence, bytes: { length } } of stored) this.#sizes.set(sequence, length);
    return stored.filter(({ sequence }) => sequence <= this.sendable);
  }

  /** The daemon has everything up to a number. */
  acknowledge(sequence) {
    const { record } = this;
    // A daemon that knows more than this page: after an erased store, or frames sent from memory.
    if (sequence >= record.next) this.#skip(sequence);
    if (sequence <= record.acked) return;
    const bytes = this.#bytesUpTo(sequence);
    record.acked = sequence;
    record.bytes = this.waitingFrames > 0 ? Math.max(0, record.bytes - bytes) : 0;
    this.#discardSoon();
    this.changed();
  }

  /** Ends the session: nothing is appended after it. */
  end() {
    this.record.state = "ended";
    this.save();
  }

  close() {
    this.environment.clearTimeout(this.#retryTimer);
    this.environment.clearTimeout(this.#discardTimer);
  }

  /** What the frames up to a number cost; those that were not seen count as the average. */
  #bytesUpTo(sequence) {
    const { record } = this;
    const average = record.bytes / Math.max(1, this.waitingFrames);
    let unseen = sequence - record.acked;
    let bytes = 0;
    for (const numbers of [this.#recent, this.#sizes]) {
      for (const [number, size] of numbers) {
        if (number > sequence) continue;
        unseen -= 1;
        bytes += (size.length ?? size) + frameOverheadBytes;
        this.#forget(number);
      }
    }
    return bytes + unseen * average;
  }

  #skip(sequence) {
    this.record.next = sequence + 1;
    this.#durable = Math.max(this.#durable, sequence);
  }

  #put(frames) {
    const newest = this.record.next - 1;
    this.store.put({ ...this.record }, frames).then(() => {
      // A frame that the store refused before must not be passed.
      if (!this.isRefused && newest > this.#durable) this.#durable = newest;
      this.#trim();
      this.changed();
    }, (error) => {
      // Of several that fail together the first counts.
      if (this.isRefused) return;
      if (error.name === "ConstraintError") this.taken(error);
      else this.#refuse(error);
    });
  }

  #refuse(error) {
    this.#refusals += 1;
    this.trouble(error);
    this.changed();
    this.environment.clearTimeout(this.#retryTimer);
    this.#retryTimer = this.environment.setTimeout(() => this.#retry(), retryMilliseconds);
  }

  #retry() {
    const newest = this.record.next - 1;
    const frames = [...this.#recent]
      .filter(([sequence]) => sequence > this.#durable && sequence <= newest)
      .map(([sequence, bytes]) => ({ sequence, bytes }));
    this.store.put({ ...this.record }, frames, true).then(() => {
      this.#refusals = 0;
      this.#durable = newest;
      // What was measured meanwhile was not handed over.
      const later = [...this.#recent].filter(([sequence]) => sequence > newest);
      if (later.length > 0) this.#put(later.map(([sequence, bytes]) => ({ sequence, bytes })));
      this.trouble(undefined);
      this.changed();
    }, (error) => this.#refuse(error));
  }

  #forget(sequence) {
    this.#recentBytes -= this.#recent.get(sequence)?.length ?? 0;
    this.#recent.delete(sequence);
    this.#sizes.delete(sequence);
  }

  #trim() {
    for (const sequence of this.#recent.keys()) {
      if (this.#recentBytes <= recentBytesMax || sequence > this.#durable) return;
      const { length } = this.#recent.get(sequence);
      this.#forget(sequence);
      this.#sizes.set(sequence, length);
    }
  }

  #discardSoon() {
    if (this.#discardTimer !== undefined) return;
    this.#discardTimer = this.environment.setTimeout(() => {
      this.#discardTimer = undefined;
      // What stays is sent again, and the daemon knows it: a failure costs nothing but room.
      this.store.discard(this.record.id, this.record.acked).catch(() => {});
    }, discardMilliseconds);
  }
}
