// P3, the kind of account; after the registration, the same address refers to the mail.

import { h, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { sentPage } from "./registered.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query }) {
  const sent = query.get("sent");
  if (sent !== null) return sentPage(sent === "child");
  await style("signup.css", import.meta.url);
  return h("section", { class: "page signup" },
    h("h1", {}, t("signup.heading")),
    h("p", {}, t("signup.lead")),
    h("ul", { class: "cards" },
      kind("person", "/app/signup/person", t("signup.person"), t("signup.personText"),
        t("signup.personNeeds")),
      kind("company", "/app/signup/company", t("signup.company"), t("signup.companyText"),
        t("signup.companyNeeds"))),
    h("p", {}, t("signup.spectator"), " ", h("a", { href: "/app/runs" }, t("menu.watch"))),
    h("p", {}, t("signup.member"), " ", h("a", { href: "/app/login" }, t("menu.login"))),
    h("p", {}, h("a", { href: "/app/tutorial" }, t("welcome.tutorial"))));
}

/**
 * @param {string} picture
 * @param {string} address
 * @param {string} name
 * @param {string} text
 * @param {string} needs the required information
 */
function kind(picture, address, name, text, needs) {
  return h("li", {}, h("a", { class: "card signup-kind", href: address },
    icon(picture), h("h2", {}, name), h("p", {}, text), h("p", { class: "muted small" }, needs)));
}
