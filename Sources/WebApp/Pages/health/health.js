// P10, My Health: AutomatedSOS, a tile for each type, statistics, and the details of one type.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { keepInAddress } from "../../Client/router.js";
import { currentAccount } from "../../Client/session.js";
import { fill, latest } from "../../Client/work.js";
import { prepareChart } from "../../Elements/chart.js";
import { dataType, loadDataTypes } from "../../Elements/dataTypes.js";
import { emptyState, notice } from "../../Elements/notice.js";
import { periodOf, timespan, timespanFrom, timespanInto } from "../../Elements/timespan.js";
import { details } from "./details.js";
import { sosCard } from "./sosCard.js";
import { statisticsTable } from "./statistics.js";
import { tiles } from "./tiles.js";
import { inTileOrder } from "./values.js";

/** @typedef {import("../../Elements/timespan.js").Period} Period */
/** @typedef {import("./values.js").Statistics} Statistics */

/** How often a visible page looks for new values, in milliseconds. */
const renewalPause = 10_000;

/** @param {URLSearchParams} query */
export function prepare(query) {
  if (query.has("type")) prepareChart();
  void styles();
  // `page` reports a failure.
  loadDataTypes().catch(() => {});
}

function styles() {
  return style("health.css", import.meta.url);
}

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  await Promise.all([styles(), loadDataTypes()]);
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
  /** @param {Period} period */
  const load = (period) => {
    const work = next();
    void fill(content, work, () => summary(period, query, work, () => load(period)));
  };
  const value = timespanFrom(query, new Date());
  const span = timespan({
    value,
    onChange: (chosen, period) => {
      timespanInto(chosen, query);
      keepInAddress(query, signal);
      load(period);
    },
  });
  timespanInto(value, query);
  load(periodOf(value, new Date()) ?? {});
  return h("section", { class: "page health" },
    h("h1", {}, t("health.welcome", { name: currentAccount()?.full_name ?? "" })),
    sosCard(signal), span.element, content);
}

/**
 * Tiles and statistics of a period, which follow new values.
 * @param {Period} period
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {() => void} reload draws the summary anew, for values of other types
 */
async function summary(period, query, signal, reload) {
  let statistics = await readStatistics(period, signal);
  const shown = tiles(statistics, period, query.toString(), signal);
  const table = h("div", {}, statisticsTable(statistics));
  const types = (/** @type {Statistics[]} */ of) => of.map(({ parameter }) => parameter).join();
  const renew = async () => {
    if (document.visibilityState === "hidden") return;
    try {
      const next = await readStatistics(period, signal);
      if (JSON.stringify(next) === JSON.stringify(statistics)) return;
      if (types(next) !== types(statistics)) reload();
      else {
        statistics = next;
        shown.renew(next);
        show(table, statisticsTable(next));
      }
    } catch (problem) {
      // The shown values stay; the next turn reads again.
      if (!(problem instanceof Problem) && !signal.aborted) throw problem;
    }
  };
  const turns = setInterval(() => void renew(), renewalPause);
  signal.addEventListener("abort", () => clearInterval(turns));
  if (statistics.length === 0) return nothing(signal);
  return h("div", {},
    h("h2", { class: "visually-hidden" }, t("health.values")), shown.element,
    h("p", {}, h("a", { href: "/app/data" }, t("health.more"))),
    h("section", {}, h("h2", {}, t("health.statistics")), table));
}

/**
 * The statistics of a period in the order of the tiles.
 * @param {Period} period
 * @param {AbortSignal} signal
 */
async function readStatistics(period, signal) {
  const [{ dataTypes }, types] = await Promise.all([
    call("GET /data/stats", { query: period, signal }), loadDataTypes(),
  ]);
  return inTileOrder(dataTypes, types.map((type) => type.dataType));
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
