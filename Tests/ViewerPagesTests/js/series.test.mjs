import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { rowOf, Series } = await load("series.js");
const { boundsOf, fit, project, toScreen, toWorld, turn, worldMeters } = await load("projection.js");
const { axisRange, envelope, paceTicks, roundTicks } = await load("chart.js");
const { markRows, steadyClasses } = await load("route.js");

const filled = (count, row) => {
  const series = new Series(4);
  for (let index = 0; index < count; index += 1) series.append({ time: index, ...row(index) });
  return series;
};

test("rows grow past the first capacity and are found by time", () => {
  const series = filled(5000, (index) => ({ bpm: 100 + (index % 50) }));
  assert.equal(series.length, 5000);
  assert.equal(series.indexAt(1234.5), 1234);
  assert.equal(series.indexAt(-1), -1);
  assert.equal(series.indexAt(1e9), 4999);
});

test("a row of the same second replaces the last, an earlier one is dropped", () => {
  const series = filled(3, () => ({ bpm: 100 }));
  series.append({ time: 2.5, bpm: 120 });
  series.append({ time: 1, bpm: 90 });
  assert.equal(series.length, 3);
  assert.equal(series.column.bpm[2], 120);
});

test("what is missing is a hole, and a distance holds until the next", () => {
  const series = new Series();
  series.append({ time: 0, distance: 5 });
  series.append({ time: 1 });
  assert.ok(Number.isNaN(series.column.bpm[1]));
  assert.equal(series.column.distance[1], 5);
});

test("only live values become rows", () => {
  const row = rowOf({
    time: 1, heartRate: { bpm: 150, zone: 3, state: "stale" }, paceSecondsPerKm: 250,
    cadence: { stepsPerMinute: 170, state: "live" }, state: "live",
  }, project);
  assert.equal(row.bpm, undefined);
  assert.equal(row.cadence, 170);
  assert.equal(row.speed, 4);
  const paused = rowOf({ time: 1, state: "paused", paceSecondsPerKm: 250 }, project);
  assert.equal(paused.speed, undefined);
});

test("a kilometer on the map is a kilometer", () => {
  const from = project(48, 11);
  const to = project(48 + 1000 / 111195, 11);
  const meters = Math.abs(to.y - from.y) * worldMeters(from.y);
  assert.ok(Math.abs(meters - 1000) < 1, `${meters}`);
});

test("the whole route fits, and pixels go back to where they came from", () => {
  const series = filled(50, (index) => project(48 + index / 5000, 11 + Math.sin(index) / 100));
  const view = fit(boundsOf(series), 400, 300);
  for (let index = 0; index < series.length; index += 1) {
    const point = toScreen(view, series.column.x[index], series.column.y[index], 400, 300);
    assert.ok(point.x >= 0 && point.x <= 400 && point.y >= 0 && point.y <= 300);
    const back = toWorld({ ...view, rotation: 1 },
      ...Object.values(toScreen({ ...view, rotation: 1 }, 0.3, 0.4, 400, 300)), 400, 300);
    assert.ok(Math.abs(back.x - 0.3) < 1e-9 && Math.abs(back.y - 0.4) < 1e-9);
  }
});

test("a turn is the shorter one", () => {
  assert.ok(Math.abs(turn(0.1, 2 * Math.PI - 0.1) + 0.2) < 1e-9);
  assert.ok(Math.abs(turn(0, Math.PI / 2) - Math.PI / 2) < 1e-9);
});

test("a chart of hours costs as many points as it has pixels", () => {
  const series = filled(10800, (index) => ({ bpm: 120 + (index % 40) }));
  const lines = envelope(series, "bpm", { axis: "time", from: 0, to: 10799, width: 300 });
  assert.equal(lines.length, 1);
  assert.ok(lines[0].length <= 301);
  assert.equal(Math.max(...lines[0].map((point) => point.high)), 159);
});

test("a silence breaks the line", () => {
  const series = new Series();
  for (const time of [0, 1, 2, 60, 61]) series.append({ time, bpm: 100 });
  const lines = envelope(series, "bpm", { axis: "time", from: 0, to: 61, width: 600 });
  assert.deepEqual(lines.map((line) => line.length), [3, 2]);
});

test("an axis has room, and round marks", () => {
  const line = [100, 140].map((value, x) => ({ x, sum: value, count: 1 }));
  const range = axisRange([line], 20);
  assert.ok(range.low < 100 && range.high > 140);
  assert.deepEqual(roundTicks(range), [100, 110, 120, 130, 140]);
  assert.deepEqual(paceTicks({ low: 2.5, high: 4 }, 1000).map((speed) => Math.round(1000 / speed)),
    [270, 300, 330, 360, 390]);
});

test("a color that does not last is not drawn", () => {
  const zones = [1, 1, 1, 2, 1, 1, 2, 2, 2, 2];
  assert.deepEqual([...steadyClasses(10, (index) => zones[index], 3)], [1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
});

test("each kilometer has one mark", () => {
  const series = filled(1000, (index) => ({ distance: index * 3 }));
  assert.deepEqual(markRows(series, 1000).map((mark) => mark.number), [1, 2]);
});
