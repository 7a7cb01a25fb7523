// The owner's page: what was recorded, who may watch, and the watch from afar.

import { CourseFile } from "./coursefile.js";
import { Deliveries } from "./deliveries.js";
import { find, findAll, make, saveFile, say, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { Groups, invitationIn } from "./groups.js";
import { ImportFiles } from "./importfiles.js";
import { LinkDialog } from "./linkdialog.js";
import { appName, Owner, tokenIn } from "./owner.js";
import "./ownerwords.js";
import { HiddenPlaces } from "./places.js";
import { Profile } from "./profile.js";
import { Receivers } from "./receivers.js";
import { seconds, SessionList } from "./sessionlist.js";
import { translatePage } from "./strings.js";

const t = translatePage(document, navigator.languages);
// A friend who opens an invitation has to sign in first.
const invitation = invitationIn(location.hash);
let owner;

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
const links = new LinkDialog(page);
const sessions = new SessionList(find(".sessions"), page, () => loadTraining());
const groups = new Groups(find(".groups"), page, links, () => loadShares());
const cards = [
  sessions, groups,
  new HiddenPlaces(find(".hidden-places"), page), new Profile(find(".profile"), page),
  new CourseFile(find(".course-file"), page),
  new Receivers(find(".receivers"), page, () => loadShares()),
  new Deliveries(find(".deliveries"), page),
  new ImportFiles(find(".sessions"), page, () => Promise.all([sessions.load(owner), loadTraining()])),
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
    loadShares(), loadTraining(), loadCheers(), loadSetups(),
    ...cards.map((card) => card.load(owner)),
  ]);
  if (invitation) groups.offer(invitation);
}

function signOut(reason) {
  owner = undefined;
  history.replaceState(null, "", location.pathname);
  setHidden(find(".sign-in"), false);
  setHidden(find(".owned"), true);
  setHidden(find(".sign-out"), true);
  find(".apps").replaceChildren();
  for (const card of cards) card.clear();
  for (const list of findAll(".share-list, .training-values, .cheer-list")) {
    list.replaceChildren();
  }
  find(".record-here a").href = "/record";
  setText(find(".sign-in .answer"), reason ? t(reason) : "");
  find("#token").value = "";
  find("#token").focus();
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
    share.url ? links.copyButton(share.url) : undefined,
    share.url ? make("button", { type: "button", class: "quiet",
      onclick: () => links.show(share.label || share.name, share.url) }, t("qrCode")) : undefined,
    share.url ? make("button", { type: "button", class: "quiet", onclick: () => readOut(share) },
      t("code")) : undefined,
    share.url ? make("button", { type: "button", class: "quiet", onclick: () => rotate(share) },
      t("newAddress")) : undefined,
    make("button", { type: "button", class: "danger", onclick: () => revoke(share) }, t("revoke")));
}

async function revoke(share) {
  if (!confirm(t("confirmRevoke"))) return;
  await attempt(() => owner.revokeShare(share.name));
  await loadShares();
}

/** A code to read to somebody, in place of the address. */
async function readOut(share) {
  const made = await attempt(() => owner.shareCode(share.name));
  if (made) say(t("codeIs", { code: made.code, date: format.date(made.expiresAt, t.locale) }));
}

async function rotate(share) {
  if (!confirm(t("confirmNewAddress"))) return;
  await attempt(() => owner.rotateShare(share.name));
  await loadShares();
}

async function takeEverything(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  say(t("archiveTaking"));
  const archive = await attempt(() => owner.archive(form.elements.format.value));
  button.disabled = false;
  if (!archive) return;
  saveFile(archive, "pulsecast-archive.zip");
  say(t("archiveTaken"));
}

async function eraseAll(form) {
  const erased = await attempt(() => owner.eraseAll(form.elements.device.value));
  form.reset();
  if (erased) signOut("erasedAll");
}

async function createShare(form) {
  const fields = new FormData(form);
  const wish = { scope: fields.getAll("scope").join(",") };
  if (fields.get("label")) wish.label = fields.get("label");
  if (fields.get("public")) wish.public = fields.get("public");
  if (fields.get("expires")) wish.expires = fields.get("expires");
  if (fields.get("delay")) wish.delay = fields.get("delay");
  if (fields.get("maxViewers")) wish.maxViewers = Number(fields.get("maxViewers"));
  const share = await attempt(() => owner.createShare(wish));
  if (!share) return;
  form.reset();
  find(".new-share").open = false;
  await loadShares();
  if (share.url) links.show(share.label || share.name, share.url);
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
    make("button", { type: "button", class: "quiet", onclick: () => links.show(appName(app), link) }, t("qrCode")),
    links.copyButton(link))));
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
  find(".archive form").addEventListener("submit", (event) => {
    event.preventDefault();
    takeEverything(event.target);
  });
  find(".erase form").addEventListener("submit", (event) => {
    event.preventDefault();
    eraseAll(event.target);
  });
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
}

listen();
const token = invitation ? undefined : tokenIn(location.hash);
if (token) signIn(token);
else setHidden(find(".sign-in"), false);
