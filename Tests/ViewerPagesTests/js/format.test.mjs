import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const format = await load("format.js");

const { metric, imperial } = format.unitSystems;

test("a pace is minutes and seconds, and nothing that is no pace", () => {
  const cases = [[360, "6:00"], [332, "5:32"], [359.6, "6:00"], [0, "--:--"], [NaN, "--:--"],
    [Infinity, "--:--"], [undefined, "--:--"], [3601, "--:--"], [-5, "--:--"]];
  for (const [seconds, text] of cases) assert.equal(format.pace(seconds), text);
  assert.equal(format.pace(300, imperial), "8:03");
});

test("a duration shows hours only when there are some", () => {
  const cases = [[59, "00:59"], [3661, "1:01:01"], [125, "02:05"], [0, "00:00"], [-1, "--:--"],
    [NaN, "--:--"]];
  for (const [seconds, text] of cases) assert.equal(format.duration(seconds), text);
});

test("a distance is cut, not rounded", () => {
  const cases = [[999.9, "0.99"], [1000, "1.00"], [4312.7, "4.31"], [123456, "123.4"]];
  for (const [meters, text] of cases) assert.equal(format.distance(meters, metric), text);
  assert.equal(format.distance(1609.344, imperial), "1.00");
  assert.equal(format.distance(undefined), "--");
});

test("missing is never zero", () => {
  assert.equal(format.integer(undefined), "--");
  assert.equal(format.integer(null), "--");
  assert.equal(format.integer(0), "0");
  assert.equal(format.height(undefined), "--");
});

test("an age grows from seconds to hours", () => {
  const cases = [[0.4, "0 s"], [24, "24 s"], [100, "2 min"], [7200, "2 h"]];
  for (const [seconds, text] of cases) assert.equal(format.age(seconds), text);
});

test("a gap has its sign", () => {
  const cases = [[65, "+1:05"], [-12, "−0:12"], [3725, "+1:02:05"], [undefined, "--"]];
  for (const [seconds, text] of cases) assert.equal(format.gap(seconds), text);
});

test("steps of an axis are round", () => {
  const cases = [[100, 4, 50], [37, 3, 20], [0.8, 3, 0.5], [0, 3, 1]];
  for (const [range, count, step] of cases) {
    assert.ok(Math.abs(format.niceStep(range, count) - step) < 1e-9);
  }
});
