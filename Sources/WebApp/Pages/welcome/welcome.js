// P1, the first choice: log in, sign up, or watch a run without an account.

import { h, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { currentAccount } from "../../Client/session.js";
import { drawing } from "../../Elements/drawings.js";
import { icon } from "../../Elements/icon.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page() {
  const account = currentAccount();
  if (account && location.pathname === "/app") {
    await go(account.accountType === "tp" ? "/app/research" : "/app/health", { replace: true });
  }
  await Promise.all([
    style("welcome.css", import.meta.url), style("../../Elements/drawings.css", import.meta.url),
  ]);
  return h("div", { class: "welcome" },
    h("div", { class: "welcome-hero" },
      h("div", {},
        h("h1", {}, t("welcome.heading")),
        h("p", { class: "welcome-lead" }, t("welcome.lead")),
        h("div", { class: "welcome-actions" },
          h("a", { class: "button", href: "/app/login" }, t("welcome.login")),
          h("a", { class: "button secondary", href: "/app/signup" }, t("welcome.signup")),
          h("a", { class: "button secondary", href: "/app/runs" },
            icon("watch"), t("welcome.spectate")))),
      h("div", { class: "welcome-drawings" }, drawing("health"), drawing("run"))),
    h("ul", { class: "cards" },
      product("data4help.svg", "Data4Help", t("welcome.data4help")),
      product("automatedsos.svg", "AutomatedSOS", t("welcome.sos")),
      product("track4run.svg", "Track4Run", t("welcome.track4run"))),
    h("p", {}, h("a", { href: "/app/tutorial" }, t("welcome.tutorial"))),
    h("p", {}, h("a", { href: "/app/signup/company" }, t("welcome.business"))));
}

/**
 * @param {string} picture
 * @param {string} name
 * @param {string} text
 */
function product(picture, name, text) {
  const src = new URL(`../../Pictures/${picture}`, import.meta.url).href;
  return h("li", {}, h("div", { class: "card" },
    h("img", { src, alt: "", width: 48, height: 48 }),
    h("h2", {}, name), h("p", {}, text)));
}
