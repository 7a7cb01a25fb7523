// One session under way: what sensors and buttons say becomes numbered frames. Touches no page.
//
// Motion is gathered into batches. What is not yet a frame lies in `tail`, a text that a store keeps
// at once (localStorage): a tab that is killed loses not one sample.

import {
  controlPayload, heartRatePayload, kinds, locationPayload, markerPayload, sourcePayload, statusPayload,
} from "./frames.js";
import { MotionBatcher, motionReading, restoreBatch } from "./motion.js";
import { Tally } from "./tally.js";

/** From this part of the room on motion, which takes most of it, is no longer kept. */
const motionRoom = 0.9;

/** A text for one session in a store of texts; it may refuse, as in a private window. */
export function makeTail(storage, session, key = "pulsecast.record.tail") {
  const head = `${session}|`;
  return {
    read() {
      try {
        const text = storage.getItem(key) ?? "";
        return text.startsWith(head) ? text.slice(head.length) : "";
      } catch {
        return "";
      }
    },
    write(text) {
      try {
        storage.setItem(key, head + text);
      } catch {
        // Then a killed tab loses what is not a frame yet: half a second at most.
      }
    },
  };
}

export class Recording {
  #batcher = new MotionBatcher();
  #heartSource;
  #isMotionLeftOut = false;

  /**
   * `asApple`: how the browser counts acceleration. `room()`: which part of the room for frames is
   * taken, 0…1.
   */
  constructor(queue, { tail, asApple = false, room = () => 0 }) {
    this.queue = queue;
    this.tail = tail;
    this.asApple = asApple;
    this.room = room;
    this.tally = new Tally(queue.record.startedAt, queue.record.run);
    this.#restore();
  }

  /** What is not kept now: "", "motion" or "all". */
  get leftOut() {
    const taken = this.room();
    return taken >= 1 ? "all" : taken >= motionRoom ? "motion" : "";
  }

  get state() {
    if (this.queue.record.state === "ended") return "ended";
    return this.tally.isPaused ? "paused" : "recording";
  }

  start(milliseconds) {
    this.#control("start", milliseconds);
  }

  pause(milliseconds) {
    if (this.state !== "recording") return;
    this.tally.pause(milliseconds);
    this.#control("pause", milliseconds);
  }

  resume(milliseconds) {
    if (this.state !== "paused") return;
    this.tally.resume(milliseconds);
    this.#control("resume", milliseconds);
  }

  /** The lap that ended; undefined where there is none to end. */
  lap(milliseconds) {
    if (this.state !== "recording") return undefined;
    const lap = this.tally.lap(milliseconds);
    this.#control("lap", milliseconds);
    return lap;
  }

  stop(milliseconds) {
    if (this.state === "ended") return;
    this.tally.pause(milliseconds);
    this.#control("stop", milliseconds);
    this.queue.end();
  }

  /** The number of the call for help, to tell when the daemon has it. */
  sos(milliseconds) {
    return this.#control("sos", milliseconds);
  }

  cancelAlert(milliseconds) {
    this.#control("cancelAlert", milliseconds);
  }

  /** A heart rate as the strap tells it: beatsPerMinute, contact, intervals. */
  heartRate(reading, source, milliseconds) {
    const payload = heartRatePayload(reading);
    if (!payload) return;  // A strap without contact: the page says so.
    if (source && source !== this.#heartSource) {
      this.#heartSource = source;
      this.#append(kinds.source, milliseconds, sourcePayload(source));
    }
    this.tally.heartRate(reading.beatsPerMinute, milliseconds);
    this.#append(kinds.heartRate, milliseconds, payload);
  }

  fix(coordinates, milliseconds) {
    const payload = locationPayload(coordinates);
    if (!payload) return;
    this.tally.fix(coordinates, milliseconds);
    this.#append(kinds.location, milliseconds, payload);
  }

  battery(status, milliseconds) {
    this.#append(kinds.status, milliseconds, statusPayload(status));
  }

  /** Whether the event held a motion. */
  motion(event, milliseconds) {
    if (this.state === "ended") return false;
    const reading = motionReading(event, milliseconds, this.asApple);
    if (!reading) return false;
    if (!this.#hasRoom(motionRoom, "motion", milliseconds)) return true;
    for (const batch of this.#batcher.add(reading)) this.#appendBatch(batch);
    this.tail.write(this.#batcher.tail);
    return true;
  }

  /** Makes a frame of what is gathered: the page goes, or something else must keep its order. */
  flush() {
    const batch = this.#batcher.seal();
    if (!batch) return;
    this.#appendBatch(batch);
    this.tail.write("");
  }

  #control(action, milliseconds) {
    return this.#append(kinds.control, milliseconds, controlPayload(action), true);
  }

  #append(kind, milliseconds, payload, isCertain = false) {
    if (!payload || this.state === "ended") return undefined;
    this.flush();
    if (!isCertain && !this.#hasRoom(1, "all", milliseconds)) return undefined;
    this.queue.record.run = this.tally.state;
    return this.queue.append(kind, milliseconds, payload);
  }

  #appendBatch({ milliseconds, endMilliseconds, payload }) {
    this.queue.record.motionUntil = endMilliseconds;
    this.queue.record.run = this.tally.state;
    this.queue.append(kinds.motion, milliseconds, payload);
  }

  /** Whether there is room; the first refusal is recorded as a marker, so that nobody wonders. */
  #hasRoom(part, what, milliseconds) {
    if (this.room() < part) {
      if (what === "motion") this.#isMotionLeftOut = false;
      return true;
    }
    if (what === "motion" && !this.#isMotionLeftOut) {
      this.#isMotionLeftOut = true;
      this.flush();
      this.queue.append(kinds.marker, milliseconds, markerPayload("storage full: motion is not recorded"));
    }
    return false;
  }

  /** Motion of a page that was killed before its batch was full. */
  #restore() {
    const batch = restoreBatch(this.tail.read());
    // The tail may be older than the store: a batch that it has was sealed after that.
    if (batch && batch.milliseconds > this.queue.record.motionUntil) this.#appendBatch(batch);
    this.tail.write("");
  }
}
