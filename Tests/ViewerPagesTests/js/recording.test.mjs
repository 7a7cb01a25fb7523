import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";
import { MemoryStore, settle, Timers } from "./recordstore.mjs";

const { FrameQueue, newRecord } = await load("queue.js");
const { makeTail, Recording } = await load("recording.js");
const { Tally, metersBetween } = await load("tally.js");
const { kinds } = await load("frames.js");
const { parseHeartRate, Strap } = await load("strap.js");
const { PositionWatch } = await load("position.js");
const { Leadership } = await load("leader.js");
const { Voice } = await load("voice.js");
const { Credentials, tokenOfText } = await load("credentials.js");

class Texts {
  constructor() {
    this.texts = new Map();
  }

  getItem = (key) => this.texts.get(key) ?? null;
  setItem = (key, text) => this.texts.set(key, String(text));
  removeItem = (key) => this.texts.delete(key);
}

const moved = (z = 9.80665) => ({
  accelerationIncludingGravity: { x: 0, y: 0, z }, rotationRate: { alpha: 1, beta: 0, gamma: 0 } });
const fix = (latitude) => ({ latitude, longitude: 11.5, accuracy: 5 });

function recordingOf({ store = new MemoryStore(), record = newRecord({ id: "s", owner: "w", milliseconds: 1000 }),
  texts = new Texts(), ...more } = {}) {
  const queue = new FrameQueue(store, record, { environment: new Timers() });
  return { store, queue, texts, recording: new Recording(queue, { tail: makeTail(texts, record.id), ...more }) };
}

const kindsIn = (store, id = "s") => [...store.frames.get(id).values()].map((bytes) =>
  Object.keys(kinds).find((name) => kinds[name] === bytes[2]));
/** Samples of all motion frames, as [milliseconds, z]. */
function samplesIn(store, id = "s") {
  return [...store.frames.get(id).values()].filter((bytes) => bytes[2] === kinds.motion).flatMap((bytes) => {
    const view = new DataView(bytes.buffer);
    const start = Number(view.getBigInt64(8, true)) / 1000;
    return Array.from({ length: bytes[16] }, (_, index) =>
      [start + (index * view.getUint32(20, true)) / 1000, view.getInt16(24 + 12 * index + 4, true)]);
  });
}

test("motion is sealed before whatever else is measured, so frames leave in the order of their times", () => {
  const { store, recording } = recordingOf();
  recording.start(1000);
  for (let index = 0; index < 10; index += 1) recording.motion(moved(), 1000 + index * 16);
  recording.fix(fix(48), 1160);
  recording.motion(moved(), 1176);
  recording.heartRate({ beatsPerMinute: 140, contact: true, intervals: [430] }, "H10", 1180);
  recording.motion(moved(), 1190);
  recording.pause(1200);
  recording.resume(1300);
  recording.lap(1400);
  recording.stop(1500);
  assert.deepEqual(kindsIn(store), ["control", "motion", "location", "motion", "source", "heartRate", "motion",
    "control", "control", "control", "control"]);
  recording.fix(fix(49), 1600);
  recording.motion(moved(), 1700);
  assert.equal(store.frames.get("s").size, 11, "nothing is measured after the stop");
});

test("a tab that is killed loses not one sample, wherever it dies", async () => {
  for (const count of [1, 29, 30, 31, 32, 75]) {
    const { store, texts, recording } = recordingOf();
    recording.start(1000);
    for (let index = 0; index < count; index += 1) recording.motion(moved(index), 1000 + index * 16);
    await settle();
    const [record] = await store.sessions();
    recordingOf({ store, texts, record });
    const samples = samplesIn(store);
    assert.equal(samples.length, count);
    samples.forEach(([milliseconds], index) => assert.ok(Math.abs(milliseconds - 1000 - index * 16) < 0.02));
  }
});

test("a tail older than the store adds nothing twice, and one of another session adds nothing", async () => {
  const { store, texts, recording } = recordingOf();
  recording.start(1000);
  for (let index = 0; index < 20; index += 1) recording.motion(moved(), 1000 + index * 16);
  const old = texts.getItem("pulsecast.record.tail");
  recording.fix(fix(48), 1400);
  await settle();
  const [record] = await store.sessions();
  texts.setItem("pulsecast.record.tail", old);
  recordingOf({ store, texts, record });
  assert.equal(samplesIn(store).length, 20);
  texts.setItem("pulsecast.record.tail", old);
  recordingOf({ store, texts, record: newRecord({ id: "t", owner: "w", milliseconds: 1000 }) });
  assert.equal(store.frames.get("t"), undefined);
});

test("where texts cannot be kept the recording goes on", () => {
  const texts = { getItem() { throw new Error("private"); }, setItem() { throw new Error("private"); } };
  const { store, recording } = recordingOf({ texts });
  for (let index = 0; index < 40; index += 1) recording.motion(moved(), 1000 + index * 16);
  assert.deepEqual(kindsIn(store), ["motion"]);
});

test("a full store first leaves motion out and says so once, then all, and buttons never", () => {
  let taken = 0;
  const told = [];
  const { store, recording } = recordingOf({ room: () => taken });
  const note = () => told.push(recording.leftOut);
  recording.start(1000);
  recording.motion(moved(), 1016);
  taken = 0.95;
  for (let index = 2; index < 50; index += 1) recording.motion(moved(), 1000 + index * 16);
  note();
  recording.fix(fix(48), 2000);
  taken = 1;
  note();
  recording.fix(fix(48.1), 3000);
  recording.lap(3100);
  taken = 0.1;
  note();
  recording.fix(fix(48.2), 4000);
  recording.motion(moved(), 4016);
  recording.flush();
  assert.deepEqual(kindsIn(store), ["control", "motion", "marker", "location", "control", "location", "motion"]);
  assert.deepEqual(told, ["motion", "all", ""]);
});

test("a rate that no heart has makes no frame", () => {
  const { store, recording } = recordingOf();
  recording.start(1000);
  recording.heartRate({ beatsPerMinute: 0, contact: false, intervals: [] }, "H10", 1100);
  assert.deepEqual(kindsIn(store), ["control"]);
});

const measurements = [
  ["8 bits", [0x00, 72], { beatsPerMinute: 72, contact: undefined, intervals: [] }],
  ["16 bits, as the service allows", [0x01, 0x2c, 0x01], { beatsPerMinute: 300, contact: undefined, intervals: [] }],
  ["contact lost", [0x04, 0], { beatsPerMinute: 0, contact: false, intervals: [] }],
  ["contact, energy and two intervals", [0x1e, 150, 5, 0, 0x9a, 0x01, 0x00, 0x02],
    { beatsPerMinute: 150, contact: true, intervals: [410, 512] }],
  ["an interval that is cut", [0x10, 150, 0x9a, 0x01, 0x05], { beatsPerMinute: 150, contact: undefined, intervals: [410] }],
  ["nothing", [0x00], undefined], ["16 bits that are cut", [0x01, 9], undefined],
];
for (const [name, bytes, expected] of measurements) {
  test(`what a strap sends is read: ${name}`, () => {
    assert.deepEqual(parseHeartRate(new DataView(new Uint8Array(bytes).buffer)), expected);
  });
}

/** A strap that can be lost, and found again. */
function fakeStrap(timers) {
  const strap = { name: "H10", isNear: true, connects: 0, listeners: new Map() };
  strap.addEventListener = (name, action) => strap.listeners.set(name, action);
  strap.removeEventListener = (name) => strap.listeners.delete(name);
  const characteristic = new EventTarget();
  characteristic.startNotifications = async () => {};
  strap.beat = (bytes) => {
    characteristic.value = new DataView(new Uint8Array(bytes).buffer);
    characteristic.dispatchEvent(new Event("characteristicvaluechanged"));
  };
  strap.gatt = {
    disconnect() {},
    async connect() {
      strap.connects += 1;
      if (!strap.isNear) throw new Error("too far");
      return { getPrimaryService: async () => ({ getCharacteristic: async () => characteristic }) };
    },
  };
  const environment = { ...timers, navigator: { bluetooth: { requestDevice: async () => strap } },
    setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout };
  return { strap, environment };
}

test("a strap that is lost is looked for until it comes back, and each beat is told once", async () => {
  const timers = new Timers();
  const { strap, environment } = fakeStrap(timers);
  const [beats, states] = [[], []];
  const worn = new Strap({ environment, onReading: ({ beatsPerMinute }, name) => beats.push(`${name} ${beatsPerMinute}`),
    onState: (state) => states.push(state) });
  assert.ok(await worn.choose());
  await settle();
  strap.beat([0, 100]);
  strap.isNear = false;
  strap.listeners.get("gattserverdisconnected")();
  await timers.pass(300000);
  assert.ok(strap.connects > 8, "it does not give up");
  strap.isNear = true;
  await timers.pass(31000);
  strap.beat([0, 101]);
  assert.deepEqual(beats, ["H10 100", "H10 101"]);
  assert.deepEqual(states, ["connecting", "connected", "lost", "connected"]);
  worn.stop();
  strap.listeners.get("gattserverdisconnected")?.();
  const { connects } = strap;
  await timers.pass(60000);
  assert.equal(strap.connects, connects, "a strap that was switched off stays off");
});

test("a chooser that is closed is no failure", async () => {
  const environment = { navigator: { bluetooth: {
    requestDevice: () => Promise.reject(Object.assign(new Error(), { name: "NotFoundError" })) } } };
  assert.equal(await new Strap({ environment, onReading() {} }).choose(), false);
});

test("a watch of the position that falls silent is begun again; a refusal is told and ends it", async () => {
  const timers = new Timers();
  const watches = [];
  const problems = [];
  const environment = { setInterval: timers.setInterval, clearInterval: timers.clearInterval,
    performance: { now: () => timers.now },
    navigator: { geolocation: { watchPosition: (...each) => watches.push(each), clearWatch() {} } } };
  const fixes = [];
  const watch = new PositionWatch({ environment, onFix: (each) => fixes.push(each), onProblem: (each) => problems.push(each) });
  watch.start();
  watches[0][0]("here");
  await timers.pass(60000);
  assert.ok(watches.length >= 2);
  watches.at(-1)[1]({ code: 2 });
  watches.at(-1)[0]("there");
  watches.at(-1)[1]({ code: 1 });
  assert.deepEqual([fixes, problems, watch.isOn], [["here", "there"], ["unavailable", "", "denied"], false]);
});

test("distance is that of good fixes, without the scatter of one who stands, without a jump, without the pause", () => {
  const tally = new Tally(0);
  const step = 3 / 111195;  // 3 m to the north
  let second = 0;
  const go = (latitude, accuracy = 5) => tally.fix({ latitude, longitude: 11.5, accuracy }, (second += 1) * 1000);
  for (let count = 0; count <= 100; count += 1) go(48 + count * step);
  assert.ok(Math.abs(tally.state.meters - 300) < 4, `${tally.state.meters}`);
  assert.ok(Math.abs(tally.shown(second * 1000).paceSecondsPerKm - 333.3) < 10);
  go(49);  // a jump of a hundred kilometers
  go(48 + 101 * step, 80);
  const before = tally.state.meters;
  for (let count = 0; count < 60; count += 1) go(49 + (count % 2) * 0.2 * step);
  assert.ok(tally.state.meters - before < 3, `${tally.state.meters - before} m while standing`);
  tally.pause(second * 1000);
  for (let count = 0; count < 10; count += 1) go(49 + count * step);
  const paused = tally.state.meters;
  tally.resume(second * 1000);
  go(49.5);
  assert.equal(tally.state.meters, paused);
  assert.equal(tally.shown(second * 1000).paceSecondsPerKm, undefined);
  assert.ok(Math.abs(metersBetween({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 1 }) - 111195) < 1);
});

test("time, laps and heart rate leave the pause out, and survive a reload", () => {
  const tally = new Tally(0);
  tally.heartRate(100, 0);
  tally.heartRate(140, 5000);
  assert.deepEqual(tally.lap(60000), { number: 1, seconds: 60, meters: 0 });
  tally.pause(90000);
  const reloaded = new Tally(0, structuredClone(tally.state));
  assert.equal(reloaded.movingSeconds(500000), 90);
  reloaded.resume(190000);
  const shown = reloaded.shown(200000);
  assert.deepEqual([shown.movingSeconds, shown.elapsedSeconds, shown.lapSeconds, shown.laps], [100, 200, 40, 1]);
  assert.deepEqual([shown.beatsPerMinute, shown.averageHeartRate, shown.maxHeartRate], [undefined, 140, 140]);
  assert.equal(reloaded.lap(210000).seconds, 50);
});

/** Tabs that share locks and channel. */
function browser() {
  const waiting = [];
  let holder;
  const channels = [];
  const grant = () => {
    if (holder || waiting.length === 0) return;
    const next = waiting.shift();
    holder = next;
    next.callback().then(() => {
      if (holder === next) holder = undefined;
      next.done();
      grant();
    });
  };
  return () => ({
    timers: new Timers(),
    AbortController,
    BroadcastChannel: class {
      constructor() {
        channels.push(this);
      }

      postMessage(data) {
        for (const each of channels) if (each !== this && !each.isFrozen) each.onmessage({ data: structuredClone(data) });
      }
    },
    navigator: { locks: { request: (_, { steal, signal }, callback) => new Promise((done, fail) => {
      const entry = { callback, done, fail };
      signal?.addEventListener("abort", () => {
        waiting.splice(waiting.indexOf(entry) >>> 0, 1);
        fail(new Error("aborted"));
      });
      if (steal) {
        holder?.fail(new Error("stolen"));
        holder = undefined;
        waiting.unshift(entry);
      } else waiting.push(entry);
      grant();
    }) } },
    freeze: () => {
      channels[0].isFrozen = true;
    },
  });
}

function tab(environment, log, name) {
  const timers = environment.timers;
  Object.assign(environment, { setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout });
  return new Leadership({ environment, onLead: () => log.push(`${name} leads`), onLose: () => log.push(`${name} loses`),
    onNews: (news) => log.push(`${name} hears ${news}`), onWish: (wish) => log.push(`${name} is asked ${wish}`) });
}

test("one tab leads, the others hear it and ask it; who takes over leads, and the other one waits", async () => {
  const open = browser();
  const log = [];
  const [first, second] = [tab(open(), log, "A"), tab(open(), log, "B")];
  await settle();
  first.tell("12 km");
  second.tell("nothing");
  second.ask("lap");
  second.take();
  await settle();
  assert.deepEqual(log, ["A leads", "B hears 12 km", "A is asked lap", "A loses", "B leads"]);
  first.take();
  await settle();
  assert.deepEqual(log.slice(5), ["B loses", "A leads"]);
});

test("a tab that is frozen is passed over after a moment", async () => {
  const open = browser();
  const log = [];
  const [one, two] = [open(), open()];
  tab(one, log, "A");
  const second = tab(two, log, "B");
  await settle();
  one.freeze();
  second.take();
  await two.timers.pass(2000);
  assert.deepEqual(log, ["A leads"]);
  await two.timers.pass(2000);
  // Which of the two hears of it first is the browser's affair; a number is given once all the same.
  assert.deepEqual(log.sort(), ["A leads", "A loses", "B leads"]);
  assert.ok(second.isLeader);
});

test("a crowd does not talk for the rest of the run", () => {
  const spoken = [];
  const environment = { SpeechSynthesisUtterance: class { constructor(text) { this.text = text; } },
    speechSynthesis: { speak: (each) => spoken.push(each), cancel() {} } };
  const voice = new Voice("en-GB", environment);
  assert.equal(voice.say("early"), false, "only if wanted");
  voice.isOn = true;
  for (let count = 0; count < 10; count += 1) voice.say(`Go ${count}`);
  assert.equal(spoken.length, 3);
  spoken[0].onend();
  assert.ok(voice.say("again"));
  assert.equal(spoken[0].lang, "en-GB");
});

test("the token leaves the address at once, and is kept only where the person agreed", () => {
  const replaced = [];
  const location = { hash: "#pc_abc", pathname: "/record", search: "" };
  const storage = new Texts();
  const credentials = new Credentials({ location, history: { replaceState: (...each) => replaced.push(each[2]) },
    localStorage: storage });
  assert.equal(credentials.fromAddress(), "pc_abc");
  assert.deepEqual([replaced, storage.texts.size], [["/record"], 0]);
  location.hash = "#%E0%A4%A";
  assert.equal(credentials.fromAddress(), undefined);
  assert.equal(replaced.length, 2, "what is no token leaves it, too");
  assert.ok(credentials.keep("pc_abc", "watch"));
  assert.deepEqual(credentials.kept, { token: "pc_abc", device: "watch" });
  credentials.forget();
  assert.deepEqual([credentials.kept, storage.texts.size], [undefined, 0]);
  storage.setItem("pulsecast.record.token", '{"token":7}');
  assert.equal(credentials.kept, undefined);
});

test("a token is taken from what a person pastes: bare, or in a link", () => {
  assert.equal(tokenOfText(" pc_abc\n"), "pc_abc");
  assert.equal(tokenOfText("https://run.example/record#pc_a%2Bb"), "pc_a+b");
  for (const text of ["", "https://run.example/record", "two words", "#%"]) assert.equal(tokenOfText(text), undefined, text);
});
