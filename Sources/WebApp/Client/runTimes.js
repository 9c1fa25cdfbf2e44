// The times of a run as an organiser types them, and the rules that the API also checks (RUN-1).

/** The longest run and the latest start, in milliseconds. */
const day = 86_400_000;
const longest = 7 * day;
const latestStart = 731 * day;

/**
 * The time of a field `datetime-local` for the API; null if it has none.
 * @param {string} local as `2026-05-03T09:30`, in the reader's time zone
 * @returns {string | null}
 */
export function isoOf(local) {
  const time = new Date(local);
  return local === "" || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/**
 * The text of a field `datetime-local` for a time of the API.
 * @param {string | undefined} iso
 */
export function localOf(iso) {
  if (!iso) return "";
  const time = new Date(iso);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/**
 * @typedef {object} TypedRun the values of the fields
 * @property {string} runName
 * @property {string} startTime local
 * @property {string} endTime local
 * @property {string} enrolUntil local; empty: the start
 * @property {string} participants
 */
/** @typedef {"name" | "start" | "startPast" | "startFar" | "end" | "endBefore" | "endFar"
 * | "enrolPast" | "enrolLate" | "participants"} RunFault */

/**
 * The faults by field.
 * @param {TypedRun} run
 * @param {number} [now] milliseconds since 1970
 * @returns {Partial<Record<keyof TypedRun, RunFault>>}
 */
export function runFaults(run, now = Date.now()) {
  const { runName, startTime, endTime, enrolUntil, participants } = run;
  /** @type {Partial<Record<keyof TypedRun, RunFault>>} */
  const faults = {};
  const begins = milliseconds(startTime);
  const ends = milliseconds(endTime);
  const closes = milliseconds(enrolUntil);
  if (runName.trim() === "") faults.runName = "name";
  if (Number.isNaN(begins)) faults.startTime = "start";
  else if (begins <= now) faults.startTime = "startPast";
  else if (begins > now + latestStart) faults.startTime = "startFar";
  if (Number.isNaN(ends)) faults.endTime = "end";
  else if (ends <= begins) faults.endTime = "endBefore";
  else if (ends > begins + longest) faults.endTime = "endFar";
  if (closes <= now) faults.enrolUntil = "enrolPast";
  else if (closes > begins) faults.enrolUntil = "enrolLate";
  const count = Number(participants);
  const isNumber = Number.isInteger(count) && count >= 2 && count <= 1_000_000;
  if (!isNumber) faults.participants = "participants";
  return faults;
}

/**
 * @param {string} local
 * @returns {number} not a number without a time
 */
function milliseconds(local) {
  return Date.parse(isoOf(local) ?? "");
}
