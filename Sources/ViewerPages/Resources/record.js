// The record page: this browser is the watch.
//
// One tab leads: it measures, numbers and sends. The others show what it tells, and pass on what is
// pressed. The parts: sensors.js measures, recording.js makes frames of it, queue.js and
// framestore.js keep them, uplink.js and outbox.js send them, recordview.js shows.

import { WallClock, fixTime } from "./clock.js";
import { Credentials } from "./credentials.js";
import { deviceOf, enter } from "./door.js";
import { find, findAll, kept } from "./dom.js";
import { FrameStore } from "./framestore.js";
import * as format from "./format.js";
import { HelpCall } from "./helpcall.js";
import { listenForHold } from "./hold.js";
import { Leadership } from "./leader.js";
import { countsAsApple } from "./motion.js";
import { Outbox } from "./outbox.js";
import { eraseAll, keepCopy } from "./pagecopy.js";
import { makeTail, Recording } from "./recording.js";
import { recordModel } from "./recordmodel.js";
import { RecordView } from "./recordview.js";
import "./recordwords.js";
import { Sensors } from "./sensors.js";
import { speaksBluetooth } from "./strap.js";
import { translatePage } from "./strings.js";

/** A session that was interrupted this long ago goes on by itself. */
const resumeMilliseconds = 10 * 60 * 1000;
/** Nothing measured for this long is a hole that the person is told of. */
const holeMilliseconds = 10000;
const holdMilliseconds = 1200;
/** The leading tab tells each second, and each minute when it is hidden for long. */
const silenceMilliseconds = 65000;

const t = translatePage(document, navigator.languages);
const units = format.unitSystems[kept.get("units")] ?? format.unitSystems.metric;
const clock = new WallClock();
const now = () => clock.at(performance.now());
const credentials = new Credentials();
const view = new RecordView(document, t, units);
let sharing;

const page = {
  section: "loading", token: undefined, device: undefined, outbox: undefined, recording: undefined,
  sensors: undefined, interrupted: undefined, finished: undefined, hole: undefined, lost: [],
  news: undefined, newsAt: performance.now(), isLeaderSilent: false, measuredAt: undefined, sentAt: now(),
  startProblem: undefined, refusal: undefined, hasCopy: false, isTokenUnknown: false,
};
const help = new HelpCall(find(".help"), t, {
  send: () => (leadership.isLeader ? page.recording?.sos(now()) : leadership.ask("sos") ?? 0),
  takeBack: () => {
    if (leadership.isLeader) page.recording?.cancelAlert(now());
    else leadership.ask("cancelAlert");
    view.say(t("sosTakenBack"));
  },
  hasIt: (sequence) => (leadership.isLeader
    ? page.recording?.queue.record.acked >= sequence : page.news?.link?.lamp === "live"),
});
let leadership;

function show(section = page.section) {
  page.section = section;
  // Nobody looks: what is drawn costs, what is measured goes on.
  if (document.visibilityState !== "hidden") view.show(model());
  leadership?.tell(model(true));
}

/** What the page shows; for other tabs without what only this one can do. */
function model(forOthers = false) {
  const shown = recordModel(page, { t, now: now(), kept: credentials.kept, locale: t.locale });
  if (forOthers) return { ...shown, notices: shown.notices.filter(({ action }) => !action) };
  return { ...shown, notices: shown.notices.map((notice) => ({ ...notice, press: () => press(notice.key) })) };
}

// What is measured.

const take = {
  fix: ({ coords, timestamp }) => {
    measured();
    page.recording?.fix(coords, fixTime(timestamp, now()));
  },
  motion: (event) => {
    measured();
    page.recording?.motion(event, clock.at(event.timeStamp));
  },
  heartRate: (reading, name, timeStamp) => {
    measured();
    page.recording?.heartRate(reading, name, clock.at(timeStamp));
  },
  battery: (status) => page.recording?.battery(status, now()),
};

function measured() {
  page.measuredAt = performance.now();
}

// The session.

function begin(record, timeStamp = performance.now()) {
  const at = clock.at(timeStamp);
  const queue = page.outbox.begin(at, record);
  page.recording = new Recording(queue, {
    tail: makeTail(localStorage, queue.record.id),
    asApple: countsAsApple({ vendor: navigator.vendor, DeviceMotionEvent: globalThis.DeviceMotionEvent }),
    room: () => page.outbox.roomTaken,
  });
  page.finished = undefined;
  page.interrupted = undefined;
  if (!record) page.recording.start(at);
  page.sensors.began();
  // Asks the browser not to clear the frames. Firefox, which has no vendor, would ask the person.
  if (navigator.vendor) navigator.storage?.persist?.();
  show("run");
}

function end(timeStamp) {
  const { recording } = page;
  if (!recording) return;
  recording.stop(clock.at(timeStamp));
  page.finished = { shown: recording.tally.shown(clock.at(timeStamp)) };
  page.recording = undefined;
  page.section = "done";
  page.sensors.pause();
  page.outbox.finish();
  find(".locked").close();
  show("done");
}

/** What was pressed here, in another tab, or by the owner from afar. */
function command(name, timeStamp = performance.now()) {
  const { recording } = page;
  if (!recording) return;
  const at = clock.at(timeStamp);
  if (name === "pause") recording.pause(at);
  else if (name === "resume" || name === "start") recording.resume(at);
  else if (name === "sos") recording.sos(at);
  else if (name === "cancelAlert") recording.cancelAlert(at);
  else if (name === "lap") {
    const lap = recording.lap(at);
    if (lap) view.say(`${t("lap", { n: lap.number })}: ${format.duration(lap.seconds)}`);
  } else if (name === "stop") {
    end(timeStamp);
    return;
  }
  show();
}

/** A message of the daemon to this device. */
function receive(message) {
  if (["start", "stop", "pause", "resume", "lap"].includes(message.command)) command(message.command);
  else if (message.type === "cheer" && typeof message.text === "string") {
    view.say(message.text);
    page.sensors.voice.say(message.text);
  } else if (message.type === "alertConfirmed" && typeof message.by === "string") {
    const words = t("alertConfirmed", { name: message.by });
    view.say(words);
    page.sensors.voice.say(words);
  } else if (message.type === "error") page.refusal = message.reason;
}

async function lead() {
  page.sensors ??= new Sensors({
    take, onChange: () => show(), kept, locale: t.locale, firstWords: t("cheersAreRead") });
  let store;
  try {
    store = await new FrameStore().open();
  } catch {
    show("nostore");
    return;
  }
  page.outbox = new Outbox(store, {
    token: page.token, owner: page.device, onChange: sent, onMessage: receive,
    onTaken: () => leadership.take(), unstored: unstoredNumbers,
  });
  const open = await page.outbox.open();
  const goesOn = open && now() - open.lastAt < resumeMilliseconds;
  // Before the sensors: what they tell from the first moment on belongs to the session.
  if (goesOn) goOn(open);
  page.lost = await page.sensors.restore();
  if (goesOn) {
    page.sensors.began();
  } else if (open) {
    page.interrupted = open;
    show("interrupted");
  } else show("setup");
}

/** Goes on with a session after a reload; what was not measured since then is told. */
function goOn(record) {
  if (now() - record.lastAt > holeMilliseconds) page.hole = { from: record.lastAt, to: now() };
  begin(record);
}

function endThere(record) {
  const queue = page.outbox.begin(now(), record);
  const recording = new Recording(queue, { tail: makeTail(localStorage, record.id) });
  recording.stop(record.lastAt);
  page.finished = { shown: recording.tally.shown(record.lastAt) };
  page.interrupted = undefined;
  page.outbox.finish();
  show("done");
}

/** Another tab leads, and tells how it goes. */
function follow(news) {
  page.news = news;
  page.newsAt = performance.now();
  page.isLeaderSilent = false;
  show();
}

function lose() {
  page.recording?.flush();
  page.recording = undefined;
  page.section = "follow";
  page.sensors.pause();
  page.outbox?.close();
  page.outbox = undefined;
  page.news = undefined;
  page.newsAt = performance.now();
  show("follow");
}

/** Numbers that were sent without being stored, for the case that this page dies before they are. */
const unstoredNumbers = {
  read: (id) => Number(new Map([(kept.get("record.unstored") ?? "").split(" ")]).get(id) ?? 0),
  write: (id, number) => kept.set("record.unstored", `${id} ${number}`),
};

function sent() {
  if ((page.outbox?.waitingFrames ?? 0) < 40) page.sentAt = now();
}

// Buttons.

function press(key) {
  const measure = (name) => () => page.sensors.toggle(name);
  const actions = {
    positionAgain: measure("position"), motionAgain: measure("motion"), strapAgain: measure("strap"),
    positionDenied: measure("position"), motionDenied: measure("motion"), bluetoothFailed: measure("strap"),
    replacedElsewhere: () => page.outbox.uplink?.again(), inOtherTab: () => leadership.take(),
    otherTabReady: () => leadership.take(), otherTabSilent: () => leadership.take(),
    notMeasured: () => {
      page.hole = undefined;
    },
  };
  actions[key]?.();
  show();
}

function ask(name) {
  return (event) => {
    if (leadership.isLeader) command(name, event.timeStamp);
    else leadership.ask(name);
  };
}

/** With no sensor on, the browser is asked for a strap, whose choice then starts the recording. */
async function start({ timeStamp }) {
  const wasMeasuring = page.sensors.isMeasuring;
  if (!wasMeasuring && speaksBluetooth()) await page.sensors.toggle("strap");
  page.startProblem = page.sensors.isMeasuring ? undefined : "needOne";
  if (page.startProblem) show();
  else if (!page.recording) begin(undefined, wasMeasuring ? timeStamp : performance.now());
}

/** Its modules are loaded when they are wanted: most of a recording needs no QR code. */
async function share() {
  try {
    const { Sharing } = await import("./sharing.js");
    sharing ??= new Sharing({ t, say: (text) => view.say(text) });
  } catch {
    view.say(t("noDaemon"));
    return;
  }
  await sharing.show(page.token, page.device);
}

function listenToButtons() {
  for (const row of findAll("[data-sensor]")) {
    find("button", row).addEventListener("click", async () => {
      page.startProblem = undefined;
      await page.sensors.toggle(row.dataset.sensor);
      show();
    });
  }
  find(".start").addEventListener("click", start);
  find(".share-link").addEventListener("click", share);
  find(".lap").addEventListener("click", ask("lap"));
  find(".pause").addEventListener("click", (event) =>
    ask(find(".run").dataset.state === "paused" ? "resume" : "pause")(event));
  listenForHold(find(".stop"), holdMilliseconds, (timeStamp) => ask("stop")({ timeStamp }), () => t("confirmStop"));
  listenForHold(find(".sos"), holdMilliseconds, () => help.begin(), () => t("confirmSOS"));
  find(".lock").addEventListener("click", () => find(".locked").showModal());
  find(".locked").addEventListener("cancel", (event) => event.preventDefault());
  listenForHold(find(".unlock"), holdMilliseconds, () => find(".locked").close(), () => t("unlockTouch"));
  find(".go-on").addEventListener("click", () => goOn(page.interrupted));
  find(".end-there").addEventListener("click", () => endThere(page.interrupted));
  find(".again").addEventListener("click", async () => {
    page.finished = undefined;
    show("setup");
    await page.sensors.resume();
  });
  for (const button of findAll(".to-runs")) {
    button.addEventListener("click", () => {
      location.href = `/me#${encodeURIComponent(page.token)}`;
    });
  }
  find(".forget").addEventListener("click", () => {
    credentials.forget();
    location.reload();
  });
  find(".erase").addEventListener("click", erase);
}

async function erase() {
  const frames = page.outbox?.waitingFrames ?? 0;
  if (!confirm(frames > 0 ? t("confirmEraseFrames", { n: frames }) : t("confirmErase"))) return;
  page.outbox?.close();
  await eraseAll(page.outbox?.store ?? new FrameStore());
  page.outbox = undefined;
  view.say(t("erased"));
  setTimeout(() => location.reload(), 1500);
}

/** A hidden page is stopped by phones: what it missed is told when it comes back. */
function listenToSight() {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      page.recording?.flush();
      return;
    }
    const silent = performance.now() - (page.measuredAt ?? performance.now());
    if (page.recording && silent > holeMilliseconds) page.hole = { from: now() - silent, to: now() };
    show();
  });
  window.addEventListener("pagehide", () => page.recording?.flush());
  window.addEventListener("hashchange", () => location.reload());
}

async function main() {
  listenToButtons();
  listenToSight();
  const entered = await enter({ credentials, view, t, show: (section, extra) => {
    Object.assign(page, extra);
    show(section);
  } });
  Object.assign(page, entered);
  keepCopy().then((hasCopy) => {
    page.hasCopy = hasCopy;
  });
  // A token that was kept is used at once; whether it is still good is found out meanwhile.
  if (page.isKept) {
    deviceOf(page.token).then(({ problem }) => {
      page.isTokenUnknown = problem === "tokenUnknown";
    });
  }
  show("follow");
  leadership = new Leadership({ onLead: lead, onLose: lose, onWish: (wish) => command(wish), onNews: follow });
  setInterval(() => page.outbox?.measureRoom(), 60000);
  setInterval(() => {
    if (page.section === "follow") page.isLeaderSilent = performance.now() - page.newsAt > silenceMilliseconds;
    show();
  }, 1000);
}

main();
