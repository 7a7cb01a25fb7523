// The group page: several runners on one map and one board.

import { boardColumns, initials, rank, sorted } from "./board.js";
import { colors, onThemeChange } from "./colors.js";
import { overallState, showGone, StatusPill } from "./connection.js";
import { find, findAll, kept, make, onFrame, setData, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { MapView } from "./map.js";
import { extendBounds, project } from "./projection.js";
import { history, ShareStream } from "./protocol.js";
import { dot, drawRoute } from "./route.js";
import { rowOf, Series } from "./series.js";
import { merge, mergePast } from "./state.js";
import { translatePage } from "./strings.js";

/** As many colours as people tell apart, also those who see red and green alike. */
const runnerColors = 8;

const t = translatePage(document, navigator.languages);
const share = new URLSearchParams(location.search).get("share")
  ?? decodeURIComponent(location.pathname.split("/")[2] ?? "");
const entries = new Map();
const page = {
  units: format.unitSystems[kept.get("units")] ?? format.unitSystems.metric,
  column: "distance", direction: -1, selected: undefined, status: "connecting", loading: false,
  messageAt: undefined,
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

function entryOf(message) {
  const key = String(message.runner ?? 0);
  let entry = entries.get(key);
  if (!entry) {
    const number = entries.size + 1;
    entry = {
      key, number, name: typeof message.runner === "string" ? key : `${t("runner")} ${number}`, run: {}, past: {}, series: new Series(512),
      hue: ((number - 1) % runnerColors) + 1, row: undefined, week: undefined,
    };
    entries.set(key, entry);
  }
  if (message.name) entry.name = message.name;
  if (message.week) entry.week = message.week;
  return entry;
}

function accept(message) {
  if (Array.isArray(message.runners)) {
    for (const each of message.runners) accept({ ...each, type: message.type });
    return;
  }
  if (!["snapshot", "update", "end"].includes(message.type)) return;
  if (message.runner === undefined) return;
  const entry = entryOf(message);
  const { runner, name, week, ...rest } = message;
  entry.run = merge(entry.run, rest);
  if (page.loading) return;
  append(entry, entry.run);
}

function append(entry, run) {
  if (typeof run.time === "number" && run.state !== "waiting") entry.series.append(rowOf(run, project));
}

/** The routes and distances from before the page was opened, so that gaps are known at once. */
let cursor;
async function fill() {
  if (page.loading) return;
  page.loading = true;
  try {
    for await (const items of history(share, { after: cursor })) {
      for (const item of items) {
        cursor = item.cursor ?? cursor;
        if (item.type !== "update" || item.runner === undefined) continue;
        const entry = entryOf(item);
        const { runner, name, week, ...rest } = item;
        entry.past = mergePast(entry.past, rest);
        append(entry, entry.past);
      }
      redraw();
    }
  } catch {
    // The board then begins with what comes now.
  }
  page.loading = false;
  redraw();
}

function leader() {
  return [...entries.values()].find((entry) => entry.place === 1);
}

function placeOf(entry) {
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
    drawRoute(painter, entry.series, {
      from: 0, to: entry.series.length - 1, classOf: () => 0, colorOf: () => colorOf(entry),
      width: page.selected === entry.key ? 5 : 3,
    });
  }
  context.globalAlpha = 1;
}

function drawRunners({ context, place }) {
  const order = sorted([...entries.values()], "distance", 1);
  for (const entry of order) {
    const where = placeOf(entry);
    if (!where) continue;
    const point = place(where.x, where.y);
    const live = entry.run.state === "live" || entry.run.state === "paused";
    context.globalAlpha = page.selected && page.selected !== entry.key ? 0.45 : 1;
    dot(context, point, 13, live ? colorOf(entry) : colors().card,
      live ? colors().card : colorOf(entry), 2.5);
    context.fillStyle = live ? colors()["on-runner"] : colors().ink;
    context.font = `700 10px ${colors().font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(initials(entry.name), point.x, point.y + 0.5);
  }
  context.globalAlpha = 1;
}

function makeRow(entry) {
  const chip = make("span", { class: "runner-dot", "data-hue": String(entry.hue), "aria-hidden": "true" });
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
  const { row, run } = entry;
  const cell = (key) => find(`[data-key=${key}]`, row);
  setData(row, "state", run.state ?? "waiting");
  setText(find(".place", row), entry.place ? String(entry.place) : "");
  setText(find(".runner-dot", row), initials(entry.name));
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

/** Monday to Sunday: filled where the runner trained, by the runner's own days. */
function showWeek() {
  const known = [...entries.values()].filter((entry) => Array.isArray(entry.week?.days));
  setHidden(find(".week"), known.length === 0);
  const key = JSON.stringify(known.map((entry) => [entry.name, entry.week]));
  if (!known.length || key === page.week) return;
  page.week = key;
  const monday = new Date(`${known[0].week.start}T12:00:00Z`);
  const day = (offset, style) => new Intl.DateTimeFormat(t.locale, { weekday: style, timeZone: "UTC" })
    .format(new Date(monday.getTime() + offset * 86400000));
  find(".week thead tr").replaceChildren(make("th", { scope: "col" }, t("runner")),
    ...known[0].week.days.map((_, index) => make("th", { scope: "col" }, day(index, "short"))));
  find(".week tbody").replaceChildren(...known.map((entry) =>
    make("tr", {}, make("th", { scope: "row" }, entry.name),
      ...entry.week.days.map((trained) => make("td", {},
        make("span", { class: "day", "data-hue": String(entry.hue), "data-trained": String(trained) },
          make("span", { class: "hidden" }, trained ? "✓" : "–")))))));
}

function show() {
  rank([...entries.values()]);
  const runs = [...entries.values()].map((entry) => entry.run.state);
  const together = ["live", "paused", "stale", "ended"].find((state) => runs.includes(state));
  pill.show(overallState({ status: page.status, loading: page.loading, mode: "live",
    run: { state: together } }), (performance.now() - (page.messageAt ?? performance.now())) / 1000);
  showGone(find(".gone"), page.status === "gone", t);
  setHidden(find(".map"), allBounds() === undefined);
  showBoard();
  showWeek();
  map.draw();
}

const redraw = onFrame(show);

const stream = new ShareStream(share, {
  onMessage: (message) => {
    page.messageAt = performance.now();
    accept(message);
    redraw();
  },
  onStatus: (status) => {
    page.status = status;
    if (status === "open") fill();
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
