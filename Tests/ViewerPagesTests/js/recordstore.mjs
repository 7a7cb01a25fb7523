// A store of frames in memory, as FrameStore behaves: what was put is there when its promise is
// fulfilled, in order, and a killed tab keeps what was handed over.

export class MemoryStore {
  constructor() {
    this.sessions_ = new Map();
    this.frames = new Map();
    this.reads = 0;
    /** How many of the next puts fail, and with what. */
    this.failures = 0;
    this.error = Object.assign(new Error("no room"), { name: "QuotaExceededError" });
    /** Puts whose promise is not fulfilled yet. */
    this.held = undefined;
  }

  async sessions() {
    return [...this.sessions_.values()].map((each) => structuredClone(each));
  }

  async read(id, after, bytesMax) {
    this.reads += 1;
    const frames = [];
    let bytes = 0;
    for (const sequence of [...(this.frames.get(id)?.keys() ?? [])].sort((a, b) => a - b)) {
      if (sequence <= after || bytes >= bytesMax || frames.length >= 256) continue;
      const found = this.frames.get(id).get(sequence);
      frames.push({ sequence, bytes: found });
      bytes += found.length;
    }
    return frames;
  }

  put(record, frames, again = false) {
    if (this.failures > 0) {
      this.failures -= 1;
      return Promise.reject(this.error);
    }
    const kept = this.frames.get(record.id) ?? new Map();
    for (const { sequence, bytes } of frames) {
      if (kept.has(sequence) && !again) {
        return Promise.reject(Object.assign(new Error("taken"), { name: "ConstraintError" }));
      }
    }
    for (const { sequence, bytes } of frames) kept.set(sequence, bytes);
    this.frames.set(record.id, kept);
    this.sessions_.set(record.id, structuredClone(record));
    return this.held ? new Promise((done) => this.held.push(done)) : Promise.resolve();
  }

  async discard(id, upTo) {
    for (const sequence of [...this.frames.get(id).keys()]) {
      if (sequence <= upTo) this.frames.get(id).delete(sequence);
    }
  }

  async remove(id) {
    this.frames.delete(id);
    this.sessions_.delete(id);
  }
}

/** Timers that go off when the test says so. */
export class Timers {
  #waiting = [];
  now = 0;

  setTimeout = (action, milliseconds = 0) => {
    const timer = { action, due: this.now + milliseconds };
    this.#waiting.push(timer);
    return timer;
  };

  clearTimeout = (timer) => {
    this.#waiting = this.#waiting.filter((each) => each !== timer);
  };

  setInterval = (action, milliseconds) => {
    const timer = { action, due: this.now + milliseconds, every: milliseconds };
    this.#waiting.push(timer);
    return timer;
  };

  clearInterval = this.clearTimeout;

  /** Lets time pass; what is promised meanwhile is kept. */
  async pass(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      await settle();
      const due = this.#waiting.filter((each) => each.due <= end).sort((a, b) => a.due - b.due)[0];
      if (!due) break;
      this.now = Math.max(this.now, due.due);
      if (due.every) due.due += due.every;
      else this.clearTimeout(due);
      due.action();
    }
    this.now = end;
    await settle();
  }
}

export async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
