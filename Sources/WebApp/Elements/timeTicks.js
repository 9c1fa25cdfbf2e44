// The marks of a time axis: the beginnings of hours, days, months or years in the reader's
// calendar, which a linear axis would miss.

/** @typedef {{unit: "hour" | "day" | "month" | "year", step: number, length: number}} Step */

const hour = 3_600_000;
const day = 24 * hour;
/** @type {Step[]} */
const steps = [
  { unit: "hour", step: 1, length: hour },
  { unit: "hour", step: 3, length: 3 * hour },
  { unit: "hour", step: 6, length: 6 * hour },
  { unit: "hour", step: 12, length: 12 * hour },
  { unit: "day", step: 1, length: day },
  { unit: "day", step: 2, length: 2 * day },
  { unit: "day", step: 7, length: 7 * day },
  { unit: "day", step: 14, length: 14 * day },
  { unit: "month", step: 1, length: 30.4 * day },
  { unit: "month", step: 3, length: 91 * day },
  { unit: "month", step: 6, length: 183 * day },
  { unit: "year", step: 1, length: 365 * day },
  { unit: "year", step: 2, length: 730 * day },
  { unit: "year", step: 5, length: 1826 * day },
  { unit: "year", step: 10, length: 3652 * day },
];

/**
 * The finest step with at most `max` marks between two times.
 * @param {number} from milliseconds since 1970
 * @param {number} to
 * @param {number} max
 * @returns {Step}
 */
export function timeStep(from, to, max) {
  const fits = steps.find(({ length }) => (to - from) / length <= max);
  return fits ?? { unit: "year", step: 50, length: 18_262 * day };
}

/**
 * The marks between two times, both included.
 * @param {number} from milliseconds since 1970
 * @param {number} to
 * @param {number} max
 * @returns {number[]}
 */
export function timeTicks(from, to, max) {
  const { unit, step } = timeStep(from, to, max);
  const mark = new Date(from);
  if (unit === "hour") mark.setHours(Math.floor(mark.getHours() / step) * step, 0, 0, 0);
  else mark.setHours(0, 0, 0, 0);
  if (unit === "month") mark.setMonth(Math.floor(mark.getMonth() / step) * step, 1);
  if (unit === "year") mark.setFullYear(Math.floor(mark.getFullYear() / step) * step, 0, 1);
  /** @type {number[]} */
  const marks = [];
  while (mark.getTime() <= to && marks.length <= 2 * max) {
    if (mark.getTime() >= from) marks.push(mark.getTime());
    if (unit === "hour") mark.setHours(mark.getHours() + step);
    else if (unit === "day") mark.setDate(mark.getDate() + step);
    else if (unit === "month") mark.setMonth(mark.getMonth() + step);
    else mark.setFullYear(mark.getFullYear() + step);
  }
  return marks;
}

/**
 * The parts of a time that a mark between two times shows.
 * @param {number} from
 * @param {number} to
 * @param {number} max
 * @returns {Intl.DateTimeFormatOptions}
 */
export function tickFormat(from, to, max) {
  const { unit } = timeStep(from, to, max);
  if (unit === "hour") {
    return to - from > 2 * day
      ? { weekday: "short", hour: "2-digit" } : { hour: "2-digit", minute: "2-digit" };
  }
  if (unit === "day") return { day: "numeric", month: "short" };
  return unit === "month" ? { month: "short", year: "2-digit" } : { year: "numeric" };
}
