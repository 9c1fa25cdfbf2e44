// Answered requests: accepted ones in force, and ended ones.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { nameOf, t } from "../../Client/language.js";
import { dataTypeNames } from "../../Elements/dataTypes.js";
import { ask } from "../../Elements/dialog.js";
import { icon } from "../../Elements/icon.js";
import { problemNotice, toast } from "../../Elements/notice.js";
import {
  companyFacts, companyName, dayOf, extent, factList, period, runLink, timeLeft, typeList,
} from "./requestFacts.js";
import { canBeEnded, isDeleted } from "./terms.js";

/** @typedef {import("./terms.js").Request} Request */

/**
 * Draws a request that is in force, with the button that ends it.
 * @param {Request} request
 * @param {() => Promise<void>} onEnded
 */
export function followerEntry(request, onEnded) {
  const isCheckIn = request.kind === "check-in";
  return h("li", {}, h("article", { class: "card request" },
    h("h3", {}, companyName(request)),
    h("p", { class: "row" },
      h("span", { class: "tag tag-positive" },
        t(request.subscribing ? "followers.following" : "followers.mayDownload")),
      request.status === "payment due" && h("span", { class: "tag tag-warning" },
        t("followers.status.payment due")),
      request.preconfirmed && h("span", { class: "tag" }, t("followers.preconfirmed"))),
    factList([
      isCheckIn && [t("followers.run"), runLink(request)],
      [t("followers.receives"), typeList(request.acceptedTypes ?? request.dataTypes)],
      !isCheckIn && [t("followers.period"), period(request)],
      [t("followers.askedOn"), dayOf(request.createdAt)],
      request.endsAt !== undefined && [t("followers.until"), timeLeft(request.endsAt)],
      ...companyFacts(request),
    ]),
    ending(request, onEnded)));
}

/**
 * Draws a request that is over.
 * @param {Request} request
 * @param {() => Promise<void>} onEnded
 */
export function pastEntry(request, onEnded) {
  const { status, reason, kind, dataTypes, acceptedTypes } = request;
  return h("li", {}, h("article", { class: "card request" },
    h("h3", {}, companyName(request)),
    h("p", {}, h("span", { class: "tag" }, nameOf("followers.status", status)),
      reason !== undefined && ` ${nameOf("followers.reason", reason)}`),
    h("p", {}, dataTypeNames(acceptedTypes ?? dataTypes)),
    h("details", {}, h("summary", {}, t("followers.details")),
      factList([
        kind === "check-in" && [t("followers.run"), runLink(request)],
        [t("followers.asksFor"), typeList(dataTypes)],
        acceptedTypes !== null && acceptedTypes.length < dataTypes.length
          && [t("followers.acceptedTypes"), typeList(acceptedTypes)],
        [t("followers.how"), extent(request)],
        [t("followers.period"), period(request)],
        [t("followers.askedOn"), dayOf(request.createdAt)],
        ...companyFacts(request),
      ])),
    canBeEnded(request) && ending(request, onEnded)));
}

/**
 * @param {Request} request
 * @param {() => Promise<void>} onEnded
 */
function ending(request, onEnded) {
  const message = h("div");
  const isOver = request.status === "ended";
  const name = companyName(request);
  const verb = isOver ? t("followers.withdrawName") : t("followers.end");

  const end = async () => {
    const isSure = await ask({
      title: t(isOver ? "followers.withdrawTitle" : "followers.endTitle", { name }),
      text: h("p", {}, endText(request)), confirm: verb, isDestructive: true,
    });
    if (!isSure) return;
    button.disabled = true;
    show(message);
    try {
      await call("POST /req/single/end", { body: { reqID: request.reqID }, key: newKey() });
      toast(t(isOver ? "followers.withdrawn" : "followers.endedNow", { name }));
      await onEnded();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // 409: it has ended meanwhile, by its period or by the company.
      if (problem.status === 409) await onEnded();
      else show(message, problemNotice(problem));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { type: "button", class: "destructive", onclick: () => void end() },
    icon("close"), verb);
  return isDeleted(request) ? null : [message, h("p", { class: "actions" }, button)];
}

/** @param {Request} request */
function endText(request) {
  const name = companyName(request);
  if (request.status === "ended") return t("followers.withdrawText", { name });
  if (request.kind === "check-in") return t("followers.endCheckInText", { name });
  return t(request.subscribing ? "followers.endText" : "followers.endOnceText", { name });
}
