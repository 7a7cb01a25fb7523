// The token of a device in this browser: from the fragment of a set-up link, which no server ever
// sees, and kept only where the person agrees.

import { tokenIn } from "./owner.js";

const key = "pulsecast.record.token";

export class Credentials {
  constructor({ location, history, localStorage } = globalThis) {
    this.location = location;
    this.history = history;
    this.storage = localStorage;
  }

  /** The token in the address, which loses it at once; undefined without one. */
  fromAddress() {
    const { hash, pathname, search } = this.location;
    if (!hash) return undefined;
    this.history.replaceState(null, "", pathname + search);
    try {
      return tokenIn(hash);
    } catch {
      return undefined;  // A fragment that is no encoded text.
    }
  }

  /** `{ token, device }`, as the person agreed to; undefined without. */
  get kept() {
    try {
      const { token, device } = JSON.parse(this.storage.getItem(key));
      return typeof token === "string" && typeof device === "string" ? { token, device } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether it could be kept. */
  keep(token, device) {
    try {
      this.storage.setItem(key, JSON.stringify({ token, device }));
      return true;
    } catch {
      return false;
    }
  }

  forget() {
    try {
      this.storage.removeItem(key);
    } catch {
      // What cannot be reached was not kept.
    }
  }
}

/** A token as a person pastes it: bare, or in a set-up link. Pure. */
export function tokenOfText(text) {
  const trimmed = text.trim();
  const fragment = /#(.+)$/.exec(trimmed)?.[1] ?? trimmed;
  try {
    return /^https?:/.test(trimmed) && !trimmed.includes("#") ? undefined : tokenIn(`#${fragment}`);
  } catch {
    return undefined;
  }
}
