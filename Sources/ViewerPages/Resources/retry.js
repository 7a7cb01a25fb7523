// How long to wait before the next attempt, for all that comes back by itself. Pure.

/** Milliseconds before attempt `count` (from 0): doubling, at most half a minute, with jitter. */
export function retryDelay(count, random = Math.random) {
  return Math.min(30000, 500 * 2 ** Math.min(count, 10)) * (0.5 + random() / 2);
}

/**
 * Milliseconds until a busy daemon wants the next request, by its `Retry-After`; undefined where it
 * does not say. With jitter, so that not all pages come at the same moment.
 */
export function busyDelay(answer, random = Math.random) {
  const seconds = Number(answer.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1000 * (1 + random() / 4) : undefined;
}
