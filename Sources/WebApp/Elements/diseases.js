// Chronic diseases of a profile, each with medicines and their doses a day.

import { h, show, style } from "../Client/dom.js";
import { compare, language, t } from "../Client/language.js";
import { decimal } from "../Client/rules.js";
import { field, select } from "./form.js";
import { announce } from "./notice.js";
import { icon } from "./icon.js";

/** @typedef {import("../Client/types").Endpoints["GET /lookup/diseases"]["answer"]} Answer */
/** @typedef {{name: string, doses: string}} DrugText */
/** @typedef {{code: string, drugs: DrugText[]}} DiseaseText */

const dosesMin = 0.01;
const dosesMax = 96;
const drugsMax = 20;

/**
 * Creates the list. It is kept in a draft as one hidden field; `refresh` draws it after a draft was
 * restored.
 * @param {Answer["diseases"]} known
 * @param {DiseaseText[]} [initial]
 */
export function diseaseFields(known, initial = []) {
  void style("diseases.css", import.meta.url);
  const hidden = h("input", { type: "hidden", name: "diseases", value: JSON.stringify(initial) });
  const rows = h("div");
  const adding = h("button", { type: "button", class: "secondary", onclick: () => add() },
    icon("add"), t("diseases.add"));
  const element = h("fieldset", { class: "field diseases", "data-field": "diseases" },
    h("legend", {}, t("diseases.title"),
      h("span", { class: "optional muted" }, ` ${t("form.optional")}`)),
    h("p", { class: "hint" }, t("diseases.hint")), h("p", { class: "error" }),
    rows, adding, hidden);
  const names = /** @type {[string, string][]} */ (
    known.map(({ code, names: each }) => [code, each[language()]]))
    .sort(([, left], [, right]) => compare(left, right));
  /** @type {DiseaseText[]} */
  let entries = initial;

  const store = () => {
    hidden.value = JSON.stringify(entries);
  };
  /** After a button was pressed: draws the list and notifies the form, which keeps the draft. */
  const changed = () => {
    store();
    draw();
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const draw = () => {
    show(rows, entries.map((entry, index) => diseaseRow(entry, index)));
    adding.hidden = entries.length >= known.length;
  };
  /** @param {string} name of a field of the list */
  const focus = (name) => {
    const control = rows.querySelector(`[data-field="${CSS.escape(name)}"] :is(input, select)`);
    if (control instanceof HTMLElement) control.focus();
  };
  const add = () => {
    entries.push({ code: "", drugs: [] });
    changed();
    focus(`diseases[${entries.length - 1}].code`);
  };
  /**
   * @param {DiseaseText} entry
   * @param {number} index
   */
  const diseaseRow = (entry, index) => {
    const path = `diseases[${index}]`;
    const others = new Set(entries.filter((each) => each !== entry).map(({ code }) => code));
    const offered = names.filter(([code]) => !others.has(code));
    const control = select(offered, { empty: t("diseases.choose") });
    const code = part(`${path}.code`, t("diseases.name"), entry.code, control, (text) => {
      entry.code = text;
    });
    // Another choice changes the options of the other rows.
    control.addEventListener("change", () => {
      changed();
      focus(`${path}.code`);
    });
    const name = names.find(([each]) => each === entry.code)?.[1] ?? t("diseases.name");
    return h("div", { class: "card disease", role: "group", "aria-label": name }, code,
      entry.drugs.map((drug, drugIndex) => drugRow(entry, drug, `${path}.drugs`, drugIndex)),
      h("p", { class: "actions" },
        h("button", {
          type: "button", class: "secondary", hidden: entry.drugs.length >= drugsMax,
          onclick: () => {
            entry.drugs.push({ name: "", doses: "1" });
            changed();
            focus(`${path}.drugs[${entry.drugs.length - 1}].name`);
          },
        }, icon("add"), t("diseases.addDrug")),
        removing(t("diseases.remove", { name }), () => {
          entries = entries.filter((each) => each !== entry);
          changed();
          adding.focus();
        })));
  };
  /**
   * @param {DiseaseText} entry
   * @param {DrugText} drug
   * @param {string} path
   * @param {number} index
   */
  const drugRow = (entry, drug, path, index) => h("div", { class: "drug" },
    part(`${path}[${index}].name`, t("diseases.drug"), drug.name,
      h("input", { type: "text", maxlength: 200, autocomplete: "off" }), (text) => {
        drug.name = text;
      }),
    part(`${path}[${index}].dosesPerDay`, t("diseases.doses"), drug.doses,
      h("input", { type: "text", inputmode: "decimal", autocomplete: "off" }), (text) => {
        drug.doses = text;
      }),
    removing(t("diseases.remove", { name: drug.name || t("diseases.drug") }), () => {
      entry.drugs = entry.drugs.filter((each) => each !== drug);
      changed();
      adding.focus();
    }));
  // The values reach the hidden field before the event reaches the form, which keeps the draft.
  element.addEventListener("input", store);
  draw();

  return {
    element,
    refresh: () => {
      entries = JSON.parse(hidden.value || "[]");
      draw();
    },
    value: () => entries.map(({ code, drugs }) => ({
      code,
      drugs: drugs.map(({ name, doses }) => (
        { name: name.trim(), dosesPerDay: decimal(doses) ?? 0 })),
    })),
    check: () => faults(entries),
  };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} value
 * @param {HTMLInputElement | HTMLSelectElement} control
 * @param {(text: string) => void} onInput
 */
function part(name, label, value, control, onInput) {
  const { element } = field({ name, label, control, value });
  // The list is kept as a whole: a part without a name stays out of the draft.
  control.removeAttribute("name");
  control.addEventListener("input", () => onInput(control.value));
  return element;
}

/**
 * @param {string} text
 * @param {() => void} onRemove
 */
function removing(text, onRemove) {
  return h("button", {
    type: "button", class: "plain", onclick: () => {
      onRemove();
      announce(t("diseases.removed"));
    },
  }, icon("trash"), text);
}

/**
 * @param {DiseaseText[]} entries
 * @returns {Record<string, string>}
 */
function faults(entries) {
  /** @type {Record<string, string>} */
  const errors = {};
  entries.forEach(({ code, drugs }, index) => {
    if (!code) errors[`diseases[${index}].code`] = t("diseases.missing");
    drugs.forEach(({ name, doses }, drugIndex) => {
      const path = `diseases[${index}].drugs[${drugIndex}]`;
      const amount = decimal(doses);
      if (!name.trim()) errors[`${path}.name`] = t("diseases.drugMissing");
      if (amount === null || amount < dosesMin || amount > dosesMax) {
        errors[`${path}.dosesPerDay`] = t("diseases.dosesWrong");
      }
    });
  });
  return errors;
}
