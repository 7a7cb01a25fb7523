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
const { openLink } = await load("sharing.js");

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

const { overlayPath, overlayWords, presets, queryOf } = await load("overlaysetup.js");
const { optionsOf } = await load("overlay.js");
const { overlayPage, titleOf, wishOf } = await load("sharelist.js");

test("an overlay shows what was chosen for it", () => {
  for (const [name, preset] of Object.entries(presets)) {
    const options = optionsOf(new URLSearchParams(queryOf(preset)));
    const { metrics, size, layout, labels, shadow, byZone } = options;
    assert.deepEqual({ metrics, size, layout, labels, shadow }, {
      metrics: preset.metrics, size: preset.size, layout: preset.layout,
      labels: preset.labels, shadow: preset.shadow,
    }, name);
    assert.equal(byZone, preset.color === "zone", name);
    assert.ok(languages.ko[`preset_${name}`], name);
  }
  const own = optionsOf(new URLSearchParams(queryOf({
    ...presets.row, font: "Noto Sans KR", color: "ff0044", units: "imperial", shadow: false,
  })));
  assert.deepEqual([own.font, own.color, own.units.distance, own.shadow],
    ["Noto Sans KR", "#ff0044", "mi", false]);
  assert.deepEqual(Object.keys(overlayWords.ko).sort(), Object.keys(overlayWords.en).sort());
});

test("a link leads to the page of its overlay, and that to the overlay", () => {
  assert.equal(overlayPage("https://run.example/s/AB_c-9"), "/overlay/AB_c-9/setup");
  assert.equal(overlayPage("https://run.example/@ann"), "/overlay/@ann/setup");
  assert.equal(overlayPath("/overlay/AB_c-9/setup"), "/overlay/AB_c-9");
});

test("free text comes before a choice, and a group's link has the group's name", () => {
  const fields = new FormData();
  for (const [name, value] of [["scope", "heartRate"], ["scope", "metrics"], ["expires", "24h"],
    ["expiresText", " 90m "], ["delay", "5m"], ["delayText", ""], ["name", "mum-1"]]) {
    fields.append(name, value);
  }
  assert.deepEqual(wishOf(fields),
    { scope: "heartRate,metrics", name: "mum-1", expires: "90m", delay: "5m" });
  const t = (key, { name }) => `${key} ${name}`;
  assert.equal(titleOf({ name: "group-1", label: "Ann", group: "Sunday" }, t), "shareOfGroup Sunday");
  assert.equal(titleOf({ name: "ann-1", label: "Mum" }, t), "Mum");
});

test("the record page shares its own link again, and none that is for somebody else", () => {
  const now = 1_800_000_000;
  const own = { label: "ann", state: "active", url: "u", delaySeconds: 0, expiresAt: now + 3600 };
  assert.equal(openLink([own], "ann", now), own);
  for (const change of [
    // Receivers of alerts have a link without an end.
    { expiresAt: null }, { expiresAt: now + 90_000 }, { state: "expired" }, { label: "bob" },
    { group: "Sunday" }, { public: "ann" }, { url: undefined }, { delaySeconds: 60 },
  ]) assert.equal(openLink([{ ...own, ...change }], "ann", now), undefined, JSON.stringify(change));
});
