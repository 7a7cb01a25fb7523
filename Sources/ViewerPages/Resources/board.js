// Several runners in order: who leads, by how much, sorted as the viewer likes. Pure.

const states = ["live", "paused", "stale", "waiting", "ended"];

/** Entries are `{ number, name, shown, series }`, `shown` being the run as the page shows it. */

/** How each column finds its value; `best` is the direction in which it is read first. */
export const boardColumns = {
  name: { value: (entry) => entry.name.toLowerCase(), best: 1 },
  distance: { value: (entry) => entry.shown.distanceMeters, best: -1 },
  gap: { value: (entry) => entry.gapSeconds, best: 1 },
  pace: { value: (entry) => entry.shown.paceSecondsPerKm, best: 1 },
  heartRate: { value: (entry) => entry.shown.heartRate?.bpm, best: -1 },
  movingTime: { value: (entry) => entry.shown.movingSeconds, best: -1 },
  state: { value: (entry) => states.indexOf(entry.shown.state ?? "waiting"), best: 1 },
};

/** A copy in order; who has no value stands last in either direction. */
export function sorted(entries, column, direction) {
  const { value } = boardColumns[column];
  const missing = (item) => item === undefined || Number.isNaN(item);
  return [...entries].sort((left, right) => {
    const [a, b] = [value(left), value(right)];
    if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
    if (a === b) return left.number - right.number;
    return (a < b ? -1 : 1) * direction;
  });
}

/** Device time at which a runner had run `meters`; undefined before its first row or after the last. */
export function timeAt(series, meters) {
  const { distance, time } = series.column;
  const index = series.indexBy("distance", meters);
  if (index < 0 || index >= series.length) return undefined;
  if (index === series.length - 1) return distance[index] >= meters ? time[index] : undefined;
  const span = distance[index + 1] - distance[index];
  const part = span > 0 ? (meters - distance[index]) / span : 0;
  return time[index] + part * (time[index + 1] - time[index]);
}

/**
 * Gives each entry its place by distance and its gap to the leader: how long ago the leader was
 * where the runner is now; where that is not known, the meters between them at the runner's pace.
 */
export function rank(entries) {
  const order = sorted(entries, "distance", -1);
  const leader = order[0];
  order.forEach((entry, index) => {
    const meters = entry.shown.distanceMeters;
    entry.place = meters === undefined ? undefined : index + 1;
    entry.behindMeters = meters === undefined ? undefined : leader.shown.distanceMeters - meters;
    entry.gapSeconds = meters === undefined ? undefined : gapTo(leader, entry);
  });
  return leader;
}

function gapTo(leader, entry) {
  if (entry === leader) return 0;
  const passed = timeAt(leader.series, entry.shown.distanceMeters);
  // Their clocks are compared at the leader's newest moment, so that no offset creeps in.
  if (passed !== undefined) return Math.max(0, leader.shown.time - passed);
  const { paceSecondsPerKm } = entry.run;
  return paceSecondsPerKm ? (entry.behindMeters / 1000) * paceSecondsPerKm : undefined;
}

/** The letters drawn on a runner's dot. */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? words[0][0] + words.at(-1)[0] : [...(words[0] ?? "?")].slice(0, 2).join("");
  return letters.toUpperCase();
}
