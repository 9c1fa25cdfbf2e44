// The searches of a spectator, and the runner of an answer for each search.

/** @typedef {"number" | "name" | "fullName" | "email" | "fc"} SoughtKind */
/**
 * A search. For the kind `number` the term is the name shown in the run, because the API searches
 * by that name.
 * @typedef {object} Sought
 * @property {SoughtKind} kind
 * @property {string} term
 * @property {number} [number] for the kind `number`
 */
/** @typedef {import("../../Client/livePicture.js").PolledRun["runners"][number]} FoundRunner */

/** The most runners that one request may name. */
export const soughtMax = 20;

/**
 * The search as the API takes it.
 * @param {Sought} sought
 * @returns {{name?: string, fullName?: string, email?: string, fc?: string}}
 */
export function questionOf({ kind, term }) {
  return { [kind === "number" ? "name" : kind]: term };
}

/**
 * Whether two searches are the same.
 * @param {Sought} left
 * @param {Sought} right
 */
export function isSame(left, right) {
  return left.kind === right.kind
    && (left.kind === "number" ? left.number === right.number
      : fold(left.term) === fold(right.term));
}

/**
 * The runners of an answer that a search found. A runner found by a chosen name has a number; one
 * found by full name, email or fiscal code has the search's term as the only name.
 * @param {Sought} sought
 * @param {readonly FoundRunner[]} runners
 * @returns {FoundRunner[]}
 */
export function foundBy(sought, runners) {
  const { kind, term, number } = sought;
  if (kind === "number") return runners.filter((runner) => runner.number === number);
  const named = runners.filter((runner) => fold(runner.runnerName) === fold(term));
  return named.filter((runner) => (runner.number === undefined) !== (kind === "name"));
}

/** @param {string} text */
function fold(text) {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/**
 * Reads searches that were kept for a reload; anything else is ignored.
 * @param {string | null} text
 * @returns {Sought[]}
 */
export function readSought(text) {
  try {
    const kept = JSON.parse(text ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.filter(isSought).slice(0, soughtMax);
  } catch {
    return [];
  }
}

/**
 * @param {any} value
 * @returns {value is Sought}
 */
function isSought(value) {
  const kinds = ["number", "name", "fullName", "email", "fc"];
  return typeof value === "object" && value !== null && kinds.includes(value.kind)
    && typeof value.term === "string" && value.term !== ""
    && (value.kind !== "number" || Number.isInteger(value.number));
}
