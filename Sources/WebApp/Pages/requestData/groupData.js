// The statistics of a group request: figures, histogram, days and parts, for each released period.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { date, dateTime, hasText, nameOf, number, t } from "../../Client/language.js";
import { unitOfAPI, withUnit } from "../../Client/units.js";
import { chart, dataTable } from "../../Elements/chart.js";
import { hasMeanCondition } from "../../Elements/conditions.js";
import { dataTypeName, dataTypeSelect } from "../../Elements/dataTypes.js";
import { field, select } from "../../Elements/form.js";
import { emptyState, problemNotice } from "../../Elements/notice.js";
import { childSignal } from "./views.js";

/** @typedef {import("../../Client/types").Endpoints["GET /req/tp/data"]["answer"]} Answer */
/** @typedef {Exclude<Answer, {samples: unknown}>} Release */
/** @typedef {Release["dataTypes"][number]} Statistics */
/** @typedef {NonNullable<Release["groups"]>[number]} Part */
/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */

/**
 * The data of a group request.
 * @param {SentRequest} request
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function groupData(request, signal) {
  const state = h("div", { role: "status" }, t("requestData.loading"));
  const choice = h("div", { class: "field-row" });
  const figures = h("div");
  /** @type {Release[]} */
  const releases = [];
  /** @type {string | undefined} */
  let cursor;
  let drawing = childSignal(signal);

  const element = h("section", {}, h("h2", {}, t("requestData.result")), state, choice, figures,
    h("p", { class: "small muted" }, t("requestData.noise")));

  const read = async () => {
    element.setAttribute("aria-busy", "true");
    try {
      let isMore = true;
      while (isMore) {
        const answer = await call("GET /req/tp/data", {
          query: { reqID: request.reqID, cursor }, signal,
        });
        if ("samples" in answer) return;
        if (answer.dataTypes.length > 0) releases.push(answer);
        cursor = answer.next ?? cursor;
        isMore = answer.next !== undefined && answer.dataTypes.length > 0;
        if (!isMore) showState(answer.next !== undefined);
      }
      chooseRelease();
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(state, problemNotice(problem, () => void read()));
    } finally {
      element.removeAttribute("aria-busy");
    }
  };

  /** @param {boolean} isRunning whether later periods follow */
  const showState = (isRunning) => {
    const again = h("button", {
      type: "button", class: "secondary", onclick: () => void read(),
    }, t("requestData.lookForDays"));
    if (releases.length === 0) show(state, emptyState(t("requestData.noRelease"), again));
    else show(state, isRunning && h("p", {}, t("requestData.moreDays"), " ", again));
  };

  /** Shows the newest period, with a choice where there are several. */
  const chooseRelease = () => {
    const newest = releases[releases.length - 1];
    if (!newest) return;
    /** @type {[string, string][]} */
    const options = releases.map((release, index) => [String(index), releaseText(release)]);
    const periods = select(options.reverse());
    const period = field({ name: "period", label: t("requestData.period"), control: periods });
    const typeField = h("div");
    const change = () => {
      const release = releases[Number(periods.value)] ?? newest;
      chooseType(release, typeField);
    };
    periods.addEventListener("change", change);
    show(choice, releases.length > 1 && period.element, typeField);
    change();
  };

  /**
   * @param {Release} release
   * @param {HTMLElement} place
   */
  const chooseType = (release, place) => {
    const old = place.querySelector("select")?.value;
    const types = release.dataTypes.map(({ parameter }) => parameter);
    const value = types.find((type) => type === old) ?? types[0];
    const control = dataTypeSelect({ types, value });
    const change = () => {
      drawing.abort();
      drawing = childSignal(signal);
      show(figures, statistics(request, release, control.value, drawing.signal));
    };
    control.addEventListener("change", change);
    show(place, types.length > 1
      && field({ name: "type", label: t("requestData.type"), control }).element);
    change();
  };

  void read();
  return element;
}

/** @param {Release} release */
function releaseText({ from, to }) {
  if (!from || !to) return "";
  const day = (/** @type {number} */ time) => dateTime(time, { dateStyle: "medium" });
  return t("sent.period.both", { from: day(Date.parse(from)), to: day(Date.parse(to) - 1) });
}

/**
 * @param {SentRequest} request
 * @param {Release} release
 * @param {string} type
 * @param {AbortSignal} signal
 */
function statistics(request, release, type, signal) {
  const found = release.dataTypes.find(({ parameter }) => parameter === type);
  if (!found) return null;
  const unit = unitOfAPI(found.unit);
  const released = release.releasedAt && dateTime(release.releasedAt);
  const parts = (release.groups ?? []).filter(({ parameter }) => parameter === type);
  return [
    h("p", {}, releaseText(release),
      released && ` · ${t("requestData.released", { time: released })}`),
    figuresOf(found, unit),
    h("h3", {}, t("requestData.histogram")), histogram(found.histogram, unit),
    h("h3", {}, t("requestData.days")),
    found.days.length > 0 ? days(found, signal)
      : h("p", { class: "muted" }, noDaysText(request.searchParams, type)),
    request.groupBy && [h("h3", {}, t("requestData.parts")), parts.length > 0
      ? partsTable(parts, unit) : h("p", { class: "muted" }, t("requestData.noParts"))],
  ];
}

/**
 * @param {number} value
 * @param {string} unit
 */
function valueText(value, unit) {
  return withUnit(number(value, { maximumFractionDigits: 2 }), unit);
}

/** @type {("mean" | "stddev" | "p5" | "p25" | "median" | "p75" | "p95")[]} */
const measures = ["mean", "stddev", "p5", "p25", "median", "p75", "p95"];

/**
 * @param {Statistics} found
 * @param {string} unit
 */
function figuresOf(found, unit) {
  return h("dl", { class: "figures" },
    figure(t("requestData.people"), t("requestData.about", { count: found.people })),
    measures.map((measure) =>
      figure(nameOf("requestData.measure", measure), valueText(found[measure], unit))));
}

/**
 * @param {string} name
 * @param {string} value
 */
function figure(name, value) {
  return h("div", { class: "card" }, h("dt", {}, name), h("dd", { class: "number" }, value));
}

/**
 * The shares of people as bars in a table: one element is chart and table.
 * @param {Statistics["histogram"]} bins
 * @param {string} unit
 */
function histogram(bins, unit) {
  if (bins.length < 2) return h("p", { class: "muted" }, t("requestData.noHistogram"));
  const highest = Math.max(...bins.map(({ share }) => share), Number.MIN_VALUE);
  return h("div", { class: "scroll-x" }, h("table", { class: "histogram" },
    h("caption", { class: "visually-hidden" }, t("requestData.histogram")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("requestData.mean")),
      h("th", { scope: "col" }, t("requestData.share")))),
    h("tbody", {}, bins.map(({ from, to, share }) => {
      const bar = h("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${Math.max((share / highest) * 100, 0)}%`;
      return h("tr", {},
        h("th", { scope: "row" }, `${number(from)} – ${valueText(to, unit)}`),
        h("td", {}, h("span", { class: "bar-track" }, bar),
          h("span", { class: "number" },
            number(share, { style: "percent", maximumFractionDigits: 1 }))));
    }))));
}

/**
 * The reason why statistics have no days. Without a condition of the request on the type, an answer
 * that was released earlier for nearly the same people may come from a request that has one.
 * @param {readonly string[]} conditions
 * @param {string} type
 */
function noDaysText(conditions, type) {
  return hasMeanCondition(conditions, type)
    ? t("requestData.noDays") : t("requestData.noDaysFew");
}

/**
 * @param {Statistics} found
 * @param {AbortSignal} signal
 */
function days({ days: each, unit: apiUnit, parameter }, signal) {
  const unit = unitOfAPI(apiUnit);
  const name = dataTypeName(parameter);
  const text = (/** @type {number} */ value) => valueText(value, unit);
  return chart({
    title: t("requestData.meanOfDays", { type: name }), unit,
    series: [{
      name, kind: "line",
      // Noon of the day in the reader's zone lies within the same day in every zone of Europe.
      points: each.map((day) => ({ time: Date.parse(`${day.date}T12:00:00`), value: day.mean })),
    }],
    table: {
      head: [t("requestData.day"), t("requestData.mean"), t("requestData.people")],
      rows: each.map((day) => [date(day.date), text(day.mean), number(day.people)]),
    },
    valueText: text, timeText: (time) => dateTime(time, { dateStyle: "medium" }), signal,
  });
}

/**
 * @param {Part[]} parts
 * @param {string} unit
 */
function partsTable(parts, unit) {
  return [dataTable({
    head: [t("requestData.part"), t("requestData.people"),
      ...measures.map((measure) => nameOf("requestData.measure", measure))],
    rows: parts.map((part) => [partName(part.group), number(part.people),
      ...measures.map((measure) => valueText(part[measure], unit))]),
  }, t("requestData.parts")),
  h("p", { class: "small muted" }, t("requestData.partsMissing"))];
}

/** @param {string} group an age band, a sex or the name of a region */
function partName(group) {
  const key = `searchSex.${group}`;
  if (hasText(key)) return t(key);
  const isAge = /^\d+[-+]/.test(group);
  return isAge ? t("requestData.years", { ages: group.replace("-", "–") }) : group;
}
