// The samples of a request: kept once each, by type and time, and condensed for a chart.
// Without DOM.

/** @typedef {import("../../Client/types").Endpoints["GET /req/tp/data"]["answer"]} Answer */
/** @typedef {Extract<Answer, {samples: unknown}>["samples"][number]} Sample */
/** @typedef {{time: number, value: number}} Point milliseconds since 1970 */
/** @typedef {{points: Point[], band?: {low: number, high: number}[], count: number}} Plot */

/** The most points of a chart: more than a wide screen can separate. */
const pointsMax = 400;

/** All samples read so far. Streams and pages may repeat a sample: its number identifies it. */
export class Samples {
  constructor() {
    /** @type {Map<number, Sample>} */
    this.byNumber = new Map();
    /** @type {Map<string, Sample[]>} newest first, computed on demand */
    this.sorted = new Map();
  }

  get count() {
    return this.byNumber.size;
  }

  /**
   * Adds samples.
   * @param {readonly Sample[]} samples
   * @returns {number} how many of them are new
   */
  add(samples) {
    const before = this.byNumber.size;
    for (const sample of samples) {
      if (this.byNumber.has(sample.seq)) continue;
      this.byNumber.set(sample.seq, sample);
      this.sorted.delete(sample.dataType);
    }
    return this.byNumber.size - before;
  }

  /**
   * Removes samples that the person has deleted.
   * @param {readonly string[]} types
   * @param {string | null | undefined} from included; missing: no bound
   * @param {string | null | undefined} to excluded
   * @returns {number} how many were removed
   */
  erase(types, from, to) {
    const first = from ? Date.parse(from) : -Infinity;
    const end = to ? Date.parse(to) : Infinity;
    const before = this.byNumber.size;
    for (const [number, { dataType, timestamp }] of this.byNumber) {
      const time = Date.parse(timestamp);
      if (!types.includes(dataType) || time < first || time >= end) continue;
      this.byNumber.delete(number);
      this.sorted.delete(dataType);
    }
    return before - this.byNumber.size;
  }

  /** The types with samples. */
  types() {
    return [...new Set([...this.byNumber.values()].map(({ dataType }) => dataType))];
  }

  /**
   * The samples of a type, newest first.
   * @param {string} type
   * @returns {readonly Sample[]}
   */
  of(type) {
    let samples = this.sorted.get(type);
    if (!samples) {
      samples = [...this.byNumber.values()].filter(({ dataType }) => dataType === type)
        .sort((left, right) => Date.parse(right.timestamp) - Date.parse(left.timestamp)
          || right.seq - left.seq);
      this.sorted.set(type, samples);
    }
    return samples;
  }
}

/**
 * The numbers among samples as points of a chart, oldest first. If there are
 * many, each point is the mean of an interval, with its lowest and highest value.
 * @param {readonly Sample[]} samples
 * @param {number} [max] the most points
 * @returns {Plot}
 */
export function plot(samples, max = pointsMax) {
  const points = samples.flatMap(({ timestamp, value }) =>
    (typeof value === "number" ? [{ time: Date.parse(timestamp), value }] : []));
  points.sort((left, right) => left.time - right.time);
  const [first] = points;
  const last = points[points.length - 1];
  if (points.length <= max || !first || !last) return { points, count: points.length };
  const width = Math.max((last.time - first.time) / max, 1);
  /** @type {Map<number, {time: number, sum: number, low: number, high: number, count: number}>} */
  const parts = new Map();
  for (const { time, value } of points) {
    const index = Math.min(Math.floor((time - first.time) / width), max - 1);
    const part = parts.get(index);
    if (!part) parts.set(index, { time, sum: value, low: value, high: value, count: 1 });
    else {
      part.sum += value;
      part.low = Math.min(part.low, value);
      part.high = Math.max(part.high, value);
      part.count += 1;
    }
  }
  const condensed = [...parts.values()];
  return {
    points: condensed.map(({ time, sum, count }) => ({ time, value: sum / count })),
    band: condensed.map(({ low, high }) => ({ low, high })),
    count: points.length,
  };
}
