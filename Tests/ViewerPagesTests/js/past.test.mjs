import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { overview, PastLoader, runsOf } = await load("past.js");
const { rowOf, Series } = await load("series.js");

const place = (latitude, longitude) => ({ x: longitude, y: latitude });
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await null;
};

test("an overview is asked for by its runner, and again where the daemon is busy", async () => {
  const asked = [];
  const waits = [];
  const busy = { ok: false, status: 503, headers: new Headers({ "Retry-After": "3" }) };
  const answers = [busy, { ok: true, json: async () => ({ type: "overview" }) }];
  const fetch = async (address) => {
    asked.push(new URL(address, "http://daemon"));
    return answers[asked.length - 1];
  };
  const pause = async (milliseconds) => waits.push(milliseconds);
  assert.deepEqual(await overview("ID", { runner: "Ann & Bo", points: 200, columns: ["bpm", "latitude"], fetch, pause }), { type: "overview" });
  assert.equal(waits.length, 1);
  assert.equal(asked[1].pathname, "/v1/shares/ID/overview");
  assert.equal(asked[1].searchParams.get("runner"), "Ann & Bo");
  assert.equal(asked[1].searchParams.get("points"), "200");
  assert.equal(asked[1].searchParams.get("columns"), "bpm,latitude");
});

test("points become the rows that the same updates would", () => {
  const points = {
    seconds: [0, 16.5], bpm: [141, null], zone: [3, null], stepsPerMinute: [null, 172.4],
    distanceMeters: [10.5, 60], speedMetersPerSecond: [3.1, 3], paceSecondsPerKm: [320, null],
    latitude: [48.1, null], longitude: [11.5, null], altitudeMeters: [512, null], paused: [0, 1],
  };
  const rows = [...runsOf({ start: 1000, points })].map((run) => rowOf(run, place));
  assert.deepEqual(rows, [
    { time: 1000, bpm: 141, zone: 3, speed: 3.125, cadence: undefined, altitude: 512, distance: 10.5,
      x: 11.5, y: 48.1, paused: 0 },
    { time: 1016.5, bpm: undefined, zone: undefined, speed: undefined, cadence: undefined,
      altitude: undefined, distance: 60, x: undefined, y: undefined, paused: 1 },
  ]);
  // A share of the heart rate alone has no other columns.
  assert.equal([...runsOf({ start: 1, points: { seconds: [0], bpm: [99] } })][0].position, undefined);
});

/** A loader whose answers are in the test's hands. */
function loaderOf() {
  const open = new Map();
  const times = (entry) => [...entry.series.column.time.subarray(0, entry.series.length)];
  const loader = new PastLoader("ID", {
    append: (entry, run, step) => entry.series.append({ time: run.time, step }), points: () => 300,
    changed: () => {}, isWanted: () => true,
    load: (share, { runner }) => new Promise((give, refuse) => open.set(runner, { give, refuse })),
  });
  const entries = Array.from({ length: 9 }, (_, index) => ({ key: `r${index}`, series: new Series(8) }));
  return { loader, open, entries, times };
}

const answer = { start: 100, stepSeconds: 50, points: { seconds: [0, 50, 100] } };

test("few overviews are loaded at a time, and each runner's live rows follow its past", async () => {
  const { loader, open, entries, times } = loaderOf();
  for (const entry of entries) loader.add(entry);
  loader.add(entries[0]);
  assert.equal(open.size, 4);
  for (const entry of entries) entry.waiting.push({ time: 200 }, { time: 201 });
  for (const entry of entries) {
    assert.equal(loader.isLoading, true);
    open.get(entry.key).give(answer);
    await settle();
    assert.deepEqual(times(entry), [100, 150, 200, 201]);
    assert.equal(entry.waiting, undefined);
  }
  assert.equal(loader.isLoading, false);
});

test("a runner whose past is refused begins with what is live, and the others go on", async () => {
  const { loader, open, entries, times } = loaderOf();
  for (const entry of entries.slice(0, 2)) {
    loader.add(entry);
    entry.waiting.push({ time: 200 });
  }
  open.get("r0").refuse(new Error("404"));
  open.get("r1").give(answer);
  await settle();
  assert.deepEqual(entries.slice(0, 2).map(times), [[200], [100, 150, 200]]);
  assert.equal(loader.isLoading, false);
});
