// The report of a session: one file, made by the daemon, read without a network.

import { ChartStack } from "./chart.js";
import { chartSpecs, chartView, describeRow } from "./charts.js";
import { onThemeChange, paceScale } from "./colors.js";
import { find, findAll, make, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { MapView } from "./map.js";
import { sentence } from "./messages.js";
import { boundsOf, project } from "./projection.js";
import { RouteLayer } from "./route.js";
import { columns, Series } from "./series.js";
import { SplitTable, splitsOf } from "./splits.js";
import { startTime, Timeline } from "./state.js";
import { translatePage } from "./strings.js";
import { ZoneBars } from "./zones.js";

const t = translatePage(document, navigator.languages);
const { run, events, rows } = JSON.parse(find("#report-content").textContent);
const series = new Series(rows.time.length + 1);
const timeline = new Timeline();
const page = { units: format.unitSystems.metric, axis: "time", byPace: false, cursor: undefined };
let map;

/** Columns come with `null` where nothing was known, and degrees for places on the map. */
function fillSeries() {
  rows.time.forEach((time, index) => {
    const row = { time };
    for (const name of columns) row[name] = rows[name]?.[index] ?? row[name];
    if (typeof rows.latitude?.[index] === "number") {
      Object.assign(row, project(rows.latitude[index], rows.longitude[index]));
    }
    series.append(row);
  });
  for (const event of events) timeline.add(event);
}

function showSummary() {
  const { units } = page;
  const mean = run.distanceMeters > 0 ? (run.movingSeconds / run.distanceMeters) * 1000 : undefined;
  const values = [
    ["distance", format.distance(run.distanceMeters, units), t(units.distance)],
    ["movingTime", format.duration(run.movingSeconds), ""],
    ["pace", format.pace(mean, units), units.pace],
    ["averageHeartRate", format.integer(run.averageHeartRate), t("bpm")],
    ["maxHeartRate", format.integer(run.maxHeartRate), t("bpm")],
    ["cadence", format.integer(run.averageCadence), t("spm")],
    ["climb", format.height(run.elevationGainMeters, units), units.height],
    ["elapsedTime", format.duration(run.elapsedSeconds), ""],
    ["load", format.integer(run.trainingLoad?.hrTSS ?? run.trainingLoad?.trimp), ""],
    ["calories", format.integer(run.caloriesKcal), "kcal"],
  ];
  find(".summary").replaceChildren(...values
    .filter(([, text]) => !text.startsWith(format.missing))
    .map(([key, text, unit]) => make("div", {}, make("dt", {}, t(key)),
      make("dd", {}, make("b", { class: "number" }, text), make("span", { class: "unit" }, unit)))));
}

function showMoments() {
  const moments = timeline.marks.filter((mark) => mark.kind !== "split")
    .map((mark) => [mark.time, sentence(mark.message, page.units, t)]);
  for (const pause of timeline.pauses) {
    moments.push([pause.from, `${t("paused")} ${pause.to ? format.duration(pause.to - pause.from) : ""}`]);
  }
  moments.sort((left, right) => left[0] - right[0]);
  setHidden(find(".moments"), moments.length === 0);
  find(".moments ul").replaceChildren(...moments.filter(([, text]) => text).map(([time, text]) =>
    make("li", {}, make("time", {}, format.duration(time - series.firstTime)), make("span", {}, text))));
}

function begin() {
  fillSeries();
  const start = series.length ? series.firstTime : startTime(run);
  setText(find(".report-date"), format.date(start, t.locale));
  const specs = chartSpecs(t, () => page.units);
  const route = new RouteLayer(() => ({
    series, cursor: page.cursor, byPace: page.byPace, units: page.units,
    paceClass: page.byPace ? paceScale(series) : undefined,
  }));
  setHidden(find(".map"), boundsOf(series) === undefined);
  setHidden(find(".charts"), series.length < 2);
  map = new MapView(find(".map"), {
    t, layers: [(painter) => route.paint(painter)], bounds: () => boundsOf(series), focus: () => undefined,
  });
  const charts = new ChartStack(find(".chart-stack"), specs, {
    series, describe: (index) => describeRow(specs, series, index, start),
    onCursor: (index) => {
      page.cursor = index;
      map.draw();
    },
  });
  const bars = new ZoneBars(find(".zone-bars"), t);
  const splits = new SplitTable(find(".splits table"), find(".splits .empty"), t);
  const show = () => {
    const { units } = page;
    setText(find(".units"), units.distance);
    setText(find(".split-unit"), t(units.distance));
    showSummary();
    showMoments();
    setHidden(find(".zones"), !run.zoneSeconds?.length);
    if (run.zoneSeconds) bars.show(run.zoneSeconds, 0);
    setHidden(find(".splits"), !splitsOf(run.splits ?? [], units).length);
    splits.show(run.splits, units);
    charts.view = chartView(page.axis, { series, timeline, start, end: series.lastTime, units });
    charts.draw();
    map.draw();
  };
  listen(show);
  show();
}

function listen(show) {
  find(".units").addEventListener("click", () => {
    page.units = format.unitSystems[page.units.name === "metric" ? "imperial" : "metric"];
    show();
  });
  find(".map-color select").addEventListener("change", (event) => {
    page.byPace = event.target.value === "pace";
    map.draw();
  });
  for (const button of findAll("[data-axis]")) {
    button.addEventListener("click", () => {
      page.axis = button.dataset.axis;
      for (const each of findAll("[data-axis]")) {
        each.setAttribute("aria-pressed", String(each === button));
      }
      show();
    });
  }
  onThemeChange(show);
}

begin();
