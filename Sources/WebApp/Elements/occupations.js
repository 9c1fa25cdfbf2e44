// The occupations of a person, in the order of lists.

import { nameOf } from "../Client/language.js";

/** The values of the API. */
export const occupations = /** @type {const} */ (
  ["student", "employed", "self-employed", "unemployed", "retired", "other"]);

/**
 * An occupation in the reader's language.
 * @param {string} value
 */
export function occupationName(value) {
  return nameOf("occupation", value);
}
