// P33, one request: its state, actions and data.

import { Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { follow } from "../../Client/events.js";
import { dateTime, nameOf, t } from "../../Client/language.js";
import { conditionTexts, loadDiseases } from "../../Elements/conditions.js";
import { dataTypeNames, loadDataTypes } from "../../Elements/dataTypes.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { requestActions } from "../../Elements/requestActions.js";
import {
  findRequest, hasData, money, periodText, requestStyle, requestTitle, statusTag, statusText,
  subscriptionText,
} from "../../Elements/requests.js";
import { groupData } from "./groupData.js";
import { singleData } from "./singleData.js";
import { childSignal } from "./views.js";

/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */
/** @typedef {import("./singleData.js").Live} Live */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, signal }) {
  const reqID = parameters.reqID ?? "";
  const [request] = await Promise.all([
    findRequest(reqID, signal), loadDataTypes(), loadDiseases(signal),
    style("requestData.css", import.meta.url), requestStyle(),
  ]);
  const back = h("p", {}, h("a", { href: "/app/history" }, t("requestData.back")));
  if (!request) {
    return h("section", { class: "page requests" }, back, h("h1", {}, t("requestData.title")),
      notice("error", t("requestData.unknown")));
  }
  const summary = h("div");
  const data = h("div", { class: "request-data" });
  const failure = h("div");
  /** @type {Live | null} */
  let live = null;
  let shown = "";
  let view = childSignal(signal);

  /** @param {SentRequest} current */
  const draw = (current) => {
    const onChange = () => void reload();
    show(summary, facts(current), requestActions(current, { signal, onChange }));
    // Events other than an answer or an end do not change the view of the data.
    const state = hasData(current) ? current.status : "";
    if (state === shown) return;
    shown = state;
    live = null;
    view.abort();
    view = childSignal(signal);
    if (state === "") show(data);
    else if (current.kind === "group") show(data, groupData(current, view.signal));
    else {
      const single = singleData(current, view.signal);
      live = single.live;
      show(data, single.element);
    }
  };
  const reload = async () => {
    try {
      const current = await findRequest(reqID, signal);
      show(failure);
      if (current) draw(current);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(failure, problemNotice(problem, () => void reload()));
    }
  };
  draw(request);
  /** @type {(handle: (data: any) => void) => (event: any) => void} */
  const ours = (handle) => (event) => {
    if (event?.data?.reqID === reqID) handle(event.data);
  };
  follow("/req/tp/stream", {
    signal,
    events: {
      data: ours((part) => live?.onData(part.samples)),
      erased: ours((part) => live?.onErased(part)),
      unavailable: ours((part) => live?.onUnavailable(part)),
      answer: ours(() => void reload()),
      ended: ours(() => void reload()),
    },
    onConnection: (cutOffSince) => live?.onConnection(cutOffSince),
  });
  // The conditions of a group are too long for a heading; they are among the facts.
  const title = request.kind === "group" ? t("requestGroup.title") : requestTitle(request);
  return h("section", { class: "page requests" }, back,
    h("h1", {}, breakable(title)), failure, summary, data);
}

/**
 * A text that breaks before the `@` of an address, if it is longer than the line.
 * @param {string} text
 * @returns {import("../../Client/dom.js").Child}
 */
function breakable(text) {
  const at = text.indexOf("@");
  return at < 0 ? text : [text.slice(0, at), h("wbr"), text.slice(at)];
}

/** @param {SentRequest} request */
function facts(request) {
  const { kind, groupBy, dataTypes, acceptedTypes, status } = request;
  const isPart = acceptedTypes !== null && acceptedTypes.length < dataTypes.length;
  /** @type {[string, import("../../Client/dom.js").Child][]} */
  const rows = [
    [t("requestData.status"), [statusTag(request), " ", statusText(request)]],
    [t("requestData.kind"), t(kind === "group" ? "sent.kind.group" : "sent.kind.single")],
    [t("requestData.types"), dataTypeNames(dataTypes)],
  ];
  if (isPart) rows.push([t("requestData.acceptedTypes"), dataTypeNames(acceptedTypes)]);
  if (kind === "group") {
    rows.push([t("requestData.conditions"), h("ul", { class: "plain-list" },
      conditionTexts(request.searchParams).map((text) => h("li", {}, text)))]);
  }
  if (groupBy) rows.push([t("requestGroup.groupBy"), nameOf("groupBy", groupBy)]);
  rows.push([t("terms.period"), periodText(request)],
    [t("terms.subscription"), subscriptionText(request)],
    [t("requestData.askedAt"), dateTime(request.createdAt)]);
  if (status === "pending" && request.expiresAt) {
    rows.push([t("requestData.answerBy"), dateTime(request.expiresAt)]);
  }
  if (request.amountDue > 0) {
    rows.push([t("requestData.amount"), money(request.amountDue, request.currency)]);
  }
  return h("dl", { class: "facts" },
    rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
