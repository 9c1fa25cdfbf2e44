// The fields of a group request's conditions.

import { h } from "../../Client/dom.js";
import { call } from "../../Client/api.js";
import { compare, nameOf, number, t } from "../../Client/language.js";
import { unitOfAPI, withUnit } from "../../Client/units.js";
import { diseaseName } from "../../Elements/conditions.js";
import { dataType, dataTypeSelect } from "../../Elements/dataTypes.js";
import { field, select } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { lookup } from "../../Elements/lookup.js";
import { findMunicipalities } from "../../Elements/placeField.js";
import { boundRange } from "./search.js";

/** @typedef {import("./search.js").PlaceLevel} PlaceLevel */
/** @typedef {import("./search.js").PlaceChoice} PlaceChoice */
/** @typedef {import("./search.js").MeanChoice} MeanChoice */
/** @typedef {[value: string, text: string][]} Options */
/** @typedef {{provinces: Options, regions: Options, countries: Options}} Places */

/** The most conditions on means; the API takes 50 parameters in total. */
const meansMax = 5;

/**
 * Provinces and regions in the order of the reader's language.
 * @param {AbortSignal} signal
 */
export async function loadPlaces(signal) {
  const [{ provinces }, { regions }] = await Promise.all([
    call("GET /lookup/provinces", { signal }), call("GET /lookup/regions", { signal }),
  ]);
  /** @type {(left: [string, string], right: [string, string]) => number} */
  const byName = ([, left], [, right]) => compare(left, right);
  return {
    provinces: /** @type {Options} */ (
      provinces.map(({ province, name }) => [province, `${name} (${province})`])).sort(byName),
    regions: /** @type {Options} */ (regions.map(({ name }) => [name, name])).sort(byName),
  };
}

/**
 * A place of residence or birth: the level, then the place.
 * @param {"residence" | "birth"} name
 * @param {string} title
 * @param {Places} places
 * @param {AbortSignal} signal
 */
export function placeSearch(name, title, places, signal) {
  const level = field({
    name: `${name}.level`, label: title, required: false,
    control: select(/** @type {const} */ (["municipality", "province", "region", "country"])
      .map((each) => [each, nameOf("condition", each)]), { empty: t("requestGroup.any") }),
  });
  const municipality = lookup({
    name: `${name}.municipality`, label: t("condition.municipality"), required: false,
    search: findMunicipalities, signal,
  });
  const choice = (/** @type {PlaceLevel} */ each, /** @type {Options} */ options) => field({
    name: `${name}.${each}`, label: nameOf("condition", each), required: false,
    control: select(options, { empty: t("requestGroup.choose") }),
  });
  /** @type {Record<PlaceLevel, import("../../Elements/form.js").Field>} */
  const values = {
    municipality, province: choice("province", places.provinces),
    region: choice("region", places.regions), country: choice("country", places.countries),
  };
  const chosen = () => /** @type {"" | PlaceLevel} */ (level.control.value);
  const element = h("div", {}, level.element, Object.values(values).map((each) => each.element));
  const update = () => {
    for (const [each, part] of Object.entries(values)) {
      part.element.hidden = each !== chosen();
      // The visible field takes the errors.
      if (each === chosen()) part.element.dataset.field = name;
      else part.element.removeAttribute("data-field");
    }
  };
  level.control.addEventListener("change", update);
  update();
  return {
    element, update,
    /** @returns {PlaceChoice} */
    value: () => {
      const each = chosen();
      return { level: each, value: each ? values[each].control.value : "" };
    },
  };
}

/**
 * A check list of chronic diseases.
 * @param {import("../../Elements/conditions.js").Disease[]} diseases
 */
export function diseaseSearch(diseases) {
  const sorted = diseases.map(({ code }) => ({ code, name: diseaseName(code) }))
    .sort((left, right) => compare(left.name, right.name));
  const boxes = sorted.map(({ code }) => h("input", {
    type: "checkbox", id: `disease-${code}`, name: `disease.${code}`, value: code,
  }));
  const count = h("span", { class: "muted" });
  const details = h("details", {},
    h("summary", {}, t("requestGroup.diseases"), " ", count),
    h("p", { class: "hint" }, t("requestGroup.diseasesHint")),
    h("ul", { class: "plain-list disease-list" }, boxes.map((box, index) =>
      h("li", { class: "row" }, box, h("label", { for: box.id }, sorted[index]?.name)))));
  const element = h("fieldset", { class: "field search-part", "data-field": "diseases" },
    h("legend", { class: "visually-hidden" }, t("requestGroup.diseases")), details,
    h("p", { class: "error" }));
  const values = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const update = () => {
    count.textContent = values().length > 0
      ? t("requestGroup.chosen", { count: values().length }) : t("requestGroup.any");
    if (values().length > 0) details.open = true;
  };
  element.addEventListener("change", update);
  update();
  return { element, values, update };
}

/**
 * Conditions on the mean of a type, each with a lower and an upper bound.
 * @param {readonly string[]} types the types with numbers
 * @param {number} count their initial number
 */
export function meanSearch(types, count) {
  /** @type {ReturnType<typeof meanRow>[]} */
  const rows = [];
  const list = h("div");
  const more = h("button", {
    type: "button", class: "secondary", onclick: () => {
      const row = add();
      row.focus();
    },
  }, icon("add"), t("requestGroup.addMean"));
  const add = () => {
    const row = meanRow(types, rows.length);
    rows.push(row);
    list.append(row.element);
    more.hidden = rows.length >= meansMax;
    return row;
  };
  for (let index = 0; index < Math.min(Math.max(count, 1), meansMax); index += 1) add();
  return {
    element: h("fieldset", { class: "search-part" },
      h("legend", {}, t("requestGroup.means")),
      h("p", { class: "hint" }, t("requestGroup.meansHint")), list, more),
    values: () => rows.map((row) => row.value()),
    update: () => rows.forEach((row) => row.update()),
  };
}

/**
 * @param {readonly string[]} types
 * @param {number} index
 */
function meanRow(types, index) {
  const name = `mean${index}`;
  const type = field({
    name: `${name}.type`, label: t("requestGroup.meanOf"), required: false,
    control: dataTypeSelect({ types, empty: t("requestGroup.none") }),
  });
  const bound = (/** @type {"least" | "most"} */ part, /** @type {string} */ label) => field({
    name: `${name}.${part}`, label, required: false, type: "number",
    attributes: { inputmode: "decimal", step: "any" }, autocomplete: "off",
  });
  const least = bound("least", t("requestGroup.least"));
  const most = bound("most", t("requestGroup.most"));
  for (const part of [type, least, most]) part.element.removeAttribute("data-field");
  const hint = h("p", { class: "hint" });
  const bounds = h("div", {}, hint, h("div", { class: "field-row" }, least.element, most.element));
  // An error of the row is shown beneath its first field.
  const element = h("div", { class: "field mean", "data-field": name }, type.element, bounds);
  const chosen = () => dataType(type.control.value);
  const update = () => {
    const { min, max, unit } = chosen() ?? {};
    bounds.hidden = min === undefined || max === undefined;
    if (min === undefined || max === undefined) return;
    const { step, first, last } = boundRange(min, max);
    hint.textContent = t("requestGroup.meanStep", {
      step: number(step), first: number(first),
      last: withUnit(number(last), unitOfAPI(unit ?? "")),
    });
    for (const { control } of [least, most]) {
      control.setAttribute("min", String(first));
      control.setAttribute("max", String(last));
      control.setAttribute("step", String(step));
    }
  };
  type.control.addEventListener("change", update);
  update();
  return {
    element, update,
    focus: () => type.control.focus(),
    /** @returns {MeanChoice} */
    value: () => {
      const { min = 0, max = 0, dataType: code = "" } = chosen() ?? {};
      return {
        type: code, least: least.control.value, most: most.control.value, min, max,
      };
    },
  };
}
