// The numbers that the wearer sees while recording: sums of the page's own, also without a network.
// Pure.
//
// The daemon computes better ones from the same values. These are what a glance needs.

/** A fix less accurate than this measures no distance, meters. */
const accuracyMax = 30;
/** Nobody runs faster, m/s. */
const speedMax = 15;
/** Less than this from the last place that counted may be the receiver's scatter, meters. */
const stepMin = 4;
/** Pace is over this much of the past. */
const paceMilliseconds = 20000;
/** A heart rate this old is no longer shown as current. */
export const staleMilliseconds = 10000;

const earthMeters = 6371000;

/** Meters between two places, on a sphere. */
export function metersBetween(from, to) {
  const radians = (degrees) => (degrees * Math.PI) / 180;
  const [north, east] = [radians(to.latitude - from.latitude), radians(to.longitude - from.longitude)];
  const half = Math.sin(north / 2) ** 2
    + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * earthMeters * Math.asin(Math.sqrt(Math.min(1, half)));
}

export class Tally {
  /** `kept`: what `state` gave before a reload. */
  constructor(startedAt, kept) {
    this.state = kept ?? {
      startedAt, pausedAt: undefined, pausedMilliseconds: 0, meters: 0, laps: 0,
      lapStartedAt: startedAt, lapMeters: 0, lapPaused: 0, beats: 0, beatMilliseconds: 0,
      beatsPerMinute: undefined, beatAt: undefined, beatsMax: undefined, anchor: undefined, path: [],
    };
  }

  get isPaused() {
    return this.state.pausedAt !== undefined;
  }

  pause(milliseconds) {
    this.state.pausedAt ??= milliseconds;
  }

  resume(milliseconds) {
    if (!this.isPaused) return;
    this.state.pausedMilliseconds += Math.max(0, milliseconds - this.state.pausedAt);
    this.state.pausedAt = undefined;
    // What was walked in the pause is not run.
    this.state.anchor = undefined;
    this.state.path = [];
  }

  /** Ends a lap; its number, seconds and meters. */
  lap(milliseconds) {
    const { state } = this;
    const moving = this.movingSeconds(milliseconds) * 1000;
    const lap = { number: state.laps + 1, seconds: (moving - state.lapPaused) / 1000,
      meters: state.meters - state.lapMeters };
    Object.assign(state, { laps: lap.number, lapMeters: state.meters, lapPaused: moving });
    return lap;
  }

  heartRate(beatsPerMinute, milliseconds) {
    const { state } = this;
    const since = milliseconds - (state.beatAt ?? milliseconds);
    if (since > 0 && since < staleMilliseconds && !this.isPaused) {
      state.beats += beatsPerMinute * since;
      state.beatMilliseconds += since;
    }
    Object.assign(state, { beatsPerMinute, beatAt: milliseconds,
      beatsMax: Math.max(beatsPerMinute, state.beatsMax ?? 0) });
  }

  fix({ latitude, longitude, accuracy }, milliseconds) {
    const { state } = this;
    state.accuracy = accuracy;
    state.fixAt = milliseconds;
    if (this.isPaused || !(accuracy <= accuracyMax)) return;
    const here = { latitude, longitude, milliseconds };
    const seconds = (milliseconds - (state.anchor?.milliseconds ?? milliseconds)) / 1000;
    const step = state.anchor ? metersBetween(state.anchor, here) : 0;
    if (!state.anchor || (seconds > 0 && step / seconds > speedMax)) {
      state.anchor = here;
      return;
    }
    // Who stands does not collect the scatter of the receiver.
    if (seconds <= 0 || step < stepMin) return;
    state.meters += step;
    state.anchor = here;
    state.path = [...state.path.filter((each) => milliseconds - each.milliseconds <= paceMilliseconds),
      { milliseconds, meters: state.meters }];
  }

  elapsedSeconds(milliseconds) {
    return Math.max(0, milliseconds - this.state.startedAt) / 1000;
  }

  movingSeconds(milliseconds) {
    const until = this.state.pausedAt ?? milliseconds;
    return Math.max(0, until - this.state.startedAt - this.state.pausedMilliseconds) / 1000;
  }

  /** What is shown at a moment; what is not known is undefined. */
  shown(milliseconds) {
    const { state } = this;
    const path = state.path.filter((each) => milliseconds - each.milliseconds <= paceMilliseconds);
    const run = path.length > 1 ? path.at(-1).meters - path[0].meters : 0;
    const took = path.length > 1 ? path.at(-1).milliseconds - path[0].milliseconds : 0;
    const beatAge = milliseconds - (state.beatAt ?? -Infinity);
    return {
      beatsPerMinute: beatAge <= staleMilliseconds ? state.beatsPerMinute : undefined,
      averageHeartRate: state.beatMilliseconds > 0 ? state.beats / state.beatMilliseconds : undefined,
      maxHeartRate: state.beatsMax,
      meters: state.fixAt === undefined ? undefined : state.meters,
      paceSecondsPerKm: !this.isPaused && run > 5 ? took / run : undefined,
      elapsedSeconds: this.elapsedSeconds(milliseconds), movingSeconds: this.movingSeconds(milliseconds),
      laps: state.laps, lapMeters: state.meters - state.lapMeters,
      lapSeconds: this.movingSeconds(milliseconds) - state.lapPaused / 1000,
      accuracyMeters: state.accuracy,
      fixAgeSeconds: state.fixAt === undefined ? undefined : (milliseconds - state.fixAt) / 1000,
    };
  }
}
