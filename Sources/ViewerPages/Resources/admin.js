// The page of the daemon's owner: health, storage, devices and links of the whole daemon.

import { AdminClient } from "./adminclient.js";
import "./adminwords.js";
import { Credentials } from "./credentials.js";
import { find, findAll, make, say, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { LinkDialog } from "./linkdialog.js";
import { tokenIn } from "./owner.js";
import { translatePage } from "./strings.js";

const healthMilliseconds = 15_000;

const t = translatePage(document, navigator.languages);
const links = new LinkDialog({ t, say });
let client;
let timers = [];

/** Runs what may be refused; tells the owner when it is. */
async function attempt(action) {
  const asked = client;
  try {
    const answer = await action();
    return client === asked ? answer : undefined;
  } catch (error) {
    if (client !== asked) return undefined;
    if (error.status === 401) leave("sessionOver");
    else say(error.reason ?? t("failed"));
    return undefined;
  }
}

/** The secret behind `#`, which leaves the address bar at once; undefined without one. */
function secretInAddress() {
  const { hash } = location;
  history.replaceState(null, "", location.pathname);
  try {
    return tokenIn(hash);
  } catch {
    return undefined;  // A fragment that is no encoded text.
  }
}

async function enter() {
  const secret = secretInAddress();
  if (!secret) return;
  leave();
  client = new AdminClient();
  let lasts;
  try {
    lasts = await client.open(secret);
  } catch (error) {
    leave(error.status === 401 ? "linkUsed" : error.status === 429 ? "tooManyLinks" : "failed");
    return;
  }
  setHidden(find(".sign-in"), true);
  setHidden(find(".owned"), false);
  setHidden(find(".sign-out"), false);
  const end = Date.now() / 1000 + lasts;
  setText(find(".session-end"), t("sessionUntil", { date: format.date(end, t.locale) }));
  timers = [
    setTimeout(() => leave("sessionOver"), lasts * 1000),
    setInterval(() => { if (!document.hidden) loadHealth(); }, healthMilliseconds),
  ];
  await Promise.all([loadHealth(), loadDevices(), loadShares()]);
}

/** Leaves nothing of the session on the page. `reason`: the words that say why. */
function leave(reason) {
  client = undefined;
  timers.forEach(clearTimeout);
  timers = [];
  setHidden(find(".sign-in"), false);
  setHidden(find(".owned"), true);
  setHidden(find(".sign-out"), true);
  for (const node of findAll(".facts, .health-troubles, .device-list, .share-list")) {
    node.replaceChildren();
  }
  for (const dialog of findAll("dialog[open]")) dialog.close();
  setText(find(".sign-in .answer"), reason ? t(reason) : "");
}

// Health and storage

const span = (value) =>
  value < 172_800 ? format.age(value) : t("daysN", { n: Math.round(value / 86_400) });

function showFacts(card, facts) {
  find(".facts", card).replaceChildren(...facts.map(([name, value]) =>
    make("div", {}, make("dt", {}, t(name)), make("dd", {}, String(value)))));
}

async function loadHealth() {
  const health = await attempt(() => client.health());
  if (!health) return;
  setText(find(".health-state"), t(health.troubles.length === 0 ? "isReady" : "isNotReady"));
  find(".health-troubles").replaceChildren(...health.troubles.map((text) => make("li", {}, text)));
  showFacts(find(".health"), [
    ["version", health.version], ["uptime", span(health.uptimeSeconds)],
    ["devicesConnected", health.devicesConnected], ["viewersConnected", health.viewersConnected],
    ["sessionsLive", health.sessionsLive],
  ]);
  const { logOldestSeconds: oldest, retentionSeconds, retentionBytes } = health;
  showFacts(find(".storage"), [
    ["logBytes", format.bytes(health.logBytes)], ["diskFree", format.bytes(health.diskFreeBytes)],
    ["sessionsRecorded",
      t("ofMax", { n: health.sessionsRecorded, max: health.sessionsRecordedMax })],
    ["logOldest", oldest === null ? t("noneYet") : span(oldest)],
    ["retentionAge", retentionSeconds === null ? t("noLimit") : span(retentionSeconds)],
    ["retentionBytes", retentionBytes === null ? t("noLimit") : format.bytes(retentionBytes)],
  ]);
}

// Devices

/** Many rows have the same buttons: a screen reader says of which device or link each one is. */
const button = (word, of, action, kind = "quiet") => make("button",
  { type: "button", class: kind, onclick: action, "aria-label": `${t(word)}: ${of}` }, t(word));

async function loadDevices() {
  const devices = await attempt(() => client.devices());
  if (!devices) return;
  const isFirst = devices.length === 0;
  setHidden(find(".devices .empty"), !isFirst);
  setHidden(find(".first-here"), !isFirst || !isSecureContext);
  const field = find(".devices [name=device]");
  if (isFirst && !field.value) field.value = t("firstDevice");
  find(".device-list").replaceChildren(...devices.map(deviceRow));
}

function deviceRow({ device: name, lastSeen, revoked, sessions }) {
  const facts = [
    revoked ? t("revoked") : "",
    lastSeen === null ? t("neverSeen") : t("seenAt", { date: format.date(lastSeen, t.locale) }),
    t("sessionsN", { n: sessions }),
  ];
  return make("li", { class: "share" },
    make("div", { class: "share-text" }, make("b", {}, name),
      make("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
    button("newToken", name, () => rotate(name)),
    revoked ? undefined : button("revoke", name, () => revokeDevice(name), "danger"),
    button("delete", name, () => askToDelete(name), "danger"));
}

async function addDevice(form, next) {
  const made = await attempt(() => client.addDevice(new FormData(form).get("device")));
  if (!made) return;
  form.reset();
  await next(made);
}

/** This browser becomes the device. What it kept of another one is given up only on the record page. */
function recordHere({ device: name, token }) {
  const credentials = new Credentials();
  const { kept } = credentials;
  const isKept = (!kept || kept.device === name) && credentials.keep(token, name);
  location.href = isKept ? "/record" : `/record#${encodeURIComponent(token)}`;
}

async function rotate(name) {
  if (!confirm(t("confirmNewToken", { name }))) return;
  const made = await attempt(() => client.rotateDevice(name));
  if (made) await showToken(made);
}

/** Shows a new token and the link that sets a browser up with it: this once. */
async function showToken({ device: name, token }) {
  const setup = await attempt(() => client.setUp(name, token));
  if (!setup) return;
  const { hostname, protocol } = new URL(setup.link);
  const hint = isLocal(hostname) ? "setUpLocal" : protocol === "http:" ? "setUpPlain" : "setUpText";
  find(".qr .here").onclick = () => recordHere({ device: name, token });
  links.show(name, setup.link, { hint: t(hint, { name }), secret: token });
  await loadDevices();
}

const isLocal = (hostname) => hostname === "localhost" || /^(127\.|0\.0\.0\.0$|\[)/.test(hostname);

async function revokeDevice(name) {
  if (!confirm(t("confirmRevokeDevice", { name }))) return;
  await attempt(() => client.revokeDevice(name));
  await loadDevices();
}

function askToDelete(name) {
  const dialog = find(".delete-device");
  const [form, field, submit] = ["form", "input", "[type=submit]"].map((each) => find(each, dialog));
  setText(find("h2", dialog), t("deleteDevice", { name }));
  form.reset();
  submit.disabled = true;
  field.oninput = () => { submit.disabled = field.value !== name; };
  form.onsubmit = () => { if (field.value === name) deleteDevice(name); };
  dialog.showModal();
}

async function deleteDevice(name) {
  const erased = await attempt(() => client.deleteDevice(name));
  if (erased) say(t("deviceDeleted", { name, n: erased.sessionsErased }));
  await Promise.all([loadDevices(), loadShares(), loadHealth()]);
}

// Links

async function loadShares() {
  const shares = await attempt(() => client.shares());
  if (!shares) return;
  setHidden(find(".shares .empty"), shares.length > 0);
  find(".share-list").replaceChildren(...shares.map(shareRow));
}

function shareRow(share) {
  const isActive = share.state === "active";
  const end = share.expiresAt === null
    ? t("noEnd") : t("until", { date: format.date(share.expiresAt, t.locale) });
  const facts = [
    share.device ?? t("isGroup"), t(`state_${share.state}`), share.public,
    share.scope.map((scope) => t(`scope_${scope}`)).join(", "),
    isActive ? end : "",
    t("viewersNow", { n: share.viewers }), t("viewersEver", { n: share.viewersEver }),
  ];
  return make("li", { class: "share" },
    make("div", { class: "share-text" }, make("b", {}, share.label || share.name),
      make("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
    isActive ? button("revoke", share.label || share.name, () => revokeShare(share), "danger") : undefined);
}

async function revokeShare({ device, name }) {
  if (!confirm(t("confirmRevoke"))) return;
  // Several devices may use one name.
  await attempt(() => client.revokeShare(device ? `${device}:${name}` : name));
  await loadShares();
}

find(".devices form").addEventListener("submit", (event) => {
  event.preventDefault();
  addDevice(event.target, showToken);
});
find(".first-here").addEventListener("click", ({ target }) => {
  if (target.form.reportValidity()) addDevice(target.form, recordHere);
});
for (const node of findAll(".qr .here, .here-hint")) setHidden(node, !isSecureContext);
find(".qr").addEventListener("close", () => { find(".qr .here").onclick = undefined; });
find(".delete-device .cancel").addEventListener("click", () => find(".delete-device").close());
find(".sign-out").addEventListener("click", async () => {
  await attempt(() => client.close());
  leave("sessionOver");
});
// A new link in the tab of an old one changes the fragment alone.
addEventListener("hashchange", enter);
enter();
