// The legal representative of a company.

import { compactFiscalCode, parseFiscalCode } from "../../Client/fiscalCode.js";
import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { isEmail, isPhone } from "../../Client/rules.js";
import { field } from "../../Elements/form.js";

/** Creates the fields; with any of them filled in, the name is needed. */
export function representativeFields() {
  const parts = {
    name: part("full_name", t("signupCompany.representativeName"), {}),
    code: part("fc", t("fiscalCode.label"), { autocapitalize: "characters", spellcheck: "false" }),
    office: part("office_address", t("signupCompany.office"), {}),
    phone: part("phone", t("field.phone"), { inputmode: "tel" }),
    email: part("email", t("field.email"), { inputmode: "email" }),
  };
  /** @param {keyof typeof parts} name */
  const text = (name) => parts[name].control.value.trim();
  const isEmpty = () => Object.values(parts).every(({ control }) => control.value.trim() === "");
  return {
    element: h("fieldset", { class: "optional-group" },
      h("legend", {}, t("signupCompany.representative"),
        h("span", { class: "optional muted" }, ` ${t("form.optional")}`)),
      Object.values(parts).map(({ element }) => element)),
    value: () => (isEmpty() ? null : {
      full_name: text("name"), fc: compactFiscalCode(text("code")) || undefined,
      office_address: text("office") || undefined, phone: text("phone") || undefined,
      email: text("email") || undefined,
    }),
    /** @returns {Record<string, string>} */
    check: () => {
      if (isEmpty()) return {};
      const code = parseFiscalCode(text("code"));
      const fault = code === "incomplete" || typeof code !== "string" ? "malformed" : code;
      return {
        ...(text("name")
          ? {} : { "representative.full_name": t("signupCompany.representativeMissing") }),
        ...(text("code") && typeof code === "string"
          ? { "representative.fc": t(`fiscalCode.${fault}`) } : {}),
        ...(!text("phone") || isPhone(text("phone"))
          ? {} : { "representative.phone": t("field.phoneWrong") }),
        ...(!text("email") || isEmail(text("email"))
          ? {} : { "representative.email": t("credentials.emailWrong") }),
      };
    },
  };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Record<string, string>} attributes
 */
function part(name, label, attributes) {
  return field({
    name: `representative.${name}`, label, required: false, autocomplete: "off",
    attributes: { maxlength: 200, ...attributes },
  });
}
