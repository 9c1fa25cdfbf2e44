// The fiscal code, checked while typing, also against birth date and sex.

import {
  agreesWithBirthDate, compactFiscalCode, fiscalCodeLength, parseFiscalCode,
} from "../../Client/fiscalCode.js";
import { language, t } from "../../Client/language.js";
import { field } from "../../Elements/form.js";
import { checkWhileTyping } from "../../Elements/typingCheck.js";

/** @typedef {import("../../Client/fiscalCode.js").FiscalCode} FiscalCode */

/**
 * Creates the field.
 * @param {{birthDate: () => string | null, sex: () => string}} others the values to match
 */
export function fiscalCodeField({ birthDate, sex }) {
  const made = field({
    name: "fc", label: t("fiscalCode.label"), hint: t("fiscalCode.hint"),
    autocomplete: "off",
    attributes: { autocapitalize: "characters", spellcheck: "false", maxlength: 24 },
  });
  /** @param {string} text */
  const find = (text) => finding(text, birthDate(), sex());
  const refresh = checkWhileTyping(made, find);
  return {
    ...made, refresh,
    /** The code in the form that the API takes. */
    value: () => compactFiscalCode(made.control.value),
    /** @returns {Record<string, string>} */
    check: () => {
      const { state, text } = find(made.control.value);
      if (state === "empty") return { fc: t("fiscalCode.missing") };
      return state === "right" ? {} : { fc: text };
    },
  };
}

/**
 * @param {string} text
 * @param {string | null} birthDate
 * @param {string} sex
 * @returns {import("../../Elements/typingCheck.js").Finding}
 */
function finding(text, birthDate, sex) {
  const code = parseFiscalCode(text);
  if (text.trim() === "") return { state: "empty", text: "" };
  if (code === "incomplete") {
    const count = fiscalCodeLength - compactFiscalCode(text).length;
    return { state: "incomplete", text: t("fiscalCode.incomplete", { count }) };
  }
  if (typeof code === "string") return { state: "wrong", text: t(`fiscalCode.${code}`) };
  if (birthDate && !agreesWithBirthDate(code, birthDate)) {
    return { state: "wrong", text: t("fiscalCode.otherDate", birth(code)) };
  }
  if (sex && sex !== code.sex) {
    return { state: "wrong", text: t("fiscalCode.otherSex", { sex: t(`sex.${code.sex}`) }) };
  }
  const agreement = birthDate && sex ? t("fiscalCode.agrees") : t("fiscalCode.right", birth(code));
  return { state: "right", text: agreement };
}

/**
 * The birth date in a code, whose century is unknown.
 * @param {FiscalCode} code
 */
function birth({ day, month, yearOfCentury }) {
  const format = new Intl.DateTimeFormat(language(), {
    day: "numeric", month: "long", timeZone: "UTC",
  });
  return {
    day: format.format(Date.UTC(2000, month - 1, day)),
    year: String(yearOfCentury).padStart(2, "0"),
  };
}
