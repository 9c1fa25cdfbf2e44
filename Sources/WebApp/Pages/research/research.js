// P30, the home of a company: both kinds of request, and news about earlier ones.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, language, t } from "../../Client/language.js";
import { loadDiseases } from "../../Elements/conditions.js";
import { loadDataTypes } from "../../Elements/dataTypes.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, problemNotice } from "../../Elements/notice.js";
import { money, requestCard, requestStyle } from "../../Elements/requests.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {import("../../Client/language.js").TextKey} TextKey */
/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */

/** How many entries each part shows; the rest is on a page of its own. */
const shown = 4;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await requestStyle();
  const news = h("div", { "aria-busy": "true" });
  const load = async () => {
    try {
      const [requests, payments, notices] = await Promise.all([
        call("GET /req/tp/list", { query: { limit: 100 }, signal }),
        call("GET /req/tp/payments", { query: { limit: 100 }, signal }),
        call("GET /notifications", { query: { language: language(), limit: shown }, signal }),
        loadDataTypes(), loadDiseases(signal),
      ]);
      show(news, due(payments.payments), parts(requests.requests), noticesPart(notices));
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(news, problemNotice(problem, () => void load()));
    } finally {
      news.removeAttribute("aria-busy");
    }
  };
  void load();
  addEventListener("trackme-notice", () => void load(), { signal });
  return h("section", { class: "page requests research" },
    h("h1", {}, t("research.title")),
    h("ul", { class: "cards" },
      kind("/app/research/person", "person", "research.person", "research.personText"),
      kind("/app/research/group", "people", "research.group", "research.groupText")),
    news,
    h("p", { class: "actions" },
      h("a", { class: "button secondary", href: "/app/history" }, icon("list"), t("menu.history")),
      h("a", { class: "button secondary", href: "/app/payments" }, icon("card"),
        t("payments.title")),
      h("a", { class: "button secondary", href: "/app/programs" }, icon("key"),
        t("programs.title"))));
}

/**
 * @param {string} address
 * @param {string} picture
 * @param {TextKey} title
 * @param {TextKey} text
 */
function kind(address, picture, title, text) {
  return h("li", {}, h("a", { class: "card", href: address },
    h("h2", { class: "row" }, icon(picture), t(title)), h("p", {}, t(text))));
}

/** @param {Endpoints["GET /req/tp/payments"]["answer"]["payments"]} payments */
function due(payments) {
  const open = payments.filter((payment) => payment.status === "due");
  const first = open[0];
  if (!first) return null;
  const amount = open.reduce((sum, payment) => sum + payment.amount, 0);
  return h("div", { class: "notice notice-warning" },
    h("p", {}, t("research.due", { count: open.length, amount: money(amount, first.currency) })),
    h("p", {}, h("a", { href: "/app/payments" }, t("research.pay"))));
}

/** @param {SentRequest[]} requests newest first */
function parts(requests) {
  if (requests.length === 0) return emptyState(t("research.empty"));
  const running = requests.filter(({ status, subscribing }) =>
    subscribing && (status === "accepted" || status === "approved"));
  const waiting = requests.filter(({ status }) => status === "pending");
  const answered = requests.filter((request) =>
    request.status !== "pending" && !running.includes(request));
  return [
    part("research.running", running), part("research.answered", answered),
    part("research.waiting", waiting),
  ];
}

/**
 * @param {TextKey} title
 * @param {SentRequest[]} requests
 */
function part(title, requests) {
  if (requests.length === 0) return null;
  return h("section", {},
    h("h2", {}, t(title), " ", h("span", { class: "muted number" }, `(${requests.length})`)),
    h("ul", { class: "cards" },
      requests.slice(0, shown).map((request) => h("li", {}, requestCard(request)))));
}

/** @param {Endpoints["GET /notifications"]["answer"]} notices */
function noticesPart({ items }) {
  if (items.length === 0) return null;
  return h("section", {}, h("h2", {}, t("menu.notifications")),
    h("ul", { class: "plain-list" }, items.map((item) => h("li", {},
      h("p", {}, item.text, " ",
        h("span", { class: "small muted" }, dateTime(item.time)),
        !item.read && [" ", h("span", { class: "tag" }, t("frame.badge"))])))),
    h("p", {}, h("a", { href: "/app/notifications" }, t("research.allNotices"))));
}
