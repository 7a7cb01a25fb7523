import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { load } from "./modules.mjs";

const frames = await load("frames.js");
const { vectors } = JSON.parse(readFileSync(new URL("./frame-vectors.json", import.meta.url)));

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const payloads = {
  heartRate: frames.heartRatePayload, location: frames.locationPayload, status: frames.statusPayload,
  control: ({ action }) => frames.controlPayload(action), marker: ({ text }) => frames.markerPayload(text),
  source: ({ text }) => frames.sourcePayload(text),
  motion: ({ samples, hasRotation, includesGravity, intervalMicroseconds }) => frames.motionPayload({
    axes: samples.flat(), count: samples.length, hasRotation, includesGravity, intervalMicroseconds }),
};

// FrameVectorTests.swift reads the same bytes with the daemon's decoder.
for (const { name, kind, sequence, milliseconds, value, bytes } of vectors) {
  test(`a frame has the bytes that the daemon reads: ${name}`, () => {
    assert.equal(hex(frames.encodeFrame(frames.kinds[kind], sequence, milliseconds, payloads[kind](value))), bytes);
  });
}

test("what a strap without contact says is no heart rate", () => {
  for (const beatsPerMinute of [0, 19.9, 250.1, NaN, undefined]) {
    assert.equal(frames.heartRatePayload({ beatsPerMinute }), undefined);
  }
});

test("a place that is none makes no frame, and what a browser does not know is unknown", () => {
  assert.equal(frames.locationPayload({ latitude: NaN, longitude: 1 }), undefined);
  assert.equal(frames.locationPayload({ latitude: 91, longitude: 1 }), undefined);
  const bytes = frames.locationPayload({ latitude: 0, longitude: 0, accuracy: 1e6, altitude: null,
    altitudeAccuracy: null, speed: null, heading: NaN });
  assert.equal(hex(bytes.slice(8)), "00000080" + "feff" + "ffff" + "ffff" + "ffff");
});

test("what is out of the wire's range is bounded, so that the frame is not refused", () => {
  assert.equal(frames.accelerationStep(1e9), 32767);
  assert.equal(frames.accelerationStep(-1e9), -32768);
  assert.equal(frames.rotationStep(1e9), 32000);
  assert.equal(frames.rotationStep(-1e9), -32000);
});

test("a text is cut between two characters and has no control characters", () => {
  assert.equal(new TextDecoder().decode(frames.sourcePayload("Ü".repeat(20))), "Ü".repeat(16));
  assert.equal(new TextDecoder().decode(frames.sourcePayload("a\u0000\nb")), "a b");
  assert.equal(frames.markerPayload(" \n\t"), undefined);
});

test("the daemon's messages are read from one buffer, and a cut one ends it", () => {
  const welcome = frames.encodeFrame(frames.kinds.welcome, 0, 1, new TextEncoder().encode('{"acked":7}'));
  const ack = frames.encodeFrame(frames.kinds.ack, 9, 1, new Uint8Array());
  const both = new Uint8Array([...welcome, ...ack]);
  assert.deepEqual(frames.decodeMessages(both.buffer), [
    { kind: 0x81, flags: 0, sequence: 0, content: { acked: 7 } },
    { kind: 0x82, flags: 0, sequence: 9, content: undefined }]);
  assert.equal(frames.decodeMessages(both.slice(0, -1).buffer).length, 1);
  assert.deepEqual(frames.decodeMessages(new ArrayBuffer(40)), []);
});

test("a hello carries token and session, and says when it was sent", () => {
  const bytes = frames.encodeHello({ token: "pc_1", session: "s", milliseconds: 1500 });
  assert.equal(bytes[2], 1);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes.slice(16))), { token: "pc_1", session: "s", sentAt: 1.5 });
});
