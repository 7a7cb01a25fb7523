// The live page: connects the stream, what is known of the run, and the parts of the page.

import { ChartStack } from "./chart.js";
import { chartSpecs, chartView, describeRow } from "./charts.js";
import { onThemeChange, paceScale } from "./colors.js";
import { overallState, showGone, StatusPill } from "./connection.js";
import { CheckpointList, checkpointsOf } from "./course.js";
import { find, findAll, kept, onFrame, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { MapView } from "./map.js";
import { goal, listenForCheers, Messages } from "./messages.js";
import { Panel } from "./panel.js";
import { boundsAround, boundsOf, project } from "./projection.js";
import { ShareStream } from "./protocol.js";
import { Recorder } from "./recorder.js";
import { RouteLayer } from "./route.js";
import { ScrubBar, playbackActions } from "./scrub.js";
import { runOfRow } from "./series.js";
import { SplitTable } from "./splits.js";
import { translatePage } from "./strings.js";
import { ZoneBars } from "./zones.js";

const t = translatePage(document, navigator.languages);
// `/s/ID`, or `/@NAME`, which stands for the ID everywhere.
const share = new URLSearchParams(location.search).get("share")
  ?? decodeURIComponent(location.pathname.replace(/^\/(s\/)?/, "").split("/")[0]);

/** What the viewer chose, and where the page is in time. */
const page = {
  units: format.unitSystems[kept.get("units")] ?? preferredUnits(),
  axis: "time", byPace: false, mode: "live", preview: undefined, cursor: undefined,
  loading: false, status: "connecting", messageAt: undefined, lostAt: undefined,
};

const recorder = new Recorder(share, {
  changed: () => redraw(),
  isWanted: () => page.status !== "gone",
  loading: (loading) => {
    page.loading = loading;
    redraw();
  },
});
const panel = new Panel(document, t);
const pill = new StatusPill(find(".status"), t);
const bars = new ZoneBars(find(".zone-bars"), t);
const checkpoints = new CheckpointList(find(".checkpoints"), t);
const splits = new SplitTable(find(".splits table"), find(".splits .empty"), t);
const messages = new Messages(find(".toasts"), find(".alerts"), t);
const route = new RouteLayer(routeModel);
const map = new MapView(find(".map"), {
  t, layers: [(painter) => route.paint(painter)], focus: () => place(),
  bounds: () => boundsOf(recorder.series) ?? boundsAround(place()),
});
const specs = chartSpecs(t, () => page.units);
const charts = new ChartStack(find(".chart-stack"), specs, {
  series: recorder.series,
  describe: (index) => describeRow(specs, recorder.series, index, recorder.start),
  onCursor: (index) => {
    page.cursor = index;
    map.draw();
  },
});
const scrub = new ScrubBar(find(".scrub"), t, {
  preview: (time) => {
    page.preview = time === undefined ? undefined : recorder.series.indexAt(time);
    redraw();
  },
  ...playbackActions(page, () => stream, () => redraw()),
});
const stream = new ShareStream(share, {
  onMessage: (message, { replay }) => {
    page.messageAt = performance.now();
    if (recorder.accept(message, { replay })) messages.tell(message, page.units);
    messages.showAlerts(recorder.run.alerts);
    // A rewind that has caught up is live again.
    if (replay && page.mode === "replay" && message.time >= newestTime() - 1.5
      && recorder.newest.state !== "ended") scrub.goLive();
    redraw();
  },
  onStatus: (status) => {
    page.status = status;
    pill.heard(status);
    page.lostAt = status === "open" ? undefined : page.lostAt ?? performance.now();
    redraw();
  },
});

const redraw = onFrame(show);

function preferredUnits() {
  const region = /-(US|LR|MM)\b/i.test(navigator.language);
  return region ? format.unitSystems.imperial : format.unitSystems.metric;
}

/** The run at the moment the page shows: now, in a rewind, or under a dragged thumb. */
function shownRun() {
  if (page.preview === undefined || page.preview < 0) return recorder.run;
  const run = runOfRow(recorder.series, page.preview);
  return {
    ...run, elapsedSeconds: run.time - recorder.start, zoneSeconds: recorder.run.zoneSeconds,
  };
}

function shownIndex() {
  if (page.preview !== undefined) return page.preview;
  if (page.mode === "live") return undefined;
  return Math.max(0, recorder.series.indexAt(recorder.run.time));
}

function place() {
  const index = shownIndex();
  const { column } = recorder.series;
  if (page.preview !== undefined) {
    return Number.isNaN(column.x[index]) ? undefined : { x: column.x[index], y: column.y[index] };
  }
  const { position } = recorder.run;
  if (!position) return undefined;
  return {
    ...project(position.latitude, position.longitude), course: position.courseDegrees,
    accuracyMeters: position.horizontalAccuracyMeters,
    live: ["live", "paused"].includes(recorder.run.state) && position.state !== "stale"
      && page.status === "open",
  };
}

function routeModel() {
  return {
    series: recorder.series, shown: shownIndex(), runner: place(), cursor: page.cursor,
    byPace: page.byPace, paceClass: page.byPace ? paceScale(recorder.series) : undefined,
    units: page.units,
  };
}

function show() {
  showWords();
  showSections(shownRun());
}

/** All but what is drawn: what changes by the passing of time alone. */
function showWords() {
  const now = performance.now();
  const seconds = (since) => (since === undefined ? 0 : (now - since) / 1000);
  const run = shownRun();
  const mode = page.preview === undefined ? page.mode : "paused";
  const lost = page.lostAt !== undefined && seconds(page.messageAt) > 3;
  panel.show(run, {
    units: page.units, lastLive: recorder.lastLive, still: mode === "paused",
    lostSeconds: lost && page.messageAt !== undefined ? seconds(page.messageAt) : undefined,
    sinceMessage: mode === "live" ? seconds(page.messageAt) : 0,
  });
  const state = overallState({ status: page.status, loading: page.loading, mode, run });
  const age = mode === "live"
    ? (run.heartRate?.state === "stale" ? run.heartRate.ageSeconds : 0) + seconds(page.messageAt)
    : newestTime() - run.time;
  pill.show(state, age);
  showGone(find(".gone"), page.status === "gone", t);
  showFacts(run);
  showScrub(run, mode);
}

/** The newest device time there can be: a live run goes on between two messages. */
function newestTime() {
  const { newest } = recorder;
  const going = newest.state === "live" || newest.state === "paused";
  const since = going && page.mode !== "live" && page.liveAt ? performance.now() - page.liveAt : 0;
  if (page.mode === "live") page.liveAt = page.messageAt;
  return recorder.end + since / 1000;
}

function showFacts(run) {
  const facts = [
    run.battery === undefined ? "" : t("battery", { n: Math.round(run.battery * 100) }),
    run.gps?.quality ? `${t("gps")} ${t(`gps_${run.gps.quality}`)}` : "",
    run.interval ? t("interval", { n: run.interval.number, of: run.interval.of,
      left: goal({ goalSeconds: run.interval.remainingSeconds, goalMeters: run.interval.remainingMeters }, page.units) }) : "",
    run.finishEstimate
      ? `${t("finish")} ${format.duration(run.finishEstimate.expectedSeconds)}` : "",
  ];
  setText(find(".facts"), facts.filter(Boolean).join("  ·  "));
}

function showSections(run) {
  const { series } = recorder;
  const known = (name) => {
    const values = series.column[name];
    for (let index = series.length - 1; index >= 0; index -= 1) {
      if (!Number.isNaN(values[index])) return true;
    }
    return false;
  };
  setHidden(find(".map"), !known("x") && !run.position);
  setHidden(find(".charts"), series.length < 2);
  setHidden(find(".zones"), !run.zoneSeconds?.length);
  setHidden(find(".splits"), run.splits === undefined && run.distanceMeters === undefined);
  const course = checkpointsOf(recorder.timeline.marks, run);
  setHidden(find(".course"), course.length === 0);
  checkpoints.show(course);
  setHidden(find(".cheer"), page.status === "gone" || run.state === "ended");
  if (run.zoneSeconds) bars.show(run.zoneSeconds, run.heartRate?.state === "live" ? run.heartRate.zone : 0);
  if (page.preview === undefined) splits.show(run.splits, page.units);
  setText(find(".split-unit"), t(page.units.distance));
  charts.view = chartView(page.axis, {
    series, timeline: recorder.timeline, start: recorder.start, end: recorder.end,
    units: page.units, shown: shownIndex(),
    // While history comes in, every page of it is drawn.
    settings: page.loading ? String(series.length) : "",
  });
  charts.draw();
  map.draw();
}

function showScrub(run, mode) {
  const { start } = recorder;
  const now = newestTime();
  scrub.show({
    start, now, time: page.preview === undefined && mode === "live" ? now : run.time, mode,
    state: page.status === "gone" ? "gone" : page.status === "open" ? recorder.newest.state : "lost",
    canRewind: stream.canRewind && page.status !== "gone",
  });
  scrub.showMarks(recorder.timeline, start, now, page.units);
}

function listen() {
  const unitButton = find(".units");
  const showUnits = () => setText(unitButton, page.units.distance);
  unitButton.addEventListener("click", () => {
    page.units = format.unitSystems[page.units.name === "metric" ? "imperial" : "metric"];
    kept.set("units", page.units.name);
    showUnits();
    redraw();
  });
  showUnits();
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
      redraw();
    });
  }
  listenForCheers(find(".cheer"), share, t);
  onThemeChange(redraw);
  // Ages count on while nothing comes.
  setInterval(onFrame(showWords), 1000);
}

listen();
stream.start();
redraw();
