// The values and the course of a new run before publication. In this tab they survive a reload, a
// change of language and an expired session.

import { folded, pathOf, pointsOf } from "./course.js";

/** @typedef {import("./course.js").Course} Course */

const prefix = "trackme.draft.newRun.";
const [courseKey, runKey] = [`${prefix}course`, `${prefix}run`];

/** @param {Course} course */
export function keepCourse(course) {
  if (course.points.length === 0) {
    sessionStorage.removeItem(courseKey);
    return;
  }
  try {
    sessionStorage.setItem(courseKey, pathOf(course).map((point) => point.coordinate).join("\n"));
  } catch {
    // A course may exceed the browser's storage: it is then kept only until the page is closed.
    sessionStorage.removeItem(courseKey);
  }
}

/** @returns {Course | null} */
export function keptCourse() {
  const text = sessionStorage.getItem(courseKey);
  return text ? folded(pointsOf(text).points) : null;
}

/**
 * Keeps the number of a run that was created without its course, so that the next attempt changes
 * this run instead of creating another one.
 * @param {number} runID
 */
export function keepRun(runID) {
  sessionStorage.setItem(runKey, String(runID));
}

/** The number of that run; 0 without one. */
export function keptRun() {
  return Number(sessionStorage.getItem(runKey)) || 0;
}

/** Whether a draft was kept. */
export function hasDraft() {
  return Object.keys(sessionStorage).some((key) => key.startsWith(prefix));
}

/** Deletes the draft. */
export function forgetDraft() {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  }
}
