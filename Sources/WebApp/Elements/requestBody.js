// The typed values of both kinds of request as the API expects them: addressee, period and
// subscription. Without DOM.

import { parseFiscalCode } from "../Client/fiscalCode.js";

/** @typedef {import("../Client/language.js").TextKey} TextKey */

/** The longest subscription that the API takes, in seconds. */
const durationMax = 315_576_000;

/**
 * The units of a subscription's length, in seconds. A month has 30 days, a year 365.
 * @type {Record<"day" | "week" | "month" | "year", number>}
 */
export const durationUnits = {
  day: 86_400, week: 604_800, month: 2_592_000, year: 31_536_000,
};

/**
 * The person of a single request: an email contains `@`, a fiscal code a check letter.
 * @param {string} text
 * @returns {{email: string} | {fc: string} | null} null for other texts
 */
export function addressee(text) {
  const compact = text.replace(/\s/g, "");
  if (/^[^@]+@[^@]+$/.test(compact)) return { email: compact };
  const code = parseFiscalCode(compact);
  return typeof code === "string" ? null : { fc: code.text };
}

/**
 * The beginning of a calendar day in the reader's time zone.
 * @param {string} day `YYYY-MM-DD`
 * @param {number} [later] days to add
 * @returns {Date | null} null for an empty or impossible day
 */
export function dayStart(day, later = 0) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!parts) return null;
  const [year, month, date] = parts.slice(1).map(Number);
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(start.getTime()) ? null : start;
}

/**
 * @typedef {object} TypedTerms
 * @property {string} from `YYYY-MM-DD` or empty
 * @property {string} to the last day, `YYYY-MM-DD` or empty
 * @property {boolean} subscribing
 * @property {string} count the length of the subscription in units
 * @property {string} unit a key of `durationUnits`
 */
/**
 * @typedef {object} Terms
 * @property {boolean} subscribing
 * @property {number} [duration] seconds
 * @property {string} [from]
 * @property {string} [to]
 */

/**
 * Whether a request needs the length of its subscription: no last day ends it.
 * @param {Pick<TypedTerms, "to" | "subscribing">} typed
 * @param {Date} now
 */
export function needsDuration({ to, subscribing }, now) {
  const end = dayStart(to, 1);
  return subscribing && (end === null || end <= now);
}

/**
 * The period and the subscription of a request.
 * @param {TypedTerms} typed
 * @param {Date} now
 * @returns {{terms: Terms, errors: Partial<Record<"from" | "to" | "duration", TextKey>>}}
 */
export function termsOf(typed, now) {
  /** @type {Partial<Record<"from" | "to" | "duration", TextKey>>} */
  const errors = {};
  /** @type {Terms} */
  const terms = { subscribing: typed.subscribing };
  const from = dayStart(typed.from);
  const end = dayStart(typed.to, 1);
  if (from) terms.from = from.toISOString();
  if (end) terms.to = end.toISOString();
  if (from && end && from >= end) errors.from = "terms.periodEmpty";
  if (!typed.subscribing) {
    if (from && from > now) errors.from ??= "terms.futureNeedsSubscription";
    if (end && end > now) {
      // The present day lasts until now. A minute less, because the clock here may be fast.
      if (dayStart(typed.to, 0)?.toDateString() !== now.toDateString()) {
        errors.to = "terms.futureNeedsSubscription";
      } else terms.to = new Date(now.getTime() - 60_000).toISOString();
    }
    return { terms, errors };
  }
  const seconds = durationSeconds(typed.count, typed.unit);
  if (seconds !== null) terms.duration = seconds;
  else if (typed.count.trim() !== "") errors.duration = "terms.durationWrong";
  else if (needsDuration(typed, now)) errors.duration = "terms.durationMissing";
  return { terms, errors };
}

/**
 * The length of a subscription in seconds; null unless it is a whole number within the limit.
 * @param {string} count
 * @param {string} unit
 * @returns {number | null}
 */
export function durationSeconds(count, unit) {
  const length = durationUnits[/** @type {keyof typeof durationUnits} */ (unit)] ?? 0;
  const seconds = Number(count.trim()) * length;
  const isValid = /^\d+$/.test(count.trim()) && seconds > 0 && seconds <= durationMax;
  return isValid ? seconds : null;
}
