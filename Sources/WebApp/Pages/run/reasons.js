// Refusals and warnings about joining a run, in the reader's language.

import { hasText, t } from "../../Client/language.js";

/** The API's sentences for a refusal, by the end of the key of our text. */
/** @type {Record<string, string>} */
const refusals = {
  "There is no such run in the list.": "unknown",
  "The run is full.": "full",
  "The run has begun.": "begun",
  "Enrolment for this run is closed.": "closed",
  "You have already joined this run.": "already",
  "Organisers do not join their own run.": "own",
  "You are enrolled in another run at that time.": "overlap",
};

/**
 * @param {string} detail of a problem `Wrong runID`
 */
export function refusalText(detail) {
  const key = `joinRefusal.${refusals[detail] ?? ""}`;
  return hasText(key) ? t(key) : detail;
}

/**
 * @param {{warning: string, detail: string}} warning
 */
export function warningText({ warning, detail }) {
  const key = `joinWarning.${warning.replace(/ /g, "_")}`;
  return hasText(key) ? t(key) : detail;
}
