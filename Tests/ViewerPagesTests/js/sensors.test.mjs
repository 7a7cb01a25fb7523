import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";
import { settle, Timers } from "./recordstore.mjs";

const { Sensors } = await load("sensors.js");
const { ScreenLock, watchBattery } = await load("power.js");

function browser(more = {}) {
  const timers = new Timers();
  const window = new EventTarget();
  const watches = [];
  const texts = new Map();
  const environment = {
    setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout, setInterval: timers.setInterval,
    clearInterval: timers.clearInterval, performance: { now: () => timers.now }, window,
    document: new EventTarget(), ...more,
    navigator: {
      geolocation: { watchPosition: (...each) => watches.push(each), clearWatch() {} },
      permissions: { query: async () => ({ state: "granted" }) }, ...more.navigator },
  };
  const kept = { get: (key) => texts.get(key) ?? null, set: (key, text) => texts.set(key, text) };
  const taken = [];
  const take = { fix: () => taken.push("fix"), motion: () => taken.push("motion"),
    heartRate: () => taken.push("heartRate"), battery: (status) => taken.push(status) };
  const make = () => new Sensors({ take, onChange() {}, kept, locale: "en", firstWords: "Hello", environment });
  return { environment, timers, window, watches, texts, taken, make };
}

const moved = (x) => Object.assign(new Event("devicemotion"), {
  accelerationIncludingGravity: { x, y: x, z: x } });

test("nothing is asked for until the person switches it on, and each by itself", async () => {
  let asked = 0;
  const { make, watches, window, taken } = browser({
    DeviceMotionEvent: { requestPermission: async () => ((asked += 1), "granted") } });
  const sensors = make();
  await sensors.restore();
  window.dispatchEvent(moved(1));
  assert.deepEqual([watches.length, asked, taken, sensors.isMeasuring], [0, 0, [], false]);
  await sensors.toggle("position");
  assert.deepEqual([watches.length, asked, sensors.states.position], [1, 0, "waiting"]);
  await sensors.toggle("motion");
  window.dispatchEvent(moved(1));
  assert.deepEqual([asked, sensors.states.motion, taken], [1, "on", ["motion"]]);
  await sensors.toggle("motion");
  window.dispatchEvent(moved(1));
  assert.deepEqual(taken, ["motion"], "what is off is not taken");
});

const missing = [
  ["motion, where the browser has none", "motion", {}, "noMotion"],
  ["motion, where the person said no", "motion",
    { DeviceMotionEvent: { requestPermission: async () => "denied" } }, "motionDenied"],
  ["a strap, where the browser has no Bluetooth", "strap", {}, "noBluetooth"],
  ["a strap that fails", "strap",
    { navigator: { bluetooth: { requestDevice: () => Promise.reject(new Error("off")) } } }, "bluetoothFailed"],
  ["the screen, where it cannot be kept on", "screen", {}, "noScreenLock"],
  ["a voice, where there is none", "voice", {}, "noSpeech"],
];
for (const [name, sensor, more, problem] of missing) {
  test(`it says what is missing: ${name}`, async () => {
    const sensors = browser(more).make();
    await sensors.toggle(sensor);
    assert.deepEqual([sensors.states[sensor], sensors.problems[sensor]], ["problem", problem]);
  });
}

test("a device whose sensor sends nothing but empty events has no motion sensor", async () => {
  const { make, window, timers } = browser({ DeviceMotionEvent: {} });
  const sensors = make();
  await sensors.toggle("motion");
  window.dispatchEvent(moved(null));
  await timers.pass(5000);
  assert.deepEqual([sensors.states.motion, sensors.problems.motion], ["problem", "noMotion"]);
});

test("a refused position is told, and one that comes later is on", async () => {
  const { make, watches } = browser();
  const sensors = make();
  await sensors.toggle("position");
  watches[0][1]({ code: 2 });
  assert.deepEqual([sensors.states.position, sensors.problems.position], ["waiting", "positionUnavailable"]);
  watches[0][0]({ coords: {} });
  assert.deepEqual([sensors.states.position, sensors.problems.position], ["on", undefined]);
  watches[0][1]({ code: 1 });
  assert.deepEqual([sensors.states.position, sensors.problems.position], ["problem", "positionDenied"]);
});

test("after a reload it goes on with what the browser allows, and says what wants a tap", async () => {
  const allowing = browser({ DeviceMotionEvent: {} });
  allowing.texts.set("record.sensors", "position,motion,strap,screen");
  assert.deepEqual(await allowing.make().restore(), ["strap"]);
  assert.equal(allowing.watches.length, 1);
  const asking = browser({
    DeviceMotionEvent: { requestPermission: () => Promise.reject(new Error("only from a tap")) },
    navigator: { permissions: { query: async () => ({ state: "prompt" }) } } });
  asking.texts.set("record.sensors", "position,motion");
  assert.deepEqual(await asking.make().restore(), ["position", "motion"]);
  assert.equal(asking.watches.length, 0);
});

test("a sensor that failed for the moment is asked for again after a reload, whatever was switched since", async () => {
  const { make, texts, timers } = browser({ DeviceMotionEvent: {},
    navigator: { bluetooth: { requestDevice: () => Promise.reject(new Error("off")) } } });
  const sensors = make();
  await sensors.toggle("motion");
  await timers.pass(5000);
  assert.equal(sensors.problems.motion, "noMotion");
  await sensors.toggle("strap");
  await sensors.toggle("position");
  assert.deepEqual(texts.get("record.sensors").split(","), ["motion", "strap", "position"]);
  await sensors.toggle("position");
  await sensors.toggle("voice");
  assert.deepEqual(texts.get("record.sensors").split(","), ["motion", "strap"], "what is off, or cannot be");
  const closing = browser({ navigator: { bluetooth: {
    requestDevice: () => Promise.reject(Object.assign(new Error("closed"), { name: "NotFoundError" })) } } });
  const without = closing.make();
  await without.toggle("strap");
  await without.toggle("motion");
  assert.equal(closing.texts.get("record.sensors"), "", "nobody was chosen, and nothing can be measured");
});

test("the battery is told at once, at changes and now and then, by one watcher only", async () => {
  const battery = Object.assign(new EventTarget(), { level: 0.8, charging: false });
  const { make, timers, taken } = browser({ navigator: { getBattery: async () => battery } });
  const sensors = make();
  sensors.began();
  sensors.began();
  await settle();
  battery.level = 0.79;
  battery.dispatchEvent(new Event("levelchange"));
  await timers.pass(301000);
  assert.deepEqual(taken.map(({ level }) => level), [0.8, 0.79, 0.79]);
  sensors.pause();
  await settle();
  battery.dispatchEvent(new Event("levelchange"));
  assert.equal(taken.length, 3);
  assert.equal(await watchBattery(() => {}, { navigator: { getBattery: () => Promise.reject(new Error("no")) } }), undefined);
});

test("the screen is kept on again when the page comes back, and let go when it is not wanted", async () => {
  const document = new EventTarget();
  const locks = [];
  const environment = { document, navigator: { wakeLock: { request: async () => {
    const lock = Object.assign(new EventTarget(), { release() {
      this.dispatchEvent(new Event("release"));
    } });
    locks.push(lock);
    return lock;
  } } } };
  const screen = new ScreenLock({ environment });
  await screen.keep(true);
  assert.ok(screen.isHeld);
  locks[0].release();  // As a browser does when the page is hidden.
  assert.ok(!screen.isHeld);
  document.dispatchEvent(new Event("visibilitychange"));
  await settle();
  assert.deepEqual([screen.isHeld, locks.length], [true, 2]);
  screen.keep(false);
  document.dispatchEvent(new Event("visibilitychange"));
  await settle();
  assert.deepEqual([screen.isHeld, locks.length], [false, 2]);
});
