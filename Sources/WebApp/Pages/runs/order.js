// The order of the list of runs: the next run first.

/** @typedef {import("../../Elements/runCard.js").ListedRun} ListedRun */

/**
 * The first page of the list with the next run first. The API lists the latest start first, so that
 * the upcoming runs precede all others. If further pages may begin with upcoming runs, the order
 * stays, because the next run may be among those.
 *
 * @template {Pick<ListedRun, "state" | "startTime">} Run
 * @param {readonly Run[]} runs
 * @param {boolean} isLast whether no page follows
 * @returns {Run[]}
 */
export function nextFirst(runs, isLast) {
  const upcoming = runs.filter(({ state }) => state === "open");
  if (!isLast && upcoming.length === runs.length) return [...runs];
  const others = runs.filter(({ state }) => state !== "open");
  upcoming.sort((one, other) => Date.parse(one.startTime) - Date.parse(other.startTime));
  return [...upcoming, ...others];
}
