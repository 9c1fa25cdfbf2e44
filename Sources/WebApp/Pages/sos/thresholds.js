// Personal thresholds, within their bounds.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { nameOf, number, t } from "../../Client/language.js";
import { field, form } from "../../Elements/form.js";
import { toast } from "../../Elements/notice.js";

/** @typedef {import("./sos.js").Settings["thresholds"][number]} Threshold */

/** The age from which thresholds can be chosen, in months. */
const adultMonths = 18 * 12;

/** @param {import("./sos.js").Shared} shared */
export function thresholdsPart({ settings, signal, reload }) {
  const isAdult = settings.ageMonths >= adultMonths;
  return h("section", { class: "card", "aria-labelledby": "sos-thresholds" },
    h("h2", { id: "sos-thresholds" }, t("sos.thresholds")),
    h("p", {}, isAdult ? t("sos.thresholdsText") : t("sos.thresholdsChild")),
    isAdult ? thresholdsForm(settings.thresholds, signal, reload) : table(settings.thresholds));
}

/**
 * @param {Threshold[]} thresholds
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} reload
 */
function thresholdsForm(thresholds, signal, reload) {
  const fields = thresholds.map((threshold) => {
    const { name, own, value, min, max } = threshold;
    const bounds = { min: number(min), max: number(max), unit: unit(name) };
    const hint = own ? t("sos.boundsOwn", bounds)
      : t("sos.boundsDefault", { ...bounds, value: value === null ? "–" : number(value) });
    return field({
      name, label: `${nameOf("sosThreshold", name)} (${unit(name)})`, hint, type: "number",
      value: own && value !== null ? String(value) : "", required: false,
      attributes: { min, max, step: "1", inputmode: "numeric" },
    });
  });
  const check = () => {
    /** @type {Record<string, string>} */
    const errors = {};
    thresholds.forEach(({ name, min, max }, index) => {
      const control = fields[index]?.control;
      if (!(control instanceof HTMLInputElement)) return;
      const value = control.valueAsNumber;
      const isInside = value >= min && value <= max;
      const isWrong = control.validity.badInput || (control.value !== "" && !isInside);
      const bounds = { min: number(min), max: number(max), unit: unit(name) };
      if (isWrong) errors[name] = t("sos.outOfBounds", bounds);
    });
    return errors;
  };
  return form({
    content: fields.map(({ element }) => element), submit: t("sos.saveThresholds"), check,
    send: async (key) => {
      /** @type {Partial<Record<Threshold["name"], number | null>>} */
      const body = {};
      thresholds.forEach(({ name }, index) => {
        const text = fields[index]?.control.value ?? "";
        body[name] = text === "" ? null : Number(text);
      });
      await call("POST /sos/thresholds", { body, key, signal });
      toast(t("sos.thresholdsSaved"));
      await reload();
    },
  });
}

/** @param {Threshold[]} thresholds */
function table(thresholds) {
  return h("table", {}, h("tbody", {}, thresholds.map(({ name, value }) => h("tr", {},
    h("th", { scope: "row" }, nameOf("sosThreshold", name)),
    h("td", {}, value === null ? t("sos.noRule") : `${number(value)} ${unit(name)}`)))));
}

/** @param {string} name */
function unit(name) {
  return name.startsWith("heartRate") ? t("sos.bpm") : "mmHg";
}
