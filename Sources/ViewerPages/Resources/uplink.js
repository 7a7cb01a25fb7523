// The connection of a device to the daemon: sends what a queue may send, resends what was not
// acknowledged, comes back after a loss. Touches no page; what a browser has can be replaced.
//
// `onStatus` gets `{ state, code, seconds }`, state being one of: connecting, open, waiting (comes
// back in so many seconds), offline, refused (by a close code after which nobody may come back).
// `onMessage` gets commands, cheers and errors.

import { decodeMessages, encodeHello, kinds } from "./frames.js";
import { retryDelay } from "./retry.js";

/** Close codes after which a device may not come back by itself; see Protocol.md. */
export const finalDeviceCodes = new Set([4000, 4001, 4003, 4004, 4009, 4010, 4013]);

/** Sent and not acknowledged: more would only wait in buffers, and be sent twice after a loss. */
const inFlightBytesMax = 256 * 1024;
/** What the browser itself holds back. */
const bufferedBytesMax = 64 * 1024;
const messageBytesMax = 32 * 1024;
/** While frames wait for an answer, a connection that says nothing for this long is dead. */
const silenceMilliseconds = 20000;
/** The same after the network changed, or the page was not seen. */
const suspectMilliseconds = 5000;
/** A connection that has not been welcomed by then is given up. */
const welcomeMilliseconds = 15000;
const watchMilliseconds = 2000;
const drainMilliseconds = 100;

export class Uplink {
  #socket;
  #sent = 0;
  #inFlight = [];
  #inFlightBytes = 0;
  #isPumping = false;
  #isDue = false;
  #attempts = 0;
  #retryTimer;
  #watchTimer;
  #heardAt = 0;
  #buffered = 0;
  #isSuspect = false;
  #stopListening = () => {};
  #isStopped = true;

  constructor(queue, { token, onStatus = () => {}, onMessage = () => {}, environment = globalThis }) {
    this.queue = queue;
    this.token = token;
    this.onStatus = onStatus;
    this.onMessage = onMessage;
    this.environment = environment;
    this.status = { state: "connecting" };
    /** The daemon's clock less this one's, seconds; undefined before the first welcome. */
    this.clockOffset = undefined;
    /** Frames that the daemon refused. */
    this.refusedFrames = 0;
  }

  start() {
    this.#isStopped = false;
    const { window } = this.environment;
    const wake = () => this.wake();
    for (const name of ["online", "pageshow", "focus"]) window?.addEventListener(name, wake);
    this.#stopListening = () => {
      for (const name of ["online", "pageshow", "focus"]) window?.removeEventListener(name, wake);
    };
    this.#watchTimer = this.environment.setInterval(() => this.#watch(), watchMilliseconds);
    this.#connect();
  }

  stop() {
    this.#isStopped = true;
    this.#stopListening();
    this.environment.clearInterval(this.#watchTimer);
    this.environment.clearTimeout(this.#retryTimer);
    this.#drop();
  }

  /** Something changed in the world: tries at once, or doubts the connection that there is. */
  wake() {
    if (this.#isStopped || this.status.state === "refused") return;
    this.#isSuspect = true;
    if (this.#socket) return;
    this.#attempts = 0;
    this.#connect();
  }

  /** Sends again after a refusal, as the person wants. */
  again(token = this.token) {
    this.token = token;
    this.#attempts = 0;
    this.#connect();
  }

  /** More may be sent. */
  async pump() {
    this.#isDue = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#isDue) {
        this.#isDue = false;
        while (await this.#sendSome()) ;
      }
    } catch {
      // The store could not be read. What it keeps is not lost; it is asked again.
      this.environment.setTimeout(() => this.pump(), watchMilliseconds);
    } finally {
      this.#isPumping = false;
    }
  }

  #connect() {
    this.environment.clearTimeout(this.#retryTimer);
    this.#drop();
    this.#tell({ state: "connecting" });
    const { location, WebSocket } = this.environment;
    const address = new URL("/v1/device", location?.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address.href, "pulsecast.device.v1");
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#heardAt = this.environment.performance.now();
    this.#isSuspect = false;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      socket.send(encodeHello({
        token: this.token, session: this.queue.record.id, milliseconds: this.environment.Date.now() }));
    };
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#receive(data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.#socket) this.#closed(code);
    };
  }

  #drop() {
    // The old one's events may still come; they compare themselves with what is current.
    const socket = this.#socket;
    this.#socket = undefined;
    this.#inFlight = [];
    this.#inFlightBytes = 0;
    socket?.close();
  }

  #receive(data) {
    this.#heardAt = this.environment.performance.now();
    this.#isSuspect = false;
    for (const { kind, sequence, content } of decodeMessages(data)) {
      if (kind === kinds.welcome && content) this.#welcomed(content);
      else if (kind === kinds.ack) this.#acknowledged(sequence);
      else if (kind === kinds.error) this.#complained(content ?? {});
      else if (kind === kinds.command && content) this.onMessage(content);
    }
  }

  #welcomed({ acked, serverTime }) {
    this.#attempts = 0;
    this.clockOffset = serverTime - this.environment.Date.now() / 1000;
    this.#sent = acked;
    this.queue.acknowledge(acked);
    this.#tell({ state: "open" });
    this.pump();
  }

  #acknowledged(sequence) {
    while (this.#inFlight.length > 0 && this.#inFlight[0].sequence <= sequence) {
      this.#inFlightBytes -= this.#inFlight.shift().length;
    }
    this.queue.acknowledge(sequence);
    this.pump();
  }

  /** A refused frame is lost, and the person is told; a refusal of the session ends in a close. */
  #complained({ code, reason }) {
    if (code === 4000 && this.status.state === "open") this.refusedFrames += 1;
    this.onMessage({ type: "error", code, reason });
  }

  /** Whether to go on at once. */
  async #sendSome() {
    const socket = this.#socket;
    if (!socket || socket.readyState !== 1 || this.#sent >= this.queue.sendable) return false;
    if (this.#inFlightBytes >= inFlightBytesMax) return false;  // An ack goes on.
    if (socket.bufferedAmount >= bufferedBytesMax) {
      await new Promise((done) => this.environment.setTimeout(done, drainMilliseconds));
      return true;
    }
    const frames = await this.queue.read(this.#sent, messageBytesMax);
    if (socket !== this.#socket || socket.readyState !== 1 || frames.length === 0) return false;
    const message = new Uint8Array(frames.reduce((sum, { bytes }) => sum + bytes.length, 0));
    let at = 0;
    for (const { sequence, bytes } of frames) {
      message.set(bytes, at);
      at += bytes.length;
      this.#inFlight.push({ sequence, length: bytes.length });
    }
    this.#inFlightBytes += at;
    this.#sent = frames.at(-1).sequence;
    socket.send(message);
    return true;
  }

  #closed(code) {
    this.#drop();
    if (this.#isStopped) return;
    if (finalDeviceCodes.has(code)) {
      this.#tell({ state: "refused", code });
      return;
    }
    const isOffline = this.environment.navigator?.onLine === false;
    const milliseconds = retryDelay(this.#attempts);
    this.#attempts += 1;
    this.#tell({ state: isOffline ? "offline" : "waiting", code, seconds: milliseconds / 1000 });
    this.environment.clearTimeout(this.#retryTimer);
    this.#retryTimer = this.environment.setTimeout(() => this.#connect(), milliseconds);
  }

  /** A phone that changed its network has a socket that looks open and is not. */
  #watch() {
    if (!this.#socket) return;
    const now = this.environment.performance.now();
    // A slow network takes long until the first ack; it lives while bytes leave the browser.
    if (this.#socket.bufferedAmount < this.#buffered) this.#heardAt = now;
    this.#buffered = this.#socket.bufferedAmount;
    const silent = now - this.#heardAt;
    const patience = this.#isSuspect ? suspectMilliseconds : silenceMilliseconds;
    const isDead = this.status.state === "open"
      ? this.#inFlight.length > 0 && silent > patience
      : silent > welcomeMilliseconds;
    if (isDead) this.#closed(1006);
  }

  #tell(status) {
    this.status = status;
    this.onStatus(status);
  }
}
