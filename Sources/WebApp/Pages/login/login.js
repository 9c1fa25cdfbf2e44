// P1, logging in.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { go, match } from "../../Client/router.js";
import { home, isAmong, logIn } from "../../Client/session.js";
import { field, form } from "../../Elements/form.js";
import { ask } from "../../Elements/dialog.js";
import { notice } from "../../Elements/notice.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export function page({ query }) {
  const email = field({
    name: "email", label: t("field.email"), type: "email", autocomplete: "username",
    value: query.get("email") ?? "",
  });
  const password = field({
    name: "password", label: t("field.password"), type: "password",
    autocomplete: "current-password",
  });
  const help = h("div");

  const send = async () => {
    show(help);
    try {
      await logIn(email.control.value.trim(), password.control.value, false);
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 403) throw problem;
      const replaces = await ask({
        title: t("login.alreadyTitle"), text: t("login.alreadyText"), confirm: t("login.replace"),
      });
      if (!replaces) return;
      await logIn(email.control.value.trim(), password.control.value, true);
    }
    await go(destination(query.get("next")), { replace: true });
  };

  /** @param {Problem} problem */
  const explain = (problem) => {
    if (problem.status !== 401) return null;
    show(help, notice("info", h("p", {}, t("login.notActivated")),
      h("button", {
        type: "button", class: "secondary", onclick: () => void resend(),
      }, t("login.resend"))));
    return { "": t("login.wrong") };
  };

  const resend = async () => {
    try {
      await call("POST /auth/activ/resend", { body: { email: email.control.value.trim() } });
      show(help, notice("success", t("login.resent")));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(help, notice("error", problem.detail));
    }
  };

  return h("section", { class: "page" },
    h("h1", {}, t("login.title")),
    query.get("next") && notice("info",
      query.has("ended") ? t("login.ended") : t("login.toContinue")),
    form({
      content: [email.element, password.element], submit: t("login.submit"), send, explain,
      check: () => ({
        ...(email.control.value.trim() ? {} : { email: t("login.emailMissing") }),
        ...(password.control.value ? {} : { password: t("login.passwordMissing") }),
      }),
    }),
    help,
    h("p", {}, h("a", { href: "/app/password" }, t("login.forgot"))),
    h("p", {}, t("login.notMember"), " ", h("a", { href: "/app/signup" }, t("menu.signup"))),
    h("p", {}, h("a", { href: "/app/signup/company" }, t("welcome.business"))));
}

/**
 * The page after a login: the one that required it, or the home of the account. Addresses of
 * other sites and pages of the other kind of account are ignored.
 * @param {string | null} next
 */
function destination(next) {
  const isOwn = next !== null && next.startsWith("/") && !next.startsWith("//");
  const found = isOwn ? match(new URL(next, location.origin).pathname) : null;
  return isOwn && found && isAmong(found.route.reader) ? next : home();
}
