// The start page: a short code is exchanged for a share by POST, never by a link that a preview
// could open.

import { find, setText } from "./dom.js";
import { translatePage } from "./strings.js";

const codeLetters = /[^ABCDEFGHJKMNPQRSTUVWXYZ23456789]/g;
const codeLength = 6;

/** What was typed, without spaces, dashes and letters that no code has. Pure. */
export function cleaned(text) {
  return text.toUpperCase().replace(codeLetters, "");
}

/** The page to open, from the answer's `path`; undefined for what is no share's page. Pure. */
export function destination({ path }) {
  return /^\/s\/[\w-]+$/.test(path) ? path : undefined;
}

async function exchange(code, t, say) {
  let response;
  try {
    response = await fetch("/c", {
      method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ code }),
    });
  } catch {
    say(t("failed"));
    return;
  }
  if (response.ok) {
    const page = destination(await response.json());
    if (page) location.assign(page);
    else say(t("failed"));
  } else say(t(response.status === 429 ? "codeBusy" : "codeWrong"));
}

function begin() {
  const t = translatePage(document, navigator.languages);
  const form = find(".code-form");
  const field = find("input", form);
  const button = find("button", form);
  const say = (text) => setText(find(".answer"), text);
  field.addEventListener("input", () => {
    const code = cleaned(field.value);
    if (field.value !== code) field.value = code;
    say("");
    field.removeAttribute("aria-invalid");
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const code = cleaned(field.value);
    if (code.length !== codeLength) {
      field.setAttribute("aria-invalid", "true");
      say(t("codeWrong"));
      return;
    }
    button.disabled = true;
    await exchange(code, t, say);
    button.disabled = false;
  });
  field.focus();
}

if (globalThis.document) begin();
