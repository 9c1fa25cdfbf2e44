// P37, the profile of a company.

import { call } from "../../Client/api.js";
import { compactFiscalCode, parseFiscalCode } from "../../Client/fiscalCode.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { coordinate, isEmail, isPhone } from "../../Client/rules.js";
import { checkbox, field } from "../../Elements/form.js";
import { choiceEditor, textEditor } from "./editors.js";
import { accountItems, phoneItem } from "./person.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /settings/tp"]["answer"]} Profile */
/** @typedef {NonNullable<Profile["representative"]>} Representative */
/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Editor} Editor */

const payments = /** @type {const} */ (["card", "paypal", "transfer"]);
const services = /** @type {const} */ (["AutomatedSOS", "Track4Run"]);
const descriptionMax = 500;

/**
 * Reads the profile.
 * @param {AbortSignal} signal
 */
export function loadCompany(signal) {
  return call("GET /settings/tp", { signal });
}

/**
 * The settings of a company, by group.
 * @param {Profile} profile
 * @param {AbortSignal} signal
 * @returns {import("./items.js").Group[]}
 */
export function companyGroups(profile, signal) {
  return [
    { title: t("settings.company"), items: companyItems(profile) },
    { title: t("settings.addresses"), items: addressItems(profile) },
    { title: t("settings.services"), items: serviceItems(profile, signal) },
    { title: t("settings.account"), items: accountItems(profile, "tp") },
  ];
}

/**
 * @param {Profile} profile
 * @returns {Item[]}
 */
function companyItems(profile) {
  return [
    {
      name: "company_name", label: t("settings.companyName"), shown: profile.company_name,
      edit: () => textEditor({
        name: "company_name", label: t("settings.companyName"), value: profile.company_name,
        required: true, autocomplete: "organization", attributes: { maxlength: 200 },
        missing: t("settings.nameMissing"),
      }),
    },
    {
      name: "piva", label: t("settings.piva"), shown: profile.piva, fixed: t("settings.identifies"),
    },
    {
      name: "email", label: t("field.email"), shown: profile.email, fixed: t("settings.identifies"),
    },
    {
      name: "company_description", label: t("settings.description"),
      shown: profile.company_description,
      edit: () => textEditor({
        name: "company_description", label: t("settings.description"), required: true,
        value: profile.company_description, hint: t("settings.descriptionHint"),
        control: h("textarea", { rows: 5, maxlength: descriptionMax }),
        missing: t("settings.descriptionMissing"),
      }),
    },
    lineItem("sector", t("settings.sector"), profile.sector, "off"),
    phoneItem(profile.phone),
  ];
}

/**
 * @param {Profile} profile
 * @returns {Item[]}
 */
function addressItems(profile) {
  return [
    lineItem("legal_address", t("settings.legalAddress"), profile.legal_address, "street-address"),
    lineItem("billing_address", t("settings.billingAddress"), profile.billing_address,
      "billing street-address"),
    {
      name: "representative", label: t("settings.representative"),
      shown: representativeText(profile.representative),
      edit: () => representativeEditor(profile.representative),
    },
    {
      name: "payment_method", label: t("settings.payment"),
      shown: profile.payment_method ? t(`settings.payment.${profile.payment_method}`) : "",
      edit: () => choiceEditor({
        name: "payment_method", label: t("settings.payment"), value: profile.payment_method,
        options: payments.map((each) => [each, t(`settings.payment.${each}`)]),
      }),
    },
  ];
}

/**
 * @param {Profile} profile
 * @param {AbortSignal} signal
 * @returns {Item[]}
 */
function serviceItems(profile, signal) {
  return [
    {
      name: "services", label: t("settings.shownServices"),
      shown: profile.services.join(", "),
      edit: () => servicesEditor(profile.services),
    },
    {
      name: "coordinate", label: t("settings.place"),
      shown: profile.coordinate ? profile.coordinate.replace(",", ", ") : "",
      edit: () => coordinateEditor(profile.coordinate, signal),
    },
  ];
}

/**
 * An optional line of text.
 * @param {string} name
 * @param {string} label
 * @param {string | undefined} value
 * @param {string} autocomplete
 * @returns {Item}
 */
function lineItem(name, label, value, autocomplete) {
  return {
    name, label, shown: value,
    edit: () => textEditor({ name, label, value, autocomplete, attributes: { maxlength: 200 } }),
  };
}

/** @param {Representative | undefined} person */
function representativeText(person) {
  if (!person) return "";
  return h("ul", { class: "plain-list" },
    [person.full_name, person.fc, person.office_address, person.phone, person.email]
      .map((each) => each && h("li", {}, each)));
}

/**
 * The legal representative; null without any text.
 * @param {Representative | undefined} person
 * @returns {Editor}
 */
function representativeEditor(person) {
  /**
   * @param {keyof Representative} name
   * @param {string} label
   */
  const part = (name, label) => field({
    name: `representative.${name}`, label, value: person?.[name] ?? "", autocomplete: "off",
    required: name === "full_name", attributes: { maxlength: name === "phone" ? 64 : 200 },
  });
  const parts = {
    full_name: part("full_name", t("settings.fullName")),
    fc: part("fc", t("settings.fiscalCode")),
    office_address: part("office_address", t("settings.office")),
    phone: part("phone", t("settings.phone")),
    email: part("email", t("field.email")),
  };
  /** @param {keyof typeof parts} name */
  const text = (name) => parts[name].control.value.trim();
  const isEmpty = () => Object.values(parts).every(({ control }) => control.value.trim() === "");
  return {
    element: h("fieldset", {}, h("legend", {}, t("settings.representative")),
      h("p", { class: "hint" }, t("settings.representativeHint")),
      Object.values(parts).map(({ element }) => element)),
    value: () => (isEmpty() ? null : {
      full_name: text("full_name"), fc: compactFiscalCode(text("fc")) || undefined,
      office_address: text("office_address") || undefined, phone: text("phone") || undefined,
      email: text("email") || undefined,
    }),
    check: () => {
      if (isEmpty()) return {};
      /** @type {Record<string, string>} */
      const errors = {};
      if (!text("full_name")) errors["representative.full_name"] = t("settings.nameMissing");
      if (text("fc") && typeof parseFiscalCode(text("fc")) === "string") {
        errors["representative.fc"] = t("settings.fiscalCodeWrong");
      }
      if (text("phone") && !isPhone(text("phone"))) {
        errors["representative.phone"] = t("settings.phoneWrong");
      }
      if (text("email") && !isEmail(text("email"))) {
        errors["representative.email"] = t("settings.emailWrong");
      }
      return errors;
    },
  };
}

/**
 * The services that the company says it uses.
 * @param {Profile["services"]} chosen
 * @returns {Editor}
 */
function servicesEditor(chosen) {
  const boxes = services.map((service) => ({
    service,
    box: checkbox({
      name: `services.${service}`, label: service, checked: chosen.includes(service),
    }),
  }));
  return {
    element: h("fieldset", { "data-field": "services" },
      h("legend", {}, t("settings.shownServices")),
      h("p", { class: "hint" }, t("settings.servicesHint")),
      boxes.map(({ box }) => box.element)),
    value: () => boxes.filter(({ box }) => box.control.checked).map(({ service }) => service),
  };
}

/**
 * The place of a hospital: coordinates, or the position of this device.
 * @param {string | undefined} value
 * @param {AbortSignal} signal
 * @returns {Editor}
 */
function coordinateEditor(value, signal) {
  const editor = textEditor({
    name: "coordinate", label: t("settings.place"), value, hint: t("settings.placeHint"),
    autocomplete: "off", parse: coordinate, wrong: t("settings.placeWrong"),
    attributes: { maxlength: 64, spellcheck: "false" },
  });
  const input = editor.element.querySelector("input");
  const status = h("p", { class: "hint", role: "status" });
  const locate = () => {
    button.disabled = true;
    show(status, t("settings.locating"));
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      if (signal.aborted || !input) return;
      button.disabled = false;
      show(status, t("settings.located", { metres: Math.round(coords.accuracy) }));
      input.value = `${coords.latitude.toFixed(6)},${coords.longitude.toFixed(6)}`;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }, ({ code, PERMISSION_DENIED }) => {
      if (signal.aborted) return;
      button.disabled = false;
      show(status, code === PERMISSION_DENIED
        ? t("settings.locateDenied") : t("settings.locateFailed"));
    }, { enableHighAccuracy: true, timeout: 15_000 });
  };
  const button = h("button", {
    type: "button", class: "secondary", hidden: !("geolocation" in navigator), onclick: locate,
  }, t("settings.locate"));
  const element = h("div", {}, editor.element, h("p", { class: "actions" }, button), status);
  return { ...editor, element };
}
