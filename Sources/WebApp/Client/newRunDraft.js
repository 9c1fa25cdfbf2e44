// What was typed and drawn for a new run but not published: it survives a reload, another language
// or an expired session, in this tab.

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
    // A course may be larger than the browser's room: it then lasts as long as the page.
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

/** Whether something was kept. */
export function hasDraft() {
  return Object.keys(sessionStorage).some((key) => key.startsWith(prefix));
}

/** Forgets all of it. */
export function forgetDraft() {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  }
}
