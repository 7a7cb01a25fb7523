import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { Recorder } = await load("recorder.js");

const update = (time, extra = {}) => ({
  type: "update", cursor: `e1-${time}`, time, state: "live", elapsedSeconds: time,
  heartRate: { bpm: 100 + time, state: "live" }, ...extra,
});
const snapshot = (time, extra = {}) => ({ ...update(time, extra), type: "snapshot" });
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => update(from + index));
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await null;
};

/** A recorder whose overviews and history are in the test's hands. */
function recorderOf(pages, overviews = []) {
  const asked = [];
  const loadOverview = async () => {
    if (overviews.length) asked.push("overview");
    return overviews.shift();
  };
  const load = async function* (_, { after }) {
    asked.push(after);
    yield pages.shift() ?? [];
  };
  return { recorder: new Recorder("ID", { load, loadOverview, pause: async () => {} }), asked };
}

test("what came before the page was opened comes first, what is live after it", async () => {
  const { recorder } = recorderOf([range(1, 9)]);
  recorder.accept(snapshot(10), { replay: false });
  recorder.accept(update(11), { replay: false });
  await settle();
  recorder.accept(update(12), { replay: false });
  assert.deepEqual([...recorder.series.column.time.subarray(0, recorder.series.length)],
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test("after a reconnect only what is missing is asked for, and nothing is", async () => {
  const { recorder, asked } = recorderOf([range(1, 9), range(11, 39)]);
  recorder.accept(snapshot(10), { replay: false });
  await settle();
  recorder.accept(snapshot(40), { replay: false });
  await settle();
  assert.deepEqual(asked, [undefined, "e1-10"]);
  assert.equal(recorder.series.length, 40);
});

test("history that lags behind is asked again", async () => {
  const { recorder, asked } = recorderOf([range(1, 50), range(51, 99)]);
  recorder.accept(snapshot(100), { replay: false });
  await settle();
  assert.equal(asked.length, 2);
  assert.equal(recorder.series.length, 100);
});

test("a rewind leaves rows and the newest state alone", async () => {
  const { recorder } = recorderOf([range(1, 9)]);
  recorder.accept(snapshot(10), { replay: false });
  await settle();
  recorder.accept(snapshot(3), { replay: true });
  assert.equal(recorder.run.time, 3);
  assert.equal(recorder.newest.time, 10);
  assert.equal(recorder.series.length, 10);
});

test("another session begins with an empty page", async () => {
  const { recorder } = recorderOf([range(1, 9), []]);
  recorder.accept(snapshot(10, { startedAt: 0 }), { replay: false });
  await settle();
  recorder.accept(snapshot(500, { startedAt: 499, elapsedSeconds: 1 }), { replay: false });
  await settle();
  assert.equal(recorder.series.length, 1);
  assert.equal(recorder.start, 499);
});

test("events are told once, and those of history not at all", async () => {
  const lap = { type: "event", event: "lap", cursor: "e1-5", time: 5 };
  const { recorder } = recorderOf([[...range(1, 4), lap]]);
  recorder.accept(snapshot(10), { replay: false });
  await settle();
  assert.equal(recorder.accept(lap, { replay: false }), false);
  const next = { type: "event", event: "lap", cursor: "e1-11", time: 11 };
  assert.equal(recorder.accept(next, { replay: false }), true);
});

const past = (from, to, step, extra = {}) => ({
  type: "overview", cursor: `e1-${to}`, stepSeconds: step, start: from, eventsOmitted: 0, events: [],
  points: {
    seconds: Array.from({ length: (to - from) / step + 1 }, (_, index) => index * step),
    bpm: Array.from({ length: (to - from) / step + 1 }, (_, index) => 100 + index),
  }, ...extra,
});
const times = (recorder) => [...recorder.series.column.time.subarray(0, recorder.series.length)];

test("the past comes as an overview, and history only after it", async () => {
  const lap = { type: "event", event: "lap", cursor: "e1-300", time: 300 };
  const { recorder, asked } = recorderOf([range(501, 503)], [past(100, 500, 100, { events: [lap] })]);
  recorder.accept(snapshot(504), { replay: false });
  recorder.accept(update(505), { replay: false });
  await settle();
  assert.deepEqual(asked, ["overview", "e1-500"]);
  assert.deepEqual(times(recorder), [100, 200, 300, 400, 500, 501, 502, 503, 504, 505]);
  assert.deepEqual(recorder.timeline.marks.map(({ time }) => time), [300]);
  assert.equal(recorder.series.column.bpm[4], 104);
  assert.equal(recorder.lastLive("heartRate"), 505);
});

test("thinned rows leave no hole, and a silence between them does", async () => {
  const { recorder } = recorderOf([[]], [past(100, 500, 100)]);
  recorder.accept(snapshot(501), { replay: false });
  await settle();
  const { series } = recorder;
  assert.equal(series.isAfterHole(1, series.column.time[0], 12), false);
  assert.equal(series.isAfterHole(2, series.column.time[0], 12), true);
  assert.equal(series.isAfterHole(5, series.column.time[4], 12), false);
});

test("a short hole is filled by history, a long one by a new overview, nothing twice", async () => {
  const { recorder, asked } = recorderOf([[], range(511, 599), []], [past(100, 500, 100), past(100, 4900, 400)]);
  recorder.accept(snapshot(501), { replay: false });
  for (let time = 502; time <= 510; time += 1) recorder.accept(update(time), { replay: false });
  await settle();
  recorder.accept(snapshot(600), { replay: false });
  await settle();
  assert.deepEqual(asked, ["overview", "e1-500", "e1-510"]);
  assert.equal(recorder.series.length, 5 + 100);
  recorder.accept(snapshot(4901), { replay: false });
  await settle();
  assert.deepEqual(asked.slice(3), ["overview", "e1-4900"]);
  assert.deepEqual(times(recorder), [...past(100, 4900, 400).points.seconds.map((second) => 100 + second), 4901]);
});

test("where an overview had to leave out events, all of the history is read", async () => {
  const { recorder, asked } = recorderOf([range(1, 9)], [past(1, 9, 1, { eventsOmitted: 3 })]);
  recorder.accept(snapshot(10), { replay: false });
  await settle();
  assert.deepEqual(asked, ["overview", undefined]);
  assert.equal(recorder.series.length, 10);
});
