// Entering a value by hand. Without a connection it is kept and sent later.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { queue } from "../../Client/queue.js";
import { localInput, unitText } from "../../Client/units.js";
import { dataType, dataTypeName, dataTypeSelect } from "../../Elements/dataTypes.js";
import { field, form, select } from "../../Elements/form.js";
import { notice } from "../../Elements/notice.js";
import { codeName } from "../health/values.js";
import { entryUpload, rangeText, uploadTexts } from "./entry.js";

/** @typedef {import("../../Elements/dataTypes.js").DataType} DataType */
/** @typedef {import("../../Client/types").Endpoints["POST /data/upload"]} Upload */
/** @typedef {import("../../Elements/form.js").Field} Field */

/** Both pressures are measured at once, so each is offered beside the other. */
const partners = /** @type {Record<string, string>} */ ({
  bloodPressureSystolic: "bloodPressureDiastolic", bloodPressureDiastolic: "bloodPressureSystolic",
});

/**
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function addPart(query, signal) {
  const typeField = field({
    name: "type", label: t("data.type"),
    control: dataTypeSelect({ value: dataType(query.get("type") ?? "")?.dataType ?? "heartRate" }),
  });
  const timeField = field({
    name: "time", label: t("data.time"), type: "datetime-local", hint: t("data.timeHint"),
    value: localInput(new Date()),
  });
  const values = h("div");
  const result = h("div", { role: "status" });
  /** @type {{type: DataType, field: Field}[]} */
  let typed = [];

  const draw = () => {
    typed = [typeField.control.value, partners[typeField.control.value]].flatMap((name, index) => {
      const type = name === undefined ? undefined : dataType(name);
      return type ? [{ type, field: valueField(type, index) }] : [];
    });
    show(values, typed.map((each) => [
      each.field.element,
      each.type.kind === "position" && positionButton(each.field, result, signal),
    ]));
  };
  typeField.control.addEventListener("change", () => {
    show(result);
    draw();
  });
  draw();

  const read = () => entryUpload(
    typed.map((each) => ({ type: each.type, text: each.field.control.value })),
    timeField.control.value, new Date());
  const send = async (/** @type {string} */ key) => {
    show(result);
    const upload = read();
    if (!("body" in upload)) return;
    show(result, await uploadOrKeep(upload.body, key));
    draw();
    typed[0]?.field.control.focus();
  };
  return h("section", {},
    h("h2", {}, t("health.enter")),
    form({
      content: [typeField.element, values, timeField.element], submit: t("data.add"), send,
      check: () => {
        const upload = read();
        return "errors" in upload ? upload.errors : {};
      },
      explain: (problem) => (problem.isTemporary ? null
        : { [fieldOf(problem, typed.length)]: problem.detail || problem.error }),
    }),
    result, h("p", { class: "small muted" }, t("data.addHint")));
}

/**
 * The form's field that a refusal names by its place in the upload.
 * @param {Problem} problem
 * @param {number} count of the values
 */
function fieldOf({ field: path }, count) {
  const name = /^values/.test(path ?? "") && count > 1 && path?.includes("[1]") ? "second" : null;
  if (name) return name;
  if (path?.startsWith("values")) return "value";
  return path?.startsWith("timestamp") ? "time" : "";
}

/**
 * @param {DataType} type
 * @param {number} index
 * @returns {Field}
 */
function valueField(type, index) {
  const unit = unitText(type.dataType);
  const name = dataTypeName(type.dataType);
  const isNumber = type.kind === "number";
  return field({
    name: index === 0 ? "value" : "second", required: index === 0,
    label: unit ? t("data.valueUnit", { name, unit }) : name,
    hint: isNumber
      ? rangeText(type) : type.kind === "position" ? t("data.positionHint") : undefined,
    control: type.kind === "code"
      ? select((type.values ?? []).map((value) => [value, codeName(type.dataType, value)]))
      : undefined,
    autocomplete: "off", attributes: isNumber ? { inputmode: "decimal" } : {},
  });
}

/**
 * @param {Field} target
 * @param {Element} result
 * @param {AbortSignal} signal
 */
function positionButton(target, result, signal) {
  if (!("geolocation" in navigator)) return null;
  const use = () => navigator.geolocation.getCurrentPosition(({ coords }) => {
    if (signal.aborted) return;
    target.control.value = `${coords.latitude.toFixed(6)},${coords.longitude.toFixed(6)}`;
    show(result);
  }, () => {
    if (!signal.aborted) show(result, notice("warning", t("data.noPosition")));
  }, { enableHighAccuracy: true, timeout: 20_000 });
  return h("p", {}, h("button", { type: "button", class: "secondary", onclick: use },
    t("data.usePosition")));
}

/**
 * Sends an upload; one that cannot be sent now is kept for later.
 * @param {Upload["body"]} body
 * @param {string} key
 */
async function uploadOrKeep(body, key) {
  try {
    return outcome(await call("POST /data/upload", { body, key }), body);
  } catch (problem) {
    const isLater = problem instanceof Problem && (problem.status === 0 || problem.status >= 500);
    if (!isLater || !queue.add(body, key, new Date())) throw problem;
    return notice("warning", t("data.kept"));
  }
}

/**
 * The answer in words, with what was sent: otherwise a second value changes nothing visibly.
 * @param {Upload["answer"]} answer
 * @param {Upload["body"]} body
 */
function outcome({ stored, duplicates, disabled, paused, dropped }, body) {
  const sentences = [
    stored > 0 && t("data.stored", { count: stored }),
    duplicates > 0 && t("data.duplicate"), disabled > 0 && t("data.disabled"),
    paused > 0 && t("data.paused"), dropped > 0 && t("data.dropped", { count: dropped }),
  ].filter((each) => each !== false);
  const isClean = stored > 0 && sentences.length === 1;
  return notice(isClean ? "success" : "warning",
    [...sentences, ...uploadTexts(body)].map((each) => h("p", {}, each)));
}
