import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";
import { MemoryStore, settle, Timers } from "./recordstore.mjs";

const { FrameQueue, frameOverheadBytes, newRecord } = await load("queue.js");
const { kinds, sequenceOf } = await load("frames.js");

const payload = (size = 4) => new Uint8Array(size);
const record = () => newRecord({ id: "s", owner: "watch", milliseconds: 1000 });

function queueOf(store = new MemoryStore(), from = record(), more = {}) {
  const timers = new Timers();
  return { store, timers, queue: new FrameQueue(store, from, { environment: timers, ...more }) };
}

test("frames are numbered from 1, and the store has them before the call is over", () => {
  const { store, queue } = queueOf();
  for (let count = 1; count <= 3; count += 1) assert.equal(queue.append(kinds.control, 1000, payload()), count);
  assert.deepEqual([...store.frames.get("s").keys()], [1, 2, 3]);
  assert.deepEqual([...store.frames.get("s").values()].map(sequenceOf), [1, 2, 3]);
  assert.equal(store.sessions_.get("s").next, 4);
});

test("nothing may be sent before the store has it for good", async () => {
  const store = new MemoryStore();
  store.held = [];
  const { queue } = queueOf(store);
  queue.append(kinds.control, 1000, payload());
  queue.append(kinds.control, 1001, payload());
  await settle();
  assert.equal(queue.sendable, 0);
  assert.deepEqual(await queue.read(0, 1000), []);
  store.held[0]();
  await settle();
  assert.equal(queue.sendable, 1);
  store.held[1]();
  await settle();
  assert.deepEqual((await queue.read(0, 1000)).map(({ sequence }) => sequence), [1, 2]);
});

test("after a crash the next page goes on with the next number and the same frames", async () => {
  const { store, queue } = queueOf();
  for (let count = 0; count < 700; count += 1) queue.append(kinds.motion, 1000 + count, payload(count % 50));
  await settle();
  queue.acknowledge(100);
  const [kept] = await store.sessions();
  const { queue: next } = queueOf(store, kept);
  assert.equal(next.append(kinds.control, 9000, payload()), 701);
  await settle();
  const seen = [];
  for (let after = 100; ;) {
    const frames = await next.read(after, 3000);
    if (frames.length === 0) break;
    seen.push(...frames.map(({ sequence }) => sequence));
    after = seen.at(-1);
  }
  assert.deepEqual(seen, Array.from({ length: 601 }, (_, index) => index + 101));
});

test("what is acknowledged leaves the store, and what is kept is counted", async () => {
  const { store, queue, timers } = queueOf();
  for (let count = 0; count < 10; count += 1) queue.append(kinds.motion, 1000, payload(84));
  await settle();
  assert.equal(queue.record.bytes, 10 * (100 + frameOverheadBytes));
  queue.acknowledge(4);
  assert.equal(queue.record.bytes, 6 * (100 + frameOverheadBytes));
  queue.acknowledge(3);
  assert.equal(queue.record.acked, 4, "acks never fall");
  await timers.pass(5000);
  assert.deepEqual([...store.frames.get("s").keys()], [5, 6, 7, 8, 9, 10]);
  assert.equal(queue.isDone, false);
  queue.end();
  queue.acknowledge(10);
  assert.ok(queue.isDone);
  assert.equal(queue.record.bytes, 0);
});

test("a long backlog lies in the store and not in memory, and is read back page by page", async () => {
  const { store, queue } = queueOf();
  for (let count = 0; count < 3000; count += 1) queue.append(kinds.motion, 1000, payload(1000));
  await settle();
  const first = await queue.read(0, 32 * 1024);
  assert.ok(store.reads > 0 && first.length <= 34, `${first.length}`);
  assert.deepEqual(first.map(({ sequence }) => sequence), first.map((_, index) => index + 1));
  const reads = store.reads;
  await queue.read(2900, 32 * 1024);
  assert.equal(store.reads, reads, "the newest are in memory");
  queue.acknowledge(2999);
  assert.ok(Math.abs(queue.record.bytes - (1016 + frameOverheadBytes)) < 2);
});

test("a store that refuses is asked again, and no frame is passed by a later one", async () => {
  const troubles = [];
  const { store, queue, timers } = queueOf(new MemoryStore(), record(), { trouble: (error) => troubles.push(error?.name) });
  queue.append(kinds.control, 1000, payload());
  await settle();
  store.failures = 1;
  queue.append(kinds.control, 1001, payload());
  queue.append(kinds.control, 1002, payload());
  await settle();
  queue.append(kinds.control, 1003, payload());
  assert.equal(queue.sendable, 1);
  await timers.pass(1000);
  assert.equal(queue.sendable, 4);
  assert.deepEqual([...store.frames.get("s").keys()].sort(), [1, 2, 3, 4]);
  assert.deepEqual(troubles, ["QuotaExceededError", undefined]);
});

test("a store that keeps refusing does not keep frames from the daemon, and their numbers are noted", async () => {
  const { store, queue, timers } = queueOf();
  store.failures = Infinity;
  queue.append(kinds.control, 1000, payload());
  await timers.pass(5000);
  queue.append(kinds.control, 1001, payload());
  assert.deepEqual([queue.sendable, queue.unstored], [2, 2]);
  assert.deepEqual((await queue.read(0, 1000)).map(({ sequence }) => sequence), [1, 2]);
  queue.acknowledge(2);
  store.failures = 0;
  await timers.pass(1000);
  assert.deepEqual([queue.isRefused, queue.unstored, store.sessions_.get("s").next], [false, 0, 3]);
});

test("a number that another tab gave is not given again", async () => {
  let taken = 0;
  const { store, queue } = queueOf(new MemoryStore(), record(), { taken: () => (taken += 1) });
  await store.put(record(), [{ sequence: 1, bytes: payload() }]);
  queue.append(kinds.control, 1000, payload());
  await settle();
  assert.deepEqual([taken, queue.sendable], [1, 0]);
});

test("a daemon that knows more than this page is believed: its numbers are not used again", async () => {
  const { queue } = queueOf();
  queue.acknowledge(50);
  assert.equal(queue.append(kinds.control, 1000, payload()), 51);
});
