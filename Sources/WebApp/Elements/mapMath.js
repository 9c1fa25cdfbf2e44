// The arithmetic of maps: Web Mercator, grid, scale and movement. Without DOM.

/** @typedef {{lat: number, lon: number}} Point degrees of WGS 84 */
/**
 * A position in Web Mercator: the world is 1 wide and 1 high, with the origin in the north-west.
 * @typedef {{x: number, y: number}} World
 */

const earthRadius = 6_371_008.8;
const equator = 40_075_016.686;

/**
 * The point of a text such as `45.4781,9.2272`, as the API writes positions; null for other texts.
 * @param {string | null | undefined} text
 * @returns {Point | null}
 */
export function pointOf(text) {
  const parts = /^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text ?? "");
  if (!parts) return null;
  const point = { lat: Number(parts[1]), lon: Number(parts[2]) };
  return Math.abs(point.lat) <= 90 && Math.abs(point.lon) <= 180 ? point : null;
}

/**
 * The text of a point for the API, exact to about 0.1 m.
 * @param {Point} point
 */
export function textOf({ lat, lon }) {
  return `${Number(lat.toFixed(6))},${Number(lon.toFixed(6))}`;
}

/**
 * @param {Point} point
 * @returns {World}
 */
export function project({ lat, lon }) {
  const sine = Math.sin((Math.max(-85.0511, Math.min(85.0511, lat)) * Math.PI) / 180);
  return { x: lon / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/**
 * Metres on the ground for one pixel.
 * @param {number} latitude degrees
 * @param {number} zoom
 */
export function metresPerPixel(latitude, zoom) {
  return (equator * Math.cos((latitude * Math.PI) / 180)) / (256 * 2 ** zoom);
}

/**
 * The distance of two points on the sphere in metres.
 * @param {Point} from
 * @param {Point} to
 */
export function distance(from, to) {
  const radians = Math.PI / 180;
  const north = Math.sin(((to.lat - from.lat) * radians) / 2);
  const east = Math.sin(((to.lon - from.lon) * radians) / 2);
  const share = north ** 2 + Math.cos(from.lat * radians) * Math.cos(to.lat * radians) * east ** 2;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(share)));
}

/**
 * The point at a distance to the east, for the handle of a circle.
 * @param {Point} point
 * @param {number} metres
 * @returns {Point}
 */
export function eastOf({ lat, lon }, metres) {
  const degrees = metres / ((equator / 360) * Math.cos((lat * Math.PI) / 180));
  return { lat, lon: lon + degrees };
}

/**
 * The south-west and north-east corner of a circle.
 * @param {Point} center
 * @param {number} metres
 * @returns {[Point, Point]}
 */
export function cornersOf(center, metres) {
  const north = metres / (equator / 360);
  const east = eastOf(center, metres).lon - center.lon;
  return [{ lat: center.lat - north, lon: center.lon - east },
    { lat: center.lat + north, lon: center.lon + east }];
}

/**
 * The south-west and north-east corner of points; null without points.
 * @param {Iterable<Point>} points
 * @returns {[Point, Point] | null}
 */
export function boundsOf(points) {
  let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { lat, lon } of points) {
    south = Math.min(south, lat);
    north = Math.max(north, lat);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
  }
  return south > north ? null : [{ lat: south, lon: west }, { lat: north, lon: east }];
}

/**
 * The largest of 1, 2 and 5 times a power of ten that is at most the value.
 * @param {number} value
 */
export function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/**
 * The bar of a scale: a round length that is at most `widest` pixels long.
 * @param {number} metres for one pixel
 * @param {number} widest pixels
 */
export function scaleBar(metres, widest) {
  const length = roundBelow(metres * widest);
  return { metres: length, pixels: length / metres };
}

/**
 * The degrees of the lines of a grid between two values: about one for each `spacing` pixels.
 * @param {number} from
 * @param {number} to
 * @param {number} pixels the width between both
 * @param {number} [spacing]
 * @returns {{lines: number[], digits: number}} digits: decimals that distinguish the lines
 */
export function gridLines(from, to, pixels, spacing = 110) {
  const wanted = ((to - from) * spacing) / pixels;
  if (!(wanted > 0) || !Number.isFinite(wanted)) return { lines: [], digits: 0 };
  const step = roundBelow(wanted * 1.5);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const lines = [];
  for (let index = Math.ceil(from / step); index * step <= to && lines.length < 100; index += 1) {
    lines.push(Number((index * step).toFixed(digits)));
  }
  return { lines, digits };
}

/**
 * A movement on the map, from the shown position to the newest one.
 * @typedef {object} Motion
 * @property {World} from
 * @property {World} to
 * @property {number} startedAt milliseconds
 * @property {number} duration milliseconds
 */

/**
 * The shown position at a time.
 * @param {Motion} motion
 * @param {number} now milliseconds
 * @returns {World}
 */
export function shownAt({ from, to, startedAt, duration }, now) {
  const share = duration <= 0 ? 1 : Math.max(0, Math.min(1, (now - startedAt) / duration));
  if (share === 1) return to;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/**
 * Whether it is still moving.
 * @param {Motion} motion
 * @param {number} now milliseconds
 */
export function isMoving({ startedAt, duration }, now) {
  return now - startedAt < duration;
}
