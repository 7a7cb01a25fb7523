// The store of sessions and frames in the browser: IndexedDB.
//
// Each `put` is one transaction, handed to the browser's own process within the call and ended
// there. So what was put survives a tab that is killed. `durability: "strict"`: it is on the disk
// when the promise is fulfilled, and survives a flat battery.

const databaseName = "pulsecast-record";
const version = 1;
const readCountMax = 256;

export class FrameStore {
  #database;

  constructor({ indexedDB, IDBKeyRange } = globalThis) {
    this.indexedDB = indexedDB;
    this.range = IDBKeyRange;
  }

  async open() {
    this.#database = await new Promise((done, fail) => {
      const request = this.indexedDB.open(databaseName, version);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("sessions", { keyPath: "id" });
        request.result.createObjectStore("frames", { keyPath: ["session", "sequence"] });
      };
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
    // Another tab erases all: it must not wait for this one.
    this.#database.onversionchange = () => this.#database.close();
    // A browser may clear what a site keeps at any time; the next write opens it anew.
    this.#database.onclose = () => {
      this.#database = undefined;
    };
    return this;
  }

  /** Every session that is kept, oldest first. */
  async sessions() {
    const sessions = await this.#ask("sessions", (store) => store.getAll());
    return sessions.sort((left, right) => left.startedAt - right.startedAt);
  }

  /** Bytes and count of a session's frames. */
  async measure(id) {
    let [bytes, frames, after] = [0, 0, 0];
    for (;;) {
      const page = await this.read(id, after, Infinity);
      if (page.length === 0) return { bytes, frames, newest: after };
      for (const frame of page) bytes += frame.bytes.length;
      frames += page.length;
      after = page.at(-1).sequence;
    }
  }

  /** Frames after a number, in order. */
  async read(id, after, bytesMax) {
    const keys = this.range.bound([id, after], [id, Infinity], true, false);
    const frames = await this.#ask("frames", (store) => store.getAll(keys, readCountMax));
    let bytes = 0;
    const some = frames.findIndex((frame) => (bytes += frame.bytes.length) >= bytesMax);
    return some < 0 ? frames : frames.slice(0, some + 1);
  }

  /**
   * Keeps frames and what is known of their session. A number that is taken fails with a
   * ConstraintError: another tab numbers, too. `again`: some of the frames may be there already.
   */
  put(record, frames, again = false) {
    return this.#write((sessions, store) => {
      for (const { sequence, bytes } of frames) {
        store[again ? "put" : "add"]({ session: record.id, sequence, bytes });
      }
      sessions.put(record);
    }, "strict");
  }

  /** Deletes acknowledged frames. It writes nothing: a full disk would refuse that, and stay full. */
  discard(id, upTo) {
    return this.#write((sessions, store) => store.delete(this.range.bound([id, 0], [id, upTo])), "relaxed");
  }

  remove(id) {
    return this.#write((sessions, store) => {
      store.delete(this.range.bound([id, 0], [id, Infinity]));
      sessions.delete(id);
    }, "relaxed");
  }

  /** Deletes all that this store ever kept. */
  erase() {
    this.#database?.close();
    return new Promise((done, fail) => {
      const request = this.indexedDB.deleteDatabase(databaseName);
      request.onsuccess = () => done();
      request.onerror = () => fail(request.error);
    });
  }

  #write(change, durability) {
    if (!this.#database) return this.open().then(() => this.#write(change, durability));
    return new Promise((done, fail) => {
      const transaction = this.#database.transaction(["sessions", "frames"], "readwrite", { durability });
      transaction.oncomplete = () => done();
      transaction.onabort = () => fail(transaction.error ?? new Error("the store gave up"));
      change(transaction.objectStore("sessions"), transaction.objectStore("frames"));
      transaction.commit?.();
    });
  }

  #ask(name, question) {
    if (!this.#database) return this.open().then(() => this.#ask(name, question));
    return new Promise((done, fail) => {
      const request = question(this.#database.transaction(name).objectStore(name));
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  }
}
