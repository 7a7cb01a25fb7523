// What this browser can measure, switched on one by one, each from a tap of the person.
//
// A sensor's state is off, on, waiting (on, but nothing has come) or problem, with the key of the
// sentence that says what happened and what to do.

import { allowMotion, watchMotion } from "./motion.js";
import { permissionState, PositionWatch } from "./position.js";
import { canKeepScreenOn, ScreenLock, watchBattery } from "./power.js";
import { speaksBluetooth, Strap } from "./strap.js";
import { canSpeak, Voice } from "./voice.js";

/** A device without a motion sensor sends one empty event, or none. */
const motionPatienceMilliseconds = 4000;

/** Problems that stay for as long as the browser does. */
const impossible = new Set(["noBluetooth", "noScreenLock", "noSpeech"]);

export const measuring = ["position", "motion", "strap"];

export class Sensors {
  #stopMotion;
  #battery;
  #motionEvents = [];
  #motionTimer;

  /**
   * `take` has fix(position), motion(event), heartRate(reading, name, timeStamp), battery(status).
   * `firstWords` are said when the voice is switched on: some browsers speak only after a tap.
   */
  constructor({ take, onChange, kept, locale, firstWords, environment = globalThis }) {
    Object.assign(this, { take, onChange, kept, firstWords, environment });
    this.states = { position: "off", motion: "off", strap: "off", screen: "off", voice: "off" };
    this.problems = {};
    this.newest = {};
    this.battery = undefined;
    this.voice = new Voice(locale, environment);
    this.position = new PositionWatch({
      environment, onFix: (position) => this.#fix(position),
      onProblem: (problem) => this.#positionProblem(problem) });
    this.strap = new Strap({
      environment, onState: () => this.#strapState(),
      onReading: (reading, name, timeStamp) => {
        this.newest.heartRate = reading;
        this.#set("strap", "on");
        take.heartRate(reading, name, timeStamp);
      } });
    this.screen = new ScreenLock({ environment, onState: () => onChange() });
  }

  get isMeasuring() {
    return measuring.some((name) => ["on", "waiting"].includes(this.states[name]));
  }

  /** Motion events a second, of the last two. */
  get motionRate() {
    const now = this.environment.performance.now();
    return this.#motionEvents.filter((time) => now - time < 2000).length / 2;
  }

  /** Switches on or off, from a tap. */
  async toggle(name) {
    const isOff = ["on", "waiting"].includes(this.states[name]) && name !== "strap";
    if (isOff) this.#off(name);
    else await this.#on(name);
    this.#remember(name, !isOff && this.#isMeant(name));
  }

  /** What was on before a reload, as far as the browser lets it go on without a tap. */
  async restore() {
    const wanted = this.#wanted;
    // Motion first: a permission for position may take seconds to be told.
    // Safari allows motion from a tap only; others that ask have remembered.
    const allowed = wanted.includes("motion") && await allowMotion(this.environment).catch(() => false);
    if (allowed) await this.#on("motion");
    if (wanted.includes("position") && await permissionState("geolocation", this.environment) === "granted") {
      await this.#on("position");
    }
    if (wanted.includes("strap") && !this.strap.resume()) await this.strap.remembered().catch(() => false);
    for (const name of ["screen", "voice"]) if (wanted.includes(name)) await this.#on(name, true);
    return measuring.filter((name) => wanted.includes(name) && this.states[name] === "off"
      && (name !== "strap" || this.strap.state === "off"));
  }

  /** Between two recordings nothing is measured. */
  pause() {
    this.position.stop();
    this.#stopMotion?.();
    this.#stopMotion = undefined;
    this.strap.stop();
    this.#battery?.then((stop) => stop?.());
    this.#battery = undefined;
    this.screen.keep(false);
    for (const name of measuring) this.#set(name, "off");
  }

  /** Goes on with what was measured before `pause`. */
  async resume() {
    const wanted = this.#wanted;
    if (wanted.includes("position")) await this.#on("position");
    if (wanted.includes("motion")) await this.#on("motion");
    if (wanted.includes("strap")) this.strap.resume();
  }

  /** While a session is under way: the battery is told, and the screen stays on if it may. */
  began() {
    if (this.states.screen === "on") this.screen.keep(true);
    this.#battery ??= watchBattery((status) => {
      this.battery = status;
      this.take.battery(status);
    }, this.environment);
  }

  async #on(name, silently = false) {
    this.problems[name] = undefined;
    if (name === "position") {
      this.#set("position", "waiting");
      this.position.start();
    } else if (name === "motion") await this.#motionOn();
    else if (name === "strap") await this.#strapOn();
    else if (name === "screen") this.#possible("screen", canKeepScreenOn(this.environment), "noScreenLock");
    else if (name === "voice" && this.#possible("voice", canSpeak(this.environment), "noSpeech")) {
      this.voice.isOn = true;
      if (!silently) this.voice.say(this.firstWords);
    }
  }

  #off(name) {
    this.problems[name] = undefined;
    if (name === "position") this.position.stop();
    if (name === "motion") {
      this.#stopMotion?.();
      this.#stopMotion = undefined;
    }
    if (name === "screen") this.screen.keep(false);
    if (name === "voice") this.voice.isOn = false;
    this.#set(name, "off");
  }

  #possible(name, isPossible, problem) {
    if (isPossible) this.#set(name, "on");
    else this.#fail(name, problem);
    return isPossible;
  }

  #fail(name, problem) {
    this.problems[name] = problem;
    this.#set(name, "problem");
  }

  #set(name, state) {
    if (this.states[name] === state) return;
    this.states[name] = state;
    this.onChange();
  }

  get #wanted() {
    return (this.kept.get("record.sensors") ?? "").split(",").filter(Boolean);
  }

  /** Whether a sensor that was asked for is to be asked for again: not one that this browser has not,
   * nor a strap whose chooser was closed. */
  #isMeant(name) {
    if (impossible.has(this.problems[name])) return false;
    if (name === "motion") return this.environment.DeviceMotionEvent !== undefined;
    return name !== "strap" || this.strap.state !== "off" || this.problems.strap !== undefined;
  }

  /** What a person switched on goes on after a reload, also where it fails for the moment. */
  #remember(name, isWanted) {
    const others = this.#wanted.filter((other) => other !== name);
    this.kept.set("record.sensors", [...others, ...(isWanted ? [name] : [])].join(","));
  }

  #fix(position) {
    this.newest.fix = position;
    this.problems.position = undefined;
    this.#set("position", "on");
    this.take.fix(position);
  }

  #positionProblem(problem) {
    if (problem === "denied") this.#fail("position", "positionDenied");
    else this.problems.position = problem ? "positionUnavailable" : undefined;
    this.onChange();
  }

  async #motionOn() {
    let allowed = false;
    try {
      allowed = await allowMotion(this.environment);
    } catch {
      // Safari refuses outside of a tap.
    }
    if (!allowed) {
      const exists = typeof this.environment.DeviceMotionEvent !== "undefined";
      this.#fail("motion", exists ? "motionDenied" : "noMotion");
      return;
    }
    this.#set("motion", "waiting");
    this.#stopMotion ??= watchMotion((event) => this.#moved(event), this.environment.window);
    this.environment.clearTimeout(this.#motionTimer);
    this.#motionTimer = this.environment.setTimeout(() => {
      if (this.states.motion === "waiting") this.#fail("motion", "noMotion");
    }, motionPatienceMilliseconds);
  }

  #moved(event) {
    const acceleration = event.accelerationIncludingGravity ?? event.acceleration;
    if (acceleration?.x === null || acceleration?.x === undefined) return;
    this.#motionEvents.push(event.timeStamp);
    if (this.#motionEvents.length > 256) this.#motionEvents.splice(0, 128);
    if (this.states.motion !== "on") {
      this.problems.motion = undefined;
      this.#set("motion", "on");
    }
    this.take.motion(event);
  }

  async #strapOn() {
    if (!speaksBluetooth(this.environment)) {
      this.#fail("strap", "noBluetooth");
      return;
    }
    try {
      await this.strap.choose();
    } catch {
      this.#fail("strap", "bluetoothFailed");
    }
  }

  #strapState() {
    if (this.strap.state === "off") this.#set("strap", "off");
    else if (this.strap.state === "lost") this.newest.heartRate = undefined;
    if (["connecting", "lost"].includes(this.strap.state)) this.#set("strap", "waiting");
    this.onChange();
  }
}
