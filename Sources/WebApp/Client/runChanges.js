// The changes of an organiser to a run.

/** @typedef {import("./types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /t4r/org/create"]["body"]} RunInfo */
/** @typedef {Omit<Endpoints["POST /t4r/org/update"]["body"], "runID">} RunChanges */

/**
 * The fields to send: those that differ. An optional text that was emptied is removed by an empty
 * text, a deadline that was emptied becomes the start.
 * @param {RunInfo} before
 * @param {RunInfo} after
 * @param {boolean} knowsClauses whether the clauses were shown; if not, empty ones stay unchanged
 * @returns {RunChanges}
 */
export function changesOf(before, after, knowsClauses) {
  /** @type {RunChanges} */
  const changes = {};
  if (after.runName !== before.runName) changes.runName = after.runName;
  if (!isSameTime(after.startTime, before.startTime)) changes.startTime = after.startTime;
  if (!isSameTime(after.endTime, before.endTime)) changes.endTime = after.endTime;
  if (after.participants !== before.participants) changes.participants = after.participants;
  for (const name of /** @type {const} */ (["description", "place", "clauses"])) {
    if (name === "clauses" && !knowsClauses && !after.clauses) continue;
    if ((after[name] ?? "") !== (before[name] ?? "")) changes[name] = after[name] ?? "";
  }
  if (!isSameTime(after.enrolUntil, before.enrolUntil)) {
    changes.enrolUntil = after.enrolUntil ?? after.startTime;
  }
  return changes;
}

/**
 * @param {string | undefined} left
 * @param {string | undefined} right
 */
function isSameTime(left, right) {
  return left === right || Date.parse(left ?? "") === Date.parse(right ?? "");
}
