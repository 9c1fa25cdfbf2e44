// P33, the requests that a company has sent, newest first.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { follow } from "../../Client/events.js";
import { dateTime, t } from "../../Client/language.js";
import { loadDiseases } from "../../Elements/conditions.js";
import { dataTypeNames, loadDataTypes } from "../../Elements/dataTypes.js";
import { emptyState } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { requestActions } from "../../Elements/requestActions.js";
import {
  canEnd, hasData, periodText, requestAddress, requestStyle, requestTitle, statusTag, statusText,
  subscriptionText,
} from "../../Elements/requests.js";

/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */

const pageSize = 25;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await requestStyle();
  // A reload reads as many requests as are shown, since each of them may have changed.
  let shown = pageSize;
  const list = pagedList({
    signal, label: t("history.title"),
    load: async (cursor) => {
      await Promise.all([loadDataTypes(), loadDiseases(signal)]);
      const limit = cursor === undefined ? shown : pageSize;
      const { requests, next } = await call("GET /req/tp/list", {
        query: { limit, cursor }, signal,
      });
      if (cursor !== undefined) shown = Math.min(shown + requests.length, 500);
      return { items: requests, next };
    },
    key: ({ reqID }) => reqID,
    entry: (request) => item(request, signal, changed),
    empty: () => emptyState(t("history.empty"),
      h("a", { class: "button", href: "/app/research" }, t("history.first"))),
  });
  const changed = () => void list.refresh();
  follow("/req/tp/stream", { signal, events: { answer: changed, ended: changed } });
  return h("section", { class: "page requests" },
    h("h1", {}, t("history.title")),
    h("p", {}, t("history.lead"), " ", h("a", { href: "/app/payments" }, t("payments.title"))),
    list.element);
}

/**
 * @param {SentRequest} request
 * @param {AbortSignal} signal
 * @param {() => void} onChange
 */
function item(request, signal, onChange) {
  const address = requestAddress(request.reqID);
  const actions = requestActions(request, { signal, onChange });
  return h("li", { class: "card" },
    h("h2", {}, h("a", { href: address }, requestTitle(request))),
    h("p", { class: "row" }, statusTag(request),
      h("span", { class: "muted" },
        t(request.kind === "group" ? "sent.kind.group" : "sent.kind.single"))),
    h("p", {}, dataTypeNames(request.dataTypes), " · ", periodText(request), " · ",
      subscriptionText(request)),
    h("p", {}, statusText(request)),
    h("p", { class: "small muted" }, t("sent.asked", { time: dateTime(request.createdAt) })),
    h("p", {}, h("a", { href: address }, t(hasData(request) ? "history.data" : "history.details"))),
    request.status === "payment due" ? actions : actions && h("details", {},
      h("summary", {}, t(canEnd(request) ? "history.actions" : "history.files")), actions));
}
