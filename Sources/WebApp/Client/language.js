// Visible text, numbers and times in the reader's language.

import { keepChoice, requestTexts } from "./languageChoice.js";

/** @typedef {keyof typeof import("../Text/en.json")} TextKey */
/** @typedef {import("./languageChoice.js").Language} Language */

/** @type {Record<string, string | Record<string, string>>} */
let texts = {};
/** @type {Language} */
let current = "it";
/**
 * The language whose texts were requested last.
 * @type {Language}
 */
let requestedLanguage = current;
/** Whether `texts` has those of all pages. */
let isComplete = false;

/** The language of the page. */
export function language() {
  return current;
}

/**
 * The language with the region whose forms of dates and times apply: English as the browser states
 * it, otherwise that of Great Britain, whose days come first and whose hours are 24.
 */
function locale() {
  if (current === "it") return "it-IT";
  return globalThis.navigator?.languages?.find((name) => name.startsWith("en-")) ?? "en-GB";
}

/**
 * Loads the texts of a language.
 * @param {Language} name
 * @param {{response: Promise<Response>, isComplete: boolean}} [requested] texts that are already
 *   requested; `isComplete`: those of all pages
 */
export async function loadLanguage(
  name, requested = { response: requestTexts(name), isComplete: true },
) {
  requestedLanguage = name;
  const response = await requested.response;
  if (!response.ok) throw new Error(`texts of ${name}: status ${response.status}`);
  const loaded = await response.json();
  // The reader has chosen another language meanwhile.
  if (name !== requestedLanguage) return;
  texts = loaded;
  isComplete = requested.isComplete;
  current = name;
  document.documentElement.lang = name;
}

/** Loads the texts of all pages, unless they are there. */
export async function completeTexts() {
  // Again if the reader chooses another language meanwhile.
  while (!isComplete) await loadLanguage(requestedLanguage);
}

/**
 * Stores the choice of a language and loads its texts.
 * @param {Language} name
 */
export async function chooseLanguage(name) {
  keepChoice(name);
  await loadLanguage(name);
}

/**
 * The text of a key. `{name}` in it is replaced by the parameter; a text with plural forms is
 * chosen by the parameter `count`.
 * @param {TextKey} key
 * @param {Record<string, string | number>} [parameters]
 * @returns {string}
 */
export function t(key, parameters = {}) {
  const entry = texts[key];
  if (entry === undefined) return key;
  let text = "";
  if (typeof entry === "string") text = entry;
  else {
    const form = new Intl.PluralRules(current).select(Number(parameters.count));
    text = entry[form] ?? entry.other ?? key;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = parameters[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : value;
  });
}

/**
 * Whether a key has a text. For keys that are built from a value of the API, such as
 * `dataType.steps`.
 * @param {string} key
 * @returns {key is TextKey}
 */
export function hasText(key) {
  return key in texts;
}

/**
 * The text for a value of the API under a prefix, or the value itself when it is unknown.
 * @param {string} prefix
 * @param {string} value
 */
export function nameOf(prefix, value) {
  const key = `${prefix}.${value}`;
  return hasText(key) ? t(key) : value;
}

/** @type {Map<string, unknown>} */
const formatters = new Map();

/**
 * A formatter of a kind, kept because creating one is slow and a live table uses thousands.
 * @template Format, Options
 * @param {new (language: string, options?: Options) => Format} kind
 * @param {Options} [options]
 * @returns {Format}
 */
function formatter(kind, options) {
  const key = `${current} ${kind.name} ${JSON.stringify(options)}`;
  const known = /** @type {Format | undefined} */ (formatters.get(key));
  const region = Object.is(kind, Intl.DateTimeFormat) ? locale() : current;
  const found = known ?? new kind(region, options);
  if (!known) formatters.set(key, found);
  return found;
}

/**
 * A number in the reader's language.
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export function number(value, options) {
  return formatter(Intl.NumberFormat, options).format(value);
}

/**
 * Day and time in the reader's language and time zone.
 * @param {string | number | Date} time
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function dateTime(time, options = { dateStyle: "medium", timeStyle: "short" }) {
  return formatter(Intl.DateTimeFormat, options).format(new Date(time));
}

/**
 * The short name of the reader's time zone at a time, such as CEST.
 * @param {string | number | Date} time
 */
export function zoneName(time) {
  const parts = formatter(Intl.DateTimeFormat, { timeZoneName: "short" })
    .formatToParts(new Date(time));
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/**
 * A calendar day in the reader's language; `YYYY-MM-DD` is that day in every time zone.
 * @param {string | number | Date} day
 */
export function date(day) {
  const isPlain = typeof day === "string" && /^\d{4}-\d{2}-\d{2}$/.test(day);
  return formatter(Intl.DateTimeFormat, {
    dateStyle: "medium",
    timeZone: isPlain ? "UTC" : undefined,
  }).format(new Date(day));
}

/**
 * The difference to a time in words, such as "3 hours ago".
 * @param {string | number | Date} time
 * @param {number} [now] milliseconds since 1970
 */
export function relative(time, now = Date.now()) {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const format = formatter(Intl.RelativeTimeFormat, { numeric: "auto" });
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(Math.round(seconds), "second");
}

/**
 * A duration as its two largest units, such as "1 h 30 min".
 * @param {number} seconds
 */
export function duration(seconds) {
  /** @type {[string, number][]} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const parts = [];
  let rest = Math.round(seconds);
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && parts.length < 2) {
      parts.push(number(count, { style: "unit", unit, unitDisplay: "short" }));
    }
  }
  return parts.join(" ") || number(0, { style: "unit", unit: "second", unitDisplay: "short" });
}

/**
 * A text as a sentence, before another one: with a full stop unless it has an end of its own.
 * @param {string} text
 */
export function asSentence(text) {
  return /[.?…:]$/.test(text) ? text : `${text}.`;
}

/**
 * Compares two texts in the order of the reader's language.
 * @param {string} left
 * @param {string} right
 */
export function compare(left, right) {
  return formatter(Intl.Collator).compare(left, right);
}
