// Positions of the device, about one a second.

const options = { enableHighAccuracy: true, maximumAge: 0, timeout: 30000 };
/** Some browsers forget a watch after sleep: without a fix for this long it is begun again. */
const silenceMilliseconds = 20000;

/** What the browser would say if it were asked: granted, denied, prompt, or unknown. */
export async function permissionState(name, { navigator } = globalThis) {
  try {
    return (await navigator.permissions.query({ name })).state;
  } catch {
    return "unknown";
  }
}

export class PositionWatch {
  #watch;
  #timer;
  #heardAt = 0;

  /** `onFix(position)`; `onProblem` gets denied, unavailable or "" when fixes come again. */
  constructor({ onFix, onProblem = () => {}, environment = globalThis }) {
    this.onFix = onFix;
    this.onProblem = onProblem;
    this.environment = environment;
    this.problem = "";
  }

  get isOn() {
    return this.#watch !== undefined;
  }

  /** The browser asks the person with the first call. */
  start() {
    if (this.isOn) return;
    this.#begin();
    this.#timer = this.environment.setInterval(() => {
      if (this.environment.performance.now() - this.#heardAt < silenceMilliseconds) return;
      this.environment.navigator.geolocation.clearWatch(this.#watch);
      this.#begin();
    }, silenceMilliseconds / 2);
  }

  stop() {
    if (!this.isOn) return;
    this.environment.clearInterval(this.#timer);
    this.environment.navigator.geolocation.clearWatch(this.#watch);
    this.#watch = undefined;
  }

  #begin() {
    this.#heardAt = this.environment.performance.now();
    this.#watch = this.environment.navigator.geolocation.watchPosition((position) => {
      this.#heardAt = this.environment.performance.now();
      this.#tell("");
      this.onFix(position);
    }, (error) => {
      if (error.code === 1) this.stop();
      this.#tell(error.code === 1 ? "denied" : "unavailable");
    }, options);
  }

  #tell(problem) {
    if (problem === this.problem) return;
    this.problem = problem;
    this.onProblem(problem);
  }
}
