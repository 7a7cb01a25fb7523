// The owner's page: what was recorded, who may watch, and the watch from afar.

import { colors, onThemeChange } from "./colors.js";
import { CourseFile } from "./coursefile.js";
import { find, findAll, fitCanvas, make, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { ImportFiles } from "./importfiles.js";
import { appName, Owner, pointsOfGPX, tokenIn } from "./owner.js";
import "./ownerwords.js";
import { HiddenPlaces } from "./places.js";
import { Profile } from "./profile.js";
import { boundsOf, project } from "./projection.js";
import { qrCode, qrPath } from "./qr.js";
import { Series } from "./series.js";
import { translatePage } from "./strings.js";

const t = translatePage(document, navigator.languages);
const units = format.unitSystems.metric;
let owner;

/** Times come as seconds since 1970 or as ISO 8601. Pure. */
export function seconds(time) {
  if (typeof time === "number") return time;
  const parsed = Date.parse(time ?? "");
  return Number.isNaN(parsed) ? undefined : parsed / 1000;
}

function say(text) {
  const toast = make("p", { class: "toast" }, text);
  find(".toasts").append(toast);
  setTimeout(() => toast.remove(), 5000);
}

/** Runs what may be refused; tells the owner when it is. */
async function attempt(action) {
  const asked = owner;
  try {
    const answer = await action();
    // What comes late is of an owner who has signed out.
    return owner === asked ? answer : undefined;
  } catch (error) {
    if (owner !== asked) return undefined;
    if (error.status === 401 || error.status === 403) signOut("tokenWrong");
    else say([400, 409, 413].includes(error.status) ? error.reason ?? t("failed") : t("failed"));
    return undefined;
  }
}

const page = { t, say, attempt };
const settings = [
  new HiddenPlaces(find(".hidden-places"), page), new Profile(find(".profile"), page),
  new CourseFile(find(".course-file"), page),
  new ImportFiles(find(".sessions"), page, () => Promise.all([loadSessions(), loadTraining()])),
];

async function signIn(token) {
  owner = new Owner(token);
  const device = await attempt(() => owner.device());
  if (!device) return;
  setHidden(find(".sign-in"), true);
  setHidden(find(".owned"), false);
  setHidden(find(".sign-out"), false);
  // In the fragment: the record page takes it from there, and no server ever sees it.
  find(".record-here a").href = `/record#${encodeURIComponent(token)}`;
  setText(find(".device-name"), device.device ?? "");
  const seen = seconds(device.lastSeen);
  setText(find(".device-seen"), seen === undefined ? "" : format.date(seen, t.locale));
  await Promise.all([
    loadShares(), loadSessions(), loadTraining(), loadCheers(), loadSetups(),
    ...settings.map((card) => card.load(owner)),
  ]);
}

function signOut(reason) {
  owner = undefined;
  history.replaceState(null, "", location.pathname);
  setHidden(find(".sign-in"), false);
  setHidden(find(".owned"), true);
  setHidden(find(".sign-out"), true);
  find(".apps").replaceChildren();
  for (const card of settings) card.clear();
  for (const list of findAll(".share-list, .session-list, .training-values, .cheer-list")) {
    list.replaceChildren();
  }
  find(".record-here a").href = "/record";
  setText(find(".sign-in .answer"), reason ? t(reason) : "");
  find("#token").value = "";
  find("#token").focus();
}

function copyButton(text) {
  return make("button", {
    type: "button", class: "quiet",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        say(t("copied"));
      } catch {
        showQR(t("copy"), text);
      }
    },
  }, t("copy"));
}

function showQR(title, text) {
  const dialog = find(".qr");
  const rows = qrCode(text);
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", `0 0 ${rows.length + 8} ${rows.length + 8}`);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `${t("qrCode")}: ${title}`);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", qrPath(rows));
  picture.append(path);
  setText(find("h2", dialog), title);
  find(".qr-picture", dialog).replaceChildren(picture);
  setText(find(".qr-text", dialog), text);
  dialog.showModal();
}

async function loadShares() {
  const shares = await attempt(() => owner.shares());
  if (!shares) return;
  const active = shares.filter((share) => !share.revoked);
  setHidden(find(".shares .empty"), active.length > 0);
  find(".share-list").replaceChildren(...active.map(makeShare));
}

function makeShare(share) {
  const scopes = Array.isArray(share.scope) ? share.scope : String(share.scope ?? "").split(",");
  const expires = seconds(share.expiresAt);
  const facts = [
    scopes.filter(Boolean).map((scope) => t(`scope_${scope}`)).join(", "),
    share.delaySeconds ? `${t("delay")} ${format.age(share.delaySeconds)}` : "",
    expires === undefined ? t("noEnd") : t("until", { date: format.date(expires, t.locale) }),
    t("viewersNow", { n: share.viewers ?? 0 }), t("viewersEver", { n: share.viewersEver ?? 0 }),
  ];
  return make("li", { class: "share" },
    make("div", { class: "share-text" }, make("b", {}, share.public || share.label || share.name),
      make("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
    share.url ? copyButton(share.url) : undefined,
    share.url ? make("button", { type: "button", class: "quiet",
      onclick: () => showQR(share.label || share.name, share.url) }, t("qrCode")) : undefined,
    make("button", { type: "button", class: "danger", onclick: () => revoke(share) }, t("revoke")));
}

async function revoke(share) {
  if (!confirm(t("confirmRevoke"))) return;
  await attempt(() => owner.revokeShare(share.name));
  await loadShares();
}

async function createShare(form) {
  const fields = new FormData(form);
  const wish = { scope: fields.getAll("scope").join(",") };
  if (fields.get("label")) wish.label = fields.get("label");
  if (fields.get("public")) wish.public = fields.get("public");
  if (fields.get("expires")) wish.expires = fields.get("expires");
  if (fields.get("delay")) wish.delay = fields.get("delay");
  const share = await attempt(() => owner.createShare(wish));
  if (!share) return;
  form.reset();
  find(".new-share").open = false;
  await loadShares();
  if (share.url) showQR(share.label || share.name, share.url);
}

async function loadSessions() {
  const page = await attempt(() => owner.sessions());
  if (!page) return;
  setHidden(find(".sessions .empty"), page.sessions.length > 0);
  find(".session-list").replaceChildren(...page.sessions.map(makeSession));
  offerOlder(page.next);
}

/** The button that shows what began before `cursor`; hidden without one. */
function offerOlder(cursor) {
  const button = find(".older");
  setHidden(button, !cursor);
  button.onclick = async () => {
    button.disabled = true;
    const page = await attempt(() => owner.sessions(cursor));
    button.disabled = false;
    if (!page) return;
    find(".session-list").append(...page.sessions.map(makeSession));
    offerOlder(page.next);
  };
}

async function loadTraining() {
  const training = await attempt(() => owner.training());
  const today = training?.days?.at(-1);
  const isKnown = typeof today?.fitness === "number";
  setHidden(find(".training"), !isKnown);
  if (!isKnown) return;
  const week = training.weeks?.at(-1);
  const values = [
    ["weekDistance", week?.distanceKm, 1], ["weekClimb", week?.climbMeters, 0],
    ["fitness", today.fitness, 0], ["fatigue", today.fatigue, 0], ["form", today.form, 0],
    ["acuteToChronic", today.acuteToChronic, 2], ["monotony", today.monotony, 1],
  ];
  find(".training-values").replaceChildren(...values.map(([name, value, digits]) =>
    make("div", {}, make("dt", {}, t(name)),
      make("dd", {}, typeof value === "number" ? value.toFixed(digits) : format.missing))));
  const warning = today.warning
    ?? (training.heartRateDrift?.isWarned ? "heartRateDrift" : undefined)
    ?? (today.monotonyLevel === "high" ? "monotonyHigh" : undefined);
  setHidden(find(".training-warning"), !warning);
  setText(find(".training-warning"), warning ? t(warning) : "");
}

function factsOf({ distanceMeters, movingSeconds, averageHeartRate }) {
  const facts = [
    distanceMeters == null ? "" : `${format.distance(distanceMeters, units)} ${t("km")}`,
    movingSeconds == null ? "" : format.duration(movingSeconds),
    distanceMeters > 100 && movingSeconds
      ? `${format.pace((movingSeconds / distanceMeters) * 1000)} ${units.pace}` : "",
    averageHeartRate ? `${format.integer(averageHeartRate)} ${t("bpm")}` : "",
  ];
  return facts.filter(Boolean).join(" · ");
}

function makeSession(session) {
  const canvas = make("canvas", { class: "session-route", "aria-hidden": "true" });
  const facts = make("span", { class: "session-facts" }, factsOf(session));
  const save = make("select", { "aria-label": t("download"), onchange: () => {
    const kind = save.value;
    if (kind) attempt(() => download(session.id, kind));
    save.value = "";
  } }, make("option", { value: "" }, t("download")),
  make("option", { value: "html" }, t("report")),
  ...["gpx", "tcx", "fit", "csv", "csv-motion", "ndjson", "mcap"].map((each) =>
    make("option", { value: each }, each)));
  watchForSight(canvas, session, facts);
  return make("li", { class: "session" }, canvas,
    make("div", { class: "session-text" },
      make("b", {}, format.date(seconds(session.startedAt), t.locale)),
      facts,
      session.state && session.state !== "ended"
        ? make("span", { class: "badge" }, t(session.state)) : undefined),
    make("div", { class: "session-tools" }, save,
      make("button", { type: "button", class: "danger", onclick: () => erase(session.id) }, t("delete"))));
}

async function download(id, kind) {
  const address = URL.createObjectURL(
    await (kind === "html" ? owner.report(id) : owner.exportSession(id, kind)));
  make("a", { href: address, download: `${id}.${kind === "csv-motion" ? "motion.csv" : kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

async function erase(id) {
  if (!confirm(t("confirmDelete"))) return;
  await attempt(() => owner.deleteSession(id));
  await loadSessions();
}

/** What costs is fetched when a row comes into view: a list of hundreds asks for a few. */
function watchForSight(canvas, session, facts) {
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    try {
      if (session.distanceMeters == null) {
        setText(facts, factsOf(await owner.session(session.id)));
      }
      const text = await (await owner.exportSession(session.id, "gpx")).text();
      drawSmallRoute(canvas, pointsOfGPX(text));
    } catch {
      // A session without positions has no picture.
    }
  });
  observer.observe(canvas);
}

function drawSmallRoute(canvas, points) {
  const series = new Series(Math.max(1, points.length));
  points.forEach(({ latitude, longitude }, index) =>
    series.append({ time: index, ...project(latitude, longitude) }));
  const bounds = boundsOf(series);
  if (!bounds) return;
  const draw = () => {
    const { context, width, height } = size;
    const span = Math.max(bounds.maxX - bounds.minX, bounds.maxY - bounds.minY, 1e-9);
    const scale = (Math.min(width, height) - 16) / span;
    const { x, y } = series.column;
    context.clearRect(0, 0, width, height);
    context.beginPath();
    for (let index = 0; index < series.length; index += 1) {
      context.lineTo(width / 2 + (x[index] - (bounds.minX + bounds.maxX) / 2) * scale,
        height / 2 + (y[index] - (bounds.minY + bounds.maxY) / 2) * scale);
    }
    context.lineWidth = 2.5;
    context.lineJoin = "round";
    context.strokeStyle = colors().accent;
    context.stroke();
  };
  const size = fitCanvas(canvas, draw);
  onThemeChange(draw);
}

async function loadCheers() {
  let cheers;
  try {
    cheers = await owner.cheers();
  } catch {
    return;  // A daemon that keeps no cheers shows none.
  }
  setHidden(find(".cheers"), false);
  setHidden(find(".cheers .empty"), cheers.length > 0);
  find(".cheer-list").replaceChildren(...cheers.map((cheer) => make("li", {},
    make("span", {}, cheer.text),
    make("span", { class: "hint" }, format.clock(seconds(cheer.time), t.locale)))));
}

async function loadSetups() {
  const setups = await attempt(() => owner.setups(location.origin));
  find(".apps").replaceChildren(...(setups ?? []).map(({ app, link, steps }) =>
    make("li", {}, make("div", { class: "app-text" }, make("b", {}, appName(app)),
      make("ol", { class: "hint" }, ...steps.map((step) => make("li", {}, step)))),
    make("button", { type: "button", class: "quiet", onclick: () => showQR(appName(app), link) }, t("qrCode")),
    copyButton(link))));
}

function listen() {
  find(".sign-in form").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = tokenIn(find("#token").value.trim());
    if (!token) return;
    // In the fragment it survives a reload; no server ever sees it there.
    history.replaceState(null, "", `${location.pathname}#${encodeURIComponent(token)}`);
    signIn(token);
  });
  find(".sign-out").addEventListener("click", () => signOut());
  find(".new-share form").addEventListener("submit", (event) => {
    event.preventDefault();
    createShare(event.target);
  });
  for (const button of findAll("[data-command]")) {
    button.addEventListener("click", () => attempt(async () => {
      await owner.command(button.dataset.command);
      say(t("commandSent"));
    }));
  }
  find(".qr .close").addEventListener("click", () => find(".qr").close());
}

listen();
const token = tokenIn(location.hash);
if (token) signIn(token);
else setHidden(find(".sign-in"), false);
