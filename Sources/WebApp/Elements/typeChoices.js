// The data types that are imported, and the device that each comes from.

import { call } from "../Client/api.js";
import { h, identifier, show } from "../Client/dom.js";
import { dateTime, t } from "../Client/language.js";
import { dataTypeGroups, dataTypeName, dataTypeNames } from "./dataTypes.js";
import { form, select } from "./form.js";
import { notice, toast } from "./notice.js";
import { assignments, storedChoices, switchedTypes, withoutSource } from "./typeChanges.js";
import { guardChanges } from "./unsaved.js";

/** @typedef {import("./typeChanges.js").TypeChoice} TypeChoice */
/** @typedef {import("./typeChanges.js").Device} Device */
/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /settings/single/data"]["answer"]} Imported */
/** @typedef {{type: TypeChoice["type"], box: HTMLInputElement, device: HTMLSelectElement}} Row */

/**
 * Creates the form. Call `loadDataTypes` before.
 * @param {Imported} imported
 * @param {readonly Device[]} devices
 * @param {AbortSignal} signal
 */
export function typeChoices(imported, devices, signal) {
  let stored = storedChoices(imported, devices);
  const rows = stored.map((choice) => row(choice, devices));
  const result = h("div");
  const choices = () => rows.map(({ type, box, device }) => ({
    type, isOn: box.checked, device: device.value,
  }));

  const send = async () => {
    const wanted = choices();
    const switched = switchedTypes(stored, wanted);
    if (switched) {
      await call("POST /settings/single/data", { body: switched });
      stored = stored.map((each) => ({
        ...each, isOn: wanted.find(({ type }) => type === each.type)?.isOn ?? each.isOn,
      }));
    }
    // Stored changes count as stored even if a later one fails: a repetition sends the rest.
    for (const assignment of assignments(stored, wanted)) {
      await call("POST /devices/assign", { body: assignment });
      stored = stored.map((each) => (each.type === assignment.type
        ? { ...each, device: assignment.deviceID } : each));
    }
    toast(t("types.saved"));
    const missing = withoutSource(switched, devices);
    show(result, missing.length > 0
      && notice("warning", t("types.nothingToImport", { types: dataTypeNames(missing) })));
  };
  guardChanges(() => switchedTypes(stored, choices()) !== null
    || assignments(stored, choices()).length > 0, signal);

  return h("div", {},
    imported.pausedUntil !== null && notice("warning",
      h("p", {}, t("types.paused", { time: dateTime(imported.pausedUntil) })),
      h("p", {}, h("a", { href: "/app/data" }, t("types.toPause")))),
    h("p", {}, t("types.text")),
    form({
      content: [h("div", { class: "type-groups" }, groupElements(rows))],
      submit: t("action.save"), send,
    }), result);
}

/** @param {readonly Row[]} rows */
function groupElements(rows) {
  return dataTypeGroups(rows.map(({ type }) => type)).map((group) => h("fieldset", {},
    h("legend", {}, group.title),
    h("ul", { class: "plain-list type-rows" }, group.types.map(({ dataType: name }) => {
      const found = rows.find(({ type }) => type === name);
      return found && rowElement(found);
    }))));
}

/**
 * @param {TypeChoice} choice
 * @param {readonly Device[]} devices
 * @returns {Row}
 */
function row({ type, isOn, device }, devices) {
  const able = devices.filter(({ types }) => types.includes(type));
  const control = select([["any", t("types.any")],
    ...able.map(({ deviceID, name }) => /** @type {[string, string]} */ ([deviceID, name]))]);
  control.value = device;
  return {
    type, device: control,
    box: h("input", { type: "checkbox", id: identifier(), name: `type.${type}`, checked: isOn }),
  };
}

/** @param {Row} row */
function rowElement({ type, box, device }) {
  const name = dataTypeName(type);
  device.id = identifier();
  const source = h("span", { class: "type-source" },
    h("label", { for: device.id, class: "small muted" }, t("types.from"),
      h("span", { class: "visually-hidden" }, ` ${name}`)), device);
  const update = () => {
    device.disabled = !box.checked;
  };
  box.addEventListener("change", update);
  update();
  return h("li", { class: "type-row", "data-field": type },
    h("span", { class: "type-switch" }, box, h("label", { for: box.id }, name)),
    // Without a device to choose, the field would be useless.
    device.options.length > 1 && source);
}
