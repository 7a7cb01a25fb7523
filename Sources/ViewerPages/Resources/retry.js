// How long to wait before the next attempt, for all that comes back by itself. Pure.

/** Milliseconds before attempt `count` (from 0): doubling, at most half a minute, with jitter. */
export function retryDelay(count, random = Math.random) {
  return Math.min(30000, 500 * 2 ** Math.min(count, 10)) * (0.5 + random() / 2);
}
