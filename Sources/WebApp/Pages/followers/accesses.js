// Every delivery of the reader's data to others: by recipient and day, or one by one.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { date, dateTime, nameOf, t } from "../../Client/language.js";
import { dataTypeNames } from "../../Elements/dataTypes.js";
import { emptyState } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { companyName } from "./requestFacts.js";

/** @typedef {import("../../Client/types").Endpoints["GET /data/accesses"]["answer"]} Answer */
/** @typedef {Extract<Answer, {days: unknown}>["days"][number]} Day */
/** @typedef {Extract<Answer, {accesses: unknown}>["accesses"][number]} Access */

/**
 * Creates the part of the page.
 * @param {boolean} isDetailed one by one
 * @param {AbortSignal} signal
 */
export function accessPart(isDetailed, signal) {
  /** @type {[boolean, string, string][]} */
  const views = [
    [false, "/app/followers?part=accesses", t("followers.byDay")],
    [true, "/app/followers?part=accesses&view=each", t("followers.oneByOne")],
  ];
  return [
    h("p", {}, t("followers.accessesText")),
    h("p", {}, h("span", { class: "segments", role: "group", "aria-label": t("followers.view") },
      views.map(([value, href, text]) => h("a", {
        href, "aria-current": value === isDetailed ? "true" : null,
      }, text)))),
    (isDetailed ? eachAccess(signal) : accessesByDay(signal)).element,
  ];
}

const nothingYet = () => emptyState(t("followers.noAccesses"));

/** @param {AbortSignal} signal */
function accessesByDay(signal) {
  return pagedList({
    signal, label: t("followers.accesses"), empty: nothingYet,
    key: (/** @type {Day} */ each) => [each.date, each.piva, each.company_name].join("|"),
    load: async (cursor) => {
      const answer = await call("GET /data/accesses", { query: { by: "day", cursor }, signal });
      return { items: "days" in answer ? answer.days : [], next: answer.next };
    },
    entry: (day, previous) => h("li", {},
      previous?.date !== day.date && h("h3", { class: "day" }, date(day.date)),
      h("div", { class: "access" },
        h("p", { class: "access-head" }, h("strong", {}, recipient(day)),
          h("span", { class: "muted small" },
            [...amount(day.samples), t("followers.deliveries", { count: day.deliveries })]
              .join(" · "))),
        h("p", {}, what(day.dataTypes)))),
  });
}

/** @param {AbortSignal} signal */
function eachAccess(signal) {
  return pagedList({
    signal, label: t("followers.accesses"), empty: nothingYet,
    key: (/** @type {Access} */ each) => String(each.number),
    load: async (cursor) => {
      const answer = await call("GET /data/accesses", { query: { cursor }, signal });
      return { items: "accesses" in answer ? answer.accesses : [], next: answer.next };
    },
    entry: (access) => h("li", {}, h("div", { class: "access" },
      h("p", { class: "access-head" },
        h("strong", {}, access.contact ?? recipient(access)),
        access.episodeID !== undefined && h("a", { class: "tag tag-warning", href: "/app/sos" },
          t("followers.emergency")),
        h("time", { class: "muted small", datetime: access.time }, dateTime(access.time))),
      h("p", {}, what(access.dataTypes)),
      h("p", { class: "muted small" },
        [nameOf("followers.format", access.format), ...amount(access.samples)].join(" · ")))),
  });
}

/** @param {{company_name?: string}} access */
function recipient(access) {
  return access.company_name === undefined
    ? t("followers.emergencyRecipients") : companyName(access);
}

/** @param {readonly string[]} types */
function what(types) {
  return types.length > 0 ? dataTypeNames(types) : t("followers.noSamples");
}

/** @param {number} samples */
function amount(samples) {
  return samples > 0 ? [t("followers.samples", { count: samples })] : [];
}
