// Numbers as people read them. Pure: no page, no clock.

export const missing = "--";

export const unitSystems = {
  metric: { name: "metric", split: "km", meters: 1000, distance: "km", pace: "/km", height: "m", perMeter: 1 },
  imperial: {
    name: "imperial", split: "mile", meters: 1609.344, distance: "mi", pace: "/mi", height: "ft",
    perMeter: 3.28084,
  },
};

const known = (value) => typeof value === "number" && Number.isFinite(value);
const two = (value) => String(value).padStart(2, "0");

export function integer(value) {
  return known(value) ? String(Math.round(value)) : missing;
}

/** "5.3": one decimal. */
export const tenths = (value) => (known(value) ? value.toFixed(1) : missing);
/** "1.24": two decimals. */
export const hundredths = (value) => (known(value) ? value.toFixed(2) : missing);
/** "243": thousandths of the unit, as milliseconds of a second. */
export const thousandths = (value) => integer(known(value) ? value * 1000 : undefined);
/** "8.1": hundredths of the unit, as centimeters of a meter. */
export const centimeters = (value) => tenths(known(value) ? value * 100 : undefined);

/** "5:28". A pace of nothing, or slower than an hour, is no pace. */
export function pace(secondsPerKm, units = unitSystems.metric) {
  if (!known(secondsPerKm) || secondsPerKm <= 0 || secondsPerKm > 3600) return "--:--";
  const seconds = Math.round((secondsPerKm * units.meters) / 1000);
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** "02:05", "1:01:01". */
export function duration(seconds) {
  if (!known(seconds) || seconds < 0) return "--:--";
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** "4.31", "12.3", "105": two decimals until ten, as a watch shows it. */
export function distance(meters, units = unitSystems.metric) {
  if (!known(meters)) return missing;
  const value = meters / units.meters;
  const digits = value < 100 ? 2 : 1;
  const power = 10 ** digits;
  // Cut, not rounded: nobody has run a kilometer before it is run.
  return (Math.floor(value * power + 1e-9) / power).toFixed(digits);
}

export function height(meters, units = unitSystems.metric) {
  return known(meters) ? integer(meters * units.perMeter) : missing;
}

/** "3 s", "2 min", "5 h": how old something is. */
export function age(seconds) {
  if (!known(seconds)) return missing;
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** "512 KiB", "1.3 GiB". */
export function bytes(count) {
  if (!known(count)) return missing;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(Math.max(Math.floor(Math.log2(Math.max(count, 1)) / 10), 1), units.length);
  const value = count / 1024 ** step;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[step - 1]}`;
}

/** "+1:05", "−0:12": a gap in time. */
export function gap(seconds) {
  if (!known(seconds)) return missing;
  const whole = Math.round(Math.abs(seconds));
  const sign = seconds < 0 ? "−" : "+";
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const head = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${sign}${head}:${two(whole % 60)}`;
}

/** The time of day where the viewer is. */
export function clock(secondsSince1970, language) {
  if (!known(secondsSince1970)) return missing;
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" })
    .format(new Date(secondsSince1970 * 1000));
}

export function date(secondsSince1970, language) {
  if (!known(secondsSince1970)) return missing;
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" })
    .format(new Date(secondsSince1970 * 1000));
}

/** 1, 2 or 5 times a power of ten: `count` steps or fewer cover `range`. */
export function niceStep(range, count) {
  if (!(range > 0)) return 1;
  const rough = range / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  return step * power;
}
