// The run that the page of a runner shows first.

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/my/list"]["answer"]["runs"][number]} MyRun */

/**
 * The run of the address, else the live one, else the next, else the last.
 * @param {readonly MyRun[]} runs
 * @param {string | null} wanted the run's number in the address
 * @returns {MyRun | null}
 */
export function mainRun(runs, wanted) {
  const named = runs.find(({ runID }) => String(runID) === wanted);
  if (named) return named;
  const held = runs.filter(({ cancelled }) => !cancelled);
  const byStart = (/** @type {MyRun} */ left, /** @type {MyRun} */ right) =>
    Date.parse(left.startTime) - Date.parse(right.startTime);
  const live = held.filter(({ state, checkedIn }) => state === "live" && checkedIn).sort(byStart);
  const open = held.filter(({ state }) => state === "open").sort(byStart);
  const ended = held.filter(({ state }) => state === "ended").sort(byStart);
  const missed = held.filter(({ state, checkedIn }) => state === "live" && !checkedIn)
    .sort(byStart);
  return live[0] ?? open[0] ?? missed[0] ?? ended[ended.length - 1] ?? runs[0] ?? null;
}

/**
 * The addresses in a text, separated by commas, semicolons, spaces or lines; each once.
 * @param {string} text
 * @returns {string[]}
 */
export function emailsOf(text) {
  const seen = new Set();
  return text.split(/[\s,;]+/).filter((email) => {
    const key = email.toLowerCase();
    if (email === "" || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
