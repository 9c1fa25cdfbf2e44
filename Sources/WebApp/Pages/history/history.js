// P33, the requests that a company has sent, newest first.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { follow } from "../../Client/events.js";
import { dateTime, t } from "../../Client/language.js";
import { loadDiseases } from "../../Elements/conditions.js";
import { dataTypeNames, loadDataTypes } from "../../Elements/dataTypes.js";
import { emptyState, problemNotice } from "../../Elements/notice.js";
import { requestActions } from "../../Elements/requestActions.js";
import {
  canEnd, hasData, periodText, requestAddress, requestStyle, requestTitle, statusTag, statusText,
  subscriptionText,
} from "../../Elements/requests.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */

const pageSize = 25;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await requestStyle();
  const list = h("ul", { class: "plain-list" });
  const end = h("div", { role: "status" }, t("history.loading"));
  let turn = 0;
  let count = pageSize;

  /** @param {string} [cursor] undefined: from the newest request on */
  const load = async (cursor) => {
    if (cursor === undefined) turn += 1;
    const current = turn;
    try {
      await Promise.all([loadDataTypes(signal), loadDiseases(signal)]);
      const limit = cursor === undefined ? count : pageSize;
      const answer = await call("GET /req/tp/list", { query: { limit, cursor }, signal });
      if (current !== turn) return;
      add(answer, cursor);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(end, problemNotice(problem, () => void load(cursor)));
    }
  };

  /**
   * @param {Endpoints["GET /req/tp/list"]["answer"]} answer
   * @param {string | undefined} cursor
   */
  const add = ({ requests, next }, cursor) => {
    const reload = () => void load();
    const items = requests.map((request) => item(request, signal, reload));
    if (cursor === undefined) show(list, items);
    else {
      list.append(...items);
      // A reload after an event shows as many entries as before.
      count = Math.min(count + pageSize, 500);
      items[0]?.querySelector("a")?.focus();
    }
    const more = () => void load(next);
    if (list.children.length === 0) {
      show(end, emptyState(t("history.empty"),
        h("a", { class: "button", href: "/app/research" }, t("history.first"))));
    } else {
      show(end, next && h("p", { class: "actions" },
        h("button", { type: "button", class: "secondary", onclick: more }, t("action.more"))));
    }
  };

  void load();
  const changed = () => {
    // A list in use keeps its fields and its focus; the next event or visit renews it.
    if (!list.contains(document.activeElement)) void load();
  };
  follow("/req/tp/stream", { signal, events: { answer: changed, ended: changed } });
  return h("section", { class: "page requests" },
    h("h1", {}, t("history.title")),
    h("p", {}, t("history.lead"), " ", h("a", { href: "/app/payments" }, t("payments.title"))),
    list, end);
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
