// Consents, and newer versions of their documents.

import { h } from "../../Client/dom.js";
import { date, dateTime, nameOf, t } from "../../Client/language.js";
import { checkbox } from "../../Elements/form.js";
import { notice } from "../../Elements/notice.js";

/** @typedef {import("../../Elements/documentLanguage.js").ReadDocument} ReadDocument */
/** @typedef {import("./changes.js").Consent} Consent */

/**
 * The item that consents to newer versions.
 * @param {readonly ReadDocument[]} documents
 * @returns {import("./items.js").Item}
 */
export function consentItem(documents) {
  return {
    name: "consents", label: t("settings.newDocuments"), verb: t("settings.readAndAccept"),
    shown: documents.map(({ title, version }) => t("settings.document", { title, version }))
      .join(", "),
    edit: () => {
      const entries = documents.map((document) => ({
        document,
        box: checkbox({
          name: `consents.${document.document}.${document.version}`,
          label: t("settings.consentTo", { title: document.title }),
        }),
      }));
      return {
        element: h("fieldset", { class: "field documents", "data-field": "consents" },
          h("legend", {}, t("settings.newDocuments")), h("p", { class: "error" }),
          entries.map(({ document, box }) => h("div", { class: "document" },
            reading(document), box.element))),
        value: () => entries.filter(({ box }) => box.control.checked)
          .map(({ document: { document, version } }) => ({ document, version })),
      };
    },
  };
}

/** @param {ReadDocument} document */
function reading({ title, text, version, publishedAt, language }) {
  return h("details", {},
    h("summary", {}, t("settings.readDocument", { title })),
    h("p", { class: "muted small" }, t("settings.document", { title, version }), " · ",
      h("time", { datetime: publishedAt }, date(publishedAt))),
    h("div", {
      class: "document-text", tabindex: 0, role: "region", "aria-label": title, lang: language,
    }, text));
}

/**
 * The record of consents, and new documents.
 * @param {readonly Consent[]} consents
 * @param {readonly ReadDocument[]} documents all published ones
 * @param {readonly ReadDocument[]} fresh those without consent
 */
export function consentRecord(consents, documents, fresh) {
  const title = (/** @type {Consent} */ { document }) =>
    documents.find((each) => each.document === document)?.title
      ?? nameOf("settings.document", document);
  return [
    fresh.length > 0 && notice("warning",
      h("p", {}, t("settings.newVersions", { count: fresh.length }))),
    consents.length === 0
      ? h("p", { class: "muted" }, t("settings.noConsents"))
      : h("ul", {}, consents.map((consent) => h("li", {},
        t("settings.document", { title: title(consent), version: consent.version }), " · ",
        h("time", { datetime: consent.givenAt }, dateTime(consent.givenAt))))),
    documents.map(reading),
  ];
}
