// Motion: what a browser measures, in the units and axes of the protocol, gathered into batches.
//
// Pure, but for `watchMotion`. Axes are the phone's: x to its right, y to its top, z out of the
// screen. Rotation is counted the same way everywhere. Acceleration is not: the protocol counts as
// Apple does, where a phone that lies on its back feels z = -1 g. The W3C's specification, which
// all other browsers follow, has +9.8 m/s² there.

import { accelerationStep, motionPayload, motionSamplesMax, rotationStep } from "./frames.js";

/** A batch is sealed after this, so that viewers see a new gait soon. */
const batchMilliseconds = 500;
/** Samples further apart than this are no batch. */
const gapMilliseconds = 250;
/** Even spacing may move a sample by this: half the time between two at 60 Hz. */
const shiftMilliseconds = 8;

/** Whether the browser counts acceleration as Apple does. */
export function countsAsApple({ vendor = "", DeviceMotionEvent } = {}) {
  return /^Apple/.test(vendor) && typeof DeviceMotionEvent?.requestPermission === "function";
}

const isWhole = (axes, names) =>
  axes !== null && axes !== undefined && names.every((name) => Number.isFinite(axes[name]));

/**
 * A DeviceMotionEvent as integers of the wire; undefined for one without acceleration, as a device
 * without the sensor sends it.
 */
export function motionReading(event, milliseconds, asApple) {
  const withGravity = isWhole(event.accelerationIncludingGravity, ["x", "y", "z"]);
  const felt = withGravity ? event.accelerationIncludingGravity : event.acceleration;
  if (!withGravity && !isWhole(felt, ["x", "y", "z"])) return undefined;
  const sign = asApple ? 1 : -1;
  const axes = [
    accelerationStep(sign * felt.x), accelerationStep(sign * felt.y), accelerationStep(sign * felt.z)];
  const rate = event.rotationRate;
  const hasRotation = isWhole(rate, ["alpha", "beta", "gamma"]);
  if (hasRotation) axes.push(rotationStep(rate.alpha), rotationStep(rate.beta), rotationStep(rate.gamma));
  return { milliseconds, axes, hasRotation, includesGravity: withGravity };
}

/** Gathers readings into frames whose samples are evenly spaced. */
export class MotionBatcher {
  #readings = [];
  #tail = "";

  get isEmpty() {
    return this.#readings.length === 0;
  }

  /** What is not sealed yet, for a store that keeps texts; `restore` reads it. */
  get tail() {
    return this.#tail;
  }

  /** Takes a reading; returns the batches that it completes, each `{ milliseconds, payload }`. */
  add(reading) {
    const sealed = this.#readings.length > 0 && !this.#fits(reading) ? [this.seal()] : [];
    this.#readings.push(reading);
    this.#tail = this.#readings.length === 1 ? tailHead(reading) : this.#tail;
    this.#tail += tailSample(reading, this.#readings[0].milliseconds);
    const { length } = this.#readings;
    const spacing = length > 1 ? this.#span(reading) / (length - 1) : 0;
    if (length >= motionSamplesMax || this.#span(reading) + spacing > batchMilliseconds) {
      sealed.push(this.seal());
    }
    return sealed;
  }

  /** The batch so far; undefined without one. */
  seal() {
    const readings = this.#readings;
    if (readings.length === 0) return undefined;
    this.#readings = [];
    this.#tail = "";
    const first = readings[0];
    const payload = motionPayload({
      axes: readings.flatMap((each) => each.axes), count: readings.length,
      hasRotation: first.hasRotation, includesGravity: first.includesGravity,
      intervalMicroseconds: Math.round(spacingOf(readings) * 1000),
    });
    return { milliseconds: first.milliseconds, endMilliseconds: readings.at(-1).milliseconds, payload };
  }

  #span(reading) {
    return reading.milliseconds - this.#readings[0].milliseconds;
  }

  #fits(reading) {
    const first = this.#readings[0];
    const last = this.#readings.at(-1);
    const gap = reading.milliseconds - last.milliseconds;
    if (gap <= 0 || gap > gapMilliseconds) return false;
    if (reading.hasRotation !== first.hasRotation) return false;
    if (reading.includesGravity !== first.includesGravity) return false;
    const spacing = this.#span(reading) / this.#readings.length;
    return this.#readings.every((each, index) =>
      Math.abs(each.milliseconds - first.milliseconds - index * spacing) <= shiftMilliseconds);
  }
}

function spacingOf(readings) {
  if (readings.length < 2) return 0;
  return (readings.at(-1).milliseconds - readings[0].milliseconds) / (readings.length - 1);
}

// The tail is `time,traits;` and then each sample as characters of 0…255: its time after the first
// in units of 10 µs and its axes, 16 bits each, high byte first.

const tailUnits = 100;

const tailHead = ({ milliseconds, hasRotation, includesGravity }) =>
  `${milliseconds},${(hasRotation ? 1 : 0) | (includesGravity ? 2 : 0)};`;

function tailSample({ milliseconds, axes }, first) {
  let text = "";
  for (const value of [Math.round((milliseconds - first) * tailUnits), ...axes]) {
    text += String.fromCharCode((value >> 8) & 255, value & 255);
  }
  return text;
}

/** The batch in a tail, as `seal` gives it; undefined for a text that is none. */
export function restoreBatch(tail) {
  const head = /^([\d.]+),([0-3]);/.exec(tail ?? "");
  if (!head) return undefined;
  const traits = Number(head[2]);
  const width = traits & 1 ? 7 : 4;
  const batcher = new MotionBatcher();
  const word = (index) => (tail.charCodeAt(index) << 8) | tail.charCodeAt(index + 1);
  for (let at = head[0].length; at + 2 * width <= tail.length; at += 2 * width) {
    const axes = Array.from({ length: width - 1 }, (_, axis) => (word(at + 2 + 2 * axis) << 16) >> 16);
    const sealed = batcher.add({
      milliseconds: Number(head[1]) + word(at) / tailUnits, axes, hasRotation: (traits & 1) === 1,
      includesGravity: (traits & 2) === 2,
    });
    if (sealed.length > 0) return sealed[0];
  }
  return batcher.seal();
}

/** Calls `take` with each DeviceMotionEvent; returns what stops it. */
export function watchMotion(take, target = globalThis) {
  target.addEventListener("devicemotion", take);
  return () => target.removeEventListener("devicemotion", take);
}

/** Asks where a browser asks: in Safari, and only from a tap. True when motion may be measured. */
export async function allowMotion({ DeviceMotionEvent } = globalThis) {
  if (typeof DeviceMotionEvent === "undefined") return false;
  if (typeof DeviceMotionEvent.requestPermission !== "function") return true;
  return (await DeviceMotionEvent.requestPermission()) === "granted";
}
