// P10, My Health: AutomatedSOS, a tile for each type, statistics, and the details of one type.

import { call } from "../../Client/api.js";
import { h, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { currentAccount } from "../../Client/session.js";
import { fill, latest } from "../../Client/work.js";
import { dataType, loadDataTypes } from "../../Elements/dataTypes.js";
import { emptyState, notice } from "../../Elements/notice.js";
import { periodOf, timespan, timespanFrom, timespanInto } from "../../Elements/timespan.js";
import { details } from "./details.js";
import { sosCard } from "./sosCard.js";
import { statisticsTable } from "./statistics.js";
import { tiles } from "./tiles.js";
import { inTileOrder } from "./values.js";

/** @typedef {import("../../Elements/timespan.js").Period} Period */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  await Promise.all([
    style("../../Style/data.css", import.meta.url), style("health.css", import.meta.url),
    loadDataTypes(signal),
  ]);
  const type = dataType(query.get("type") ?? "");
  return type?.kind === "number"
    ? details(type.dataType, query, signal) : overview(query, signal);
}

/**
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
function overview(query, signal) {
  const content = h("div");
  const next = latest(signal);
  const load = (/** @type {Period} */ period) => {
    const work = next();
    return fill(content, work, () => summary(period, query, work));
  };
  const value = timespanFrom(query, new Date());
  const span = timespan({
    value,
    onChange: (chosen, period) => {
      timespanInto(chosen, query);
      history.replaceState(null, "", `${location.pathname}?${query}`);
      void load(period);
    },
  });
  timespanInto(value, query);
  void load(periodOf(value, new Date()) ?? {});
  return h("section", { class: "page health" },
    h("h1", {}, t("health.welcome", { name: currentAccount()?.full_name ?? "" })),
    sosCard(signal), span.element, content);
}

/**
 * Tiles and statistics of a period.
 * @param {Period} period
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
async function summary(period, query, signal) {
  const { dataTypes } = await call("GET /data/stats", { query: period, signal });
  if (dataTypes.length === 0) return nothing(signal);
  const types = await loadDataTypes(signal);
  const statistics = inTileOrder(dataTypes, types.map((type) => type.dataType));
  return h("div", {},
    h("h2", { class: "visually-hidden" }, t("health.values")),
    tiles(statistics, period, query.toString(), signal),
    h("p", {}, h("a", { href: "/app/data" }, t("health.more"))),
    h("section", {}, h("h2", {}, t("health.statistics")), statisticsTable(statistics)));
}

/**
 * The reason for missing numbers: no data in the period, or no data at all.
 * @param {AbortSignal} signal
 */
async function nothing(signal) {
  const { oldest } = await call("GET /data/quota", { signal });
  if (oldest !== null) {
    return notice("info", h("p", {}, t("health.nothingInPeriod")),
      h("p", {}, h("a", { href: "/app/data" }, t("health.more"))));
  }
  return emptyState(t("health.empty"),
    h("a", { class: "button", href: "/app/data?part=add" }, t("health.enter")),
    h("a", { class: "button secondary", href: "/app/data?part=import" }, t("health.import")),
    h("a", { class: "button secondary", href: "/app/devices" }, t("health.pair")));
}
