// The time of an event as the wall shows it. Pure, but for the two clocks it is given.

/** The clocks have gone apart by this: the device slept, or its clock was set. */
const apartMilliseconds = 500;

/**
 * Events carry the time of a clock that is never set. This adds the wall's time, so that two events
 * stay as far apart as they were. Only after sleep or a set clock it looks at the wall again.
 */
export class WallClock {
  #offset;

  constructor({ now = () => Date.now(), steady = () => performance.now() } = {}) {
    this.now = now;
    this.steady = steady;
    this.#offset = now() - steady();
  }

  /** Milliseconds since 1970 of an event's `timeStamp`. */
  at(timeStamp) {
    const offset = this.now() - this.steady();
    if (Math.abs(offset - this.#offset) > apartMilliseconds) this.#offset = offset;
    return timeStamp + this.#offset;
  }
}

/** A fix this old is not believed to be: some receivers are wrong by 1,024 weeks. */
const fixAgeMillisecondsMax = 3600 * 1000;
const fixAheadMillisecondsMax = 5000;

/** The time of a fix: its own, or `now` where that cannot be. Milliseconds since 1970. */
export function fixTime(timestamp, now) {
  const age = now - timestamp;
  return age <= fixAgeMillisecondsMax && age >= -fixAheadMillisecondsMax ? timestamp : now;
}
