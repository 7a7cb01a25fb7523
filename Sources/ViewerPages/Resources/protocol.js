// The event protocol of a share, for any page: connects, reconnects, resumes, rewinds.
//
//   const stream = new ShareStream("ID", { onMessage: show, onStatus: say });
//   stream.start();
//
// `onMessage` gets each snapshot, update, event, gap and end as an object; after a reconnect
// nothing is missing. `onStatus` gets one of: connecting, open, catchingUp, reconnecting, offline,
// busy, gone. Nothing here touches the page; what a browser has can be replaced for tests.

import { busyDelay, retryDelay } from "./retry.js";
import { compareCursors } from "./state.js";

/** Close codes after which nobody may come back. */
export const finalCloseCodes = new Set([4003, 4004, 4009, 4010]);

/** A connection that never opened this often is tried as server-sent events instead. */
const webSocketFailuresMax = 2;
/** A live run sends something every second: after this silence the connection is taken for dead. */
const silenceMilliseconds = 12000;
/** The first message after a jump lies this near to where the jump went, seconds. */
const seekNearSeconds = 10;
/** After waking up, a socket that has been silent this long is replaced rather than believed. */
const wakeSilenceMilliseconds = 2500;

/** An answer that has not begun by then is asked for again; then twice as long, and so on. */
const answerMilliseconds = 1200;
const answerMillisecondsMax = 10000;
/** A browser's connections to one host. */
const connectionsMax = 6;

/**
 * Fetches what may be asked twice. After a change of network a browser may still hold connections
 * that nothing comes through. A request that is given up closes its connection. The second attempt
 * opens six requests, so at least one of them uses a new connection. `probe` is a cheaper address for
 * these six. What is not wanted any more is not asked again.
 */
export async function fetchAnew(address, fetch = globalThis.fetch, probe = address,
  isWanted = () => true) {
  for (let attempt = 0; ; attempt += 1) {
    const patience = answerMilliseconds * 2 ** attempt;
    try {
      if (attempt === 1) {
        const found = await fetchFirst(probe, connectionsMax, patience, fetch);
        if (probe === address) return found;
      }
      return await fetchFirst(address, 1, patience, fetch);
    } catch (error) {
      const gaveUp = error.name === "AbortError" && patience < answerMillisecondsMax;
      if (!gaveUp || !isWanted()) throw error;
    }
  }
}

/** The first answer to `count` requests; the others are given up, and all after `patience`. */
async function fetchFirst(address, count, patience, fetch) {
  const tries = Array.from({ length: count }, () => new AbortController());
  const giveUp = (but) => tries.filter((each) => each !== but).forEach((each) => each.abort());
  const timer = setTimeout(giveUp, patience);
  try {
    const [answer, first] = await Promise.any(tries.map(async (each) =>
      [await fetch(address, { cache: "no-store", signal: each.signal }), each]));
    giveUp(first);
    return answer;
  } catch (error) {
    // Of several that fail, one that was given up says that it is worth another attempt.
    throw error.errors?.find(({ name }) => name === "AbortError") ?? error.errors?.[0] ?? error;
  } finally {
    clearTimeout(timer);
  }
}

export class ShareStream {
  #socket;
  #source;
  #retryTimer;
  #watchdog;
  #stopListening = [];
  #attempts = 0;
  #connectedAt = 0;
  #webSocketFailures = 0;
  #everOpened = false;
  #state = "waiting";
  #awaited;
  #speed = 1;

  constructor(share, { onMessage, onStatus = () => {}, rate, environment = globalThis, base = "" }) {
    this.share = share;
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.rate = rate;
    this.environment = environment;
    this.base = base;
    /** The newest live cursor: where to go on. */
    this.cursor = undefined;
    /** Device time of the last message of a rewind; undefined while live. */
    this.replayTime = undefined;
    this.status = "connecting";
    this.lastMessageAt = undefined;
  }

  get path() {
    return `${this.base}/v1/shares/${encodeURIComponent(this.share)}`;
  }

  get canRewind() {
    return this.#source === undefined;
  }

  start() {
    this.#listenForWakeUp();
    this.#connect();
    this.#watchdog = this.environment.setInterval(() => this.#checkSilence(), 3000);
  }

  stop() {
    this.environment.clearInterval(this.#watchdog);
    this.environment.clearTimeout(this.#retryTimer);
    for (const stop of this.#stopListening) stop();
    this.#drop();
  }

  /** Plays the recording from device time `time`, so many times as fast as it was. */
  seek(time, speed = this.#speed) {
    this.replayTime = time;
    this.#awaited = (message) =>
      message.type === "snapshot" || Math.abs(message.time - time) < seekNearSeconds;
    const changed = speed !== this.#speed;
    this.#speed = speed;
    if (!this.#socketIsOpen()) {
      this.#connect();
      return;
    }
    if (changed) this.#socket.send(JSON.stringify({ speed }));
    this.#socket.send(JSON.stringify({ seek: time }));
  }

  pause(paused) {
    if (this.#socketIsOpen()) this.#socket.send(JSON.stringify({ pause: paused }));
  }

  /** Back to now; what came in between is on `/history` after `cursor`. */
  live() {
    this.replayTime = undefined;
    const { cursor } = this;
    this.#awaited = (message) =>
      message.type === "snapshot" || compareCursors(message.cursor, cursor) > 0;
    this.#speed = 1;
    if (this.#socketIsOpen()) this.#socket.send(JSON.stringify({ live: true }));
    else this.#connect();
  }

  #socketIsOpen() {
    return this.#socket?.readyState === 1;
  }

  #setStatus(status) {
    if (this.status === "gone") return;
    this.status = status;
    this.onStatus(status);
  }

  #drop() {
    // The old one's events may still come; they compare themselves with what is current.
    const [socket, source] = [this.#socket, this.#source];
    this.#socket = undefined;
    this.#source = undefined;
    socket?.close();
    source?.close();
  }

  #connect() {
    this.environment.clearTimeout(this.#retryTimer);
    this.#connectedAt = this.environment.performance.now();
    this.#drop();
    this.#setStatus(this.#everOpened ? "catchingUp" : "connecting");
    const useEvents = this.#webSocketFailures >= webSocketFailuresMax
      || typeof this.environment.WebSocket !== "function";
    if (useEvents && this.environment.EventSource) this.#openEvents();
    else this.#openSocket();
  }

  #openSocket() {
    const query = new URLSearchParams();
    if (this.replayTime !== undefined) {
      query.set("at", String(this.replayTime));
      query.set("speed", String(this.#speed));
    } else if (this.cursor) query.set("after", this.cursor);
    if (this.rate) query.set("rate", String(this.rate));
    const text = query.toString();
    const { location, WebSocket } = this.environment;
    const address = new URL(`${this.path}/live${text ? `?${text}` : ""}`, location?.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address.href);
    this.#socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.#webSocketFailures = 0;
    };
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#receive(event.data);
    };
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      if (!opened) this.#webSocketFailures += 1;
      this.#closed(event.code);
    };
  }

  #openEvents() {
    const after = this.cursor ? `?after=${encodeURIComponent(this.cursor)}` : "";
    const source = new this.environment.EventSource(`${this.path}/events${after}`);
    this.#source = source;
    const receive = (event) => {
      if (source === this.#source) this.#receive(event.data);
    };
    for (const type of ["message", "snapshot", "update", "event", "gap", "end"]) {
      source.addEventListener(type, receive);
    }
    // Its own way of reconnecting cannot tell a revoked share from a lost network; ours can.
    source.onerror = () => {
      if (source === this.#source) this.#closed(1006);
    };
  }

  #receive(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    this.lastMessageAt = this.environment.performance.now();
    this.#attempts = 0;
    // What was under way when the viewer jumped still comes; it is of the other time.
    if (this.#awaited && !this.#awaited(message)) return;
    this.#awaited = undefined;
    if (message.state) this.#state = message.state;
    if (this.replayTime !== undefined) {
      if (typeof message.time === "number") this.replayTime = message.time;
    } else if (message.cursor && compareCursors(message.cursor, this.cursor) > 0) {
      this.cursor = message.cursor;
    }
    if (message.type === "gap") this.cursor = message.cursor;
    this.onMessage(message, { replay: this.replayTime !== undefined, resumed: this.#everOpened });
    if (message.type === "snapshot" || this.status !== "open") {
      this.#everOpened = true;
      this.#setStatus("open");
    }
  }

  #closed(code) {
    this.#drop();
    if (finalCloseCodes.has(code)) {
      this.#setStatus("gone");
      this.stop();
      return;
    }
    this.#retry();
  }

  #retry(milliseconds = retryDelay(this.#attempts++)) {
    const offline = this.environment.navigator?.onLine === false;
    if (this.status !== "busy" || offline) this.#setStatus(offline ? "offline" : "reconnecting");
    this.environment.clearTimeout(this.#retryTimer);
    this.#retryTimer = this.environment.setTimeout(() => this.#askThenConnect(), milliseconds);
  }

  /** A browser does not tell a refused upgrade from a dead network; `/latest` does. */
  async #askThenConnect() {
    let answer;
    try {
      answer = await fetchAnew(`${this.path}/latest`, (...rest) => this.environment.fetch(...rest));
    } catch {
      this.#retry();
      return;
    }
    if (this.status === "gone" || this.#socket || this.#source) return;
    if (answer.status === 404 || answer.status === 410) {
      this.#setStatus("gone");
      this.stop();
    } else if (answer.status === 429) {
      this.#setStatus("busy");
      this.#retry(busyDelay(answer));
    } else if (!answer.ok) {
      this.#retry();
    } else this.#connect();
  }

  /** A phone that wakes up has a socket that looks open and is not. */
  #listenForWakeUp() {
    const { window, document } = this.environment;
    const wake = () => {
      if (this.status === "gone" || document?.visibilityState === "hidden") return;
      const silent = this.environment.performance.now() - (this.lastMessageAt ?? 0);
      const expected = this.#state === "live" && silent > wakeSilenceMilliseconds;
      const asleep = silent > silenceMilliseconds && this.replayTime === undefined;
      if (this.#socket || this.#source) {
        const answering = this.environment.performance.now() - this.#connectedAt < 4000;
        if (!answering && (expected || asleep)) this.#connect();
      } else {
        this.#attempts = 0;
        this.#retry(0);
      }
    };
    const listen = (target, name, action) => {
      target?.addEventListener(name, action);
      this.#stopListening.push(() => target?.removeEventListener(name, action));
    };
    for (const name of ["online", "pageshow", "focus"]) listen(window, name, wake);
    listen(document, "visibilitychange", wake);
    listen(window, "offline", () => this.#setStatus("offline"));
  }

  #checkSilence() {
    if (this.#state !== "live" || this.replayTime !== undefined || this.status !== "open") return;
    if (this.environment.performance.now() - this.lastMessageAt > silenceMilliseconds) {
      this.#closed(1006);
    }
  }
}
