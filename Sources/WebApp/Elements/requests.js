// Requests that a company has sent: addressee, status, period and price in words.

import { call } from "../Client/api.js";
import { h, style } from "../Client/dom.js";
import { dateTime, duration, hasText, nameOf, number, t } from "../Client/language.js";
import { conditionTexts } from "./conditions.js";
import { dataTypeNames } from "./dataTypes.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /req/tp/list"]["answer"]["requests"][number]} SentRequest */

/** Loads the style of these pages, whose outermost element has the class `requests`. */
export function requestStyle() {
  return style("requests.css", import.meta.url);
}

/**
 * The person or group of a request.
 * @param {SentRequest} request
 */
export function requestTitle(request) {
  if (request.kind === "group") return conditionTexts(request.searchParams).join(" · ");
  const named = request.email ?? request.fc ?? "";
  return named === "deleted account" ? t("sent.deleted") : named;
}

/**
 * The status as a coloured word; for a refusal or an end with its reason.
 * @param {SentRequest} request
 */
export function statusTag({ status, reason }) {
  const kind = {
    accepted: "tag-positive", approved: "tag-positive", pending: "", ended: "",
    declined: "tag-negative", expired: "tag-warning", refused: "tag-negative",
    "payment due": "tag-warning",
  }[status];
  const name = nameOf("sent.status", status);
  const text = reason && nameOf("sent.reason", reason);
  // The reason for an end already implies that the request has ended.
  return h("span", { class: `tag ${kind ?? ""}` },
    !text ? name : status === "ended" ? text : `${name}: ${text}`);
}

/**
 * The meaning of the status for the company, and the next step.
 * @param {SentRequest} request
 */
export function statusText(request) {
  const { status, reason, expiresAt, subscribing } = request;
  const until = expiresAt ? dateTime(expiresAt) : "";
  if (status === "pending") return t("sent.text.pending", { until });
  if (status === "ended" && reason) {
    const key = `sent.text.ended.${reason}`;
    if (hasText(key)) return t(key);
  }
  if (status === "refused" && reason) {
    const key = `sent.text.refused.${reason}`;
    if (hasText(key)) return t(key);
  }
  if (status === "accepted" || status === "approved") {
    return subscribing ? t("sent.text.running") : t("sent.text.complete");
  }
  return nameOf("sent.text", status);
}

/**
 * Whether the data can be read: it was accepted, paid, and the person has not ended it.
 * @param {SentRequest} request
 */
export function hasData({ status, reason }) {
  if (status === "accepted" || status === "approved") return true;
  return status === "ended" && (reason === "period over" || reason === "ended by the third party");
}

/**
 * Whether the company can end it.
 * @param {SentRequest} request
 */
export function canEnd({ status, subscribing }) {
  return status === "accepted" || (status === "approved" && subscribing);
}

/**
 * The requested period in words.
 * @param {SentRequest} request
 */
export function periodText({ kind, from, to }) {
  const day = (/** @type {string} */ time) => dateTime(time, { dateStyle: "medium" });
  // The end is the first moment that no longer belongs to the period.
  const last = to ? day(new Date(new Date(to).getTime() - 1).toISOString()) : "";
  if (from && to) return t("sent.period.both", { from: day(from), to: last });
  if (from) return t("sent.period.from", { from: day(from) });
  if (to) return t("sent.period.to", { to: last });
  return kind === "group" ? t("sent.period.standard") : t("sent.period.all");
}

/**
 * Once, or a subscription with its end.
 * @param {SentRequest} request
 */
export function subscriptionText(request) {
  const { kind, status, subscribing, duration: seconds } = request;
  if (!subscribing) return t("sent.once");
  const end = kind === "group" ? request.expiresAt : request.endsAt;
  if (end && status !== "pending") return t("sent.subscribedUntil", { until: dateTime(end) });
  return seconds > 0
    ? t("sent.subscribedFor", { length: duration(seconds) }) : t("sent.subscribed");
}

/**
 * A price in the reader's language.
 * @param {number} cents
 * @param {string} currency
 */
export function money(cents, currency) {
  return number(cents / 100, { style: "currency", currency: currency.toUpperCase() });
}

/**
 * A request as an entry of a list, leading to its data.
 * @param {SentRequest} request
 */
export function requestCard(request) {
  return h("a", { class: "card", href: requestAddress(request.reqID) },
    h("p", { class: "row" }, h("strong", {}, requestTitle(request)), statusTag(request)),
    h("p", {}, dataTypeNames(request.dataTypes)),
    h("p", { class: "small muted" },
      t(request.kind === "group" ? "sent.kind.group" : "sent.kind.single"), " · ",
      t("sent.asked", { time: dateTime(request.createdAt) }), " · ", subscriptionText(request)));
}

/**
 * The page of a request's data.
 * @param {string} reqID
 */
export function requestAddress(reqID) {
  return `/app/history/${encodeURIComponent(reqID)}`;
}

/**
 * Finds a request in the list of all requests, which has no entry by identifier.
 * @param {string} reqID
 * @param {AbortSignal} signal
 * @returns {Promise<SentRequest | null>}
 */
export async function findRequest(reqID, signal) {
  /** @type {string | undefined} */
  let cursor;
  do {
    /** @type {Endpoints["GET /req/tp/list"]["answer"]} */
    const page = await call("GET /req/tp/list", { query: { limit: 500, cursor }, signal });
    const found = page.requests.find((request) => request.reqID === reqID);
    if (found) return found;
    cursor = page.next;
  } while (cursor);
  return null;
}
