import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";
import { MemoryStore, settle, Timers } from "./recordstore.mjs";

const { finalDeviceCodes, Uplink } = await load("uplink.js");
const { FrameQueue, newRecord } = await load("queue.js");
const { encodeFrame, kinds, sequenceOf } = await load("frames.js");
const { Outbox } = await load("outbox.js");

/** A daemon behind fake sockets: keeps numbers, acknowledges when told. */
class Daemon {
  constructor(timers) {
    this.timers = timers;
    this.sockets = [];
    this.sessions = new Map();
    this.isThere = true;
    const daemon = this;
    this.WebSocket = class {
      constructor(url, protocol) {
        Object.assign(this, { url, protocol, readyState: 0, bufferedAmount: 0, sent: [] });
        daemon.sockets.push(this);
        timers.setTimeout(() => (daemon.isThere ? this.open() : this.end(1006)), 10);
      }

      open() {
        if (this.readyState !== 0) return;
        this.readyState = 1;
        this.onopen();
      }

      send(bytes) {
        if (bytes[2] === kinds.hello) {
          this.hello = JSON.parse(new TextDecoder().decode(bytes.slice(16)));
          daemon.welcome(this);
          return;
        }
        for (let at = 0; at < bytes.length;) {
          const length = bytes[at] + 256 * bytes[at + 1] + 2;
          this.sent.push(sequenceOf(bytes.subarray(at, at + length)));
          daemon.take(this, this.sent.at(-1));
          at += length;
        }
      }

      tell(kind, sequence, content) {
        const payload = content ? new TextEncoder().encode(JSON.stringify(content)) : new Uint8Array();
        this.onmessage({ data: encodeFrame(kind, sequence, 1, payload).buffer });
      }

      end(code) {
        this.readyState = 3;
        this.onclose({ code });
      }

      close() {
        this.readyState = 3;
      }
    };
  }

  get newest() {
    return this.sockets.at(-1);
  }

  welcome(socket) {
    if (!this.sessions.has(socket.hello.session)) this.sessions.set(socket.hello.session, []);
    const kept = this.sessions.get(socket.hello.session);
    socket.tell(kinds.welcome, 0, { type: "welcome", acked: Math.max(0, ...kept), serverTime: 1 });
  }

  /** Frames that are there already are duplicates. */
  take(socket, sequence) {
    const kept = this.sessions.get(socket.hello.session);
    if (!kept.includes(sequence)) kept.push(sequence);
  }

  acknowledge(socket = this.newest) {
    socket.tell(kinds.ack, Math.max(0, ...this.sessions.get(socket.hello.session)));
  }
}

function world({ store = new MemoryStore() } = {}) {
  const timers = new Timers();
  const daemon = new Daemon(timers);
  const listeners = new Map();
  const environment = {
    ...{ setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout },
    setInterval: timers.setInterval, clearInterval: timers.clearInterval,
    WebSocket: daemon.WebSocket, performance: { now: () => timers.now }, Date: { now: () => 1000 + timers.now },
    location: { href: "https://run.example/record" }, navigator: { onLine: true }, crypto,
    window: { addEventListener: (name, action) => listeners.set(name, action), removeEventListener() {} },
  };
  return { timers, daemon, store, environment, listeners };
}

function linked(from = world(), id = "s") {
  const statuses = [];
  const messages = [];
  const { environment } = from;
  const queue = new FrameQueue(from.store, newRecord({ id, owner: "watch", milliseconds: 1 }), {
    environment, changed: () => uplink.pump() });
  const uplink = new Uplink(queue, {
    token: "pc_1", environment, onStatus: (status) => statuses.push(status), onMessage: (each) => messages.push(each) });
  return { ...from, queue, uplink, statuses, messages };
}

const append = (queue, count, size = 4) => {
  for (let index = 0; index < count; index += 1) queue.append(kinds.motion, 1, new Uint8Array(size));
};
const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("it says hello with token and session, and sends in order what is kept", async () => {
  const { queue, uplink, daemon, timers } = linked();
  append(queue, 5);
  uplink.start();
  await timers.pass(100);
  const socket = daemon.newest;
  assert.deepEqual([socket.url, socket.protocol], ["wss://run.example/v1/device", "pulsecast.device.v1"]);
  assert.deepEqual([socket.hello.token, socket.hello.session], ["pc_1", "s"]);
  assert.deepEqual(socket.sent, [1, 2, 3, 4, 5]);
  append(queue, 2);
  await timers.pass(10);
  assert.deepEqual(socket.sent, numbers(1, 7));
  daemon.acknowledge();
  assert.equal(queue.waitingFrames, 0);
});

test("after a loss it goes on after the acknowledged number, and resends the rest", async () => {
  const { queue, uplink, daemon, timers, statuses } = linked();
  append(queue, 6);
  uplink.start();
  await timers.pass(100);
  const first = daemon.newest;
  // Four arrived before the network went.
  daemon.sessions.set("s", [1, 2, 3, 4]);
  first.end(1006);
  append(queue, 2);
  await timers.pass(2000);
  assert.notEqual(daemon.newest, first);
  assert.deepEqual(daemon.newest.sent, [5, 6, 7, 8]);
  assert.deepEqual(daemon.sessions.get("s"), numbers(1, 8));
  assert.ok(statuses.some(({ state }) => state === "waiting"));
});

test("it waits longer after each failure, tries at once when the network is back, and never gives up", async () => {
  const { uplink, daemon, timers, listeners, environment, statuses } = linked();
  daemon.isThere = false;
  environment.navigator.onLine = false;
  uplink.start();
  await timers.pass(60000);
  const tries = daemon.sockets.length;
  assert.ok(tries >= 6 && tries <= 12, `${tries} in a minute`);
  assert.equal(statuses.at(-1).state, "offline");
  await timers.pass(600000);
  assert.ok(daemon.sockets.length - tries <= 42, "at most each 15 s");
  assert.ok(daemon.sockets.length - tries >= 15);
  daemon.isThere = true;
  listeners.get("online")();
  await timers.pass(50);
  assert.equal(uplink.status.state, "open");
});

for (const code of [4000, 4001, 4003, 4004, 4009, 4010, 4013, 1001, 1012, 1006, 4008, 4029]) {
  const isFinal = finalDeviceCodes.has(code);
  test(`close code ${code}: ${isFinal ? "it stays away until the person wants it" : "it comes back"}`, async () => {
    const { queue, uplink, daemon, timers } = linked();
    append(queue, 3);
    uplink.start();
    await timers.pass(100);
    daemon.newest.end(code);
    await timers.pass(60000);
    assert.equal(daemon.sockets.length, isFinal ? 1 : 2);
    assert.equal(uplink.status.state, isFinal ? "refused" : "open");
    assert.equal(queue.record.next, 4, "nothing is lost");
    if (!isFinal) return;
    uplink.wake();
    await timers.pass(1000);
    assert.equal(daemon.sockets.length, 1);
    uplink.again("pc_2");
    await timers.pass(1000);
    assert.deepEqual([daemon.newest.hello.token, uplink.status.state], ["pc_2", "open"]);
  });
}

test("no more is in flight than the bound, whatever is kept", async () => {
  const { queue, uplink, daemon, timers } = linked();
  append(queue, 3000, 1000);
  uplink.start();
  await timers.pass(1000);
  const { sent } = daemon.newest;
  assert.ok(sent.length * 1016 <= (256 + 33) * 1024, `${sent.length} frames`);
  for (let round = 0; round < 30 && sent.length < 3000; round += 1) {
    daemon.acknowledge();
    await timers.pass(100);
  }
  assert.deepEqual(sent, numbers(1, 3000));
});

test("a socket that does not drain is not fed", async () => {
  const { queue, uplink, daemon, timers } = linked();
  uplink.start();
  await timers.pass(100);
  daemon.newest.bufferedAmount = 64 * 1024;
  append(queue, 5);
  await timers.pass(1000);
  assert.deepEqual(daemon.newest.sent, []);
  daemon.newest.bufferedAmount = 0;
  await timers.pass(200);
  assert.deepEqual(daemon.newest.sent, [1, 2, 3, 4, 5]);
});

test("a connection that looks open and says nothing is given up, but not one that is slow", async () => {
  const { queue, uplink, daemon, timers } = linked();
  uplink.start();
  await timers.pass(100);
  const first = daemon.newest;
  append(queue, 3);
  for (let second = 60; second > 0; second -= 1) {
    first.bufferedAmount = second * 100;  // Bytes leave.
    await timers.pass(1000);
  }
  assert.equal(daemon.newest, first);
  await timers.pass(25000);
  assert.notEqual(daemon.newest, first);
  assert.equal(uplink.status.state, "open");
});

test("after waking up it doubts sooner", async () => {
  const { queue, uplink, daemon, timers } = linked();
  uplink.start();
  await timers.pass(100);
  const first = daemon.newest;
  append(queue, 1);
  await timers.pass(100);
  uplink.wake();
  await timers.pass(8000);
  assert.notEqual(daemon.newest, first);
});

test("commands, cheers and refusals reach the page; what no device may know is left out", async () => {
  const { uplink, daemon, timers, messages } = linked();
  uplink.start();
  await timers.pass(100);
  daemon.newest.tell(kinds.command, 0, { command: "lap" });
  daemon.newest.tell(kinds.command, 0, { type: "cheer", text: "Go!" });
  daemon.newest.tell(kinds.error, 0, { type: "error", code: 4000, reason: "heart rate out of range" });
  daemon.newest.onmessage({ data: new ArrayBuffer(3) });
  assert.deepEqual(messages.map(({ command, text, reason }) => command ?? text ?? reason),
    ["lap", "Go!", "heart rate out of range"]);
  assert.equal(uplink.refusedFrames, 1);
});

test("a store that cannot be read for a moment delays, and loses nothing", async () => {
  const from = world();
  const { queue, uplink, daemon, timers, store } = linked(from);
  append(queue, 2000, 1000);
  await settle();
  const { read } = store;
  store.read = () => Promise.reject(new Error("busy"));
  uplink.start();
  await timers.pass(1000);
  assert.deepEqual(daemon.newest.sent, []);
  store.read = read;
  for (let round = 0; round < 40; round += 1) {
    await timers.pass(2000);
    daemon.acknowledge();
  }
  assert.deepEqual(daemon.newest.sent, numbers(1, 2000));
});

test("sessions that ended without a network follow one after the other, and then nothing is kept", async () => {
  const from = world();
  for (const id of ["old", "older"]) {
    const record = { ...newRecord({ id, owner: "watch", milliseconds: id.length }), state: "ended" };
    const queue = new FrameQueue(from.store, record, { environment: from.environment });
    append(queue, 300);
    queue.end();
    await settle();
  }
  const foreign = new FrameQueue(from.store, newRecord({ id: "x", owner: "bike", milliseconds: 1 }), from);
  append(foreign, 1);
  const outbox = new Outbox(from.store, { token: "pc_1", owner: "watch", environment: from.environment });
  assert.equal(await outbox.open(), undefined);
  assert.deepEqual([outbox.waitingFrames, outbox.foreign.length], [600, 1]);
  const queue = outbox.begin(5000);
  append(queue, 3);
  for (let round = 0; round < 20; round += 1) {
    await from.timers.pass(500);
    for (const socket of from.daemon.sockets) if (socket.readyState === 1 && socket.hello) from.daemon.acknowledge(socket);
  }
  assert.equal(outbox.waitingFrames, 0);
  assert.deepEqual(from.daemon.sessions.get("old"), numbers(1, 300));
  assert.deepEqual(from.daemon.sessions.get("older"), numbers(1, 300));
  queue.end();
  outbox.finish();
  await from.timers.pass(1000);
  assert.deepEqual([...from.store.sessions_.keys()], ["x"], "what another device measured stays");
});

test("a session that was not ended goes on with its own numbers", async () => {
  const from = world();
  const before = new Outbox(from.store, { token: "pc_1", owner: "watch", environment: from.environment });
  await before.open();
  append(before.begin(1000), 7);
  await from.timers.pass(100);
  before.close();
  const after = new Outbox(from.store, { token: "pc_1", owner: "watch", environment: from.environment,
    unstored: { read: () => 9, write() {} } });
  const open = await after.open();
  assert.equal(open.next, 8);
  const queue = after.begin(2000, open);
  assert.equal(queue.append(kinds.control, 1, new Uint8Array(1)), 10, "9 was sent from memory");
});
