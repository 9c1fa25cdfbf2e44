// A typed value, checked and turned into an upload.

import { dateTime, t } from "../../Client/language.js";
import {
  fromLocalInput, parseNumber, peopleUnit, toAPI, valueText,
} from "../../Client/units.js";
import { dataTypeName } from "../../Elements/dataTypes.js";
import { codeName } from "../health/values.js";

/** @typedef {import("../../Elements/dataTypes.js").DataType} DataType */
/** @typedef {import("../../Client/types").Endpoints["POST /data/upload"]["body"]} Upload */
/** @typedef {{type: DataType, text: string}} Typed */

const earliest = Date.UTC(1900, 0, 1);
/** The API takes times up to five minutes ahead of its clock; the rest is for slow forms. */
const aheadMax = 4 * 60_000;

/**
 * The value for the API, or the error of the typed text.
 * @param {Typed} typed
 * @returns {{value: string | number} | {error: string}}
 */
export function entryValue({ type, text }) {
  if (text.trim() === "") return { error: t("data.valueMissing") };
  if (type.kind === "code") return { value: text };
  if (type.kind === "position") return positionValue(text);
  const number = parseNumber(text);
  if (number === null) return { error: t("data.notNumber") };
  const value = toAPI(type.dataType, number);
  const { min = -Infinity, max = Infinity } = type;
  if (value < min || value > max) return { error: rangeText(type) };
  return { value };
}

/**
 * The plausible values of a type in people's unit.
 * @param {DataType} type
 */
export function rangeText({ dataType: name, min = 0, max = 0 }) {
  const { digits } = peopleUnit(name);
  return t("data.range", {
    min: valueText(name, min, { digits, unit: false }), max: valueText(name, max, { digits }),
  });
}

/**
 * @param {string} text
 * @returns {{value: string} | {error: string}}
 */
function positionValue(text) {
  const parts = /^\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  const [latitude, longitude] = [Number(parts?.[1]), Number(parts?.[2])];
  const isPoint = parts !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isPoint ? { value: `${latitude},${longitude}` } : { error: t("data.notPosition") };
}

/**
 * The upload of typed values of the same time, or the errors by field: `value` for the first,
 * `second` for the second, `time`.
 * @param {Typed[]} typed the second may be empty: both pressures are typed together
 * @param {string} time of a control `datetime-local`
 * @param {Date} now
 * @returns {{body: Upload} | {errors: Record<string, string>}}
 */
export function entryUpload(typed, time, now) {
  /** @type {Record<string, string>} */
  const errors = {};
  const used = typed.filter(({ text }, index) => index === 0 || text.trim() !== "");
  const values = used.map((each, index) => {
    const found = entryValue(each);
    if ("value" in found) return found.value;
    errors[index === 0 ? "value" : "second"] = found.error;
    return 0;
  });
  const timestamp = fromLocalInput(time);
  const moment = timestamp === null ? NaN : Date.parse(timestamp);
  if (timestamp === null || moment < earliest) errors.time = t("data.timeMissing");
  else if (moment > now.getTime() + aheadMax) errors.time = t("data.timeAhead");
  const [systolic, diastolic] = ["bloodPressureSystolic", "bloodPressureDiastolic"].map((name) =>
    values[used.findIndex(({ type }) => type.dataType === name)]);
  if (systolic !== undefined && diastolic !== undefined && !errors.value && !errors.second
    && systolic <= diastolic) errors.second = t("data.pressures");
  if (timestamp === null || Object.keys(errors).length > 0) return { errors };
  return {
    body: {
      dataTypes: used.map(({ type }) => type.dataType), values,
      timestamp: used.map(() => timestamp),
    },
  };
}

/**
 * The values of an upload in words, each with its type and time.
 * @param {Upload} upload
 * @returns {string[]}
 */
export function uploadTexts({ dataTypes, values, timestamp }) {
  return dataTypes.map((type, index) => {
    const value = values[index] ?? "";
    const text = typeof value === "number" ? valueText(type, value) : codeName(type, value);
    return `${dataTypeName(type)}: ${text} (${dateTime(timestamp[index] ?? "")})`;
  });
}

/**
 * The share of a number of bytes in percent, for progress; at most 100, as a file may grow.
 * @param {number} part
 * @param {number} whole
 */
export function percent(part, whole) {
  return whole > 0 ? Math.min(100, Math.floor((part / whole) * 100)) : 0;
}
