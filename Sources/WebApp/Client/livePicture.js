// The runners of a run as spectators see them, kept current by the events of the run's stream.

/** @typedef {import("./types").Endpoints["POST /t4r/active/specUpdate"]["answer"]} PolledRun */
/** @typedef {PolledRun["runners"][number]["status"]} RunnerStatus */
/** @typedef {PolledRun["state"]} RunState */

/**
 * @typedef {object} LiveRunner
 * @property {number} number
 * @property {string} name the chosen name, or the number
 * @property {RunnerStatus} status
 * @property {{lat: number, lon: number} | null} point null before the first position and while the
 *   runner has paused sharing
 * @property {number | null} metres along the course
 * @property {number | null} seconds since the start of the run
 * @property {number | null} place
 */
/** @typedef {[number, string, number, number?, number?, number?, number?]} PackedRunner */
/** @typedef {[number, number, number, number, number]} PackedMove */
/**
 * @typedef {object} PositionsEvent
 * @property {number} number
 * @property {PackedRunner[]} [full]
 * @property {PackedMove[]} [moved]
 * @property {PackedRunner[]} [replaced]
 * @property {number[]} [gone]
 */
/**
 * @typedef {object} PlacingsEvent
 * @property {number} number
 * @property {number} watching
 * @property {[number, number][]} [full]
 * @property {[number, number][]} [changed]
 * @property {number[]} [gone]
 */

/** The statuses by their numbers in events. */
/** @type {RunnerStatus[]} */
const statuses = [
  "checked in", "running", "off course", "signal lost", "finished", "paused", "did not start",
  "did not finish",
];
/** Positions in events are hundred-thousandths of a degree, as integers: their sums are exact. */
const perDegree = 100_000;

export class LivePicture {
  constructor() {
    /** @type {Map<number, LiveRunner>} */
    this.runners = new Map();
    /** @type {number | null} */
    this.number = null;
    /** The number of spectators; null before it has arrived. */
    /** @type {number | null} */
    this.watching = null;
    /** Whether the runners have arrived: until then an empty picture says nothing about the run. */
    this.isRead = false;
    /** @type {Map<number, number>} */
    this.places = new Map();
    /** The positions as integers, so that a thousand differences do not add up to an error. */
    /** @type {Map<number, [number, number, number, number]>} */
    this.spots = new Map();
  }

  /**
   * The number of spectators, at least the reader of the picture; null before it has arrived.
   */
  get spectators() {
    return this.watching === null ? null : Math.max(1, this.watching);
  }

  /**
   * Applies an event `positions`.
   * @param {PositionsEvent} event
   * @returns {boolean} false if the event does not continue this picture, which is then unchanged
   *   or incomplete: it must be read in full
   */
  positions(event) {
    if (event.full) {
      this.runners = new Map();
      this.spots = new Map();
      for (const packed of event.full) this.replace(packed);
    } else {
      if (this.number === null || event.number !== this.number + 1) return false;
      for (const number of event.gone ?? []) {
        this.runners.delete(number);
        this.spots.delete(number);
      }
      for (const packed of event.replaced ?? []) this.replace(packed);
      for (const move of event.moved ?? []) if (!this.move(move)) return false;
    }
    this.number = event.number;
    this.isRead = true;
    return true;
  }

  /** @param {PackedRunner} packed */
  replace([number, name, status, latitude, longitude, metres, seconds]) {
    this.runners.set(number, {
      number, name, status: statuses[status] ?? "running", point: null, metres: null,
      seconds: null, place: this.places.get(number) ?? null,
    });
    this.spots.delete(number);
    if (latitude === undefined || longitude === undefined) return;
    this.spots.set(number, [latitude, longitude, metres ?? 0, seconds ?? 0]);
    this.show(number);
  }

  /** @param {PackedMove} move */
  move([number, latitude, longitude, metres, seconds]) {
    const spot = this.spots.get(number);
    if (!spot) return false;
    spot[0] += latitude;
    spot[1] += longitude;
    spot[2] += metres;
    spot[3] += seconds;
    this.show(number);
    return true;
  }

  /** @param {number} number */
  show(number) {
    const runner = this.runners.get(number);
    const spot = this.spots.get(number);
    if (!runner || !spot) return;
    const [latitude, longitude, metres, seconds] = spot;
    runner.point = { lat: latitude / perDegree, lon: longitude / perDegree };
    runner.metres = metres;
    runner.seconds = seconds;
  }

  /**
   * Applies an event `placings`.
   * @param {PlacingsEvent} event
   */
  placings(event) {
    this.watching = event.watching;
    if (event.full) this.places = new Map();
    for (const [number, place] of event.full ?? event.changed ?? []) {
      this.places.set(number, place);
    }
    for (const number of event.gone ?? []) this.places.delete(number);
    for (const runner of this.runners.values()) {
      runner.place = this.places.get(runner.number) ?? null;
    }
  }

  /**
   * Uses the answer to a poll. Runners without a number were searched for and belong to no list.
   * @param {PolledRun} answer
   * @param {(text: string | undefined) => {lat: number, lon: number} | null} pointOf
   */
  polled(answer, pointOf) {
    this.watching = answer.watching;
    this.isRead = true;
    this.number = null;
    this.runners = new Map();
    this.spots = new Map();
    this.places = new Map();
    for (const runner of answer.runners) {
      if (runner.number === undefined) continue;
      if (runner.place !== undefined) this.places.set(runner.number, runner.place);
      this.runners.set(runner.number, {
        number: runner.number, name: runner.runnerName, status: runner.status,
        point: pointOf(runner.coordinate), metres: runner.distance ?? null,
        seconds: runner.seconds ?? null, place: runner.place ?? null,
      });
    }
  }

  /** Forgets the number, so that only a full event continues the picture. */
  expectFull() {
    this.number = null;
  }

  /** The runners in the order of the list: by place, then those without one by number. */
  ranked() {
    return [...this.runners.values()].sort(byPlace);
  }
}

/**
 * @param {{place?: number | null, number?: number}} left
 * @param {{place?: number | null, number?: number}} right
 */
export function byPlace(left, right) {
  const [leftPlace, rightPlace] = [left.place ?? Infinity, right.place ?? Infinity];
  if (leftPlace !== rightPlace) return leftPlace - rightPlace;
  return (left.number ?? Infinity) - (right.number ?? Infinity) || 0;
}

/**
 * The average pace in seconds per kilometre; null before the first ten metres.
 * @param {number | null} metres
 * @param {number | null} seconds
 */
export function paceOf(metres, seconds) {
  return metres !== null && seconds !== null && metres >= 10 && seconds > 0
    ? seconds / (metres / 1_000) : null;
}

/**
 * How many runners have each status.
 * @param {Iterable<{status: RunnerStatus}>} runners
 * @returns {[RunnerStatus, number][]} only statuses with runners, in the order of a run
 */
export function countStatuses(runners) {
  /** @type {Map<RunnerStatus, number>} */
  const counts = new Map();
  for (const { status } of runners) counts.set(status, (counts.get(status) ?? 0) + 1);
  /** @type {RunnerStatus[]} */
  const order = [
    "running", "off course", "signal lost", "paused", "finished", "checked in", "did not start",
    "did not finish",
  ];
  return order.map((status) => /** @type {[RunnerStatus, number]} */ (
    [status, counts.get(status) ?? 0])).filter(([, count]) => count > 0);
}
