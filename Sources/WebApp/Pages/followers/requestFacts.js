// The terms of a request in words: company, data, length, and the deadline of the answer.

import { h } from "../../Client/dom.js";
import { date, dateTime, duration, relative, t } from "../../Client/language.js";
import { dataTypeGroups, dataTypeName } from "../../Elements/dataTypes.js";
import { isDeleted } from "./terms.js";

/** @typedef {import("./terms.js").Request} Request */
/** @typedef {import("../../Client/dom.js").Child} Child */

/** @param {{company_name?: string}} recipient */
export function companyName(recipient) {
  return isDeleted(recipient) ? t("followers.deletedCompany") : recipient.company_name ?? "";
}

/**
 * A list of facts, each with its name.
 * @param {(readonly [name: string, value: Child] | false | null | undefined)[]} facts
 */
export function factList(facts) {
  return h("dl", { class: "facts" }, facts.map((fact) => (fact
    ? h("div", {}, h("dt", {}, fact[0]), h("dd", {}, fact[1])) : null)));
}

/**
 * Data types by group.
 * @param {readonly string[]} types
 */
export function typeList(types) {
  return h("ul", { class: "plain-list type-list" }, dataTypeGroups(types).map((group) =>
    h("li", {}, h("span", { class: "muted small" }, `${group.title}: `),
      group.types.map(({ dataType: name }) => dataTypeName(name)).join(", "))));
}

/**
 * Once, or a subscription with its length.
 * @param {Request} request
 */
export function extent({ subscribing, duration: seconds, to }) {
  if (!subscribing) return t("followers.once");
  if (seconds > 0) return t("followers.subscription", { duration: duration(seconds) });
  return to === null ? t("followers.subscriptionOpen")
    : t("followers.subscriptionTo", { time: dateTime(to) });
}

/**
 * The time of the samples that are asked for.
 * @param {Request} request
 */
export function period({ from, to }) {
  if (from && to) return t("followers.periodBoth", { from: dateTime(from), to: dateTime(to) });
  if (from) return t("followers.periodFrom", { from: dateTime(from) });
  return to ? t("followers.periodTo", { to: dateTime(to) }) : t("followers.periodAll");
}

/**
 * A company's identity; empty for a deleted one.
 * @param {Request} request
 * @returns {(readonly [string, Child])[]}
 */
export function companyFacts(request) {
  if (isDeleted(request)) return [];
  return [
    [t("followers.piva"), request.piva],
    [t("field.email"), h("a", { href: `mailto:${request.email}` }, request.email)],
  ];
}

/**
 * The run of a check-in, with its start.
 * @param {Request} request
 */
export function runLink({ runName, code, startTime }) {
  const name = runName ?? t("followers.run");
  return [
    code ? h("a", { href: `/app/runs/${encodeURIComponent(code)}` }, name) : name,
    startTime && h("span", { class: "muted" },
      ` · ${dateTime(startTime)} (${relative(startTime)})`),
  ];
}

/** @param {string} time */
export function timeLeft(time) {
  return h("time", { datetime: time }, `${dateTime(time)} (${relative(time)})`);
}

/** @param {string} time */
export function dayOf(time) {
  return h("time", { datetime: time, title: dateTime(time) }, date(time));
}
