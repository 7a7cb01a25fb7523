// Places on the earth as places on a picture (Web Mercator, as map tiles use it). Pure.

const earthRadiusMeters = 6371000;

/** The world as a square of 1 by 1, x to the east, y to the south. */
export function project(latitude, longitude) {
  const sine = Math.sin((Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180);
  return {
    x: longitude / 360 + 0.5,
    y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI),
  };
}

/** The place of a point of that square. */
export function unproject(x, y) {
  return {
    latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
    longitude: (x - 0.5) * 360,
  };
}

/** Meters on the ground that one whole world width stands for at this y. */
export function worldMeters(y) {
  const latitude = Math.atan(Math.sinh(Math.PI * (1 - 2 * y)));
  return 2 * Math.PI * earthRadiusMeters * Math.cos(latitude);
}

/** What lies over the edges of a map, pixels. */
const edges = { top: 66, side: 34, bottom: 46 };

/** A view that shows all of `bounds` beside what lies over the map, not closer than `metersMin`. */
export function fit(bounds, width, height, metersMin = 200) {
  const x = (bounds.minX + bounds.maxX) / 2;
  const y = (bounds.minY + bounds.maxY) / 2;
  const least = metersMin / worldMeters(y);
  const spanX = Math.max(bounds.maxX - bounds.minX, least);
  const spanY = Math.max(bounds.maxY - bounds.minY, least);
  const roomX = Math.max(1, width - 2 * edges.side);
  const roomY = Math.max(1, height - edges.top - edges.bottom);
  const scale = Math.min(roomX / spanX, roomY / spanY);
  return {
    x, y, scale, rotation: 0, anchorX: 0.5, anchorY: (edges.top + roomY / 2) / Math.max(1, height),
  };
}

/** From the world to pixels. `rotation` is clockwise, radians. */
export function toScreen(view, x, y, width, height) {
  const dx = (x - view.x) * view.scale;
  const dy = (y - view.y) * view.scale;
  const cosine = Math.cos(view.rotation);
  const sine = Math.sin(view.rotation);
  return {
    x: width * view.anchorX + dx * cosine - dy * sine,
    y: height * view.anchorY + dx * sine + dy * cosine,
  };
}

/** From pixels back to the world. */
export function toWorld(view, screenX, screenY, width, height) {
  const dx = screenX - width * view.anchorX;
  const dy = screenY - height * view.anchorY;
  const cosine = Math.cos(-view.rotation);
  const sine = Math.sin(-view.rotation);
  return {
    x: view.x + (dx * cosine - dy * sine) / view.scale,
    y: view.y + (dx * sine + dy * cosine) / view.scale,
  };
}

/** The box around all known points of a series; undefined without any. */
export function boundsOf(series) {
  const bounds = { minX: Infinity, maxX: -Infinity, minY: Infinity, maxY: -Infinity };
  extendBounds(bounds, series, 0);
  return bounds.minX <= bounds.maxX ? bounds : undefined;
}

/** The box of one point; undefined without one. */
export function boundsAround(point) {
  return point && { minX: point.x, maxX: point.x, minY: point.y, maxY: point.y };
}

export function extendBounds(bounds, series, from) {
  const { x, y } = series.column;
  for (let index = from; index < series.length; index += 1) {
    if (x[index] < bounds.minX) bounds.minX = x[index];
    if (x[index] > bounds.maxX) bounds.maxX = x[index];
    if (y[index] < bounds.minY) bounds.minY = y[index];
    if (y[index] > bounds.maxY) bounds.maxY = y[index];
  }
}

/** A shortest turn from one angle to another, radians. */
export function turn(from, to) {
  const whole = 2 * Math.PI;
  return ((((to - from + Math.PI) % whole) + whole) % whole) - Math.PI;
}
