// A tile for each type of data: newest value, small plot, mark, comparison.

import { Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { unitText, valueText } from "../../Client/units.js";
import { each } from "../../Client/work.js";
import { dataTypeName } from "../../Elements/dataTypes.js";
import { icon } from "../../Elements/icon.js";
import { sparkline } from "../../Elements/sparkline.js";
import { markTag, othersText, readComparison, tooFewText } from "./comparison.js";
import { newestTime, newestValue, plotPoints } from "./series.js";
import { markOf } from "./values.js";

/** @typedef {import("./values.js").Statistics} Statistics */
/** @typedef {import("../../Elements/timespan.js").Period} Period */
/** @typedef {import("./series.js").Newest} Newest */
/** @typedef {import("./comparison.js").Comparison} Comparison */
/**
 * @typedef {object} Tile
 * @property {Statistics} statistics
 * @property {HTMLElement} element
 * @property {(newest: Newest | null) => void} showNewest
 * @property {(points: {time: number, value: number}[]) => void} showPlot
 * @property {(comparison: Comparison) => void} showComparison
 * @property {() => void} fail shows a dash for a missing value
 */

/**
 * The tiles, which fill themselves: values and plots first, comparisons after them, one by one,
 * because the service counts groups of people for them.
 * @param {readonly Statistics[]} statistics
 * @param {Period} period
 * @param {string} query of the address of the details
 * @param {AbortSignal} signal
 */
export function tiles(statistics, period, query, signal) {
  const all = statistics.map((one) => tile(one, query));
  const note = h("p", { class: "small muted" });
  void fillValues(all, period, signal).then(() => fillComparisons(all, note, signal));
  return {
    element: h("div", {},
      h("ul", { class: "cards tiles" }, all.map(({ element }) => h("li", {}, element))), note),
    /**
     * Shows newer values of the same types.
     * @param {readonly Statistics[]} next
     */
    renew: (next) => {
      all.forEach((one, index) => {
        one.statistics = next[index] ?? one.statistics;
      });
      void fillValues(all, period, signal);
    },
  };
}

/**
 * @param {Tile[]} all
 * @param {Period} period
 * @param {AbortSignal} signal
 */
async function fillValues(all, period, signal) {
  await each(all, 3, signal, (one) => attempt(one, signal, async () => {
    const type = one.statistics.parameter;
    const [newest, points] = await Promise.all([
      newestValue(one.statistics, period, signal), plotPoints(type, period, signal),
    ]);
    one.showNewest(newest);
    one.showPlot(points);
  }));
}

/**
 * @param {Tile[]} all
 * @param {HTMLElement} note names the types without a comparison, once for all tiles
 * @param {AbortSignal} signal
 */
async function fillComparisons(all, note, signal) {
  /** @type {Comparison[]} */
  const read = [];
  await each(all, 1, signal, (one) => attempt(one, signal, async () => {
    const comparison = await readComparison(one.statistics.parameter, signal);
    read.push(comparison);
    one.showComparison(comparison);
    show(note, tooFewText(read));
  }));
}

/**
 * @param {Tile} one
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} work
 */
async function attempt(one, signal, work) {
  try {
    await work();
  } catch (problem) {
    if (signal.aborted) return;
    if (!(problem instanceof Problem)) throw problem;
    one.fail();
  }
}

/**
 * @param {Statistics} statistics
 * @param {string} query
 * @returns {Tile}
 */
function tile(statistics, query) {
  const type = statistics.parameter;
  const unit = unitText(type);
  const value = h("p", { class: "tile-value number" }, "…");
  const time = h("span", { class: "small muted" });
  const plot = h("div", { class: "tile-plot" });
  const mark = h("span");
  const comparison = h("p", { class: "small muted" });
  /** @type {Newest | null} */
  let newest = null;
  /** @type {Comparison["reference"]} */
  let reference = null;
  // The range applies to values of a moment or of a day, as the tile shows them.
  const drawMark = () => show(mark, newest && reference
    && markTag(markOf(type, newest.value, reference)));
  const element = h("a", { class: "card tile", href: `/app/health?type=${type}&${query}` },
    h("h3", {}, dataTypeName(type), icon("next")), h("div", { class: "tile-row" }, value, plot),
    comparison, h("p", { class: "tile-foot" }, time, mark));
  return {
    statistics, element,
    showNewest: (found) => {
      newest = found;
      show(value, found ? [valueText(type, found.value, { unit: false }),
        h("span", { class: "unit" }, unit === "%" ? unit : ` ${unit}`)] : "–");
      show(time, found ? newestTime(found) : "");
      drawMark();
    },
    showPlot: (points) => show(plot, points.length > 1 && sparkline(points)),
    showComparison: (answer) => {
      show(comparison, answer.others && othersText(answer));
      reference = answer.reference;
      drawMark();
    },
    fail: () => {
      if (newest === null) show(value, "–");
      show(comparison, t("health.notRead"));
    },
  };
}
