// The course of a run while it is drawn: points, laps, lengths, faults, and undo.

import { distance, pointOf, textOf } from "../Elements/mapMath.js";

/** @typedef {import("../Elements/mapMath.js").Point} Point */
/** @typedef {import("./types").Endpoints["POST /t4r/org/path/check"]["answer"]} CheckedPath */
/** @typedef {CheckedPath["faults"][number]} Fault */
/**
 * The points of one lap, or of the whole course if it does not close, and how often it is run.
 * @typedef {{points: readonly Point[], laps: number}} Course
 */

/** The limits of the API (RUN-1). */
export const legMax = 10_000;
export const lengthMax = 500_000;
export const pointsMax = 20_000;

/** @type {Course} */
export const emptyCourse = { points: [], laps: 1 };

/**
 * Whether two points are the same for the API, which receives them exact to about 0.1 m.
 * @param {Point | undefined} left
 * @param {Point | undefined} right
 */
export function isSamePoint(left, right) {
  return left !== undefined && right !== undefined && textOf(left) === textOf(right);
}

/**
 * Whether the last point is the first one.
 * @param {readonly Point[]} points
 */
export function isClosed(points) {
  return points.length > 2 && isSamePoint(points[0], points[points.length - 1]);
}

/**
 * The metres from the start to each point.
 * @param {readonly Point[]} points
 * @returns {number[]}
 */
export function distances(points) {
  let metres = 0;
  return points.map((point, index) => {
    const before = points[index - 1];
    if (before) metres += distance(before, point);
    return metres;
  });
}

/**
 * The length of the course with all its laps in metres.
 * @param {Course} course
 */
export function lengthOf({ points, laps }) {
  return (distances(points).pop() ?? 0) * (isClosed(points) ? laps : 1);
}

/**
 * All points from the start to the finish: a lap is repeated as often as it is run.
 * @param {Course} course
 * @returns {Point[]}
 */
export function unfolded({ points, laps }) {
  if (!isClosed(points)) return [...points];
  const lap = points.slice(1);
  return [...points.slice(0, 1), ...Array.from({ length: laps }, () => lap).flat()];
}

/**
 * The course of a path: the reverse of `unfolded`.
 * @param {readonly Point[]} path
 * @returns {Course}
 */
export function folded(path) {
  if (!isClosed(path)) return { points: path, laps: 1 };
  const legs = path.length - 1;
  for (let lap = 2; lap <= legs / 2; lap += 1) {
    if (legs % lap !== 0 || !isSamePoint(path[0], path[lap])) continue;
    if (path.every((point, index) => isSamePoint(point, path[index % lap]))) {
      return { points: path.slice(0, lap + 1), laps: legs / lap };
    }
  }
  return { points: path, laps: 1 };
}

/**
 * The path as the API takes it.
 * @param {Course} course
 */
export function pathOf(course) {
  return unfolded(course).map((point) => ({ coordinate: textOf(point) }));
}

/**
 * Inserts points before an index. A closed course whose end is extended is no longer closed.
 * @param {Course} course
 * @param {number} index
 * @param {readonly Point[]} added
 * @returns {Course}
 */
export function inserted({ points, laps }, index, added) {
  const next = [...points.slice(0, index), ...added, ...points.slice(index)];
  return { points: next, laps: isClosed(next) ? laps : 1 };
}

/**
 * Moves a point. Start and finish of a closed course are one place, so they move together.
 * @param {Course} course
 * @param {number} index
 * @param {Point} point
 * @returns {Course}
 */
export function moved({ points, laps }, index, point) {
  const last = points.length - 1;
  const isEnd = isClosed(points) && (index === 0 || index === last);
  const next = points.map((each, at) => (
    at === index || (isEnd && (at === 0 || at === last)) ? point : each));
  return { points: next, laps };
}

/**
 * Removes a point. A closed course without its start begins and ends at the next point.
 * @param {Course} course
 * @param {number} index
 * @returns {Course}
 */
export function removed({ points, laps }, index) {
  const rest = points.filter((_, at) => at !== index);
  const first = rest[0];
  if (isClosed(points) && index === 0 && first && rest.length > 3) {
    return { points: [...rest.slice(0, -1), first], laps };
  }
  return { points: rest, laps: isClosed(rest) ? laps : 1 };
}

/**
 * Leads the course back to its start.
 * @param {Course} course
 * @returns {Course}
 */
export function closed({ points, laps }) {
  const first = points[0];
  if (!first || points.length < 2 || isClosed(points)) return { points, laps };
  return { points: [...points, first], laps };
}

/**
 * The course in the other direction.
 * @param {Course} course
 * @returns {Course}
 */
export function reversed({ points, laps }) {
  return { points: [...points].reverse(), laps };
}

/**
 * Leaves out points between others, so that the line stays within some metres (Douglas and
 * Peucker). Recorded tracks have a point each second: too many to move by hand.
 * @param {readonly Point[]} points
 * @param {number} metres
 * @returns {Point[]}
 */
export function simplified(points, metres) {
  const kept = new Set([0, points.length - 1]);
  /** @type {[number, number][]} */
  const open = [[0, points.length - 1]];
  for (let range = open.pop(); range; range = open.pop()) {
    const [from, to] = range;
    let [farthest, index] = [metres, -1];
    for (let at = from + 1; at < to; at += 1) {
      const away = offLine(points[at], points[from], points[to]);
      if (away > farthest) [farthest, index] = [away, at];
    }
    if (index < 0) continue;
    kept.add(index);
    open.push([from, index], [index, to]);
  }
  return points.filter((_, index) => kept.has(index));
}

/**
 * The metres between a point and a leg, on a plane: exact enough over some kilometres.
 * @param {Point | undefined} point
 * @param {Point | undefined} from
 * @param {Point | undefined} to
 */
function offLine(point, from, to) {
  if (!point || !from || !to) return 0;
  const degree = 111_195;
  const narrow = Math.cos((from.lat * Math.PI) / 180) * degree;
  const [x, y] = [(point.lon - from.lon) * narrow, (point.lat - from.lat) * degree];
  const [east, north] = [(to.lon - from.lon) * narrow, (to.lat - from.lat) * degree];
  const square = east ** 2 + north ** 2;
  const share = square === 0 ? 0 : Math.max(0, Math.min(1, (x * east + y * north) / square));
  return Math.hypot(x - share * east, y - share * north);
}

/**
 * Reads points from a text with one `latitude, longitude` in each line.
 * @param {string} text
 * @returns {{points: Point[], wrongLines: number[]}} the numbers of lines that are not a point,
 * from 1
 */
export function pointsOf(text) {
  /** @type {Point[]} */
  const points = [];
  /** @type {number[]} */
  const wrongLines = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const point = pointOf(line.trim().replace(/[,;\s]+$/, "").replace(/\s*[;\t ]\s*/, ","))
      ?? pointOf(line);
    if (point) points.push(point);
    else wrongLines.push(index + 1);
  });
  return { points, wrongLines };
}

/**
 * The faulty legs of the drawn lap: a fault of a later lap marks the same leg of the drawn one.
 * @param {readonly number[]} legs as the API numbers them
 * @param {Course} course
 * @returns {number[]} each once, in order
 */
export function drawnLegs(legs, { points }) {
  const count = points.length - 1;
  if (count < 1) return [];
  return [...new Set(legs.map((leg) => leg % count))].sort((left, right) => left - right);
}

/**
 * Joins consecutive legs into stretches.
 * @param {readonly number[]} legs in order
 * @returns {{from: number, to: number}[]} the first point and the last one of each stretch
 */
export function stretches(legs) {
  /** @type {{from: number, to: number}[]} */
  const found = [];
  for (const leg of legs) {
    const last = found[found.length - 1];
    if (last && last.to === leg) last.to = leg + 1;
    else found.push({ from: leg, to: leg + 1 });
  }
  return found;
}

/** The versions of a course, to undo and redo changes. */
export class CourseHistory {
  /** @param {Course} [course] */
  constructor(course = emptyCourse) {
    this.versions = [course];
    this.index = 0;
  }

  /** @returns {Course} */
  get present() {
    return this.versions[this.index] ?? emptyCourse;
  }

  get canUndo() {
    return this.index > 0;
  }

  get canRedo() {
    return this.index < this.versions.length - 1;
  }

  /**
   * Adds a version and removes the undone ones. The oldest ones are dropped, because a course
   * may have 20,000 points.
   * @param {Course} course
   */
  add(course) {
    this.versions = [...this.versions.slice(0, this.index + 1), course].slice(-100);
    this.index = this.versions.length - 1;
  }

  undo() {
    if (this.canUndo) this.index -= 1;
  }

  redo() {
    if (this.canRedo) this.index += 1;
  }
}
