import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./modules.mjs";

const { history } = await load("past.js");
const { fetchAnew, ShareStream } = await load("protocol.js");
const { retryDelay } = await load("retry.js");

/** A browser of which every part is in the test's hands; time passes only when told. */
function world({ latest = () => ({ status: 200, ok: true }), events = false } = {}) {
  const target = () => {
    const listeners = {};
    return {
      addEventListener: (name, action) => (listeners[name] ??= []).push(action),
      removeEventListener: () => {},
      fire: (name, event) => (listeners[name] ?? []).forEach((action) => action(event)),
    };
  };
  const state = { now: 0, timers: [], sockets: [], sources: [], statuses: [], messages: [] };
  class Socket {
    constructor(url) {
      this.url = url;
      this.readyState = 0;
      this.sent = [];
      state.sockets.push(this);
    }
    open() {
      this.readyState = 1;
      this.onopen();
    }
    say(message) {
      this.onmessage({ data: JSON.stringify(message) });
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.readyState = 3;
    }
    drop(code) {
      this.readyState = 3;
      this.onclose({ code });
    }
  }
  class Source {
    constructor(url) {
      Object.assign(this, target(), { url, close: () => {} });
      state.sources.push(this);
    }
  }
  const environment = {
    WebSocket: Socket, EventSource: events ? Source : undefined, navigator: { onLine: true },
    location: { href: "https://run.example/s/ID" }, performance: { now: () => state.now },
    window: target(), document: { ...target(), visibilityState: "visible" },
    setTimeout: (action, delay) => state.timers.push({ action, at: state.now + delay }),
    clearTimeout: (number) => {
      if (number) state.timers[number - 1].action = () => {};
    },
    setInterval: () => 0, clearInterval: () => {},
    fetch: async () => ({ headers: { get: () => null }, ...latest() }),
  };
  const stream = new ShareStream("ID", {
    environment, onMessage: (message, how) => state.messages.push({ ...message, ...how }),
    onStatus: (status) => state.statuses.push(status),
  });
  const pass = async (milliseconds) => {
    state.now += milliseconds;
    for (const timer of state.timers.splice(0, state.timers.length, ...state.timers.map((each) =>
      (each.at <= state.now ? { action: () => {}, at: Infinity } : each)))) {
      if (timer.at <= state.now) timer.action();
    }
    for (let turn = 0; turn < 5; turn += 1) await null;
  };
  return { ...state, state, environment, stream, pass };
}

const snapshot = (offset, extra = {}) =>
  ({ type: "snapshot", cursor: `e1-${offset}`, time: 100 + offset, state: "live", ...extra });

test("the first connection asks for nothing but the stream", () => {
  const { stream, sockets, statuses } = world();
  stream.start();
  assert.equal(sockets[0].url, "wss://run.example/v1/shares/ID/live");
  sockets[0].open();
  sockets[0].say(snapshot(1));
  assert.deepEqual(statuses, ["connecting", "open"]);
});

test("after a loss it asks /latest, then goes on after the newest cursor", async () => {
  const { stream, sockets, statuses, pass } = world();
  stream.start();
  sockets[0].open();
  sockets[0].say(snapshot(5));
  sockets[0].say({ type: "update", cursor: "e1-9", time: 109 });
  sockets[0].drop(1012);
  await pass(600);
  assert.match(sockets[1].url, /after=e1-9$/);
  assert.deepEqual(statuses, ["connecting", "open", "reconnecting", "catchingUp"]);
});

for (const code of [4003, 4004, 4009, 4010]) {
  test(`after ${code} nobody comes back`, async () => {
    const { stream, sockets, statuses, pass } = world();
    stream.start();
    sockets[0].open();
    sockets[0].say(snapshot(1));
    sockets[0].drop(code);
    await pass(120000);
    assert.equal(sockets.length, 1);
    assert.equal(statuses.at(-1), "gone");
  });
}

for (const code of [1001, 1006, 1012, 4008, 4029]) {
  test(`after ${code} it comes back`, async () => {
    const { stream, sockets, pass } = world();
    stream.start();
    sockets[0].open();
    sockets[0].say(snapshot(1));
    sockets[0].drop(code);
    await pass(600);
    assert.equal(sockets.length, 2);
  });
}

test("a share that /latest does not know is gone", async () => {
  const { stream, sockets, statuses, pass } = world({ latest: () => ({ status: 404, ok: false }) });
  stream.start();
  sockets[0].drop(1006);
  await pass(600);
  assert.equal(statuses.at(-1), "gone");
  assert.equal(sockets.length, 1);
});

test("too many requests waits as long as it is told", async () => {
  const { stream, sockets, statuses, pass } = world({
    latest: () => ({ status: 429, ok: false, headers: { get: () => "20" } }),
  });
  stream.start();
  sockets[0].drop(1006);
  await pass(600);
  assert.equal(statuses.at(-1), "busy");
  await pass(15000);
  assert.equal(sockets.length, 1);
});

test("waits double with jitter and end at half a minute", () => {
  assert.equal(retryDelay(0, () => 0), 250);
  assert.equal(retryDelay(0, () => 1), 500);
  assert.equal(retryDelay(3, () => 1), 4000);
  assert.equal(retryDelay(50, () => 1), 30000);
});

test("where WebSockets fail it falls back to server-sent events", async () => {
  const { stream, sockets, state, statuses, pass } = world({ events: true });
  stream.start();
  sockets[0].drop(1006);
  await pass(600);
  sockets[1].drop(1006);
  await pass(1200);
  assert.equal(state.sources.length, 1);
  assert.equal(stream.canRewind, false);
  state.sources[0].fire("message", { data: JSON.stringify(snapshot(3)) });
  assert.equal(statuses.at(-1), "open");
});

test("waking up replaces a socket that has been silent, and spares one that has not", async () => {
  const { stream, sockets, environment, pass } = world();
  stream.start();
  sockets[0].open();
  sockets[0].say(snapshot(4));
  await pass(1000);
  environment.document.fire("visibilitychange");
  assert.equal(sockets.length, 1);
  await pass(60000);
  environment.document.fire("visibilitychange");
  assert.match(sockets[1].url, /after=e1-4$/);
});

test("coming online does not wait for the next attempt", async () => {
  const { stream, sockets, environment, pass } = world();
  stream.start();
  sockets[0].open();
  sockets[0].say(snapshot(4));
  for (let loss = 0; loss < 1; loss += 1) sockets[0].drop(1006);
  environment.window.fire("online");
  await pass(0);
  assert.equal(sockets.length, 2);
});

test("a rewind does not move the live cursor, and what was under way is not shown", () => {
  const { stream, sockets, messages } = world();
  stream.start();
  sockets[0].open();
  sockets[0].say(snapshot(500));
  stream.seek(120, 4);
  assert.deepEqual(sockets[0].sent, [{ speed: 4 }, { seek: 120 }]);
  sockets[0].say({ type: "update", cursor: "e1-501", time: 601 });
  sockets[0].say({ type: "snapshot", cursor: "e1-20", time: 120, state: "live" });
  assert.equal(messages.length, 2);
  assert.equal(messages[1].replay, true);
  assert.equal(stream.cursor, "e1-500");
  stream.live();
  sockets[0].say({ type: "update", cursor: "e1-24", time: 124 });
  assert.equal(messages.length, 2);
  sockets[0].say(snapshot(510));
  assert.equal(messages[2].replay, false);
  assert.equal(stream.cursor, "e1-510");
});

test("a rewind that is cut off goes on where it was", async () => {
  const { stream, sockets, pass } = world();
  stream.start();
  sockets[0].open();
  sockets[0].say(snapshot(500));
  stream.seek(120);
  sockets[0].say({ type: "snapshot", cursor: "e1-20", time: 121, state: "live" });
  sockets[0].drop(1006);
  await pass(600);
  assert.match(sockets[1].url, /at=121&speed=1$/);
});

test("history is read page by page until there is no more", async () => {
  const asked = [];
  const pages = [
    { items: [1, 2], nextCursor: "e1-2", more: true }, { items: [3], nextCursor: "e1-3", more: false },
  ];
  const fetch = async (address) => {
    asked.push(address);
    return { ok: true, json: async () => pages[asked.length - 1] };
  };
  const items = [];
  for await (const page of history("ID", { fetch })) items.push(...page);
  assert.deepEqual(items, [1, 2, 3]);
  assert.match(asked[1], /after=e1-2/);
});

test("what hangs on dead connections is asked again on a new one", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const signals = [];
  let dead = 6;
  const fetch = (address, { signal }) => {
    signals.push(signal);
    if (dead === 0) return Promise.resolve({ ok: true });
    dead -= 1;
    return new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)));
  };
  const answer = fetchAnew("/latest", fetch);
  context.mock.timers.tick(1200);
  assert.deepEqual(await answer, { ok: true });
  assert.deepEqual(signals.map((signal) => signal.aborted), [true, true, true, true, true, true, false]);
});

test("of several that fail, one that was given up is asked again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  const fetch = (address, { signal }) => {
    asked += 1;
    if (asked === 2) return Promise.reject(new TypeError("a dead connection"));
    if (asked > 7) return Promise.resolve({ ok: true });
    return new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)));
  };
  const answer = fetchAnew("/latest", fetch);
  for (const milliseconds of [1200, 2400]) {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    context.mock.timers.tick(milliseconds);
  }
  assert.deepEqual(await answer, { ok: true });
});

test("what is not wanted any more is not asked again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  let isWanted = true;
  const fetch = (address, { signal }) => {
    asked += 1;
    return new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)));
  };
  const page = history("ID", { fetch, isWanted: () => isWanted }).next();
  isWanted = false;
  context.mock.timers.tick(1200);
  await assert.rejects(page, { name: "AbortError" });
  assert.equal(asked, 1);
});

test("what a daemon takes long for is asked of it once at a time", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = [];
  const open = { history: 0, most: 0 };
  const fetch = (address, { signal }) => {
    const path = new URL(address, "http://daemon").pathname.split("/").at(-1);
    asked.push(path);
    if (path === "latest") return Promise.resolve({ ok: true });
    open.history += 1;
    open.most = Math.max(open.most, open.history);
    if (asked.filter((each) => each === "history").length === 3) {
      return Promise.resolve({ ok: true, json: async () => ({ items: [1], more: false }) });
    }
    return new Promise((_, refuse) => signal.addEventListener("abort", () => {
      open.history -= 1;
      refuse(signal.reason);
    }));
  };
  const pages = history("ID", { fetch });
  const page = pages.next();
  for (const milliseconds of [1200, 2400]) {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    context.mock.timers.tick(milliseconds);
  }
  assert.deepEqual((await page).value, [1]);
  assert.equal(open.most, 1);
  assert.deepEqual(asked, ["history", ...Array(6).fill("latest"), "history", "history"]);
});

test("history waits for a daemon that is busy, and goes on where it was", async () => {
  const asked = [];
  const waits = [];
  const busy = { ok: false, status: 503, headers: new Headers({ "Retry-After": "3" }) };
  const answers = [
    busy, { ok: true, json: async () => ({ items: [1], nextCursor: "e1-1", more: true }) }, busy,
    { ok: true, json: async () => ({ items: [2], nextCursor: "e1-2", more: false }) },
  ];
  const fetch = async (address) => {
    asked.push(new URL(address, "http://daemon").searchParams.get("after"));
    return answers.shift();
  };
  const items = [];
  const pause = async (milliseconds) => waits.push(milliseconds);
  for await (const page of history("ID", { fetch, pause })) items.push(...page);
  assert.deepEqual(items, [1, 2]);
  assert.deepEqual(asked, [null, null, "e1-1", "e1-1"]);
  assert.ok(waits.every((wait) => wait >= 3000 && wait <= 4500));
});

test("history of a daemon that stays busy ends", async () => {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    return { ok: false, status: 429, headers: new Headers() };
  };
  await assert.rejects(history("ID", { fetch, pause: async () => {} }).next(), /429/);
  assert.equal(asked, 6);
});

test("what fails by itself is not asked again", async () => {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    throw new TypeError("refused");
  };
  await assert.rejects(fetchAnew("/latest", fetch), /refused/);
  assert.equal(asked, 1);
});
