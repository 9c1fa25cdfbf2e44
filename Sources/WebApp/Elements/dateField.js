// A day that the reader knows by heart, such as a birth date: day, month and year to type, no
// calendar.

import { h, identifier, style } from "../Client/dom.js";
import { language, t } from "../Client/language.js";
import { calendarDay } from "../Client/rules.js";
import { select } from "./form.js";

/**
 * Creates the field.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {string} [options.hint]
 * @param {boolean} [options.required]
 * @param {boolean} [options.isBirthDate] lets the browser fill in the reader's own
 * @param {string} [options.value] `YYYY-MM-DD`
 */
export function dateField({
  name, label, hint, required = true, isBirthDate = false, value = "",
}) {
  void style("dateField.css", import.meta.url);
  const id = identifier();
  const [year, month, day] = value.split("-");
  const parts = {
    day: number("day", 2, day), month: months(), year: number("year", 4, year),
  };
  if (month) parts.month.value = String(Number(month));
  for (const [part, control] of Object.entries(parts)) {
    control.id = `${id}-${part}`;
    control.setAttribute("name", `${name}.${part}`);
    control.setAttribute("autocomplete", isBirthDate ? `bday-${part}` : "off");
    control.setAttribute("aria-describedby", `${id}-error`);
    if (required) control.setAttribute("aria-required", "true");
  }
  const element = h("fieldset", {
    class: "field date", "data-field": name, "aria-describedby": hint ? `${id}-hint` : null,
  },
  h("legend", {}, label, !required && h("span", { class: "optional" }, ` ${t("form.optional")}`)),
  hint && h("p", { class: "hint", id: `${id}-hint` }, hint),
  h("div", { class: "date-parts" },
    part(parts.day, t("date.day")), part(parts.month, t("date.month")),
    part(parts.year, t("date.year"))),
  h("p", { class: "error", id: `${id}-error` }));
  return {
    name, element, control: parts.day,
    /** Whether nothing was entered. */
    isEmpty: () => Object.values(parts).every((each) => each.value.trim() === ""),
    /** `YYYY-MM-DD`; null if a part is missing or the day does not exist. */
    value: () => calendarDay(
      whole(parts.year.value), Number(parts.month.value), whole(parts.day.value)),
  };
}

/**
 * @param {string} part
 * @param {number} digits
 * @param {string | undefined} value
 */
function number(part, digits, value) {
  return h("input", {
    type: "text", inputmode: "numeric", maxlength: digits, class: `date-${part}`,
    value: value ? String(Number(value)) : null,
  });
}

function months() {
  const format = new Intl.DateTimeFormat(language(), { month: "long", timeZone: "UTC" });
  const names = Array.from({ length: 12 }, (_, index) => /** @type {[string, string]} */ (
    [String(index + 1), format.format(Date.UTC(2001, index, 1))]));
  return select(names, { empty: t("date.chooseMonth") });
}

/**
 * @param {HTMLElement} control
 * @param {string} label
 */
function part(control, label) {
  return h("div", {}, h("label", { for: control.id, class: "small" }, label), control);
}

/** @param {string} text */
function whole(text) {
  return /^\d+$/.test(text.trim()) ? Number(text) : NaN;
}
