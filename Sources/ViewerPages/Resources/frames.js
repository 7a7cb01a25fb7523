// Frames of the binary device protocol: values to bytes, and the daemon's answers to values. Pure.
//
// The forms are those of Sources/Documentation/Protocol.md. A value out of range is bounded here,
// because the daemon would refuse the whole frame.

export const kinds = {
  hello: 0x01, heartRate: 0x02, motion: 0x03, location: 0x04, control: 0x05, status: 0x07,
  marker: 0x08, source: 0x09, welcome: 0x81, ack: 0x82, command: 0x83, error: 0x84,
};

export const controls = { start: 1, pause: 2, resume: 3, lap: 4, stop: 5, sos: 6, cancelAlert: 7 };

export const headerBytes = 16;
/** Samples of one motion frame. */
export const motionSamplesMax = 100;
const markerBytesMax = 120;
const sourceBytesMax = 32;

export const standardGravity = 9.80665;
const accelerationSteps = 1024;
const rotationSteps = 800;
const rotationMax = 32000;

const known = (value) => typeof value === "number" && Number.isFinite(value);
/** Halves go away from zero, as the daemon rounds. */
const rounded = (value) => Math.sign(value) * Math.round(Math.abs(value));
const bounded = (value, low, high) => Math.min(high, Math.max(low, value));

/** A whole frame. `milliseconds`: the device's clock since 1970, with fractions. */
export function encodeFrame(kind, sequence, milliseconds, payload) {
  const bytes = new Uint8Array(headerBytes + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, headerBytes - 2 + payload.length, true);
  view.setUint8(2, kind);
  view.setUint32(4, sequence, true);
  view.setBigInt64(8, BigInt(Math.round(milliseconds * 1000)), true);
  bytes.set(payload, headerBytes);
  return bytes;
}

export const sequenceOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);

/** The first frame of a connection: who sends, and which session goes on. */
export function encodeHello({ token, session, milliseconds }) {
  const text = JSON.stringify({ token, session, sentAt: milliseconds / 1000 });
  return encodeFrame(kinds.hello, 0, milliseconds, new TextEncoder().encode(text));
}

/**
 * `beatsPerMinute` 20…250; `contact` true, false or undefined; `intervals` in 1/1024 s, as the
 * strap sends them. Undefined for a rate that nobody has: a strap without contact sends 0.
 */
export function heartRatePayload({ beatsPerMinute, contact, intervals = [] }) {
  if (!known(beatsPerMinute) || beatsPerMinute < 20 || beatsPerMinute > 250) return undefined;
  const some = intervals.slice(0, 255);
  const bytes = new Uint8Array(4 + 2 * some.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, rounded(beatsPerMinute * 10), true);
  view.setUint8(2, contact === undefined ? 0 : contact ? 2 : 1);
  view.setUint8(3, some.length);
  some.forEach((interval, index) => view.setUint16(4 + 2 * index, interval, true));
  return bytes;
}

/** The members are those of GeolocationCoordinates. Undefined without a place on earth. */
export function locationPayload(place) {
  const { latitude, longitude, altitude } = place;
  if (!known(latitude) || !known(longitude)) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  const view = new DataView(new ArrayBuffer(20));
  view.setInt32(0, rounded(latitude * 1e7), true);
  view.setInt32(4, rounded(longitude * 1e7), true);
  const hasAltitude = known(altitude) && altitude >= -500 && altitude <= 9000;
  view.setInt32(8, hasAltitude ? rounded(altitude * 100) : -0x80000000, true);
  view.setUint16(12, unsigned16(place.accuracy, 10), true);
  view.setUint16(14, unsigned16(place.altitudeAccuracy, 10), true);
  const hasSpeed = known(place.speed) && place.speed >= 0;
  view.setInt16(16, hasSpeed ? bounded(rounded(place.speed * 100), 0, 32767) : -1, true);
  view.setUint16(18, unsigned16(known(place.heading) ? place.heading % 360 : undefined, 100), true);
  return new Uint8Array(view.buffer);
}

/** 65535 says unknown; larger values become the largest. */
function unsigned16(value, steps) {
  return known(value) && value >= 0 ? bounded(rounded(value * steps), 0, 65534) : 65535;
}

export const controlPayload = (action) => new Uint8Array([controls[action]]);

/** `level` 0…1, as a browser tells it. */
export function statusPayload({ level, charging }) {
  const percent = known(level) ? bounded(Math.round(level * 100), 0, 100) : 255;
  return new Uint8Array([percent, charging ? 1 : 0]);
}

export const markerPayload = (text) => textPayload(text, markerBytesMax);
export const sourcePayload = (text) => textPayload(text, sourceBytesMax);

/** UTF-8 without control characters, cut between two characters; undefined for an empty text. */
function textPayload(text, bytesMax) {
  const bytes = new Uint8Array(bytesMax);
  const clean = text.replace(/\p{C}+/gu, " ").trim();
  const { written } = new TextEncoder().encodeInto(clean, bytes);
  return written > 0 ? bytes.slice(0, written) : undefined;
}

/** m/s² to the wire's integer. */
export const accelerationStep = (value) =>
  bounded(rounded((value / standardGravity) * accelerationSteps), -32768, 32767);

/** Degrees a second to the wire's integer. */
export const rotationStep = (value) =>
  bounded(rounded(((value * Math.PI) / 180) * rotationSteps), -rotationMax, rotationMax);

/** `axes`: three integers a sample, or six with rotation. */
export function motionPayload({ axes, count, hasRotation, includesGravity, intervalMicroseconds }) {
  const width = hasRotation ? 6 : 3;
  const bytes = new Uint8Array(8 + 2 * width * count);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, count);
  view.setUint8(1, (hasRotation ? 1 : 0) | (includesGravity ? 2 : 0));
  view.setUint32(4, intervalMicroseconds, true);
  for (let index = 0; index < width * count; index += 1) {
    view.setInt16(8 + 2 * index, axes[index], true);
  }
  return bytes;
}

/** The daemon's messages in the bytes of one WebSocket message: kind, flags, sequence, content. */
export function decodeMessages(buffer) {
  const view = new DataView(buffer);
  const messages = [];
  for (let start = 0; start + headerBytes <= view.byteLength;) {
    const end = start + 2 + view.getUint16(start, true);
    if (end < start + headerBytes || end > view.byteLength) break;
    const content = new Uint8Array(buffer, start + headerBytes, end - start - headerBytes);
    messages.push({
      kind: view.getUint8(start + 2), flags: view.getUint8(start + 3),
      sequence: view.getUint32(start + 4, true), content: contentOf(content),
    });
    start = end;
  }
  return messages;
}

function contentOf(bytes) {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
