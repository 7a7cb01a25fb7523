import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { languages } = await load("strings.js");
const { ownerWords } = await load("ownerwords.js");
const { adminWords } = await load("adminwords.js");
const { bytes } = await load("format.js");
const { boundsAll, freeName, zoneAt } = await load("places.js");
const { changesOf, formOf, secondsOfPace } = await load("profile.js");
const { project, unproject } = await load("projection.js");

const home = { name: "Home", latitude: 48.1, longitude: 11.5, radiusMeters: 200 };
const work = { name: "Work", latitude: 48.102, longitude: 11.5, radiusMeters: 300 };

test("a point of the map is the place it was made of", () => {
  for (const [latitude, longitude] of [[48.1, 11.5], [-33.9, 151.2], [0, -180], [84.9, 179.9]]) {
    const { x, y } = project(latitude, longitude);
    const place = unproject(x, y);
    assert.ok(Math.abs(place.latitude - latitude) < 1e-9 && Math.abs(place.longitude - longitude) < 1e-9);
  }
});

test("a tap finds the circle that it lies in, the nearer of two, and none outside", () => {
  const tapped = (latitude) => zoneAt([home, work], { latitude, longitude: 11.5 })?.name;
  assert.deepEqual([48.1, 48.1005, 48.1016, 48.09, 48.11].map(tapped),
    ["Home", "Home", "Work", undefined, undefined]);
});

test("a new circle has a name of its own, whatever its case", () => {
  assert.equal(freeName([{ name: "place 1" }, { name: "Place 3" }], (n) => `Place ${n}`), "Place 2");
});

test("the map shows all circles, and one whose place is being typed changes nothing", () => {
  const box = boundsAll([], [home]);
  assert.deepEqual(boundsAll([], [home, { ...work, latitude: Number.NaN }]), box);
  assert.ok(box.maxX - box.minX > 0);
  assert.equal(boundsAll([], []), undefined);
});

test("a pace is minutes and seconds, nothing, or not understood", () => {
  assert.deepEqual(["5:30", " 4:05 ", "", "5:60", "5", "abc"].map(secondsOfPace),
    [330, 245, 0, undefined, undefined, undefined]);
});

test("only what was changed is sent, and what is emptied is taken back", () => {
  const shown = formOf({
    maxHeartRate: 190, zones: "friel", timeZone: "UTC", targetZone: 2, targetPaceSecondsPerKm: 300,
    safetyTimerSeconds: 5400, intervals: "10:00", treadmill: false, autoPause: "fused",
  });
  assert.deepEqual(changesOf(shown, shown), {});
  assert.deepEqual(changesOf({
    ...shown, maxHeartRate: "187", targetZone: "", targetPaceSecondsPerKm: "", safetyTimerSeconds: "45",
    intervals: "", treadmill: true, restingHeartRate: "", zoneScheme: "custom", zoneBounds: "120, 140",
  }, shown), {
    maxHeartRate: 187, targetZone: 0, targetPaceSecondsPerKm: 0, safetyTimerSeconds: 2700,
    intervals: "", treadmill: true, zones: "120,140",
  });
});

test("bounds of one's own are shown as such", () => {
  const { zoneScheme, zoneBounds } = formOf({ zones: "120,140,155" });
  assert.deepEqual([zoneScheme, zoneBounds], ["custom", "120,140,155"]);
});

test("every word of the settings and of the administration is there in every language", () => {
  for (const table of [ownerWords, adminWords]) {
    for (const words of Object.values(table)) {
      assert.deepEqual(Object.keys(words).sort(), Object.keys(table.en).sort());
    }
    assert.deepEqual(Object.keys(table).sort(), Object.keys(languages).sort());
  }
});

test("bytes are told in the unit that fits", () => {
  assert.deepEqual([0, 1024, 5.5 * 2 ** 20, 100 * 2 ** 30, 2 ** 41, null].map(bytes),
    ["0.0 KiB", "1.0 KiB", "5.5 MiB", "100 GiB", "2.0 TiB", "--"]);
});
