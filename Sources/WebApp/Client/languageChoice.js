// The language to begin with, and where the reader's choice is kept.

/** @typedef {"it" | "en"} Language */

const storageKey = "trackme.language";

/**
 * The stored choice, or the first of the browser's languages that the pages have, or English.
 * @returns {Language}
 */
export function preferredLanguage() {
  for (const name of [localStorage.getItem(storageKey), ...navigator.languages]) {
    const short = name?.slice(0, 2);
    if (short === "it" || short === "en") return short;
  }
  return "en";
}

/** @param {Language} name */
export function keepChoice(name) {
  localStorage.setItem(storageKey, name);
}

/**
 * Requests the texts of a language.
 * @param {Language} name
 * @param {string} [folder] of the texts of one page; empty for all texts
 */
export function requestTexts(name, folder = "") {
  return fetch(new URL(`../Text/${folder}${name}.json`, import.meta.url));
}
