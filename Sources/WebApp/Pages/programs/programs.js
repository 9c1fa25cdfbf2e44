// P35, the programs of a company: API keys and callback.

import { h, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { requestStyle } from "../../Elements/requests.js";
import { callbackSection } from "./callback.js";
import { keysSection } from "./keys.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await Promise.all([style("programs.css", import.meta.url), requestStyle()]);
  return h("section", { class: "page requests" },
    h("p", {}, h("a", { href: "/app/research" }, t("action.back"))),
    h("h1", {}, t("programs.title")), h("p", {}, t("programs.lead")),
    keysSection(signal), callbackSection(signal));
}
