// The privacy policy, the terms and the other documents, for readers without an account too.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { date, language, t } from "../../Client/language.js";
import { operatorContact } from "../../Client/operator.js";
import { inLanguage } from "../../Elements/documentLanguage.js";
import { emptyState } from "../../Elements/notice.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  const { documents } = await call("GET /auth/documents", { signal });
  const contact = operatorContact();
  return h("section", { class: "page" },
    h("h1", {}, t("documents.pageTitle")),
    h("p", {}, t("documents.lead"), " ", h("a", { href: `mailto:${contact}` }, contact)),
    documents.length === 0 && emptyState(t("documents.none")),
    documents.map((document) => section(inLanguage(document, language()))));
}

/** @param {import("../../Elements/documentLanguage.js").ReadDocument} document */
function section({ title, text, version, publishedAt, accountTypes, language }) {
  return h("section", { class: "document" },
    h("h2", { lang: language }, title),
    h("p", { class: "muted small" }, t("documents.version", { version, day: date(publishedAt) }),
      !accountTypes.includes("single") && [" · ", t("documents.forCompanies")]),
    h("div", { class: "document-text whole", lang: language }, text));
}
