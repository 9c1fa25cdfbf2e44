// The present emergencies of a person, from events and from the history. Without DOM.

/** @typedef {import("../Client/types").Endpoints["GET /sos/history"]["answer"]} History */
/** @typedef {History["episodes"][number]} Episode */
/** @typedef {Episode["stage"]} Stage */
/**
 * @typedef {object} Alarm
 * @property {string} episodeID
 * @property {Stage} stage
 * @property {Episode["rule"]} rule
 * @property {boolean} drill
 * @property {string | null} deadline the end of the time to abort or answer
 * @property {string | null} quietUntil
 * @property {string | null} outcome
 * @property {Episode | null} episode readings and calls, once they are read
 */
/**
 * The content of the page: a warning that can be aborted, a call for help, an end, or nothing.
 * @typedef {{mode: "warning" | "called" | "over" | "none", alarms: Alarm[]}} Shown
 */

/** @type {Stage[]} in the order in which they may follow each other */
const stages = ["suspected", "asked", "confirmed", "dispatched", "acknowledged", "closed",
  "withdrawn", "aborted", "false alarm", "drill over", "unanswered"];

/** @param {Stage} stage */
export function isBeforeCall(stage) {
  return stages.indexOf(stage) <= stages.indexOf("confirmed");
}

/** @param {Stage} stage */
export function isOver(stage) {
  return stages.indexOf(stage) >= stages.indexOf("closed");
}

/** The most emergencies that are kept: ended ones are removed first. */
const alarmsMax = 20;

export class AlarmState {
  constructor() {
    /** @type {Map<string, Alarm>} */
    this.alarms = new Map();
    /** @type {Set<string>} those whose end was read and closed */
    this.closed = new Set();
  }

  /**
   * Takes the data of an `alarm` event.
   * @param {any} data
   * @returns {boolean} whether anything changed
   */
  takeEvent(data) {
    const stage = /** @type {Stage} */ (data?.stage);
    if (typeof data?.episodeID !== "string" || !stages.includes(stage)) return false;
    return this.take({
      episodeID: data.episodeID, stage, rule: data.rule, drill: data.drill === true,
      deadline: data.answerBy ?? data.abortUntil ?? null, quietUntil: data.quietUntil ?? null,
      outcome: data.outcome ?? null, episode: null,
    });
  }

  /**
   * Takes the newest emergencies of the history.
   * @param {Episode[]} episodes
   */
  takeHistory(episodes) {
    for (const episode of episodes) {
      const { episodeID, stage, rule, drill, abortUntil, outcome = null } = episode;
      this.take({
        episodeID, stage, rule, drill, outcome, episode, quietUntil: null,
        deadline: isBeforeCall(stage) ? abortUntil : null,
      });
    }
  }

  /**
   * @param {Alarm} next
   * @returns {boolean}
   */
  take(next) {
    const old = this.alarms.get(next.episodeID);
    if (!old && (isOver(next.stage) || this.closed.has(next.episodeID))) return false;
    if (!old) {
      this.alarms.set(next.episodeID, next);
      this.limit();
      return true;
    }
    const [before, after] = [stages.indexOf(old.stage), stages.indexOf(next.stage)];
    // Events and the history arrive in any order; a stage never goes back.
    if (after < before) return false;
    old.episode = next.episode ?? old.episode;
    if (after === before) {
      const isLater = time(next.deadline) > time(old.deadline);
      if (isLater) old.deadline = next.deadline;
      old.quietUntil ??= next.quietUntil;
      old.outcome ??= next.outcome;
      return isLater || next.episode !== null;
    }
    old.stage = next.stage;
    old.deadline = next.deadline;
    old.quietUntil = next.quietUntil;
    old.outcome = next.outcome;
    return true;
  }

  limit() {
    for (const [id, alarm] of this.alarms) {
      if (this.alarms.size <= alarmsMax) return;
      if (isOver(alarm.stage)) this.alarms.delete(id);
    }
  }

  /** Forgets the emergencies that are over, once their end was read. */
  close() {
    for (const [id, alarm] of this.alarms) {
      if (!isOver(alarm.stage)) continue;
      this.alarms.delete(id);
      this.closed.add(id);
    }
  }

  /** Forgets everything, when another account logs in. */
  clear() {
    this.alarms.clear();
    this.closed.clear();
  }

  /** @returns {Shown} the most urgent ones */
  get shown() {
    const all = [...this.alarms.values()];
    const warning = all.filter(({ stage }) => isBeforeCall(stage));
    if (warning.length > 0) return { mode: "warning", alarms: warning };
    const called = all.filter(({ stage }) => !isOver(stage));
    if (called.length > 0) return { mode: "called", alarms: called };
    return all.length > 0 ? { mode: "over", alarms: all.slice(-1) } : { mode: "none", alarms: [] };
  }

  /**
   * The earliest end of a window to abort, or null, of the emergencies that the words are about:
   * the confirmed ones, else those with a question, else the suspected ones. At the end of its
   * window a suspected emergency still waits for readings that confirm it, so that an end that has
   * passed counts for nothing.
   * @param {number} now the server's milliseconds
   */
  deadlineAt(now) {
    const { alarms } = this.shown;
    for (const named of ["confirmed", "asked", "suspected"]) {
      const times = alarms.flatMap(({ stage, deadline }) => {
        if (stage !== named || deadline === null) return [];
        return named === "suspected" && time(deadline) <= now ? [] : [deadline];
      });
      const [first] = times.sort((left, right) => time(left) - time(right));
      if (first !== undefined) return first;
    }
    return null;
  }
}

/** @param {string | null} text */
function time(text) {
  return text === null ? -Infinity : Date.parse(text);
}

/**
 * Seconds until a time, rounded up, never negative.
 * @param {string} deadline
 * @param {number} now the server's milliseconds
 */
export function secondsLeft(deadline, now) {
  return Math.max(0, Math.ceil((Date.parse(deadline) - now) / 1_000));
}
