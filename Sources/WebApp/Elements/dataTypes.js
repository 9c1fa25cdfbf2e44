// The data types of the API: their names in the reader's language, in groups, and a list to choose
// some of them from.

import { call, Problem } from "../Client/api.js";
import { h, identifier } from "../Client/dom.js";
import { language, nameOf } from "../Client/language.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /lookup/dataTypes"]["answer"]["dataTypes"][number]} DataType */
/** @typedef {DataType["dataType"]} DataTypeName */
/** @typedef {"position" | "heart" | "activity" | "nutrition" | "sleep" | "body"} Group */

/** @type {Record<Group, DataTypeName[]>} */
const groups = {
  heart: [
    "heartRate", "bloodPressureSystolic", "bloodPressureDiastolic", "oxygenSaturation",
    "respiratoryRate", "ecg",
  ],
  activity: [
    "steps", "walkingRunningDistance", "standHours", "activeEnergy", "restingEnergy", "fall",
    "shaking",
  ],
  sleep: ["sleepHours"],
  nutrition: ["nutritionEnergy", "bloodGlucose"],
  body: ["weight", "height", "bodyTemperature"],
  position: ["position", "speed", "ambientPressure", "activity"],
};

const storageKey = "trackme.dataTypes";
/** @type {Map<string, DataType>} */
let known = new Map();

/**
 * The reading that is in progress: a page and the emergency's page begin at the same time.
 * @type {Promise<void> | null}
 */
let reading = null;
/** Milliseconds after which the kept types are used, or the reading fails. */
const readingMax = 8_000;

/**
 * Reads the data types; call it before the other functions of this module. The answer is kept on
 * the device, so that values can be entered without a connection.
 * @returns {Promise<DataType[]>} in the order of the groups
 * @throws {Problem} when the types cannot be read and were never read on this device
 */
export async function loadDataTypes() {
  if (known.size === 0) {
    reading ??= read().finally(() => {
      reading = null;
    });
    await reading;
  }
  return [...known.values()];
}

async function read() {
  try {
    const { dataTypes } = await call("GET /lookup/dataTypes", { limit: readingMax });
    localStorage.setItem(storageKey, JSON.stringify(dataTypes));
    useDataTypes(dataTypes);
  } catch (problem) {
    const kept = localStorage.getItem(storageKey);
    if (!(problem instanceof Problem) || !problem.isTemporary || !kept) throw problem;
    useDataTypes(JSON.parse(kept));
  }
}

/**
 * Sets the data types; called by `loadDataTypes` and by tests.
 * @param {DataType[]} dataTypes
 */
export function useDataTypes(dataTypes) {
  const order = Object.values(groups).flat();
  const rank = (/** @type {DataType} */ type) => {
    const index = order.indexOf(type.dataType);
    return index === -1 ? order.length : index;
  };
  const sorted = [...dataTypes].sort((left, right) => rank(left) - rank(right));
  known = new Map(sorted.map((type) => [type.dataType, type]));
}

/**
 * A data type's properties, undefined before `loadDataTypes`.
 * @param {string} name
 */
export function dataType(name) {
  return known.get(name);
}

/**
 * The name of a data type in the reader's language; an unknown type keeps the API's name.
 * @param {string} name
 * @returns {string}
 */
export function dataTypeName(name) {
  return known.get(name)?.names[language()] ?? name;
}

/**
 * The names of data types in the reader's language, separated by commas, in the order of groups.
 * @param {readonly string[]} names
 */
export function dataTypeNames(names) {
  const order = [...known.keys()];
  const sorted = [...names].sort((left, right) => order.indexOf(left) - order.indexOf(right));
  return new Intl.ListFormat(language(), { type: "conjunction" })
    .format(sorted.map(dataTypeName));
}

/**
 * Data types by group, without empty groups. Types unknown to this module are among those of the
 * body.
 * @param {readonly string[]} [names] all by default
 * @returns {{group: Group, title: string, types: DataType[]}[]}
 */
export function dataTypeGroups(names = [...known.keys()]) {
  const types = [...known.values()].filter((type) => names.includes(type.dataType));
  const grouped = new Set(Object.values(groups).flat());
  return /** @type {Group[]} */ (Object.keys(groups))
    .map((group) => ({
      group,
      title: nameOf("dataGroup", group),
      types: types.filter(({ dataType: name }) =>
        groups[group].includes(name) || (group === "body" && !grouped.has(name))),
    }))
    .filter((group) => group.types.length > 0);
}

/**
 * A list to choose one data type from, by group.
 * @param {object} [options]
 * @param {readonly string[]} [options.types] all by default
 * @param {string} [options.value] the chosen type
 * @param {string} [options.empty] the text of a first entry without a value
 * @returns {HTMLSelectElement}
 */
export function dataTypeSelect(options = {}) {
  const { types, value, empty } = options;
  const control = h("select", {},
    empty !== undefined && h("option", { value: "" }, empty),
    dataTypeGroups(types).map((group) => h("optgroup", { label: group.title },
      group.types.map(({ dataType: name }) => h("option", { value: name }, dataTypeName(name))))));
  if (value !== undefined) control.value = value;
  return control;
}

/**
 * A check list of data types by group, for forms: an error of the field is shown beneath.
 * @param {object} options
 * @param {string} options.label
 * @param {string} [options.name] the name in the request, `dataTypes` by default
 * @param {string} [options.hint]
 * @param {readonly string[]} [options.types] the types to choose from, all by default
 * @param {readonly string[]} [options.checked]
 * @returns {{name: string, element: HTMLElement, values: () => DataTypeName[]}}
 */
export function dataTypeChecklist({ label, name = "dataTypes", hint, types, checked = [] }) {
  const id = identifier();
  /** @type {HTMLInputElement[]} */
  const boxes = [];
  const box = (/** @type {DataType} */ type) => {
    const control = h("input", {
      type: "checkbox", id: `${id}-${type.dataType}`, name: `${name}.${type.dataType}`,
      value: type.dataType, checked: checked.includes(type.dataType),
    });
    boxes.push(control);
    return h("li", { class: "row" }, control,
      h("label", { for: control.id }, dataTypeName(type.dataType)));
  };
  const element = h("fieldset", {
    class: "field data-types", "data-field": name,
    "aria-describedby": `${hint ? `${id}-hint ` : ""}${id}-error`,
  },
  h("legend", {}, label),
  hint && h("p", { class: "hint", id: `${id}-hint` }, hint),
  h("div", { class: "cards" }, dataTypeGroups(types).map((group) => h("div", {
    role: "group", "aria-labelledby": `${id}-group-${group.group}`,
  }, h("p", { class: "group-name", id: `${id}-group-${group.group}` }, group.title),
  h("ul", { class: "plain-list" }, group.types.map(box))))),
  h("p", { class: "error", id: `${id}-error` }));
  return {
    name, element,
    values: () => boxes.filter((each) => each.checked)
      .map((each) => /** @type {DataTypeName} */ (each.value)),
  };
}
