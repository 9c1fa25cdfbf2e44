// The filters of the list of runs, in the page's address and in the API's query.

/**
 * @typedef {object} Filters
 * @property {string} name
 * @property {string} place
 * @property {"" | "open" | "live" | "ended"} state
 * @property {string} near a position as the API writes it, or ""
 * @property {number} radius metres
 */

export const radii = [2_000, 5_000, 10_000, 25_000, 50_000, 100_000];
const usualRadius = 10_000;

/**
 * The filters in an address; unknown values are ignored.
 * @param {URLSearchParams} query
 * @returns {Filters}
 */
export function filtersOf(query) {
  const state = query.get("state") ?? "";
  const near = query.get("near") ?? "";
  const radius = Number(query.get("radius"));
  return {
    name: query.get("name") ?? "", place: query.get("place") ?? "",
    state: state === "open" || state === "live" || state === "ended" ? state : "",
    near: /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/.test(near) ? near : "",
    radius: radii.includes(radius) ? radius : usualRadius,
  };
}

/**
 * The query of the API; empty filters are left out.
 * @param {Filters} filters
 */
export function queryOf({ name, place, state, near, radius }) {
  return {
    name: name || undefined, place: place || undefined, state: state || undefined,
    near: near || undefined, radius: near ? radius : undefined,
  };
}

/**
 * The query of the page's address with these filters.
 * @param {Filters} filters
 */
export function addressQuery(filters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryOf(filters))) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}

/** @param {Filters} filters */
export function isFiltered({ name, place, state, near }) {
  return [name, place, state, near].some((value) => value !== "");
}
