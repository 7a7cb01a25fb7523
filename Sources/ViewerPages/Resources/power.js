// The battery, told to viewers who may see it, and the screen, which must stay on: a phone stops
// the pages behind a dark screen.

/** A level that does not change is told again after this, so that nobody takes it for stale. */
const repeatMilliseconds = 300000;

/** Calls `onStatus({ level, charging })` now, at changes and now and then; returns what stops it. */
export async function watchBattery(onStatus, environment = globalThis) {
  let battery;
  try {
    battery = await environment.navigator.getBattery?.();
  } catch {
    // Some browsers have the function and refuse it.
  }
  if (!battery) return undefined;
  const tell = () => onStatus({ level: battery.level, charging: battery.charging });
  const timer = environment.setInterval(tell, repeatMilliseconds);
  for (const name of ["levelchange", "chargingchange"]) battery.addEventListener(name, tell);
  tell();
  return () => {
    environment.clearInterval(timer);
    for (const name of ["levelchange", "chargingchange"]) battery.removeEventListener(name, tell);
  };
}

export const canKeepScreenOn = ({ navigator } = globalThis) => navigator?.wakeLock !== undefined;

/** Keeps the screen on while it is wanted and the page is seen. */
export class ScreenLock {
  #sentinel;
  #isWanted = false;

  /** `onState` gets true while the screen is kept on. */
  constructor({ onState = () => {}, environment = globalThis } = {}) {
    this.onState = onState;
    this.environment = environment;
    environment.document?.addEventListener("visibilitychange", () => this.#ask());
  }

  get isHeld() {
    return this.#sentinel !== undefined;
  }

  keep(isWanted) {
    this.#isWanted = isWanted;
    if (isWanted) return this.#ask();
    this.#sentinel?.release();
    return undefined;
  }

  async #ask() {
    const { document, navigator } = this.environment;
    if (!this.#isWanted || this.isHeld || document?.visibilityState === "hidden") return;
    try {
      this.#sentinel = await navigator.wakeLock?.request("screen");
    } catch {
      return;  // A battery saver refuses it; the page says that the screen may go off.
    }
    this.#sentinel?.addEventListener("release", () => {
      this.#sentinel = undefined;
      this.onState(false);
    });
    if (this.#sentinel) this.onState(true);
    if (!this.#isWanted) this.#sentinel?.release();
  }
}
