// The documents that a registration consents to: a box for each, with its text.

import { call } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { date, language, t } from "../Client/language.js";
import { inLanguage } from "./documentLanguage.js";
import { checkbox } from "./form.js";

/** @typedef {import("./documentLanguage.js").LegalDocument} LegalDocument */
/** @typedef {import("./documentLanguage.js").ReadDocument} ReadDocument */
/** @typedef {Pick<LegalDocument, "document" | "version">} Consent */

/**
 * Loads the documents for a kind of account and creates their boxes. Without published documents
 * the element stays hidden.
 * @param {"single" | "tp"} accountType
 * @param {AbortSignal} signal
 */
export async function consentFields(accountType, signal) {
  const list = h("div");
  const element = h("fieldset", { class: "field documents", "data-field": "consents" },
    h("legend", {}, t("documents.title")), h("p", { class: "error" }), list);
  /** @type {{document: ReadDocument, box: ReturnType<typeof checkbox>}[]} */
  let entries = [];

  /** Reloads the documents, in case a version was published while the form was open. */
  const load = async () => {
    const { documents } = await call("GET /auth/documents", { signal });
    const boxes = entries.map(({ box }) => box);
    const ticked = new Set(boxes.filter((box) => box.control.checked).map((box) => box.name));
    const own = documents.filter((each) => each.accountTypes.includes(accountType))
      .map((each) => inLanguage(each, language()));
    entries = own.map((document) => {
      const name = boxName(document);
      const label = t("documents.accept", { title: document.title });
      return { document, box: checkbox({ name, label, checked: ticked.has(name) }) };
    });
    element.hidden = entries.length === 0;
    show(list, entries.map(({ document, box }) => h("div", { class: "document" },
      reading(document), box.element)));
  };

  await load();
  return {
    element, load,
    /** @returns {Consent[]} */
    consents: () => entries.filter(({ box }) => box.control.checked)
      .map(({ document: { document, version } }) => ({ document, version })),
    /** The boxes without a tick, as errors by field. */
    check: () => Object.fromEntries(entries.filter(({ box }) => !box.control.checked)
      .map(({ document, box }) => [box.name, t("documents.missing", { title: document.title })])),
  };
}

/**
 * The version is part of the name: a draft does not tick a version that the reader has not seen.
 * @param {LegalDocument} document
 */
function boxName({ document, version }) {
  return `consents.${document}.${version}`;
}

/** @param {ReadDocument} document */
function reading({ title, text, version, publishedAt, language }) {
  return h("details", {},
    h("summary", {}, t("documents.read", { title })),
    h("p", { class: "muted small" }, t("documents.version", { version, day: date(publishedAt) })),
    h("div", {
      class: "document-text", tabindex: 0, role: "region", "aria-label": title, lang: language,
    }, text));
}
