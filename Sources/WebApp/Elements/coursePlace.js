// Where the map of a course begins before its first point: at the company, or at this device.

import { call, Problem } from "../Client/api.js";
import { pointOf } from "./mapMath.js";

/** @typedef {import("./mapMath.js").Point} Point */

/**
 * The position of this device.
 * @returns {Promise<Point | null>} null if it is unknown, or not shared
 */
export function devicePlace() {
  if (!("geolocation" in navigator)) return Promise.resolve(null);
  return new Promise((resolve) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve({ lat: coords.latitude, lon: coords.longitude }),
      () => resolve(null), { timeout: 15_000, maximumAge: 300_000 });
  });
}

/**
 * The place at which an organiser probably draws: that of the company, or that of a device whose
 * browser shares its position without a question.
 * @param {AbortSignal} signal
 * @returns {Promise<Point | null>}
 */
export async function likelyPlace(signal) {
  return await companyPlace(signal) ?? (await isShared() ? devicePlace() : null);
}

/**
 * The position in the company's profile.
 * @param {AbortSignal} signal
 * @returns {Promise<Point | null>} null if there is none, or it could not be read
 */
export async function companyPlace(signal) {
  try {
    const { coordinate } = await call("GET /settings/tp", { signal });
    return coordinate === undefined ? null : pointOf(coordinate);
  } catch (problem) {
    // Pages also work without it.
    if (signal.aborted || problem instanceof Problem) return null;
    throw problem;
  }
}

async function isShared() {
  try {
    const { state } = await navigator.permissions.query({ name: "geolocation" });
    return state === "granted";
  } catch {
    // Older browsers do not answer this.
    return false;
  }
}
