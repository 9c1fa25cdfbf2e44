// The message for an address whose code belongs to no run.

import { call, Problem } from "../Client/api.js";
import { h } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { emptyState } from "./notice.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/run/{code}"]["answer"]} Run */

/**
 * Reads a run by the code of the page's address.
 * @param {string} code
 * @param {AbortSignal} signal
 * @returns {Promise<Run | null>} null if no run has this code
 */
export async function readRun(code, signal) {
  try {
    return await call("GET /t4r/run/{code}", { path: { code }, signal });
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 404) return null;
    throw problem;
  }
}

/** The page in place of a run that does not exist or was cancelled. */
export function missingRun() {
  return h("section", { class: "page" },
    h("h1", {}, t("runMissing.title")),
    emptyState(t("runs.codeUnknown"),
      h("a", { class: "button", href: "/app/runs" }, t("runMissing.find"))));
}
