// Editors of single values.

import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { passwordFault } from "../../Client/rules.js";
import { checkbox, field, select } from "../../Elements/form.js";

/** @typedef {import("./items.js").Editor} Editor */

/**
 * A line or a paragraph of text. An optional one that is emptied becomes null.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {string | undefined} options.value
 * @param {string} [options.hint]
 * @param {boolean} [options.required]
 * @param {string} [options.type]
 * @param {string} [options.autocomplete]
 * @param {import("../../Elements/form.js").Control} [options.control]
 * @param {Record<string, string | number>} [options.attributes]
 * @param {string} [options.missing] the error of a mandatory one that is empty
 * @param {(text: string) => unknown} [options.parse] the value of a text; null for a wrong one
 * @param {string} [options.wrong] the error of a wrong one
 * @returns {Editor}
 */
export function textEditor(options) {
  const { value = "", required = false, missing = "", wrong = "", parse, ...rest } = options;
  const made = field({ ...rest, value, required });
  const text = () => made.control.value.trim();
  return {
    element: made.element,
    value: () => {
      if (!text()) return null;
      return parse ? parse(text()) : text();
    },
    check: () => {
      if (!text()) return required ? { [made.name]: missing } : {};
      return parse && parse(text()) === null ? { [made.name]: wrong } : {};
    },
  };
}

/**
 * One value of several; an optional one can be left open, which is null.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {string} [options.hint]
 * @param {string | undefined} options.value
 * @param {[value: string, text: string][]} options.options
 * @param {boolean} [options.required]
 * @returns {Editor}
 */
export function choiceEditor({ name, label, hint, value = "", options, required = false }) {
  const control = select(options, required ? {} : { empty: t("settings.notStated") });
  const made = field({ name, label, hint, control, value, required });
  return { element: made.element, value: () => control.value || null };
}

/**
 * A new password, twice, and whether API keys and devices end with the old one.
 * @param {"single" | "tp"} accountType
 * @returns {Editor}
 */
export function passwordEditor(accountType) {
  const first = field({
    name: "newPassword", label: t("settings.newPassword"), hint: t("settings.newPasswordHint"),
    type: "password", autocomplete: "new-password",
  });
  const second = field({
    name: "newPasswordAgain", label: t("settings.newPasswordAgain"), type: "password",
    autocomplete: "new-password",
  });
  const ends = checkbox({
    name: "endKeysAndDevices",
    label: t(accountType === "tp" ? "settings.endKeys" : "settings.endDevices"),
  });
  return {
    element: h("div", {}, first.element, second.element, ends.element,
      h("p", { class: "hint" }, t("settings.oldPasswordBelow"))),
    value: () => ({
      newPassword: first.control.value,
      ...(ends.control.checked ? { endKeysAndDevices: true } : {}),
    }),
    /** @returns {Record<string, string>} */
    check: () => {
      if (first.control.value === "" && second.control.value === "") return {};
      if (passwordFault(first.control.value)) {
        return { newPassword: t("settings.newPasswordWrong") };
      }
      return second.control.value === first.control.value
        ? {} : { newPasswordAgain: t("settings.passwordsDiffer") };
    },
  };
}

/**
 * The time zone of mails, with the names that the browser knows.
 * @param {string} value
 * @returns {Editor}
 */
export function timeZoneEditor(value) {
  // The declarations of TypeScript 4.8 lack it.
  const intl = /** @type {{supportedValuesOf?: (key: "timeZone") => string[]}} */ (Intl);
  const known = intl.supportedValuesOf?.("timeZone") ?? [];
  const zones = known.includes(value) ? known : [value, ...known];
  return choiceEditor({
    name: "time_zone", label: t("settings.timeZone"), value, required: true,
    hint: t("settings.timeZoneHint"),
    options: zones.map((zone) => [zone, zone.replaceAll("_", " ")]),
  });
}

/**
 * The language of mails.
 * @param {string} value
 * @returns {Editor}
 */
export function languageEditor(value) {
  return choiceEditor({
    name: "language", label: t("settings.language"), value, required: true,
    hint: t("settings.languageHint"), options: [["it", "Italiano"], ["en", "English"]],
  });
}
