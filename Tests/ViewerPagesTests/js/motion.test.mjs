import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { countsAsApple, MotionBatcher, motionReading, restoreBatch } = await load("motion.js");
const { WallClock, fixTime } = await load("clock.js");

const g = 9.80665;
const event = (x, y, z, rate = { alpha: 0, beta: 0, gamma: 0 }) => ({
  accelerationIncludingGravity: { x, y, z }, acceleration: { x: 0, y: 0, z: 0 }, rotationRate: rate });

const browsers = [
  ["Safari on a phone", { vendor: "Apple Computer, Inc.", DeviceMotionEvent: { requestPermission() {} } }, true],
  ["Chrome on Android", { vendor: "Google Inc.", DeviceMotionEvent: {} }, false],
  ["a Chrome that asks, too", { vendor: "Google Inc.", DeviceMotionEvent: { requestPermission() {} } }, false],
  ["Safari on a desk", { vendor: "Apple Computer, Inc." }, false],
  ["Firefox", { vendor: "", DeviceMotionEvent: {} }, false],
];
for (const [name, browser, expected] of browsers) {
  test(`${name} counts acceleration ${expected ? "as Apple does" : "as the W3C says"}`, () => {
    assert.equal(countsAsApple(browser), expected);
  });
}

test("a phone on its back feels -1 g on z, whatever browser tells it", () => {
  const spec = motionReading(event(0, 0, g), 5, false);
  const apple = motionReading(event(0, 0, -g), 5, true);
  assert.deepEqual(spec.axes.map((axis) => axis + 0), [0, 0, -1024, 0, 0, 0]);
  assert.deepEqual(apple.axes.map((axis) => axis + 0), spec.axes.map((axis) => axis + 0));
  assert.ok(spec.includesGravity && spec.hasRotation);
});

test("rotation is degrees about x, y, z everywhere, in units of 1/800 rad/s", () => {
  const rate = { alpha: 180 / Math.PI, beta: -90 / Math.PI, gamma: 0 };
  for (const asApple of [false, true]) {
    assert.deepEqual(motionReading(event(0, 0, 0, rate), 5, asApple).axes.slice(3), [800, -400, 0]);
  }
});

test("gravity is said where it is in, and a sensor that is not there makes nothing", () => {
  const free = { accelerationIncludingGravity: { x: null, y: null, z: null }, acceleration: { x: 1, y: 2, z: 3 },
    rotationRate: null };
  const reading = motionReading(free, 5, false);
  assert.deepEqual([reading.includesGravity, reading.hasRotation, reading.axes.length], [false, false, 3]);
  const empty = { accelerationIncludingGravity: { x: null, y: null, z: null }, acceleration: null, rotationRate: null };
  assert.equal(motionReading(empty, 5, false), undefined);
});

const readings = (count, milliseconds, { from = 1000, jitter = () => 0 } = {}) =>
  Array.from({ length: count }, (_, index) => ({
    milliseconds: from + index * milliseconds + jitter(index), axes: [index, 500 - index, 7, 1, 2, 3],
    hasRotation: true, includesGravity: true }));

function decode({ milliseconds, payload }) {
  const view = new DataView(payload.buffer);
  const [count, flags, interval] = [view.getUint8(0), view.getUint8(1), view.getUint32(4, true)];
  const width = flags & 1 ? 6 : 3;
  return Array.from({ length: count }, (_, index) => ({
    milliseconds: milliseconds + (index * interval) / 1000,
    axes: Array.from({ length: width }, (_, axis) => view.getInt16(8 + 2 * (index * width + axis), true)) }));
}

/** All samples of all frames that the readings become. */
function through(all) {
  const batcher = new MotionBatcher();
  const batches = all.flatMap((reading) => batcher.add(reading));
  const rest = batcher.seal();
  return rest ? [...batches, rest] : batches;
}

test("steady readings become batches of half a second, each sample once and at its time", () => {
  const all = readings(600, 1000 / 60);
  const batches = through(all);
  assert.ok(batches.length >= 20 && batches.length <= 21, String(batches.length));
  const samples = batches.flatMap(decode);
  assert.deepEqual(samples.map(({ axes }) => axes), all.map(({ axes }) => axes));
  samples.forEach((sample, index) =>
    assert.ok(Math.abs(sample.milliseconds - all[index].milliseconds) < 0.02, String(index)));
});

for (const [name, jitter] of [
  ["small", (index) => ((index * 7919) % 7) - 3], ["large", (index) => ((index * 7919) % 31) - 15],
  ["with holes", (index) => (index > 100 ? 5000 : 0) + (index > 200 ? 90 : 0)],
]) {
  test(`jitter, ${name}: no sample is lost, and none is moved by more than 8 ms`, () => {
    const all = readings(300, 1000 / 60, { jitter });
    const samples = through(all).flatMap(decode);
    assert.deepEqual(samples.map(({ axes }) => axes), all.map(({ axes }) => axes));
    samples.forEach((sample, index) =>
      assert.ok(Math.abs(sample.milliseconds - all[index].milliseconds) <= 8.01, String(index)));
  });
}

test("other traits begin another batch, and 100 samples are the most", () => {
  const fast = readings(250, 1);
  assert.deepEqual(through(fast).map(({ payload }) => payload[0]), [100, 100, 50]);
  const mixed = readings(4, 16).map((each, index) => (index < 2 ? each
    : { ...each, hasRotation: false, axes: each.axes.slice(0, 3) }));
  assert.deepEqual(through(mixed).map(({ payload }) => [payload[0], payload[1]]), [[2, 3], [2, 2]]);
});

test("what was not sealed is read back from the text that was kept of it", () => {
  for (const count of [1, 2, 17, 29]) {
    const batcher = new MotionBatcher();
    for (const reading of readings(count, 1000 / 60, { from: 1763700000123.456 })) batcher.add(reading);
    const { tail } = batcher;
    const [kept, sealed] = [restoreBatch(tail), batcher.seal()];
    assert.deepEqual(decode(kept).map(({ axes }) => axes), decode(sealed).map(({ axes }) => axes));
    assert.ok(Math.abs(kept.endMilliseconds - sealed.endMilliseconds) < 0.02);
    assert.equal(kept.milliseconds, sealed.milliseconds);
  }
  for (const text of ["", undefined, "x", "12,9;abc", "12,3;"]) assert.equal(restoreBatch(text), undefined);
});

test("an event keeps its distance to others, until the device slept", () => {
  let [wall, steady] = [5000000, 100];
  const clock = new WallClock({ now: () => wall, steady: () => steady });
  assert.equal(clock.at(60), 4999960);
  wall += 1003;
  steady += 1000;
  assert.equal(clock.at(1060), 5000960, "three milliseconds are jitter of the wall's clock");
  wall += 3600000;
  assert.equal(clock.at(1060), 8600963);
});

test("a fix has its own time, but for one that cannot be", () => {
  const now = 1763700000000;
  assert.equal(fixTime(now - 800, now), now - 800);
  assert.equal(fixTime(now - 1024 * 7 * 86400000, now), now);
  assert.equal(fixTime(now + 60000, now), now);
});
