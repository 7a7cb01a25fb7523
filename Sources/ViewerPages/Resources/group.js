// The group page: several runners on one map and one board.

import { boardColumns, initials, rank, sorted } from "./board.js";
import { colors, onThemeChange } from "./colors.js";
import { overallState, showGone, StatusPill } from "./connection.js";
import { find, findAll, kept, make, onFrame, setData, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { MapView } from "./map.js";
import { PastLoader, pointsMax } from "./past.js";
import { extendBounds, project } from "./projection.js";
import { ShareStream } from "./protocol.js";
import { drawRoute, token } from "./route.js";
import { ScrubBar, playbackActions } from "./scrub.js";
import { rowOf, runOfRow, Series } from "./series.js";
import { merge, mergePast, startTime } from "./state.js";
import { translatePage } from "./strings.js";
import { WeekStrip } from "./week.js";

/** As many colors as people tell apart, also those who see red and green alike. */
const runnerColors = 8;
/** Points of all routes together: the map is no larger with more runners. */
const pointsOfAll = 10000;
/** The least that a route is drawn with. */
const pointsMin = 200;
/** A hole this long between the past and what is live is filled, seconds. */
const holeSeconds = 5;
/** With more runners than colors the next ones are square, and their routes are dashed. */
const runnerShapes = 2;

const t = translatePage(document, navigator.languages);
const share = new URLSearchParams(location.search).get("share")
  ?? decodeURIComponent(location.pathname.split("/")[2] ?? "");
const entries = new Map();
const page = {
  units: format.unitSystems[kept.get("units")] ?? format.unitSystems.metric,
  column: "distance", direction: -1, selected: undefined, status: "connecting",
  messageAt: undefined, mode: "live", preview: undefined, liveAt: undefined,
};
const pill = new StatusPill(find(".status"), t);
const body = find(".board tbody");
const map = new MapView(find(".map"), {
  t, layers: [drawTrails, drawRunners], bounds: allBounds,
  focus: () => {
    const entry = entries.get(page.selected) ?? leader();
    return entry?.place && placeOf(entry);
  },
});

const week = new WeekStrip(find(".week"), t, share, () => redraw());
const scrub = new ScrubBar(find(".scrub"), t, {
  preview: (time) => {
    page.preview = time;
    redraw();
  },
  ...playbackActions(page, () => stream, () => redraw()),
});

function entryOf(message) {
  const key = String(message.runner ?? 0);
  let entry = entries.get(key);
  if (!entry) {
    entry = {
      key, number: 0, name: key,
      // What came last, what the page shows of it, the newest; what is live while the past is loaded.
      run: {}, shown: {}, newest: {}, waiting: undefined, series: new Series(512), row: undefined,
    };
    entries.set(key, entry);
    numberAll();
  }
  if (message.name) entry.name = message.name;
  return entry;
}

/** Colors go by name, so that every viewer sees a runner in the same one. */
function numberAll() {
  const order = [...entries.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
  order.forEach((entry, index) => {
    entry.number = index + 1;
    entry.hue = (index % runnerColors) + 1;
    entry.shape = Math.floor(index / runnerColors) % runnerShapes;
  });
}

function accept(message, replay) {
  if (Array.isArray(message.runners)) {
    for (const each of message.runners) accept({ ...each, type: message.type }, replay);
    return;
  }
  if (!["snapshot", "update", "end"].includes(message.type)) return;
  if (message.runner === undefined) return;
  const entry = entryOf(message);
  const { runner, name, ...rest } = message;
  if (replay) {
    entry.run = mergePast(entry.run, rest);
    return;
  }
  entry.newest = merge(entry.newest, rest);
  entry.run = entry.newest;
  // What happened before the page was opened, or while it was away, or in another time.
  if (message.type === "snapshot" && entry.newest.time - entry.series.lastTime > holeSeconds) loader.add(entry);
  if (entry.waiting) entry.waiting.push(entry.newest);
  else append(entry, entry.newest);
}

function append(entry, run, step) {
  if (typeof run.time !== "number" || !run.state || run.state === "waiting") return;
  entry.series.append({ ...rowOf(run, project), step });
}

/** The routes and distances from before the page was opened, or while it was away. */
const loader = new PastLoader(share, {
  append, changed: () => redraw(), isWanted: () => page.status !== "gone",
  points: () => Math.min(pointsMax, Math.max(pointsMin, Math.floor(pointsOfAll / entries.size))),
});

/** The row of an entry that the page shows; undefined: the newest. */
function shownIndex(entry) {
  if (page.preview === undefined && page.mode === "live") return undefined;
  return entry.series.indexAt(page.preview ?? entry.run.time ?? Infinity);
}

/** What an entry shows: now, in a rewind, or under a dragged thumb. */
function shownRun(entry) {
  if (page.preview === undefined) return entry.run;
  return runOfRow(entry.series, shownIndex(entry)) ?? { state: "waiting" };
}

function leader() {
  return [...entries.values()].find((entry) => entry.place === 1);
}

function placeOf(entry) {
  if (page.preview !== undefined) {
    const { x, y } = entry.series.column;
    const index = shownIndex(entry);
    return index < 0 || Number.isNaN(x[index]) ? undefined : { x: x[index], y: y[index] };
  }
  const { position } = entry.run;
  if (!position) return undefined;
  return { ...project(position.latitude, position.longitude), course: position.courseDegrees };
}

function allBounds() {
  const bounds = { minX: Infinity, maxX: -Infinity, minY: Infinity, maxY: -Infinity };
  const include = (x, y) => {
    bounds.minX = Math.min(bounds.minX, x);
    bounds.maxX = Math.max(bounds.maxX, x);
    bounds.minY = Math.min(bounds.minY, y);
    bounds.maxY = Math.max(bounds.maxY, y);
  };
  for (const entry of entries.values()) {
    extendBounds(bounds, entry.series, 0);
    const where = placeOf(entry);
    if (where) include(where.x, where.y);
  }
  return bounds.minX <= bounds.maxX ? bounds : undefined;
}

const colorOf = (entry) => colors()[`runner-${entry.hue}`];

function drawTrails(painter) {
  const { context } = painter;
  for (const entry of entries.values()) {
    context.globalAlpha = page.selected && page.selected !== entry.key ? 0.15 : 0.6;
    context.setLineDash(entry.shape ? [9, 7] : []);
    drawRoute(painter, entry.series, {
      from: 0, to: shownIndex(entry) ?? entry.series.length - 1, classOf: () => 0, colorOf: () => colorOf(entry),
      width: page.selected === entry.key ? 5 : 3,
    });
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawRunners({ context, place }) {
  // Who leads is drawn last, and so is never hidden.
  const order = sorted([...entries.values()], "distance", 1);
  for (const entry of order) {
    const where = placeOf(entry);
    if (!where) continue;
    const point = place(where.x, where.y);
    const live = ["live", "paused"].includes(shownRun(entry).state);
    context.globalAlpha = page.selected && page.selected !== entry.key ? 0.45 : 1;
    token(context, point, 13, live ? colorOf(entry) : colors().card,
      live ? colors().card : colorOf(entry), entry.shape);
    context.fillStyle = live ? colors()[`on-runner-${entry.hue}`] : colors().ink;
    context.font = `700 10px ${colors().font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(initials(entry.name), point.x, point.y + 0.5);
  }
  context.globalAlpha = 1;
}

function makeRow(entry) {
  const chip = make("span", { class: "runner-dot", "aria-hidden": "true" });
  const name = make("button", { type: "button", class: "runner-name", "aria-pressed": "false",
    onclick: () => select(entry.key) });
  return make("tr", {}, make("td", { class: "place" }), make("th", { scope: "row" },
    make("span", { class: "runner" }, chip, name, make("span", { class: "badge", hidden: true }))),
  ...["distance", "gap", "pace", "heartRate", "movingTime"].map((key) =>
    make("td", { class: `cell-${key}`, "data-key": key })));
}

function select(key) {
  page.selected = page.selected === key ? undefined : key;
  redraw();
}

function showRow(entry) {
  entry.row ??= makeRow(entry);
  const { row } = entry;
  const run = entry.shown;
  const cell = (key) => find(`[data-key=${key}]`, row);
  setData(row, "state", run.state ?? "waiting");
  setText(find(".place", row), entry.place ? String(entry.place) : "");
  const chip = find(".runner-dot", row);
  setText(chip, initials(entry.name));
  setData(chip, "hue", String(entry.hue));
  setData(chip, "shape", String(entry.shape));
  const name = find(".runner-name", row);
  setText(name, entry.name);
  name.setAttribute("aria-pressed", String(page.selected === entry.key));
  const badge = find(".badge", row);
  setHidden(badge, run.state === "live");
  setText(badge, t(run.state === "waiting" || !run.state ? "noValue" : run.state));
  setText(cell("distance"), format.distance(run.distanceMeters, page.units));
  setText(cell("gap"), entry.place === 1 ? t("leader") : format.gap(entry.gapSeconds));
  setText(cell("pace"), format.pace(run.paceSecondsPerKm, page.units));
  setText(cell("movingTime"), format.duration(run.movingSeconds));
  const heart = cell("heartRate");
  const live = run.heartRate?.state === "live";
  setText(heart, format.integer(live ? run.heartRate.bpm : undefined));
  setData(heart, "zone", String(live ? run.heartRate.zone ?? 0 : 0));
}

function showBoard() {
  const order = sorted([...entries.values()], page.column, page.direction);
  order.forEach((entry, index) => {
    showRow(entry);
    // Rows move only when their order does: a focus inside survives.
    if (body.children[index] !== entry.row) body.insertBefore(entry.row, body.children[index] ?? null);
  });
  for (const head of findAll(".board th[data-column]")) {
    const current = head.dataset.column === page.column;
    head.setAttribute("aria-sort",
      !current ? "none" : page.direction > 0 ? "ascending" : "descending");
  }
}

/** The newest moment of all: a live run goes on between two messages. */
function newestTime() {
  const times = [...entries.values()].map((entry) => entry.newest.time ?? -Infinity);
  const since = page.mode === "live" ? 0 : (performance.now() - (page.liveAt ?? 0)) / 1000;
  if (page.mode === "live") page.liveAt = page.messageAt;
  return Math.max(-Infinity, ...times) + (together("newest") === "ended" ? 0 : since);
}

/** The state of the group: live as long as one is. */
function together(which) {
  const states = [...entries.values()].map((entry) => entry[which]?.state);
  return ["live", "paused", "stale", "ended"].find((state) => states.includes(state));
}

function showScrub(mode) {
  const all = [...entries.values()];
  const start = Math.min(Infinity, ...all.map((entry) =>
    Math.min(entry.series.firstTime, startTime(entry.newest) ?? Infinity)));
  const now = newestTime();
  const time = mode === "live" ? now
    : page.preview ?? Math.max(start, ...all.map((entry) => entry.run.time ?? -Infinity));
  scrub.show({ start, now, time, mode,
    state: page.status === "gone" ? "gone" : page.status === "open" ? together("newest") : "lost",
    canRewind: stream.canRewind && page.status !== "gone" });
  return now - time;
}

function show() {
  const all = [...entries.values()];
  const mode = page.preview === undefined ? page.mode : "paused";
  for (const entry of all) entry.shown = shownRun(entry);
  rank(all);
  const behind = showScrub(mode);
  const silent = (performance.now() - (page.messageAt ?? performance.now())) / 1000;
  pill.show(overallState({ status: page.status, loading: loader.isLoading, mode,
    run: { state: together("shown") } }), mode === "live" ? silent : behind);
  showGone(find(".gone"), page.status === "gone", t);
  setHidden(find(".map"), allBounds() === undefined);
  showBoard();
  week.show([...all].sort((left, right) => left.number - right.number));
  map.draw();
}

const redraw = onFrame(show);

const stream = new ShareStream(share, {
  onMessage: (message, { replay }) => {
    page.messageAt = performance.now();
    accept(message, replay);
    if (replay && page.mode === "replay" && message.time >= newestTime() - 1.5
      && together("newest") !== "ended") scrub.goLive();
    redraw();
  },
  onStatus: (status) => {
    page.status = status;
    pill.heard(status);
    redraw();
  },
});

function listen() {
  for (const head of findAll(".board th[data-column]")) {
    find("button", head).addEventListener("click", () => {
      const { column } = head.dataset;
      page.direction = page.column === column ? -page.direction : boardColumns[column].best;
      page.column = column;
      redraw();
    });
  }
  const units = find(".units");
  const showUnits = () => {
    setText(units, page.units.distance);
    setText(find(".cell-distance button"), t(page.units.distance));
  };
  units.addEventListener("click", () => {
    page.units = format.unitSystems[page.units.name === "metric" ? "imperial" : "metric"];
    kept.set("units", page.units.name);
    showUnits();
    redraw();
  });
  showUnits();
  onThemeChange(redraw);
  setInterval(redraw, 1000);
}

listen();
stream.start();
