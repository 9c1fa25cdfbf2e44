// The runs of the organiser.

import { call, Problem } from "./api.js";

/** @typedef {import("./types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/org/list"]["answer"]["runs"][number]} OwnRun */

/**
 * One of the organiser's runs. The list has no search by number, so it is read up to the run.
 * @param {number} runID
 * @param {AbortSignal} signal
 * @returns {Promise<OwnRun>}
 * @throws {Problem} 404 if the company does not organise the run
 */
export async function ownRun(runID, signal) {
  /** @type {string | undefined} */
  let cursor;
  do {
    const { runs, next } = await call("GET /t4r/org/list", {
      query: { limit: 200, cursor }, signal,
    });
    const found = runs.find((run) => run.runID === runID);
    if (found) return found;
    cursor = next;
  } while (cursor !== undefined);
  throw new Problem(404, { error: "Not found" });
}

/**
 * The number of a run in an address.
 * @param {string | undefined} text
 */
export function runNumber(text) {
  return /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : 0;
}

/**
 * The state of a run in a word.
 * @param {OwnRun} run
 * @returns {"cancelled" | "draft" | "open" | "live" | "ended"}
 */
export function stateOf(run) {
  if (run.cancelled) return "cancelled";
  if (run.state === "ended") return "ended";
  return run.published ? run.state : "draft";
}
