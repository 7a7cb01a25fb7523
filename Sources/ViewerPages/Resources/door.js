// The way to a token that the daemon knows: from a set-up link, from what was kept, or pasted.

import { tokenOfText } from "./credentials.js";
import { find, setText } from "./dom.js";
import { Owner } from "./owner.js";

/** Whether this browser has what the page cannot do without. */
export const canRecord = ({ indexedDB, WebSocket, BroadcastChannel, navigator, crypto }) =>
  Boolean(indexedDB && WebSocket && BroadcastChannel && navigator.locks && crypto?.randomUUID);

/** The device of a token: `{ device }`, or `{ problem }`: tokenUnknown or noDaemon. */
export async function deviceOf(token) {
  try {
    return { device: (await new Owner(token).device()).device };
  } catch (error) {
    return { problem: [401, 403].includes(error.status) ? "tokenUnknown" : "noDaemon" };
  }
}

const pressed = (...selectors) => new Promise((done) => {
  selectors.forEach((selector, index) => {
    find(selector).onclick = () => done(index);
  });
});

/**
 * Fulfilled with `{ token, device, isKept }` once there is a token that may be used.
 * `show(section, extra)` shows where the person is.
 */
export async function enter({ credentials, t, show }) {
  // Away from the address bar before anything else: who looks over the shoulder, a screenshot, and
  // a history that is shared must not have it.
  const given = credentials.fromAddress();
  if (!globalThis.isSecureContext) return stay(show, "insecure");
  if (!canRecord(globalThis)) return stay(show, "old");
  const { kept } = credentials;
  if (!given) return kept ? again(kept) : ask({ credentials, t, show });
  return arrive(given, { credentials, t, show });
}

function stay(show, section) {
  show(section);
  return new Promise(() => {});
}

/** A kept token is used without a network as well; the connection finds out if it is refused. */
const again = ({ token, device }) => ({ token, device, isKept: true });

async function ask({ credentials, t, show }, problem) {
  show("sign-in");
  setText(find("#door-answer"), problem ? t(problem) : "");
  const form = find(".sign-in form");
  const text = await new Promise((done) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      done(find("#link").value);
    };
  });
  find("#link").value = "";
  const token = tokenOfText(text);
  if (!token) return ask({ credentials, t, show }, "linkWrong");
  return arrive(token, { credentials, t, show });
}

async function arrive(token, { credentials, t, show }) {
  const { device, problem } = await deviceOf(token);
  if (problem === "tokenUnknown") return ask({ credentials, t, show }, problem);
  const { kept } = credentials;
  if (problem) {
    if (kept?.token === token) return again(kept);
    show("unreached");
    await pressed(".retry");
    return arrive(token, { credentials, t, show });
  }
  if (kept && kept.device !== device && !await switches(kept, device, { t, show })) return again(kept);
  if (kept?.device === device) {
    credentials.keep(token, device);
    return { token, device, isKept: true };
  }
  return agree(token, device, { credentials, t, show });
}

/** A link of a stranger would send all that is recorded to them: the person decides. */
async function switches({ device: old }, device, { t, show }) {
  show("switch");
  setText(find(".switch-text"), t("switchDeviceText", { old, device }));
  setText(find(".switch-stay"), t("stayWith", { old }));
  setText(find(".switch-go"), t("switchTo", { device }));
  return await pressed(".switch-stay", ".switch-go") === 1;
}

async function agree(token, device, { credentials, t, show }) {
  show("agree", { device });
  setText(find(".agree-text"), t("keepTokenText", { device }));
  const isKept = await pressed(".agree-keep", ".agree-not") === 0 && credentials.keep(token, device);
  if (!isKept) credentials.forget();
  return { token, device, isKept };
}
