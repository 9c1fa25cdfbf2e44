// The short optional fields of a person: contact, nationality, occupation, height and weight.

import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { decimal, isPhone, metres } from "../../Client/rules.js";
import { field, select } from "../../Elements/form.js";
import { occupationName, occupations } from "../../Elements/occupations.js";

/** @typedef {import("../../Client/types").Endpoints["POST /auth/reg/single"]["body"]} Body */

const weightMin = 0.5;
const weightMax = 500;

/**
 * Creates the fields.
 * @param {[code: string, name: string][]} countries
 */
export function optionalFields(countries) {
  const choose = { empty: t("signupPerson.notStated") };
  const parts = {
    phone: field({
      name: "phone", label: t("field.phone"), type: "tel", autocomplete: "tel", required: false,
      hint: t("field.phoneHint"), attributes: { maxlength: 64 },
    }),
    address: field({
      name: "address", label: t("field.address"), autocomplete: "street-address", required: false,
      hint: t("signupPerson.addressHint"), attributes: { maxlength: 200 },
    }),
    nationality: field({
      name: "nationality", label: t("signupPerson.nationality"), required: false,
      control: select(countries, choose),
    }),
    occupation: field({
      name: "occupation", label: t("signupPerson.occupation"), required: false,
      control: select(occupations.map((each) => [each, occupationName(each)]), choose),
    }),
    height: measure("height", t("signupPerson.height"), t("signupPerson.heightHint")),
    weight: measure("weight", t("signupPerson.weight"), t("signupPerson.weightHint")),
  };
  /** @param {keyof typeof parts} name */
  const text = (name) => parts[name].control.value.trim();
  const kilograms = () => {
    const value = decimal(text("weight"));
    return value !== null && value >= weightMin && value <= weightMax ? value : null;
  };
  const values = () => ({
    phone: text("phone") || null, address: text("address") || null,
    nationality: text("nationality") || null,
    occupation: /** @type {NonNullable<Body["occupation"]>} */ (text("occupation")) || null,
    height: metres(text("height")), weight: kilograms(),
  });
  return {
    values,
    element: h("fieldset", { class: "optional-group" },
      h("legend", {}, t("signupPerson.more"),
        h("span", { class: "optional muted" }, ` ${t("form.optional")}`)),
      parts.phone.element, parts.address.element, parts.nationality.element,
      parts.occupation.element,
      h("div", { class: "field-row" }, parts.height.element, parts.weight.element)),
    /** @returns {Record<string, string>} */
    check: () => ({
      ...(!text("phone") || isPhone(text("phone")) ? {} : { phone: t("field.phoneWrong") }),
      ...(text("height") && values().height === null
        ? { height: t("signupPerson.heightWrong") } : {}),
      ...(text("weight") && values().weight === null
        ? { weight: t("signupPerson.weightWrong") } : {}),
    }),
  };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} hint
 */
function measure(name, label, hint) {
  return field({
    name, label, hint, required: false, autocomplete: "off", attributes: { inputmode: "decimal" },
  });
}
