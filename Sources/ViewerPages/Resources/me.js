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
import { ShareList } from "./sharelist.js";
import { translatePage } from "./strings.js";
import { Training } from "./training.js";

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
const training = new Training(find(".training"), page);
const shares = new ShareList(find(".shares"), page, links);
const sessions = new SessionList(find(".sessions"), page, {
  changed: () => training.load(owner), delivered: () => deliveries.load(owner),
});
const groups = new Groups(find(".groups"), page, links, () => shares.load(owner));
const deliveries = new Deliveries(find(".deliveries"), page, (names) => sessions.offerTargets(names));
const cards = [
  shares, sessions, groups, training, deliveries,
  new HiddenPlaces(find(".hidden-places"), page), new Profile(find(".profile"), page),
  new CourseFile(find(".course-file"), page),
  new Receivers(find(".receivers"), page, () => shares.load(owner)),
  new ImportFiles(find(".sessions"), page, () => Promise.all([sessions.load(owner), training.load(owner)])),
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
    loadCheers(), loadSetups(),
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
  find(".cheer-list").replaceChildren();
  find(".record-here a").href = "/record";
  setText(find(".sign-in .answer"), reason ? t(reason) : "");
  find("#token").value = "";
  find("#token").focus();
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
  for (const button of findAll("[data-command]")) {
    button.addEventListener("click", () => attempt(async () => {
      const { sent } = await owner.command(button.dataset.command);
      say(t(sent ? "commandSent" : "commandWaits"));
    }));
  }
}

listen();
const token = invitation ? undefined : tokenIn(location.hash);
if (token) signIn(token);
else setHidden(find(".sign-in"), false);
