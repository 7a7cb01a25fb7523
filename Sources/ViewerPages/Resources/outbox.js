// All that a browser keeps of a device's sessions, and its way to the daemon. Touches no page.
//
// The session under way has a connection of its own. Those that ended without a network follow, one
// after the other, oldest first; what the daemon has is deleted.

import { FrameQueue, newRecord } from "./queue.js";
import { Uplink } from "./uplink.js";

/** Of the room that the browser offers. It may be made up, to tell nobody how large the disk is. */
const quotaPart = 0.8;
const roomBytesMax = 1024 * 1024 * 1024;
/** What may wait in memory while the store refuses: hours of position and heart rate. */
const memoryBytesMax = 8 * 1024 * 1024;
/** Where a browser does not tell how much there is. */
const roomBytesUnknown = 50 * 1024 * 1024;

export class Outbox {
  #waiting = [];
  #refused = new Set();
  #older;

  /**
   * `onChange()`: something was kept, sent or acknowledged. `onMessage(message)`: of the daemon, to
   * the session under way. `onTaken()`: another tab numbers it, too. `unstored` keeps the number of
   * `FrameQueue.unstored` of a session: `{ read(id), write(id, number) }`.
   */
  constructor(store, { token, owner, onChange = () => {}, onMessage = () => {}, onTaken = () => {},
    environment = globalThis, unstored = { read: () => 0, write: () => {} } }) {
    Object.assign(this, { store, token, owner, onChange, onMessage, onTaken, environment, unstored });
    /** The session under way, and its connection. */
    this.queue = undefined;
    this.uplink = undefined;
    /** Sessions of other devices: only their own token opens the way. */
    this.foreign = [];
    /** Bytes that may be kept. */
    this.roomBytes = roomBytesUnknown;
    this.estimate = undefined;
    /** The store refuses, and why. */
    this.trouble = undefined;
  }

  /** Finds what is kept. Returns the session that was not ended, if there is one. */
  async open() {
    await this.measureRoom();
    const records = await this.store.sessions();
    this.foreign = records.filter(({ owner }) => owner !== this.owner);
    const own = records.filter(({ owner }) => owner === this.owner);
    const open = own.filter(({ state }) => state !== "ended");
    // Of several that were not ended only the newest can go on.
    for (const record of own) {
      if (record !== open.at(-1)) this.#waiting.push(this.#makeQueue({ ...record, state: "ended" }));
    }
    this.#sendOlder();
    return open.at(-1);
  }

  /** Begins a session, or goes on with one that `open` found. */
  begin(milliseconds, record) {
    const id = this.environment.crypto.randomUUID();
    const started = record ?? newRecord({ id, owner: this.owner, milliseconds });
    if (record) started.next = Math.max(started.next, this.unstored.read(record.id) + 1);
    this.queue = this.#makeQueue(started);
    this.uplink = this.#makeUplink(this.queue, this.onMessage);
    this.uplink.start();
    return this.queue;
  }

  /** The session under way has ended: what is left of it is sent as that of older ones. */
  finish() {
    const { queue, uplink } = this;
    if (!queue) return;
    uplink.stop();
    this.queue = undefined;
    this.uplink = undefined;
    this.#waiting.push(queue);
    this.#sendOlder();
  }

  get queues() {
    return this.queue ? [...this.#waiting, this.queue] : this.#waiting;
  }

  /** Frames that the daemon does not have, of all sessions of this device. */
  get waitingFrames() {
    return this.queues.reduce((sum, queue) => sum + Math.max(0, queue.waitingFrames), 0);
  }

  get bytes() {
    const kept = [...this.queues.map(({ record }) => record), ...this.foreign];
    return kept.reduce((sum, record) => sum + record.bytes, 0);
  }

  /** Which part of the room is taken; more than 0.9: only little may be added, 1: nothing. */
  get roomTaken() {
    const taken = this.bytes / this.roomBytes;
    if (!this.trouble) return taken;
    // What the store refuses waits in memory: little of it, and for a while only.
    return (this.queue?.unconfirmedBytes ?? 0) > memoryBytesMax ? 1 : Math.max(0.95, taken);
  }

  /** The connection of older sessions; undefined when there is nothing to send. */
  get olderUplink() {
    return this.#older;
  }

  async measureRoom() {
    try {
      const { quota, usage } = await this.environment.navigator.storage.estimate();
      this.estimate = { quota, usage };
      const free = Math.max(0, quota - usage) + this.bytes;
      this.roomBytes = Math.min(roomBytesMax, Math.max(1, free * quotaPart));
    } catch {
      // The browser does not tell.
    }
  }

  /** Sends as another token: a new one of the same device. */
  setToken(token) {
    this.token = token;
    this.#refused.clear();
    for (const uplink of [this.uplink, this.#older]) uplink?.again(token);
    this.#sendOlder();
  }

  /** Sessions that the daemon refused to take. */
  get refusedSessions() {
    return this.#refused.size;
  }

  close() {
    this.uplink?.stop();
    this.#older?.stop();
    for (const queue of this.queues) queue.close();
  }

  #makeQueue(record) {
    const queue = new FrameQueue(this.store, record, {
      environment: this.environment,
      changed: () => this.#changed(queue),
      taken: () => this.onTaken(),
      trouble: (error) => {
        this.trouble = error;
      },
    });
    return queue;
  }

  #makeUplink(queue, onMessage) {
    return new Uplink(queue, {
      token: this.token, environment: this.environment, onMessage,
      onStatus: ({ state }) => {
        // A session that the daemon refuses must not hold up the others.
        if (state === "refused" && this.#older?.queue === queue) this.#setAside(queue);
        this.onChange();
      },
    });
  }

  #setAside(queue) {
    this.#refused.add(queue);
    this.#older.stop();
    this.#older = undefined;
    this.#sendOlder();
  }

  #changed(queue) {
    if (queue.unstored > 0) this.unstored.write(queue.record.id, queue.unstored);
    const uplink = queue === this.queue ? this.uplink : this.#older?.queue === queue ? this.#older : undefined;
    uplink?.pump();
    if (queue.isDone && queue !== this.queue) this.#forget(queue);
    this.onChange();
  }

  #sendOlder() {
    if (this.#older) return;
    const next = this.#waiting.find((queue) => !this.#refused.has(queue));
    if (!next) return;
    if (next.isDone) {
      this.#forget(next);
      return;
    }
    this.#older = this.#makeUplink(next, () => {});
    this.#older.start();
  }

  #forget(queue) {
    const index = this.#waiting.indexOf(queue);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    queue.close();
    if (this.#older?.queue === queue) {
      this.#older.stop();
      this.#older = undefined;
    }
    // What stays in the store is found and deleted with the next start.
    this.store.remove(queue.record.id).catch(() => {});
    this.#sendOlder();
  }
}
