// Units for people: cm, km/h, local time. The API has SI units and times with an offset.

import { duration, hasText, language, number, t } from "./language.js";

/**
 * The unit in which people read and type the values of a data type.
 * @typedef {object} PeopleUnit
 * @property {string} unit a key under `unit.`, or the symbol itself
 * @property {number} factor people's value = the API's value × factor
 * @property {number} digits after the decimal point
 */

/** @type {Record<string, PeopleUnit>} */
const units = {
  heartRate: { unit: "bpm", factor: 1, digits: 0 },
  bloodPressureSystolic: { unit: "mmHg", factor: 1, digits: 0 },
  bloodPressureDiastolic: { unit: "mmHg", factor: 1, digits: 0 },
  oxygenSaturation: { unit: "%", factor: 1, digits: 0 },
  respiratoryRate: { unit: "breaths", factor: 1, digits: 0 },
  bodyTemperature: { unit: "°C", factor: 1, digits: 1 },
  bloodGlucose: { unit: "mg/dL", factor: 1, digits: 0 },
  weight: { unit: "kg", factor: 1, digits: 1 },
  height: { unit: "cm", factor: 100, digits: 1 },
  steps: { unit: "steps", factor: 1, digits: 0 },
  walkingRunningDistance: { unit: "km", factor: 0.001, digits: 2 },
  standHours: { unit: "h", factor: 1, digits: 1 },
  activeEnergy: { unit: "kcal", factor: 1, digits: 0 },
  restingEnergy: { unit: "kcal", factor: 1, digits: 0 },
  nutritionEnergy: { unit: "kcal", factor: 1, digits: 0 },
  sleepHours: { unit: "h", factor: 1, digits: 1 },
  speed: { unit: "km/h", factor: 3.6, digits: 1 },
  ambientPressure: { unit: "hPa", factor: 1, digits: 0 },
};

/**
 * The unit that people use for a data type.
 * @param {string} type
 * @returns {PeopleUnit}
 */
export function peopleUnit(type) {
  return units[type] ?? { unit: "", factor: 1, digits: 2 };
}

/**
 * The unit of a data type in the reader's language, "" for positions and codes.
 * @param {string} type
 */
export function unitText(type) {
  const { unit } = peopleUnit(type);
  const key = `unit.${unit}`;
  return hasText(key) ? t(key) : unit;
}

/**
 * A unit of the API as people read it: "bpm" for "BPM", others as they are.
 * @param {string} unit
 */
export function unitOfAPI(unit) {
  return unit === "BPM" ? unitText("heartRate") : unit;
}

/**
 * A value of the API in people's unit.
 * @param {string} type
 * @param {number} value
 */
export function toPeople(type, value) {
  return rounded(value * peopleUnit(type).factor);
}

/**
 * A value in people's unit as the API takes it.
 * @param {string} type
 * @param {number} value
 */
export function toAPI(type, value) {
  return rounded(value / peopleUnit(type).factor);
}

/**
 * Without the last digits, which are wrong after multiplication by a decimal fraction.
 * @param {number} value
 */
function rounded(value) {
  return Number(value.toPrecision(12));
}

/**
 * A value of the API as people read it, such as "181 cm".
 * @param {string} type
 * @param {number} value
 * @param {{unit?: boolean, digits?: number}} [options] unit: false leaves it out
 */
export function valueText(type, value, options = {}) {
  const { unit = true } = options;
  if (unit && type === "sleepHours" && options.digits === undefined) return duration(value * 3600);
  const digits = options.digits ?? peopleUnit(type).digits;
  const text = number(toPeople(type, value), { maximumFractionDigits: digits });
  return withUnit(text, unit ? unitText(type) : "");
}

/**
 * A number with its unit: the percent sign follows without a space, as `Intl` writes it in both
 * languages.
 * @param {string} text
 * @param {string} unit "" for none
 */
export function withUnit(text, unit) {
  if (unit === "") return text;
  return unit === "%" ? `${text}%` : `${text}\u00a0${unit}`;
}

/**
 * A typed number, with a comma or a point before the decimals and with the
 * separators of thousands of the reader's language; null for any other text.
 * @param {string} text
 * @returns {number | null}
 */
export function parseNumber(text) {
  const plain = text.trim().replace(/[\s\u00a0\u202f'’]/g, "").replace(/^\u2212/, "-");
  const isGrouped = language() === "it"
    ? /^-?\d{1,3}(\.\d{3})+(,\d+)?$/.test(plain) : /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain);
  const separator = language() === "it" ? "." : ",";
  const digits = (isGrouped ? plain.split(separator).join("") : plain).replace(",", ".");
  return /^-?(\d+(\.\d*)?|\.\d+)$/.test(digits) ? Number(digits) : null;
}

/**
 * A size in bytes as people read it, in kB, MB or GB.
 * @param {number} bytes
 */
export function bytesText(bytes) {
  /** @type {[string, number][]} */
  const sizes = [["gigabyte", 1e9], ["megabyte", 1e6], ["kilobyte", 1e3]];
  const [unit, size] = sizes.find((each) => bytes >= each[1]) ?? ["byte", 1];
  return number(bytes / size, {
    style: "unit", unit, unitDisplay: "short", maximumFractionDigits: size >= 1e6 ? 1 : 0,
  });
}

/** @param {number} value */
const twoDigits = (value) => String(value).padStart(2, "0");

/**
 * A time as a control `datetime-local` takes it, in the reader's time zone.
 * @param {Date} time
 */
export function localInput(time) {
  return `${localDay(time)}T${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}

/**
 * The day of a time as a control `date` takes it, in the reader's time zone.
 * @param {Date} time
 */
export function localDay(time) {
  const year = String(time.getFullYear()).padStart(4, "0");
  return `${year}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
}

/**
 * The time of a control `datetime-local` for the API, null if it is empty or not a time.
 * @param {string} text
 */
export function fromLocalInput(text) {
  const time = new Date(text);
  return text === "" || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/**
 * The beginning of a day, in the reader's time zone, for the API.
 * @param {string} day as a control `date` has it
 * @param {number} [daysLater]
 * @returns {string | null}
 */
export function startOfDay(day, daysLater = 0) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!parts) return null;
  const [year, month, date] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const time = new Date(year, month - 1, date + daysLater);
  // The constructor takes the years 0 to 99 as 1900 to 1999.
  return year < 1000 || Number.isNaN(time.getTime()) ? null : time.toISOString();
}
