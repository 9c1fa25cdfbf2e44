// The fields of a run, for creating and changing it, in the order of screens.md: basics, details.

import { h } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { isoOf, localOf, runFaults } from "../Client/runTimes.js";
import { field } from "./form.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /t4r/org/create"]["body"]} RunInfo */

const faultTexts = /** @type {const} */ ({
  name: "runField.fault.name", start: "runField.fault.start", startPast: "runField.fault.startPast",
  startFar: "runField.fault.startFar", end: "runField.fault.end",
  endBefore: "runField.fault.endBefore", endFar: "runField.fault.endFar",
  enrolPast: "runField.fault.enrolPast", enrolLate: "runField.fault.enrolLate",
  participants: "runField.fault.participants",
});

/** The names of the fields on the first step of a new run. */
export const basicNames = ["runName", "place", "startTime", "endTime"];

/**
 * Creates the fields.
 * @param {Partial<RunInfo>} [run] the initial values
 */
export function runFields(run = {}) {
  const now = localOf(new Date().toISOString());
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  /** @type {Record<string, string>} */
  const hints = {
    startTime: t("runField.zone", { zone }), enrolUntil: t("runField.enrolUntilHint"),
  };
  /** @param {string} name @param {string} value @param {boolean} required */
  const time = (name, value, required) => field({
    name, label: t(/** @type {import("../Client/language.js").TextKey} */ (`runField.${name}`)),
    type: "datetime-local", value, required, attributes: { min: now },
    hint: hints[name],
  });
  const runName = field({
    name: "runName", label: t("runField.runName"), value: run.runName ?? "",
    attributes: { maxlength: 200, autocomplete: "off" },
  });
  const place = field({
    name: "place", label: t("runField.place"), hint: t("runField.placeHint"), required: false,
    value: run.place ?? "", attributes: { maxlength: 200 },
  });
  const startTime = time("startTime", localOf(run.startTime), true);
  const endTime = time("endTime", localOf(run.endTime), true);
  const description = field({
    name: "description", label: t("runField.description"), required: false,
    control: h("textarea", { rows: 4, maxlength: 500 }), value: run.description ?? "",
  });
  const participants = field({
    name: "participants", label: t("runField.participants"), type: "number",
    value: run.participants === undefined ? "" : String(run.participants),
    attributes: { min: 2, max: 1_000_000, step: 1, inputmode: "numeric" },
  });
  const isOwnDeadline = run.enrolUntil !== undefined && run.enrolUntil !== run.startTime;
  const enrolUntil = time("enrolUntil", isOwnDeadline ? localOf(run.enrolUntil) : "", false);
  const clauses = field({
    name: "clauses", label: t("runField.clauses"), hint: t("runField.clausesHint"),
    required: false, control: h("textarea", { rows: 6, maxlength: 10_000 }),
    value: run.clauses ?? "",
  });

  /** The texts of the errors, by field. */
  const check = () => {
    const faults = runFaults({
      runName: runName.control.value, startTime: startTime.control.value,
      endTime: endTime.control.value, enrolUntil: enrolUntil.control.value,
      participants: participants.control.value,
    });
    return Object.fromEntries(
      Object.entries(faults).map(([name, fault]) => [name, t(faultTexts[fault])]));
  };

  /**
   * The typed values for the API. Empty optional fields are left out.
   * @returns {RunInfo}
   */
  const info = () => {
    const deadline = isoOf(enrolUntil.control.value);
    return {
      runName: runName.control.value.trim(),
      startTime: isoOf(startTime.control.value) ?? "", endTime: isoOf(endTime.control.value) ?? "",
      participants: Number(participants.control.value),
      ...(deadline ? { enrolUntil: deadline } : {}),
      ...filled("place", place.control.value), ...filled("description", description.control.value),
      ...filled("clauses", clauses.control.value),
    };
  };
  // The end is usually on the day of the start, so choosing the start proposes that day.
  startTime.control.addEventListener("change", () => {
    const start = new Date(startTime.control.value);
    if (endTime.control.value !== "" || Number.isNaN(start.getTime())) return;
    endTime.control.value = localOf(new Date(start.getTime() + 3 * 3_600_000).toISOString());
  });
  return {
    basics: [runName.element, place.element, h("div", { class: "field-row" },
      startTime.element, endTime.element)],
    details: [description.element, participants.element, enrolUntil.element, clauses.element],
    controls: { clauses: clauses.control, enrolUntil: enrolUntil.control },
    /** The start for the check of the course, if one was entered. */
    start: () => isoOf(startTime.control.value),
    check, info,
  };
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {Record<string, string>}
 */
function filled(name, text) {
  return text.trim() === "" ? {} : { [name]: text.trim() };
}
