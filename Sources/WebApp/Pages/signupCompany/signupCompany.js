// P5, registering as a third party.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { compactVATNumber, vatNumberFault, vatNumberLength } from "../../Client/vatNumber.js";
import { credentials } from "../../Elements/credentials.js";
import { consentFields } from "../../Elements/documents.js";
import { field, form } from "../../Elements/form.js";
import { checkWhileTyping } from "../../Elements/typingCheck.js";
import { goToSent, refusal, register } from "../signup/registered.js";
import { addressFields } from "./addressFields.js";
import { businessFields } from "./businessFields.js";
import { representativeFields } from "./representativeFields.js";

/** @typedef {import("../../Client/router.js").PageContext} PageContext */
/** @typedef {import("../../Elements/form.js").Field} Field */

const draft = "signupCompany";
const descriptionMax = 500;

/** @param {PageContext} context */
export async function page({ signal }) {
  const documents = await consentFields("tp", signal);
  const account = credentials({ asksEmailTwice: true });
  const company = companyFields();
  const addresses = addressFields();
  const representative = representativeFields();
  const business = businessFields(signal);
  const parts = [account, company, addresses, representative, business];

  /** @param {string} key */
  const send = async (key) => {
    const body = {
      ...account.values(), ...company.values(), ...addresses.values(), ...business.values(),
      representative: representative.value(), consents: documents.consents(),
    };
    await register((locale, each) => call("POST /auth/reg/tp", {
      body: { ...body, ...locale }, key: each,
    }), key);
    await goToSent(body.email, "company");
  };
  const element = form({
    draft, send, submit: t("signup.submit"),
    content: [
      h("p", { class: "muted" }, t("signup.optionalNote")), parts.map((part) => part.element),
      documents.element,
    ],
    check: () => Object.assign({}, ...parts.map((part) => part.check()), documents.check()),
    explain: (problem) => {
      if (problem.field === "consents") void documents.load().catch(() => {});
      if (problem.field?.startsWith("representative.")) return null;
      return refusal(problem, {
        password: t("credentials.password.tooCommon"), piva: t("vatNumber.wrongCheckDigit"),
        company_name: t("signupCompany.refused.name"),
        company_description: t("signupCompany.refused.description"),
        coordinate: t("signupCompany.coordinateWrong"), consents: t("documents.changed"),
      });
    },
  });
  // A restored draft sends no events: dependent parts are drawn here.
  for (const part of [company, addresses]) part.refresh();
  return h("section", { class: "page" },
    h("h1", {}, t("signupCompany.heading")),
    h("p", {}, t("signupCompany.lead")),
    h("p", {}, t("signupCompany.notCompany"), " ",
      h("a", { href: "/app/signup/person" }, t("signupCompany.toPerson"))),
    element);
}

/** P.IVA, name and description. */
function companyFields() {
  const vatNumber = field({
    name: "piva", label: t("vatNumber.label"), hint: t("vatNumber.hint"), autocomplete: "off",
    attributes: { inputmode: "text", spellcheck: "false", maxlength: 24 },
  });
  const name = field({
    name: "company_name", label: t("signupCompany.name"), autocomplete: "organization",
    attributes: { maxlength: 200 },
  });
  const description = field({
    name: "company_description", label: t("signupCompany.description"),
    hint: t("signupCompany.descriptionHint"),
    control: h("textarea", { rows: 4, maxlength: descriptionMax }),
  });
  const number = checkWhileTyping(vatNumber, findVATNumber);
  const left = checkWhileTyping(description, (text) => ({
    state: text ? "note" : "empty",
    text: t("signupCompany.left", { count: descriptionMax - [...text].length }),
  }));
  const text = (/** @type {Field} */ part) => part.control.value.trim();
  return {
    element: h("fieldset", {}, h("legend", {}, t("signupCompany.company")),
      vatNumber.element, name.element, description.element),
    refresh: () => {
      number();
      left();
    },
    values: () => ({
      piva: compactVATNumber(text(vatNumber)), company_name: text(name),
      company_description: text(description),
    }),
    /** @returns {Record<string, string>} */
    check: () => {
      const found = findVATNumber(vatNumber.control.value);
      return {
        ...(found.state === "right" ? {} : { piva: found.text || t("vatNumber.missing") }),
        ...(text(name) ? {} : { company_name: t("signupCompany.nameMissing") }),
        ...(text(description)
          ? {} : { company_description: t("signupCompany.descriptionMissing") }),
      };
    },
  };
}

/**
 * @param {string} text
 * @returns {import("../../Elements/typingCheck.js").Finding}
 */
function findVATNumber(text) {
  if (text.trim() === "") return { state: "empty", text: "" };
  const fault = vatNumberFault(text);
  if (fault === null) return { state: "right", text: t("vatNumber.right") };
  if (fault !== "incomplete") return { state: "wrong", text: t(`vatNumber.${fault}`) };
  const count = vatNumberLength - compactVATNumber(text).replace(/\D/g, "").length;
  return { state: "incomplete", text: t("vatNumber.incomplete", { count }) };
}
