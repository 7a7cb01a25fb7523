// A heart-rate strap over Web Bluetooth: the standard service 0x180D, with RR intervals.

import { retryDelay } from "./retry.js";

const service = "heart_rate";
const measurement = "heart_rate_measurement";
/** Some systems never answer a connection that a strap did not hear. */
const connectMilliseconds = 30000;

/**
 * A Heart Rate Measurement (0x2A37): beatsPerMinute, contact (undefined: the strap cannot tell),
 * intervals in 1/1024 s. Undefined for bytes that are none. Pure.
 */
export function parseHeartRate(view) {
  if (view.byteLength < 2) return undefined;
  const flags = view.getUint8(0);
  const isWide = (flags & 1) === 1;
  let at = isWide ? 3 : 2;
  if (view.byteLength < at) return undefined;
  const beatsPerMinute = isWide ? view.getUint16(1, true) : view.getUint8(1);
  if (flags & 8) at += 2;  // Energy that was spent since the strap was put on.
  const intervals = [];
  if (flags & 16) {
    for (; at + 2 <= view.byteLength; at += 2) intervals.push(view.getUint16(at, true));
  }
  return { beatsPerMinute, contact: flags & 4 ? (flags & 2) !== 0 : undefined, intervals };
}

/** Whether this browser can speak to a strap at all. */
export const speaksBluetooth = ({ navigator } = globalThis) =>
  typeof navigator?.bluetooth?.requestDevice === "function";

export class Strap {
  #device;
  #characteristic;
  #attempt;
  #retryTimer;
  #attempts = 0;
  #isWanted = false;
  #lost = () => this.#disconnected();
  #beat = (event) => {
    const reading = parseHeartRate(event.target.value);
    if (reading) this.onReading(reading, this.name, event.timeStamp);
  };

  /** `onReading(reading, name, timeStamp)`; `onState` gets off, connecting, connected or lost. */
  constructor({ onReading, onState = () => {}, environment = globalThis }) {
    this.onReading = onReading;
    this.onState = onState;
    this.environment = environment;
    this.state = "off";
  }

  get name() {
    return this.#device?.name || "heart-rate strap";
  }

  /** Lets the person choose one; only from a tap. False when nobody was chosen. */
  async choose() {
    const { bluetooth } = this.environment.navigator;
    let device;
    try {
      device = await bluetooth.requestDevice({ filters: [{ services: [service] }] });
    } catch (error) {
      if (error.name === "NotFoundError") return false;  // The chooser was closed.
      throw error;
    }
    this.#use(device);
    return true;
  }

  /** Goes on with a strap that was chosen before a reload, where the browser remembers it. */
  async remembered() {
    const devices = await this.environment.navigator?.bluetooth?.getDevices?.() ?? [];
    if (devices.length === 0) return false;
    this.#use(devices[0]);
    return true;
  }

  /** Goes on with the strap that was stopped; false where none was chosen. */
  resume() {
    if (this.#device && !this.#isWanted) this.#use(this.#device);
    return this.#device !== undefined;
  }

  stop() {
    this.#isWanted = false;
    this.environment.clearTimeout(this.#retryTimer);
    this.#characteristic?.removeEventListener("characteristicvaluechanged", this.#beat);
    this.#device?.removeEventListener("gattserverdisconnected", this.#lost);
    this.#device?.gatt.disconnect();
    this.#tell("off");
  }

  #use(device) {
    if (this.#isWanted) this.stop();
    this.#device = device;
    this.#isWanted = true;
    this.#attempts = 0;
    device.addEventListener("gattserverdisconnected", this.#lost);
    this.#connect();
  }

  async #connect() {
    this.environment.clearTimeout(this.#retryTimer);
    if (this.state !== "lost") this.#tell("connecting");
    const device = this.#device;
    const attempt = this.#attempt = {};
    // A connection that comes true after it was given up must not tell each beat twice.
    const isCurrent = () => this.#isWanted && attempt === this.#attempt;
    const patience = this.environment.setTimeout(() => {
      if (!isCurrent()) return;
      device.gatt.disconnect();
      this.#disconnected();
    }, connectMilliseconds);
    try {
      const server = await device.gatt.connect();
      const found = await server.getPrimaryService(service);
      const characteristic = await found.getCharacteristic(measurement);
      if (!isCurrent()) return;
      this.#characteristic?.removeEventListener("characteristicvaluechanged", this.#beat);
      this.#characteristic = characteristic;
      characteristic.addEventListener("characteristicvaluechanged", this.#beat);
      await characteristic.startNotifications();
      if (!isCurrent()) return;
      this.#attempts = 0;
      this.#tell("connected");
    } catch {
      if (isCurrent()) this.#disconnected();
    } finally {
      this.environment.clearTimeout(patience);
    }
  }

  /** Straps get lost under water and behind arms: it is called for as long as the run lasts. */
  #disconnected() {
    if (!this.#isWanted) return;
    this.#attempt = undefined;
    this.#tell("lost");
    this.environment.clearTimeout(this.#retryTimer);
    this.#retryTimer = this.environment.setTimeout(() => this.#connect(), retryDelay(this.#attempts++));
  }

  #tell(state) {
    if (state === this.state) return;
    this.state = state;
    this.onState(state);
  }
}
