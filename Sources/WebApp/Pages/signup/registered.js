// The common part of both registrations: sending, texts for refusals, and the next page.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { language, t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { field, form } from "../../Elements/form.js";
import { notice } from "../../Elements/notice.js";

/** @typedef {{language: "it" | "en", time_zone?: string}} Locale */

const storageKey = "trackme.registered";

/**
 * Registers with the language of the page and the time zone of the browser.
 * @param {(locale: Locale, key: string) => Promise<unknown>} send
 * @param {string} key
 */
export async function register(send, key) {
  const locale = { language: language() };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  try {
    await send({ ...locale, time_zone: timeZone }, key);
  } catch (problem) {
    // A browser may use a name that the server's time zone database lacks.
    if (!(problem instanceof Problem) || problem.field !== "time_zone") throw problem;
    await send(locale, newKey());
  }
}

/**
 * Texts for a refusal by its field.
 * @param {Problem} problem
 * @param {Record<string, string>} words texts by the field's name, up to a dot or bracket
 * @returns {Record<string, string> | null} null: the text of the API
 */
export function refusal(problem, words) {
  const name = problem.field?.replace(/[.[].*$/, "");
  if (!name) return null;
  if (problem.error === "Already registered") return { [name]: taken(name) ?? problem.detail };
  const word = words[name];
  return word ? { [name]: word } : null;
}

/** @param {string} name */
function taken(name) {
  switch (name) {
    case "email": return t("signup.taken.email");
    case "fc": return t("signup.taken.fc");
    case "piva": return t("signup.taken.piva");
    case "company_name": return t("signup.taken.company_name");
    default: return null;
  }
}

/**
 * Shows the page after a registration. The email stays out of the address.
 * @param {string} email
 * @param {"person" | "child" | "company"} kind
 */
export async function goToSent(email, kind) {
  sessionStorage.setItem(storageKey, email);
  await go(`/app/signup?sent=${kind}`, { replace: true });
}

/**
 * The page after a registration: the way to the link, and to a new one.
 * @param {boolean} isChild whether a parent also confirms
 */
export function sentPage(isChild) {
  const address = sessionStorage.getItem(storageKey) ?? "";
  const email = field({
    name: "email", label: t("field.email"), type: "email", autocomplete: "username", value: address,
  });
  const answer = h("div");
  /** @returns {Record<string, string>} */
  const check = () => (email.control.value.trim() ? {} : { email: t("login.emailMissing") });
  const resend = async () => {
    show(answer);
    await call("POST /auth/activ/resend", { body: { email: email.control.value.trim() } });
    show(answer, notice("success", h("p", {}, t("login.resent"))));
  };
  return h("section", { class: "page" },
    h("h1", {}, t("sent.heading")),
    h("p", {}, address ? t("sent.text", { email: address }) : t("sent.textWithoutEmail")),
    isChild && notice("info", h("p", {}, t("sent.child"))),
    h("p", {}, t("sent.hours")),
    h("p", {}, h("a", { class: "button", href: "/app/login" }, t("sent.login"))),
    h("h2", {}, t("sent.nothing")),
    h("ul", {}, h("li", {}, t("sent.spam")), h("li", {}, t("sent.typo"), " ",
      h("a", { href: "/app/signup" }, t("sent.again")))),
    form({ content: [email.element], submit: t("login.resend"), send: resend, check }),
    answer);
}
