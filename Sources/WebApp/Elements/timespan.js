// The choice of a period: day, week, month, year, all, or from one day to another.

import { h, identifier, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { localDay, startOfDay } from "../Client/units.js";

/** @typedef {"day" | "week" | "month" | "year" | "all" | "custom"} Span */
/** @typedef {"raw" | "hour" | "day" | "week" | "month"} Granularity */
/**
 * A period; a missing bound is open.
 * @typedef {object} Period
 * @property {string} [from] included
 * @property {string} [to] excluded
 */
/** @typedef {{span: Span, first: string, last: string}} TimespanValue */

/** @type {Span[]} */
const spans = ["day", "week", "month", "year", "all", "custom"];
const dayLength = 86_400_000;

/**
 * The period of a choice. A day is the last 24 hours; longer ones begin at midnight.
 * @param {TimespanValue} value
 * @param {Date} now
 * @returns {Period | null} null while the days of a custom period are missing or in wrong order
 */
export function periodOf({ span, first, last }, now) {
  if (span === "all") return {};
  if (span === "custom") {
    const from = startOfDay(first);
    const to = startOfDay(last, 1);
    return from !== null && to !== null && from < to ? { from, to } : null;
  }
  if (span === "day") return { from: new Date(now.getTime() - dayLength).toISOString() };
  const from = new Date(now);
  from.setHours(0, 0, 0, 0);
  if (span === "year") from.setFullYear(from.getFullYear() - 1);
  else from.setDate(from.getDate() - (span === "week" ? 6 : 29));
  return { from: from.toISOString() };
}

/**
 * The granularity that shows a period with 10 to 100 points.
 * @param {Period} period
 * @param {Date} now
 * @returns {Exclude<Granularity, "raw">}
 */
export function granularityOf(period, now) {
  if (!period.from) return "month";
  const to = period.to ? Math.min(Date.parse(period.to), now.getTime()) : now.getTime();
  const days = (to - Date.parse(period.from)) / dayLength;
  if (days <= 2) return "hour";
  if (days <= 100) return "day";
  return days <= 700 ? "week" : "month";
}

/**
 * The choice in an address, `month` by default.
 * @param {URLSearchParams} query
 * @param {Date} now
 * @returns {TimespanValue}
 */
export function timespanFrom(query, now) {
  const name = query.get("span") ?? "";
  const span = spans.find((each) => each === name) ?? "month";
  const monthAgo = new Date(now.getTime() - 29 * dayLength);
  return {
    span, first: query.get("first") ?? localDay(monthAgo), last: query.get("last") ?? localDay(now),
  };
}

/**
 * Writes a choice into an address, so that it survives a reload and can be shared.
 * @param {TimespanValue} value
 * @param {URLSearchParams} query
 */
export function timespanInto({ span, first, last }, query) {
  query.set("span", span);
  for (const [name, day] of /** @type {const} */ ([["first", first], ["last", last]])) {
    if (span === "custom") query.set(name, day);
    else query.delete(name);
  }
}

/**
 * The buttons and the two days of a custom period.
 * @param {object} options
 * @param {TimespanValue} options.value
 * @param {(value: TimespanValue, period: Period) => void} options.onChange called for valid choices
 * @returns {{element: HTMLElement, value: () => TimespanValue}}
 */
export function timespan({ value: initial, onChange }) {
  let value = initial;
  const id = identifier();
  const error = h("p", { class: "error", id: `${id}-error`, role: "alert" });
  const day = (/** @type {"first" | "last"} */ name) => h("input", {
    type: "date", id: `${id}-${name}`, value: value[name], "aria-describedby": `${id}-error`,
    onchange: (/** @type {Event & {target: HTMLInputElement}} */ event) =>
      change({ ...value, [name]: event.target.value }),
  });
  const first = day("first");
  const last = day("last");
  const days = h("div", { class: "field field-row" },
    h("div", {}, h("label", { for: first.id }, t("timespan.first")), first),
    h("div", {}, h("label", { for: last.id }, t("timespan.last")), last), error);
  const buttons = spans.map((span) => h("button", {
    type: "button", onclick: () => change({ ...value, span }),
  }, t(`timespan.${span}`)));

  const draw = () => {
    spans.forEach((span, index) =>
      buttons[index]?.setAttribute("aria-pressed", String(span === value.span)));
    days.hidden = value.span !== "custom";
    const isValid = periodOf(value, new Date()) !== null;
    show(error, isValid ? "" : t("timespan.wrong"));
    days.classList.toggle("is-wrong", !isValid);
  };
  const change = (/** @type {TimespanValue} */ next) => {
    value = next;
    draw();
    const period = periodOf(value, new Date());
    if (period) onChange(value, period);
  };
  draw();
  return {
    element: h("div", { class: "timespan" },
      h("div", { class: "segments", role: "group", "aria-label": t("timespan.label") }, buttons),
      days),
    value: () => value,
  };
}
