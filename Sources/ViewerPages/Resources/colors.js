// The colors of base.css, for what is drawn on canvas.

let cache;

const names = ["ink", "muted", "faint", "line", "card", "ground", "accent", "pace", "cadence",
  "earth", "font", "zone-0", "zone-1", "zone-2", "zone-3", "zone-4", "zone-5", "zone-6", "zone-7",
  "scale-1", "scale-2", "scale-3", "scale-4", "scale-5",
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((hue) => [`runner-${hue}`, `on-runner-${hue}`])];

/** By name, as `colors()["zone-3"]`. */
export function colors() {
  if (!cache) {
    const style = getComputedStyle(document.documentElement);
    cache = Object.fromEntries(
      names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }
  return cache;
}

export const zoneColor = (zone) => colors()[`zone-${zone >= 1 && zone <= 7 ? zone : 0}`];

/** Calls `redraw` after the system went from light to dark or back. */
export function onThemeChange(redraw) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    cache = undefined;
    redraw();
  });
}

/** Five steps from slow to fast; equal numbers of seconds in each. */
export function paceScale(series) {
  const speeds = [];
  const stride = Math.max(1, Math.floor(series.length / 2000));
  for (let index = 0; index < series.length; index += stride) {
    const speed = series.column.speed[index];
    if (speed > 0.5) speeds.push(speed);
  }
  speeds.sort((left, right) => left - right);
  const bounds = [0.2, 0.4, 0.6, 0.8].map((part) => speeds[Math.floor(part * speeds.length)]);
  return (speed) => {
    if (!(speed > 0)) return 0;
    const step = bounds.findIndex((bound) => speed < bound);
    return step < 0 ? 5 : step + 1;
  };
}
