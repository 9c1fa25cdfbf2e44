// The runners of a live run: order, alarms, and numbers.

/** @typedef {import("./types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/org/live"]["answer"]["runners"][number]} Runner */
/** @typedef {"place" | "attention" | "name" | "number"} Order */
/** @typedef {Runner["status"]} RunnerStatus */

/** @type {RunnerStatus[]} by urgency for the organiser */
const byAttention = ["signal lost", "off course", "paused", "running", "checked in", "finished",
  "did not finish", "did not start"];

/**
 * The identity of a runner within a run.
 * @param {Runner} runner
 */
export function keyOf(runner) {
  return String(runner.number ?? runner.runnerName);
}

/**
 * The runners in an order; equal ones by number.
 * @param {readonly Runner[]} runners
 * @param {Order} order
 * @param {(left: string, right: string) => number} compare texts in the reader's language
 * @returns {Runner[]}
 */
export function ordered(runners, order, compare) {
  /** @param {Runner} left @param {Runner} right */
  const numbers = (left, right) => (left.number ?? Infinity) - (right.number ?? Infinity) || 0;
  /** @param {Runner} left @param {Runner} right */
  const places = (left, right) => {
    const [first, second] = [left.place ?? Infinity, right.place ?? Infinity];
    return first === second ? 0 : first - second;
  };
  /** @type {Record<Order, (left: Runner, right: Runner) => number>} */
  const orders = {
    place: places,
    attention: (left, right) => byAttention.indexOf(left.status) - byAttention.indexOf(right.status)
      || places(left, right),
    name: (left, right) => compare(left.runnerName, right.runnerName),
    number: numbers,
  };
  return [...runners].sort((left, right) => orders[order](left, right) || numbers(left, right));
}

/**
 * The runners whose signal is lost, the longest silent first.
 * @param {readonly Runner[]} runners
 * @returns {Runner[]}
 */
export function silent(runners) {
  return runners.filter(({ status }) => status === "signal lost")
    .sort((left, right) => (left.time ?? "").localeCompare(right.time ?? ""));
}

/**
 * The runners off the course.
 * @param {readonly Runner[]} runners
 */
export function strayed(runners) {
  return runners.filter(({ status }) => status === "off course");
}

/**
 * The number of runners in each state, in the order of attention; states without any are left out.
 * @param {readonly Runner[]} runners
 * @returns {[RunnerStatus, number][]}
 */
export function countsOf(runners) {
  return byAttention.map((status) => /** @type {[RunnerStatus, number]} */ (
    [status, runners.filter((runner) => runner.status === status).length]))
    .filter(([, count]) => count > 0);
}

/**
 * Whether a typed text matches a runner: a part of the name, or the number.
 * @param {Runner} runner
 * @param {string} text
 */
export function matches({ runnerName, number }, text) {
  const sought = text.trim().toLocaleLowerCase();
  return sought === "" || String(number) === sought
    || runnerName.toLocaleLowerCase().includes(sought);
}

/**
 * The pause before the next poll, in milliseconds; null when the run is over.
 * @param {"open" | "live" | "ended"} state
 * @param {number} startsIn milliseconds until the start
 */
export function pollPause(state, startsIn) {
  if (state === "ended") return null;
  if (state === "live") return 3_000;
  // The change to live must not be missed by a long pause.
  return Math.max(1_000, Math.min(15_000, startsIn + 500));
}
