import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { compareCursors, isOtherSession, merge, mergePast, startTime, Timeline } = await load("state.js");

test("cursors compare as two numbers, not as text", () => {
  assert.ok(compareCursors("e1-9", "e1-10") < 0);
  assert.ok(compareCursors("e2-1", "e1-900") > 0);
  assert.equal(compareCursors("e1-5", "e1-5"), 0);
  assert.ok(compareCursors(undefined, "e1-0") < 0);
});

test("an update keeps what it does not name, replaces objects whole and removes null", () => {
  const before = merge({}, {
    type: "snapshot", cursor: "e1-1", initial: true, state: "live", steps: 5,
    heartRate: { bpm: 150, zone: 3, state: "live" }, paceSecondsPerKm: 300,
  });
  const after = merge(before, {
    type: "update", cursor: "e1-2", heartRate: { bpm: 151, state: "stale" }, paceSecondsPerKm: null,
  });
  assert.deepEqual(after, { state: "live", steps: 5, heartRate: { bpm: 151, state: "stale" } });
  assert.equal(before.heartRate.bpm, 150);
});

test("a snapshot forgets everything before it", () => {
  assert.deepEqual(merge({ steps: 9 }, { type: "snapshot", state: "waiting" }), { state: "waiting" });
});

test("end ends the run", () => {
  assert.equal(merge({ state: "live" }, { type: "end" }).state, "ended");
});

test("a whole item of history forgets what it does not name; one that is not whole does not", () => {
  const run = { paceSecondsPerKm: 300, splits: [{ km: 1 }], elapsedSeconds: 5, state: "live" };
  const whole = mergePast(run, { type: "update", state: "paused", elapsedSeconds: 6, time: 9 });
  assert.deepEqual(whole, { splits: [{ km: 1 }], state: "paused", elapsedSeconds: 6, time: 9 });
  const part = mergePast(run, { type: "update", elapsedSeconds: 6, time: 9 });
  assert.equal(part.paceSecondsPerKm, 300);
});

test("a split event adds to the table, a corrected one replaces", () => {
  const first = mergePast({}, { type: "event", event: "split", km: 1, seconds: 300 });
  const second = mergePast(first, { type: "event", event: "split", km: 1, seconds: 299 });
  assert.deepEqual(second.splits.map((split) => split.seconds), [299]);
});

test("another start or an elapsed time begun anew is another session, silence is not", () => {
  assert.ok(isOtherSession({ startedAt: 1 }, { startedAt: 2 }));
  assert.ok(isOtherSession({ elapsedSeconds: 900, time: 1000 }, { elapsedSeconds: 2, time: 5000 }));
  assert.ok(!isOtherSession({ elapsedSeconds: 900, time: 1000 }, { elapsedSeconds: 900, time: 5000 }));
  assert.ok(!isOtherSession({}, { elapsedSeconds: 1, time: 1 }));
  assert.equal(startTime({ time: 100, elapsedSeconds: 40 }), 60);
  assert.equal(startTime({ startedAt: 55, time: 100, elapsedSeconds: 40 }), 55);
});

test("pauses are kept from their dated beginning, once, and corrected", () => {
  const timeline = new Timeline();
  const pause = { cursor: "e1-7", event: "paused", since: 10, time: 15 };
  assert.equal(timeline.add(pause), true);
  assert.equal(timeline.add(pause), false);
  timeline.add({ cursor: "e1-8", event: "resumed", since: 30, time: 31 });
  timeline.add({ cursor: "e1-9", event: "paused", since: 8, shownSince: 10, corrected: true, time: 40 });
  timeline.add({ cursor: "e1-10", event: "split", km: 1, time: 41 });
  assert.deepEqual(timeline.pauses, [{ from: 8, to: 30 }]);
  assert.deepEqual(timeline.marks.map((mark) => mark.kind), ["split"]);
});
