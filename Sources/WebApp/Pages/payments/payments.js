// P34, payments due and made.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { dateTime, nameOf, t } from "../../Client/language.js";
import { loadDiseases } from "../../Elements/conditions.js";
import { loadDataTypes } from "../../Elements/dataTypes.js";
import { icon } from "../../Elements/icon.js";
import { emptyState } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { busy, pay } from "../../Elements/requestActions.js";
import { money, requestAddress, requestStyle, requestTitle } from "../../Elements/requests.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /req/tp/payments"]["answer"]["payments"][number]} Payment */
/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */

const pageSize = 50;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await requestStyle();
  const failure = h("div");
  /** @type {Map<string, SentRequest>} */
  const requests = new Map();
  const list = pagedList({
    signal, label: t("payments.title"),
    load: async (cursor) => {
      if (requests.size === 0) await readRequests(requests, signal);
      const { payments, next } = await call("GET /req/tp/payments", {
        query: { limit: pageSize, cursor }, signal,
      });
      return { items: payments, next };
    },
    key: ({ reqID, dueSince }) => `${reqID} ${dueSince}`,
    entry: (payment) => card(payment, requests, failure),
    empty: () => emptyState(t("payments.empty")),
  });
  // The return from the broker's page, including one from the browser's page cache.
  addEventListener("pageshow", (event) => {
    if (event.persisted) void list.refresh();
  }, { signal });
  return h("section", { class: "page requests" },
    h("p", {}, h("a", { href: "/app/research" }, t("action.back"))),
    h("h1", {}, t("payments.title")),
    h("p", {}, t("payments.lead")), failure, list.element);
}

/**
 * Reads the newest requests, for the names of the payments; older ones show their identifier.
 * @param {Map<string, SentRequest>} requests
 * @param {AbortSignal} signal
 */
async function readRequests(requests, signal) {
  const [list] = await Promise.all([
    call("GET /req/tp/list", { query: { limit: 500 }, signal }),
    loadDataTypes(), loadDiseases(signal),
  ]);
  for (const request of list.requests) requests.set(request.reqID, request);
}

/**
 * @param {Payment} payment
 * @param {Map<string, SentRequest>} requests
 * @param {HTMLElement} failure
 */
function card(payment, requests, failure) {
  const request = requests.get(payment.reqID);
  const kind = { due: "tag-warning", paid: "tag-positive", dropped: "" }[payment.status];
  const name = request ? requestTitle(request) : payment.reqID;
  return h("li", {}, h("div", { class: "card" },
    h("p", { class: "row" },
      h("strong", { class: "number" }, money(payment.amount, payment.currency)),
      h("span", { class: `tag ${kind}` }, nameOf("payments", payment.status))),
    h("p", {}, h("a", { href: requestAddress(payment.reqID) }, name)),
    h("p", { class: "small muted" }, t("payments.since", { time: dateTime(payment.dueSince) }),
      payment.paidAt && ` · ${t("payments.paidAt", { time: dateTime(payment.paidAt) })}`),
    payment.status === "dropped" && h("p", { class: "small" }, t("payments.droppedText")),
    payment.status === "due" && h("p", {}, h("button", {
      type: "button", "aria-label": t("payments.payNamed", { name }),
      onclick: () => void busy(failure, () => pay(payment.reqID)),
    }, icon("card"), t("payments.pay")))));
}
