// Emergency contacts: up to ten people to notify of an emergency.

import { call } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { nameOf, t } from "../../Client/language.js";
import { field, form } from "../../Elements/form.js";
import { announce, notice } from "../../Elements/notice.js";

/** @typedef {import("./sos.js").Settings} Settings */
/** @typedef {NonNullable<Settings["contacts"]>[number]} Contact */
/** @typedef {{name: string, email: string, phone?: string, state?: Contact["state"]}} Entry */

const contactsMax = 10;

/** @param {import("./sos.js").Shared} shared */
export function contactsPart({ settings, signal, reload }) {
  return h("section", { class: "card", "aria-labelledby": "sos-contacts" },
    h("h2", { id: "sos-contacts" }, t("sos.contacts")),
    h("p", {}, t("sos.contactsText")),
    contactsForm(settings.contacts ?? [], signal, () => void reload()));
}

/**
 * A form of all contacts; it is saved as a whole.
 * @param {Contact[]} contacts
 * @param {AbortSignal} signal
 * @param {() => void} onSaved
 */
export function contactsForm(contacts, signal, onSaved) {
  /** @type {Entry[]} */
  let entries = contacts.length > 0 ? contacts.map((contact) => ({ ...contact })) : [empty()];
  const rows = h("div");
  const result = h("div");
  const add = h("button", { type: "button", class: "secondary", onclick: () => append() },
    t("sos.addContact"));

  const append = () => {
    entries = [...typed(), empty()];
    draw();
    const inputs = rows.querySelectorAll("fieldset:last-of-type input");
    if (inputs[0] instanceof HTMLInputElement) inputs[0].focus();
  };
  /** @param {number} index */
  const remove = (index) => {
    entries = typed().filter((_, each) => each !== index);
    draw();
    add.focus();
    announce(t("sos.contactRemoved"));
  };
  /** The values of the fields, with the answers of the stored contacts. */
  const typed = () => entries.map((entry, index) => {
    /** @param {string} part */
    const value = (part) => {
      const input = rows.querySelector(`[name="contacts[${index}].${part}"]`);
      return input instanceof HTMLInputElement ? input.value.trim() : "";
    };
    return { ...entry, name: value("name"), email: value("email"), phone: value("phone") };
  });
  const draw = () => {
    show(rows, entries.length === 0 && h("p", { class: "muted" }, t("sos.noContacts")),
      entries.map((entry, index) => row(entry, index, () => remove(index))));
    add.disabled = entries.length >= contactsMax;
  };
  draw();

  const send = async (/** @type {string} */ key) => {
    show(result);
    const list = filled(typed()).map(({ name, email, phone }) =>
      phone ? { name, email, phone } : { name, email });
    const answer = await call("POST /sos/contacts", { body: { contacts: list }, key, signal });
    const notAsked = answer.notAsked ?? [];
    if (notAsked.length === 0) {
      announce(t("sos.contactsSaved"));
      onSaved();
    } else {
      show(result, notice("warning", t("sos.notAsked", { emails: notAsked.join(", ") })));
    }
  };
  return h("div", {},
    form({
      content: [rows, h("p", {}, add)], submit: t("sos.saveContacts"), send,
      check: () => check(typed()),
    }),
    result);
}

/** @returns {Entry} */
function empty() {
  return { name: "", email: "", phone: "" };
}

/**
 * Entries without any text are left out.
 * @param {Entry[]} entries
 */
function filled(entries) {
  return entries.filter(({ name, email, phone }) => name || email || phone);
}

/**
 * @param {Entry[]} entries
 * @returns {Record<string, string>}
 */
function check(entries) {
  /** @type {Record<string, string>} */
  const errors = {};
  entries.forEach(({ name, email, phone }, index) => {
    if (!name && !email && !phone) return;
    if (!name) errors[`contacts[${index}].name`] = t("sos.contactName");
    if (!/^\S+@\S+$/.test(email)) errors[`contacts[${index}].email`] = t("sos.contactEmail");
    if (phone && !/^\+[\d ()./-]{8,}$/.test(phone)) {
      errors[`contacts[${index}].phone`] = t("sos.contactPhone");
    }
  });
  return errors;
}

/**
 * @param {Entry} entry
 * @param {number} index
 * @param {() => void} onRemove
 */
function row(entry, index, onRemove) {
  const attributes = { maxlength: 200 };
  const part = (/** @type {string} */ name) => `contacts[${index}].${name}`;
  return h("fieldset", { class: "sos-contact" },
    h("legend", {}, entry.name || t("sos.contact", { number: index + 1 })),
    entry.state && h("p", {}, h("span", {
      class: entry.state === "agreed" ? "tag tag-positive" : "tag tag-warning",
    }, nameOf("sosContact", entry.state.replace(" ", "_")))),
    field({ name: part("name"), label: t("sos.fieldName"), value: entry.name, attributes }).element,
    field({
      name: part("email"), label: t("field.email"), type: "email", value: entry.email,
    }).element,
    field({
      name: part("phone"), label: t("sos.fieldPhone"), type: "tel", value: entry.phone ?? "",
      hint: t("sos.fieldPhoneHint"), required: false,
    }).element,
    h("button", { type: "button", class: "destructive", onclick: onRemove },
      t("sos.removeContact", { name: entry.name || t("sos.contact", { number: index + 1 }) })));
}
