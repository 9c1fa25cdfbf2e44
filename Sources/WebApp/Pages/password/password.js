// P6, asking for the link that resets a lost password. The link opens a page of the server.

import { call } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { isEmail } from "../../Client/rules.js";
import { field, form } from "../../Elements/form.js";
import { notice } from "../../Elements/notice.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export function page({ query }) {
  const email = field({
    name: "email", label: t("field.email"), type: "email", autocomplete: "username",
    value: query.get("email") ?? "",
  });
  const address = () => email.control.value.trim();
  const answer = h("div");
  const send = async () => {
    show(answer);
    await call("POST /auth/password/forgot", { body: { email: address() } });
    const sent = notice("success", h("h2", {}, t("password.sentTitle")),
      h("p", {}, t("password.sent", { email: address() })), h("p", {}, t("password.hour")));
    sent.tabIndex = -1;
    show(answer, sent);
    sent.focus();
  };
  return h("section", { class: "page" },
    h("h1", {}, t("password.title")),
    h("p", {}, t("password.lead")),
    answer,
    form({
      content: [email.element], submit: t("password.submit"), send, draft: "password",
      check: () => {
        /** @type {Record<string, string>} */
        const none = {};
        if (!address()) return { email: t("login.emailMissing") };
        return isEmail(address()) ? none : { email: t("credentials.emailWrong") };
      },
    }),
    h("p", { class: "muted" }, t("password.ends")),
    h("p", {}, h("a", { href: "/app/login" }, t("password.toLogin"))));
}
