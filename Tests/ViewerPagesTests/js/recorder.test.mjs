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

/** A recorder whose history is in the test's hands. */
function recorderOf(pages) {
  const asked = [];
  const load = async function* (_, { after }) {
    asked.push(after);
    yield pages.shift() ?? [];
  };
  return { recorder: new Recorder("ID", { load, pause: async () => {} }), asked };
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
