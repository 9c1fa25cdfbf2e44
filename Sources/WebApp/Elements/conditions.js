// The conditions of a group request in words, and the names of diseases and countries.

import { call } from "../Client/api.js";
import { language, nameOf, number, t } from "../Client/language.js";
import { unitOfAPI, withUnit } from "../Client/units.js";
import { dataType, dataTypeName } from "./dataTypes.js";
import { occupationName } from "./occupations.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /lookup/diseases"]["answer"]["diseases"][number]} Disease */

/** @type {Map<string, Disease>} */
let known = new Map();

/**
 * Loads the chronic diseases once.
 * @param {AbortSignal} [signal]
 * @returns {Promise<Disease[]>}
 */
export async function loadDiseases(signal) {
  if (known.size === 0) {
    const { diseases } = await call("GET /lookup/diseases", { signal });
    known = new Map(diseases.map((disease) => [disease.code, disease]));
  }
  return [...known.values()];
}

/**
 * A disease in the reader's language; its code before `loadDiseases`.
 * @param {string} code
 */
export function diseaseName(code) {
  return known.get(code)?.names[language()] ?? code;
}

/**
 * A country in the reader's language.
 * @param {string} code ISO 3166-1 alpha-2
 */
export function countryName(code) {
  return new Intl.DisplayNames(language(), { type: "region", fallback: "code" }).of(code) ?? code;
}

/**
 * The three parts of a search parameter, such as `age`, `>=`, `25`; null for other texts.
 * @param {string} text
 */
export function parts(text) {
  const found = /^\s*([\w.]+)\s*(<=|>=|<|>|=)\s*(.*?)\s*$/.exec(text);
  return found ? { name: found[1] ?? "", operator: found[2] ?? "", value: found[3] ?? "" } : null;
}

/**
 * Whether one of these search parameters concerns the mean of a data type.
 * @param {readonly string[]} texts
 * @param {string} type
 */
export function hasMeanCondition(texts, type) {
  return texts.some((text) => parts(text)?.name === type);
}

/**
 * A search parameter in words; an unknown one as it is.
 * @param {string} text
 * @returns {string}
 */
export function conditionText(text) {
  const found = parts(text);
  if (!found) return text;
  const { name, operator, value } = found;
  const [place, level] = name.split(".");
  if (level) {
    const named = level === "country" ? countryName(value) : value;
    return `${nameOf("condition", place ?? "")} (${nameOf("condition", level)}): ${named}`;
  }
  switch (name) {
    case "age": return `${t("condition.age")} ${sign(operator)} ${value}`;
    case "sex": return nameOf("searchSex", value);
    case "nationality": return `${t("condition.nationality")}: ${countryName(value)}`;
    case "occupation": return `${t("condition.occupation")}: ${occupationName(value)}`;
    case "disease": return diseaseName(value);
    case "area": {
      const [latitude = "", longitude = "", radius = ""] = value.split(",");
      return t("condition.area", {
        kilometres: Number(radius) / 1000, latitude, longitude,
      });
    }
    default: return t("condition.mean", {
      type: dataTypeName(name), sign: sign(operator),
      value: withUnit(number(Number(value)), unitOfAPI(dataType(name)?.unit ?? "")),
    });
  }
}

/** @param {string} operator */
function sign(operator) {
  return { "<=": "≤", ">=": "≥" }[operator] ?? operator;
}

/**
 * All conditions of a group request in words; two bounds of the age are one range.
 * @param {readonly string[]} texts
 * @returns {string[]}
 */
export function conditionTexts(texts) {
  const age = (/** @type {string} */ operator) =>
    texts.find((text) => parts(text)?.name === "age" && parts(text)?.operator === operator);
  const [from, to] = [age(">="), age("<=")];
  if (from === undefined || to === undefined) return texts.map(conditionText);
  const range = t("condition.ages", {
    from: parts(from)?.value ?? "", to: parts(to)?.value ?? "",
  });
  const others = texts.filter((text) => text !== from && text !== to);
  return [range, ...others.map(conditionText)];
}
