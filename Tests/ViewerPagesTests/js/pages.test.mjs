import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { initials, rank, sorted, timeAt } = await load("board.js");
const { present } = await load("metrics.js");
const { optionsOf } = await load("overlay.js");
const { overallState } = await load("connection.js");
const { cleaned, destination } = await load("start.js");
const { languages, pickLanguage, translator } = await load("strings.js");
const { appName, pointsOfGPX, tokenIn } = await load("owner.js");
const { partOf } = await load("scrub.js");
const { qrCode } = await load("qr.js");
const { Series } = await load("series.js");
const { unitSystems } = await load("format.js");
const { sentence } = await load("messages.js");
const { doubtAbout } = await load("panel.js");
const { checkpointsOf } = await load("course.js");
const { recordWords } = await load("recordwords.js");
const { recordValues, size, slotsFor } = await load("recordview.js");
const { linkOf, noticesOf } = await load("recordmodel.js");

const t = translator("en");
const context = { units: unitSystems.metric, t };
const beating = { state: "live", time: 50, heartRate: { bpm: 150, state: "live", ageSeconds: 0.5 } };

test("a constant live value is live, however long it stands", () => {
  const shown = present("heartRate", beating, { ...context, sinceMessage: 3600 });
  assert.deepEqual([shown.state, shown.badge], ["live", ""]);
});

test("a stale value says how old it is, and grows older", () => {
  const run = { ...beating, heartRate: { bpm: 150, state: "stale", ageSeconds: 12 } };
  assert.equal(present("heartRate", run, { ...context, sinceMessage: 8 }).badge, "20 s old");
});

test("a heart rate that is held or counts steps says so, and no other", () => {
  assert.equal(doubtAbout(undefined), undefined);
  assert.equal(doubtAbout({ bpm: 150 }), undefined);
  assert.equal(t(doubtAbout({ bpm: 150, spikeSuspected: true })), "checking a sudden change");
  assert.equal(
    t(doubtAbout({ bpm: 150, spikeSuspected: true, cadenceLockSuspected: true })), "may be counting steps");
});

test("what a sensor computed has its name beside it, and is hidden where there is none", () => {
  const run = {
    state: "live", time: 50, powerWatts: 251, distanceMeters: 900, paceSecondsPerKm: 300,
    cadence: { stepsPerMinute: 172.4, state: "live", source: "footpod" },
    measured: [
      { source: "old", state: "stale", ageSeconds: 30, powerWatts: 1, groundContactSeconds: 0.3, standsIn: [] },
      { source: "footpod", placement: "foot", state: "live", ageSeconds: 0.4, powerWatts: 240,
        strideLengthMeters: 2.134, verticalOscillationMeters: 0.0812,
        standsIn: ["cadence", "distanceMeters"] },
      { placement: "treadmill", state: "live", ageSeconds: 1, inclinationPercent: 2, standsIn: ["speedMetersPerSecond"] },
    ],
  };
  const of = (key, value = run) => {
    const { text, unit, source, isHidden, badge } = present(key, value, context);
    return [text, unit, source, isHidden, badge];
  };
  assert.deepEqual(of("cadence"), ["172", "spm", "footpod", false, ""]);
  assert.deepEqual(of("power"), ["251", "W", "footpod", false, ""]);
  assert.deepEqual(of("strideLength"), ["2.13", "m", "footpod", false, ""]);
  assert.deepEqual(of("verticalOscillation"), ["8.1", "cm", "footpod", false, ""]);
  assert.deepEqual(of("distance").slice(2, 3), ["footpod"]);
  assert.deepEqual(of("pace").slice(2, 3), ["treadmill"]);
  assert.deepEqual(of("inclination"), ["2.0", "%", "treadmill", false, ""]);
  // One that is silent has its age, and no name.
  assert.deepEqual(of("groundContact"), ["300", "ms", undefined, false, "30 s old"]);
  assert.deepEqual(of("pedalCadence"), ["--", "rpm", undefined, true, ""]);
  assert.deepEqual(of("power", beating).slice(3, 4), [true]);
  assert.equal(of("cadence", { ...run, cadence: { stepsPerMinute: 170, state: "live" } })[2], undefined);
  assert.equal(t("measuredBy", { source: "footpod" }), "by footpod");
});

test("without a connection nothing is live", () => {
  const shown = present("heartRate", beating, { ...context, lostSeconds: 7 });
  assert.deepEqual([shown.state, shown.badge], ["stale", "8 s old"]);
});

test("a value that has not come is waiting, never zero", () => {
  const shown = present("distance", { state: "live" }, context);
  assert.deepEqual([shown.state, shown.text], ["waiting", "--"]);
});

test("the connection's trouble comes before the run's state", () => {
  const of = (status, extra = {}) =>
    overallState({ status, loading: false, mode: "live", run: beating, ...extra });
  assert.equal(of("open"), "live");
  assert.equal(of("reconnecting"), "reconnecting");
  assert.equal(of("open", { loading: true }), "catchingUp");
  assert.equal(of("open", { mode: "replay" }), "replay");
  assert.equal(of("gone"), "gone");
});

test("the overlay takes what the address asks and leaves out what is wrong", () => {
  const options = optionsOf(new URLSearchParams(
    "metrics=pace,nonsense,heartRate&size=120&color=ff0044&font=Roboto%20Mono&layout=column"));
  assert.deepEqual(options.metrics, ["pace", "heartRate"]);
  assert.deepEqual([options.size, options.color, options.font, options.layout],
    [120, "#ff0044", "Roboto Mono", "column"]);
  const wrong = optionsOf(new URLSearchParams(
    "metrics=__proto__&size=1e9&color=red;x&font=a%22;b&layout=x"));
  assert.deepEqual([wrong.metrics, wrong.size, wrong.color, wrong.font, wrong.layout],
    [["heartRate"], 72, undefined, undefined, "row"]);
});

test("a code is cleaned as it is typed", () => {
  assert.equal(cleaned(" abc-2 3il0o4"), "ABC234");
});

test("only a share's page is opened for a code", () => {
  assert.equal(destination({ path: "/s/AB_c-9", share: "AB_c-9" }), "/s/AB_c-9");
  for (const path of ["https://other.example/s/ABC", "//other/s/ABC", "/me", "javascript:0", undefined]) {
    assert.equal(destination({ path }), undefined);
  }
});

test("every language has every word that English has, with the same places", () => {
  const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join();
  const same = ["bpm", "spm", "km", "mi", "accuracy", "noScript"];
  for (const [key, text] of Object.entries(languages.en)) {
    if (same.includes(key)) continue;
    assert.ok(languages.ko[key], `ko misses ${key}`);
    assert.equal(places(languages.ko[key]), places(text), key);
  }
  assert.deepEqual(Object.keys(languages.ko).filter((key) => !(key in languages.en)), []);
  assert.equal(pickLanguage(["ko-KR", "en"]), "ko");
  assert.equal(pickLanguage(["fr", "ko"]), "ko");
  assert.equal(pickLanguage(["fr"]), "en");
});

test("the record page's words are no other page's, and every notice has one", () => {
  const keys = (table) => Object.keys(table).sort();
  assert.deepEqual(keys(recordWords.en), keys(recordWords.ko));
  const uplink = (code) => ({ status: { state: "refused", code }, refusedFrames: 1, clockOffset: -90000 });
  const outbox = { trouble: new Error("full"), foreign: [{}], refusedSessions: 2, waitingFrames: 90, uplink: undefined };
  const sensors = { newest: { heartRate: { contact: false } }, problems: { position: "positionDenied" }, states: { screen: "on", position: "off", motion: "off", strap: "off" }, screen: { isHeld: false } };
  for (const code of [4003, 4009, 4013, 4000]) {
    for (const leftOut of ["motion", "all"]) {
      for (const recording of [{ leftOut }, undefined]) {
        const page = { outbox: { ...outbox, uplink: uplink(code) }, recording, sensors, hole: { from: 0, to: 1 },
          lost: ["position", "motion", "strap"], refusal: "no", isTokenUnknown: true };
        for (const { key, values, action } of noticesOf(page, { t, locale: "en" })) {
          assert.ok(languages.en[key], key);
          assert.ok(!/[{}]/.test(t(key, values)), t(key, values));
          if (action) assert.ok(languages.en[action], action);
        }
      }
    }
  }
  for (const { name } of Object.values(recordValues)) assert.ok(languages.en[name], name);
});

test("a sensor that failed during a run can be asked for again, where that may help", () => {
  const outbox = { foreign: [] };
  const action = (name, problem, lost) => noticesOf({ outbox, recording: {}, lost, sensors: {
    newest: {}, problems: { [name]: problem }, states: { [name]: "problem" } } }, { t, locale: "en" }).map((each) => each.action);
  for (const lost of [[], ["position", "motion", "strap"]]) {
    assert.deepEqual(action("position", "positionDenied", lost), ["measurePosition"]);
    assert.deepEqual(action("motion", "motionDenied", lost), ["measureMotion"]);
    assert.deepEqual(action("strap", "bluetoothFailed", lost), ["connectStrap"]);
    assert.deepEqual(action("motion", "noMotion", lost), [undefined]);
    assert.deepEqual(action("strap", "noBluetooth", lost), [undefined]);
  }
});

test("the largest number is what the sensors can tell", () => {
  const first = (hasHeart, hasPosition) => slotsFor({ hasHeart, hasPosition })[0];
  assert.deepEqual([first(true, true), first(true, false), first(false, true), first(false, false)],
    ["heartRate", "heartRate", "pace", "movingTime"]);
  assert.deepEqual([size(0), size(999), size(1500), size(123456), size(3.6e6)],
    ["0 B", "999 B", "1.5 kB", "123 kB", "3.6 MB"]);
});

test("the pill says whether what was measured is with the daemon, and for how long it is not", () => {
  const of = (state, waitingFrames) => linkOf(
    { outbox: { waitingFrames, uplink: { status: { state } } }, sentAt: 0 }, { t, now: 180000 });
  assert.equal(of("open", 3).text, "sent");
  assert.deepEqual(of("open", 900), { lamp: "catchingUp", text: "sending", detail: "900" });
  assert.deepEqual(of("waiting", 900), { lamp: "reconnecting", text: "keptHere", detail: "900 values kept, 3 min" });
  assert.equal(of("offline", 2).text, "noNetwork");
  assert.equal(of("refused", 2).text, "refusedState");
  assert.equal(linkOf({ outbox: undefined }, { t, now: 0 }), undefined);
});

test("who has run furthest leads, and the others' gap is how long ago the leader was there", () => {
  const runner = (number, speed) => {
    const series = new Series();
    for (let time = 0; time <= 100; time += 1) series.append({ time, distance: time * speed });
    return { number, name: `R${number}`, series,
      shown: { time: 100, distanceMeters: 100 * speed, paceSecondsPerKm: 1000 / speed } };
  };
  const entries = [runner(1, 2), runner(2, 4), { number: 3, name: "R3", series: new Series(), shown: {} }];
  assert.equal(rank(entries).number, 2);
  assert.deepEqual(entries.map((entry) => entry.place), [2, 1, undefined]);
  assert.equal(Math.round(entries[0].gapSeconds), 50);
  assert.deepEqual(sorted(entries, "distance", 1).map((entry) => entry.number), [1, 2, 3]);
  assert.deepEqual(sorted(entries, "distance", -1).map((entry) => entry.number), [2, 1, 3]);
  assert.equal(timeAt(entries[1].series, 10), 2.5);
});

test("initials are two letters", () => {
  assert.deepEqual(["Ana Lópes", "yuki", "김민지", ""].map(initials), ["AL", "YU", "김민", "?"]);
});

test("a token is taken from the fragment, bare or named", () => {
  assert.equal(tokenIn("#abc_-1"), "abc_-1");
  assert.equal(tokenIn("#token=abc"), "abc");
  assert.equal(tokenIn(""), undefined);
  assert.equal(tokenIn("#a%20b"), undefined);
});

test("a GPX track becomes points, thinned but with its end", () => {
  const text = Array.from({ length: 1000 }, (_, index) =>
    `<trkpt lat="${index / 1000}" lon='x' lon="${index}">`).join("");
  const points = pointsOfGPX(text, 100);
  assert.ok(points.length <= 101);
  assert.equal(points.at(-1).longitude, 999);
});

test("an application has its maker's name, a new one its own", () => {
  assert.equal(appName("gpslogger"), "GPSLogger");
  assert.equal(appName("steps"), "steps");
});

test("a place on the bar stays on the bar", () => {
  assert.deepEqual([partOf(5, 0, 10), partOf(-5, 0, 10), partOf(50, 0, 10), partOf(1, 5, 5)],
    [0.5, 0, 1, 1]);
});

test("a QR code is the one other readers read", () => {
  const rows = qrCode("PULSECAST");
  assert.equal(rows.length, 21);
  const text = rows.map((row) => row.map((dark) => (dark ? "#" : ".")).join("")).join("\n");
  assert.equal(text, golden);
  assert.equal(qrCode("x".repeat(2331)).length, 177);
  assert.throws(() => qrCode("x".repeat(2332)), RangeError);
});

test("events become sentences, a cleared alert none", () => {
  const say = (message) => sentence(message, unitSystems.metric, t);
  assert.equal(say({ event: "split", km: 3, seconds: 301 }), "Split 3: 05:01");
  assert.equal(say({ event: "checkpointReached", checkpoint: "Bridge", elapsedSeconds: 1871.3 }),
    "Bridge reached at 31:11");
  assert.equal(say({ event: "alert", kind: "sos", phase: "triggered" }), "SOS");
  assert.equal(say({ event: "alert", kind: "sos", phase: "cancelled" }), "SOS: cancelled");
  assert.equal(say({ event: "alert", kind: "sos", phase: "cleared" }), undefined);
});

test("a course lists what was reached at the moment shown, then what is ahead", () => {
  const marks = [[100, "start", 0], [700, "bridge", 601]].map(([time, checkpoint, elapsedSeconds]) =>
    ({ time, kind: "checkpointReached", message: { checkpoint, elapsedSeconds } }));
  const shown = (run) => checkpointsOf([{ time: 5, kind: "lap", message: {} }, ...marks], run)
    .map(({ name, seconds, reached }) => [name, seconds, reached]);
  assert.deepEqual(
    shown({ time: 800, course: { ahead: [{ checkpoint: "tower", predictedSeconds: 1200 }, { checkpoint: "finish" }] } }),
    [["start", 0, true], ["bridge", 601, true], ["tower", 1200, false], ["finish", undefined, false]]);
  assert.deepEqual(shown({ time: 400 }), [["start", 0, true]]);
});

// Read by another maker's reader as "PULSECAST".
const golden = `#######..#.##.#######
#.....#.#..##.#.....#
#.###.#.....#.#.###.#
#.###.#..#....#.###.#
#.###.#.#.#.#.#.###.#
#.....#..#..#.#.....#
#######.#.#.#.#######
..........###........
#.#.#.#...##....#..#.
#.##.....##..#.......
#.###.#.###.##.######
...#.#...##........#.
.#.##.##....###.#.#.#
........#.##...#..#..
#######..#.#..###.###
#.....#..#.###..#....
#.###.#.##.#..#.###..
#.###.#..#....##.#.#.
#.###.#.##..#..###..#
#.....#...#...#....#.
#######.#...#.###.###`;
