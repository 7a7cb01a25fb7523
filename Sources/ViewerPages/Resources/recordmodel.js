// What the record page has to say, from what its parts know. Pure.

import * as format from "./format.js";
import { slotsFor } from "./recordview.js";
import { finalDeviceCodes } from "./uplink.js";

/** Values that are always on their way: a second of all sensors. */
const usualFrames = 40;
/** What position, motion and heart rate take in the store. */
const bytesPerSecond = 1500;
/** The daemon takes no values from this far ahead, less half a day for time zones set wrong. */
const clockAheadSeconds = 12 * 3600;

/** The pill at the top: how what was measured gets to the daemon. */
export function linkOf({ outbox, sentAt }, { t, now }) {
  const waiting = outbox?.waitingFrames ?? 0;
  const uplink = outbox?.uplink ?? outbox?.olderUplink;
  if (!uplink) return undefined;
  const detail = () => t("waitingFor", { n: waiting, age: format.age((now - sentAt) / 1000) });
  const { state } = uplink.status;
  if (state === "refused") return { lamp: "gone", text: "refusedState", detail: detail() };
  if (state === "open" && waiting <= usualFrames) return { lamp: "live", text: "sent" };
  if (state === "open") return { lamp: "catchingUp", text: "sending", detail: String(waiting) };
  if (waiting <= usualFrames && state === "connecting") return { lamp: "connecting", text: "connecting" };
  return { lamp: "reconnecting", text: state === "offline" ? "noNetwork" : "keptHere", detail: detail() };
}

/** Sensors that a browser lets go on after a reload only if it is asked, and the word to ask with. */
const askAgain = { position: "measurePosition", motion: "measureMotion", strap: "connectStrap" };
/** Problems that a person can end; then the sensor is asked again. */
const mendable = new Set(["positionDenied", "motionDenied", "bluetoothFailed"]);
const refusals = { 4003: "tokenRefused", 4009: "replacedElsewhere" };

/** Sentences that stay: what happened, and what to do. */
export function noticesOf(page, { t, locale }) {
  const { outbox, recording, sensors, hole, lost = [], refusal } = page;
  const uplink = outbox?.uplink;
  const code = uplink?.status.state === "refused" ? uplink.status.code : undefined;
  const clockTime = (milliseconds) => format.clock(milliseconds / 1000, locale);
  const problems = recording && sensors ? Object.entries(sensors.problems).filter(([, problem]) => problem) : [];
  return [
    outbox?.trouble && (outbox.trouble.name === "QuotaExceededError" ? { key: "storageNoRoom", isGrave: true }
      : { key: "storageTrouble", values: { reason: outbox.trouble.message }, isGrave: true }),
    recording?.leftOut === "all" && { key: "storageAll", isGrave: true },
    recording?.leftOut === "motion" && { key: "storageMotion" },
    finalDeviceCodes.has(code) && {
      key: refusals[code] ?? "protocolRefused", values: { code }, isGrave: true,
      action: code === 4009 ? "sendHere" : undefined },
    uplink?.refusedFrames > 0 && { key: "framesRefused", values: { n: uplink.refusedFrames, reason: refusal ?? "" } },
    uplink?.clockOffset < -clockAheadSeconds && {
      key: "clockAhead", values: { age: format.age(-uplink.clockOffset) }, isGrave: true },
    hole && { key: "notMeasured", values: { from: clockTime(hole.from), to: clockTime(hole.to) }, action: "close" },
    ...Object.entries(askAgain).filter(([name]) => recording && lost.includes(name) && sensors?.states[name] === "off")
      .map(([name, action]) => ({ key: `${name}Again`, action })),
    ...problems.map(([name, problem]) => ({ key: problem, action: mendable.has(problem) ? askAgain[name] : undefined })),
    recording && sensors?.newest.heartRate?.contact === false && { key: "noContact" },
    recording && sensors?.states.screen === "on" && !sensors.screen.isHeld && { key: "screenMayGo" },
    page.isTokenUnknown && !recording && { key: "tokenUnknown", isGrave: true },
    outbox?.foreign.length > 0 && !recording && { key: "foreignKept", values: { n: outbox.foreign.length } },
    outbox?.refusedSessions > 0 && !recording && { key: "refusedKept", values: { n: outbox.refusedSessions } },
  ].filter(Boolean).map((notice) => ({ ...notice, values: notice.values ?? {} }));
}

/** A line of each sensor before the start: its state, and the word on its button. */
export function sensorRows({ sensors }, { t }) {
  if (!sensors) return undefined;
  const { states, problems, newest, strap, motionRate } = sensors;
  const texts = {
    position: newest.fix ? t("gpsAccuracy", { m: Math.round(newest.fix.coords.accuracy) }) : undefined,
    motion: motionRate > 0 ? t("motionRate", { n: Math.round(motionRate) }) : t("on"),
    strap: newest.heartRate ? `${newest.heartRate.beatsPerMinute} ${t("bpm")}` : undefined,
    screen: t("on"), voice: t("on"),
  };
  const waiting = { position: "…", motion: "…", strap: strap.state === "lost" ? t("strapLost") : t("connectingStrap") };
  const actions = { position: "allow", motion: "allow", strap: "choose", screen: "switchOn", voice: "switchOn" };
  return Object.fromEntries(Object.entries(states).map(([name, state]) => [name, {
    state, problem: problems[name], action: actions[name],
    text: state === "on" ? texts[name] ?? t("on") : state === "waiting" ? waiting[name] : undefined,
  }]));
}

/** The line under the numbers: what measures, and how well. */
function sourcesOf({ sensors, recording }, shown, t) {
  const { states, strap, motionRate, battery } = sensors;
  const isOn = (name) => ["on", "waiting"].includes(states[name]);
  return [
    isOn("position") && (shown.fixAgeSeconds < 10
      ? t("gpsAccuracy", { m: Math.round(shown.accuracyMeters) }) : t("noFix")),
    isOn("strap") && (strap.state === "lost" ? `${strap.name}: ${t("strapLost")}` : strap.name),
    isOn("motion") && recording && t("motionRate", { n: Math.round(motionRate) }),
    battery && t("batteryLevel", { n: Math.round(battery.level * 100) }),
  ].filter(Boolean);
}

export function recordModel(page, { t, now, kept, locale }) {
  if (page.section === "follow") return followed(page);
  const { section, device, outbox, recording, sensors, finished, interrupted, startProblem } = page;
  const isOn = (name) => ["on", "waiting"].includes(sensors?.states[name]);
  const shown = recording ? recording.tally.shown(now) : finished?.shown;
  const model = {
    section, device, startProblem, shown, notices: noticesOf(page, { t, locale }),
    link: linkOf(page, { t, now }), waitingFrames: outbox?.waitingFrames ?? 0,
    kept: {
      token: kept?.device, frames: outbox?.waitingFrames, bytes: outbox?.bytes ?? 0,
      roomSeconds: outbox?.estimate ? (outbox.roomBytes - outbox.bytes) / bytesPerSecond : undefined,
      hasCopy: page.hasCopy, canErase: !recording,
    },
  };
  if (section === "setup") return { ...model, sensors: sensorRows(page, { t }) };
  if (section === "interrupted" && interrupted) return { ...model, interrupted };
  if (section !== "run" || !recording) return model;
  return {
    ...model, state: recording.state, laps: shown.laps, beats: shown.beatsPerMinute !== undefined,
    slots: slotsFor({ hasHeart: isOn("strap"), hasPosition: isOn("position") }),
    sources: sourcesOf(page, shown, t),
  };
}

/** In a tab that does not lead: what the leader tells. */
function followed({ news, isLeaderSilent }) {
  const action = "recordInThisTab";
  if (isLeaderSilent) return { section: "follow", notices: [{ key: "otherTabSilent", values: {}, action }] };
  if (!news) return { section: "follow", notices: [] };
  if (news.section !== "run") {
    return { section: "follow", device: news.device, notices: [{ key: "otherTabReady", values: {}, action }] };
  }
  return { ...news, kept: undefined, notices: [{ key: "inOtherTab", values: {}, action }, ...news.notices] };
}
