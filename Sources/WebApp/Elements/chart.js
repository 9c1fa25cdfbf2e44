// Charts over time, drawn by Chart.js, with their table beneath. The library is loaded when the
// first chart is shown; without it the table is open.

import { h, identifier, show } from "../Client/dom.js";
import { dateTime, t } from "../Client/language.js";
import { tickFormat, timeTicks } from "./timeTicks.js";

/** @typedef {import("./chartLibrary").ChartConstructor} ChartConstructor */
/** @typedef {import("./chartLibrary").ChartInstance} ChartInstance */
/** @typedef {import("./chartLibrary").ChartDataset} ChartDataset */
/**
 * Values over time. The second series of a chart is dashed, so that colour is not the only sign.
 * @typedef {object} Series
 * @property {string} name
 * @property {"line" | "bar" | "dots"} kind
 * @property {{time: number, value: number}[]} points milliseconds since 1970, in their order
 * @property {{low: number, high: number}[]} [band] lowest and highest value at each point
 * @property {boolean} [growing] whether the last bar still grows, and is drawn as an outline
 */
/**
 * @typedef {object} Table
 * @property {string[]} head
 * @property {import("../Client/dom.js").Child[][]} rows
 */

const ticksMax = 6;
const rowsFirst = 100;

/**
 * A chart with its table.
 * @param {object} options
 * @param {string} options.title the title, for the caption and for screen readers
 * @param {string} options.unit of the values
 * @param {Series[]} options.series
 * @param {Table} options.table the same values as a table
 * @param {(value: number) => string} options.valueText
 * @param {(time: number) => string} [options.timeText]
 * @param {{from: number | null, to: number, name: string}} [options.range] usual values, shaded
 * @param {AbortSignal} options.signal frees the chart
 * @returns {HTMLElement}
 */
export function chart(options) {
  const { title, series, table, signal } = options;
  const id = identifier();
  const canvas = h("canvas", {
    role: "img", "aria-label": chartSummary(options), "aria-describedby": `${id}-table`,
  });
  const details = h("details", { id: `${id}-table` },
    h("summary", {}, t("chart.table")), dataTable(table, title));
  const place = h("div", { class: "chart-canvas" }, canvas);
  const figure = h("figure", { class: "chart" }, h("figcaption", {}, title), place, details);
  if (series.every(({ points }) => points.length === 0)) {
    show(place, h("p", { class: "muted" }, t("chart.empty")));
    return figure;
  }
  void draw(canvas, options).catch((/** @type {unknown} */ cause) => {
    if (signal.aborted) return;
    console.error(cause);
    show(place, h("p", { class: "muted" }, t("chart.unavailable")));
    details.open = true;
  });
  return figure;
}

/**
 * The contents of a chart in a sentence.
 * @param {{title: string, series: Series[], valueText: (value: number) => string,
 *   timeText?: (time: number) => string}} options
 */
export function chartSummary({ title, series, valueText, timeText = dateTime }) {
  const parts = series.filter(({ points }) => points.length > 0).map(({ name, points }) => {
    const values = points.map(({ value }) => value);
    const last = /** @type {{time: number, value: number}} */ (points[points.length - 1]);
    return t("chart.summary", {
      name, low: valueText(least(values)), high: valueText(-least(values.map((each) => -each))),
      last: valueText(last.value), time: timeText(last.time),
    });
  });
  return [title, ...parts].join(". ");
}

/** @param {number[]} values */
const least = (values) => values.reduce((low, value) => Math.min(low, value), Infinity);

/**
 * A table whose first rows are shown at once and the rest on demand.
 * @param {Table} table
 * @param {string} caption
 */
export function dataTable({ head, rows }, caption) {
  const body = h("tbody");
  const more = h("button", { type: "button", class: "secondary", onclick: () => add() },
    t("action.more"));
  let shown = 0;
  const add = () => {
    const part = rows.slice(shown, shown + rowsFirst);
    shown += part.length;
    body.append(...part.map((row) => h("tr", {}, row.map((cell, index) =>
      index === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell)))));
    more.hidden = shown >= rows.length;
  };
  add();
  return h("div", {},
    h("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": caption },
      h("table", {}, h("caption", { class: "visually-hidden" }, caption),
        h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))), body)),
    more);
}

/** @type {Promise<ChartConstructor> | null} */
let library = null;

/**
 * The library, a classic script that sets a global name. Its address is not an import, so that the
 * type checker does not look for it.
 * @returns {Promise<ChartConstructor>}
 */
async function load() {
  await import(new URL("../vendor/chart.js/chart.min.js", import.meta.url).href);
  const { Chart } = /** @type {{Chart?: ChartConstructor}} */ (/** @type {unknown} */ (globalThis));
  if (!Chart) throw new Error("chart.min.js sets no Chart");
  return Chart;
}

/**
 * Loads the library, once; the next chart repeats a failed download. A page calls it while it still
 * reads the values of its chart.
 */
export function prepareChart() {
  loadChart().catch(() => {});
}

function loadChart() {
  library ??= load();
  library.catch(() => { library = null; });
  return library;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Parameters<typeof chart>[0]} options
 */
async function draw(canvas, options) {
  const { signal } = options;
  const Chart = await loadChart();
  if (signal.aborted) return;
  /** @type {ChartInstance} */
  let instance = new Chart(canvas, configuration(options));
  const redraw = () => {
    instance.destroy();
    instance = new Chart(canvas, configuration(options));
  };
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", redraw, { signal });
  }
  signal.addEventListener("abort", () => instance.destroy());
}

/** The colours of the page; those of the system where the reader forces them. */
function colours() {
  if (matchMedia("(forced-colors: active)").matches) {
    return {
      lines: ["CanvasText", "LinkText"], soft: "transparent", text: "CanvasText", grid: "GrayText",
    };
  }
  const style = getComputedStyle(document.documentElement);
  const value = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    lines: [value("--accent"), value("--warning")], soft: value("--accent-soft"),
    text: value("--text-2"), grid: value("--line"),
  };
}

/**
 * @param {Parameters<typeof chart>[0]} options
 * @returns {import("./chartLibrary").ChartConfiguration}
 */
function configuration({ unit, series, range, valueText, timeText = dateTime }) {
  const { lines, soft, text, grid } = colours();
  const times = series.flatMap(({ points }) => points.map(({ time }) => time));
  const from = least(times);
  const to = -least(times.map((time) => -time));
  const margin = Math.max((to - from) * 0.03, 1_800_000);
  const hasBars = series.some(({ kind }) => kind === "bar");
  const datasets = series.flatMap((each, index) =>
    seriesDatasets(each, lines[index % lines.length] ?? text, soft, index));
  const format = tickFormat(from - margin, to + margin, ticksMax);
  return {
    type: hasBars ? "bar" : "line",
    data: { datasets: [...datasets, ...rangeDatasets(range, from - margin, to + margin, text)] },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: false,
      normalized: true, interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: {
        x: {
          type: "linear", min: from - margin, max: to + margin, grid: { color: grid },
          ticks: { color: text, maxRotation: 0, callback: (value) => dateTime(value, format) },
          afterBuildTicks: (scale) => {
            scale.ticks = timeTicks(scale.min, scale.max, ticksMax).map((value) => ({ value }));
          },
        },
        y: {
          type: "linear", beginAtZero: hasBars, grace: "5%", grid: { color: grid },
          title: { display: unit !== "", text: unit, color: text },
          ticks: { color: text, callback: (value) => valueText(value) },
        },
      },
      plugins: {
        legend: {
          display: datasets.length > 1 || range !== undefined,
          labels: {
            color: text, usePointStyle: true, boxHeight: 8,
            // The two bounds of a range have one name.
            filter: ({ text: name, datasetIndex }, { datasets: all }) =>
              all.findIndex(({ label }) => label === name) === datasetIndex,
          },
        },
        decimation: { enabled: true, algorithm: "min-max" },
        tooltip: {
          callbacks: {
            title: (items) => (items[0] ? timeText(items[0].parsed.x) : ""),
            label: (item) => `${item.dataset.label}: ${valueText(item.parsed.y)}`,
          },
        },
      },
    },
  };
}

/**
 * @param {Series} series
 * @param {string} colour
 * @param {string} soft
 * @param {number} index
 * @returns {ChartDataset[]}
 */
function seriesDatasets({ name, kind, points, band, growing = false }, colour, soft, index) {
  const data = points.map(({ time, value }) => ({ x: time, y: value }));
  /** @type {ChartDataset} */
  const main = {
    label: name, data, borderColor: colour,
    backgroundColor: colour, type: kind === "bar" ? "bar" : "line",
    borderWidth: kind === "bar" ? 0 : 2, borderDash: index > 0 ? [6, 4] : [],
    pointRadius: kind === "dots" || points.length === 1 ? 3 : points.length > 60 ? 0 : 2,
    pointStyle: index > 0 ? "rectRot" : "circle", order: index,
  };
  if (growing) {
    const complete = points.slice(0, -1);
    main.backgroundColor = [...complete.map(() => colour), soft];
    main.borderWidth = [...complete.map(() => 0), 1];
  }
  if (!band) return [main];
  /** @type {(edge: "low" | "high", fill: boolean | string) => ChartDataset} */
  const edge = (part, fill) => ({
    label: t(`chart.${part}`), data: points.map(({ time }, place) =>
      ({ x: time, y: band[place]?.[part] ?? null })),
    type: "line", borderColor: colour, backgroundColor: soft, borderWidth: 1,
    borderDash: [2, 3], pointRadius: 0, fill, order: 10 + index,
  });
  return [main, edge("high", "+1"), edge("low", false)];
}

/**
 * The bounds of the usual values as two dotted lines.
 * @param {Parameters<typeof chart>[0]["range"]} range
 * @param {number} from
 * @param {number} to
 * @param {string} colour
 * @returns {ChartDataset[]}
 */
function rangeDatasets(range, from, to, colour) {
  if (!range) return [];
  const bounds = [range.from, range.to].filter((bound) => bound !== null);
  return bounds.map((bound) => ({
    label: range.name, data: [{ x: from, y: bound }, { x: to, y: bound }], type: "line",
    borderColor: colour, borderWidth: 1, borderDash: [1, 4], pointRadius: 0, order: 20,
  }));
}
