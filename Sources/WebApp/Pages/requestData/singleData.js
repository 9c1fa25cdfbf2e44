// The samples of a single request: chart, map and table, growing while new ones arrive.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, nameOf, number, relative, t } from "../../Client/language.js";
import { unitOfAPI, withUnit } from "../../Client/units.js";
import { chart } from "../../Elements/chart.js";
import { dataType, dataTypeName, dataTypeSelect } from "../../Elements/dataTypes.js";
import { createMap } from "../../Elements/map.js";
import { emptyState, notice, problemNotice } from "../../Elements/notice.js";
import { field } from "../../Elements/form.js";
import { plot, Samples } from "./samples.js";
import { childSignal, longTable } from "./views.js";

/** @typedef {import("./samples.js").Sample} Sample */
/** @typedef {import("../../Elements/map.js").MapView} MapView */
/** @typedef {import("../../Elements/requests.js").SentRequest} SentRequest */
/** @typedef {{dataTypes: string[], from?: string | null, to?: string | null}} Erased */
/** @typedef {{dataTypes: string[], reason?: string, until?: string | null}} Unavailable */
/**
 * The events of the account's stream that the page forwards.
 * @typedef {object} Live
 * @property {(samples: Sample[]) => void} onData
 * @property {(data: Erased) => void} onErased
 * @property {(data: Unavailable) => void} onUnavailable
 * @property {(cutOffSince: Date | null) => void} onConnection
 */

/** New samples are drawn at most this often, in milliseconds. */
const drawPause = 1_000;

/**
 * The data of a request.
 * @param {SentRequest} request
 * @param {AbortSignal} signal
 * @returns {{element: HTMLElement, live: Live}}
 */
export function singleData(request, signal) {
  const view = new SingleData(request, signal);
  void view.read();
  return { element: view.element, live: view };
}

/** @implements {Live} */
class SingleData {
  /**
   * @param {SentRequest} request
   * @param {AbortSignal} signal
   */
  constructor(request, signal) {
    this.request = request;
    this.signal = signal;
    this.isLive = request.subscribing && request.status === "accepted";
    this.samples = new Samples();
    /** @type {string | undefined} */
    this.cursor = undefined;
    this.isReading = false;
    this.reading = new AbortController();
    this.wasConnected = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.chosen = "";
    this.drawing = childSignal(signal);
    /** @type {{view: Promise<MapView>, end: AbortController} | null} */
    this.map = null;
    this.state = h("div", { role: "status" }, t("requestData.loading"));
    this.connection = h("div", { "data-cut-off": true });
    this.absent = h("div");
    this.choice = h("div");
    this.plotPlace = h("div");
    this.tablePlace = h("div");
    this.element = h("section", {}, h("h2", {}, t("requestData.data")), this.connection,
      this.absent, this.state, this.choice, this.plotPlace, this.tablePlace);
    signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      this.reading.abort();
    });
  }

  /** Reads all pages after the last one. */
  async read() {
    if (this.isReading) return;
    this.isReading = true;
    this.element.setAttribute("aria-busy", "true");
    this.reading = new AbortController();
    const { signal } = this.reading;
    if (this.signal.aborted) this.reading.abort();
    try {
      let isMore = true;
      while (isMore) {
        const answer = await call("GET /req/tp/data", {
          query: { reqID: this.request.reqID, cursor: this.cursor }, signal,
        });
        if (!("samples" in answer)) return;
        this.samples.add(answer.samples);
        this.cursor = answer.next ?? this.cursor;
        isMore = answer.next !== undefined && answer.samples.length > 0;
        if (isMore) this.showProgress();
      }
      this.draw();
    } catch (problem) {
      if (this.signal.aborted) return;
      if (signal.aborted) this.draw();
      else if (problem instanceof Problem) {
        show(this.state, problemNotice(problem, () => void this.read()));
      } else throw problem;
    } finally {
      this.isReading = false;
      this.element.removeAttribute("aria-busy");
    }
  }

  showProgress() {
    show(this.state, h("div", { class: "row" }, h("progress", { "aria-hidden": "true" }),
      h("span", { class: "number" }, t("requestData.read", { count: this.samples.count })),
      h("button", { type: "button", class: "secondary", onclick: () => this.reading.abort() },
        t("action.cancel"))));
  }

  /** @param {Sample[]} samples */
  onData(samples) {
    if (this.samples.add(samples) === 0) return;
    show(this.absent);
    this.drawSoon();
  }

  /** @param {Erased} data */
  onErased({ dataTypes, from, to }) {
    const count = this.samples.erase(dataTypes, from, to);
    if (count > 0) show(this.absent, notice("info", t("requestData.erased", { count })));
    this.drawSoon();
  }

  /** @param {Unavailable} data */
  onUnavailable({ dataTypes, reason, until }) {
    const types = dataTypes.map(dataTypeName).join(", ");
    show(this.absent, notice("info", h("p", {}, t("requestData.unavailable", { types })),
      reason && h("p", {}, nameOf("requestData.unavailable", reason),
        until && ` ${t("requestData.until", { time: dateTime(until) })}`)));
  }

  /** @param {Date | null} cutOffSince */
  onConnection(cutOffSince) {
    show(this.connection, cutOffSince && notice("warning",
      t("requestData.cutOff", { time: dateTime(cutOffSince, { timeStyle: "medium" }) })));
    // Samples between the last page and the connection are in the following pages.
    if (cutOffSince === null) void this.read();
  }

  drawSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.draw();
    }, drawPause);
  }

  /** Redraws the chosen type; scroll position and opened table stay. */
  draw() {
    if (this.signal.aborted) return;
    const types = this.samples.types();
    if (types.length === 0) {
      show(this.choice);
      show(this.plotPlace);
      show(this.tablePlace);
      show(this.state, emptyState(t(this.isLive ? "requestData.none" : "requestData.noneEver")));
      return;
    }
    this.drawChoice(types);
    const samples = this.samples.of(this.chosen);
    const newest = samples[0];
    show(this.state, h("p", {},
      t("requestData.count", { count: samples.length }),
      newest && ` ${t("requestData.newest", { time: relative(newest.timestamp) })}`,
      this.isLive && [" ", h("span", { class: "tag tag-positive" }, t("requestData.live"))]));
    const isOpen = this.plotPlace.querySelector("details")?.open ?? false;
    this.drawing.abort();
    this.drawing = childSignal(this.signal);
    const { kind } = dataType(this.chosen) ?? { kind: "number" };
    if (kind === "number") this.drawChart(samples, isOpen);
    else if (kind === "position") void this.drawMap(samples);
    else show(this.plotPlace);
    this.drawTable(samples);
  }

  /** @param {Sample["dataType"][]} types */
  drawChoice(types) {
    if (!types.some((type) => type === this.chosen)) this.chosen = "";
    const control = dataTypeSelect({ types, value: this.chosen || undefined });
    const old = this.choice.querySelector("select");
    this.chosen ||= control.value;
    if (old && old.options.length === control.options.length) return;
    control.addEventListener("change", () => {
      this.chosen = control.value;
      show(this.plotPlace);
      this.map?.end.abort();
      this.map = null;
      this.draw();
    });
    show(this.choice, field({ name: "type", label: t("requestData.type"), control }).element);
  }

  /**
   * @param {readonly Sample[]} samples
   * @param {boolean} isOpen whether the reader had opened the chart's table
   */
  drawChart(samples, isOpen) {
    const unit = unitOfAPI(samples[0]?.unit ?? "");
    const name = dataTypeName(this.chosen);
    const { points, band } = plot(samples);
    const text = (/** @type {number} */ value) =>
      withUnit(number(value, { maximumFractionDigits: 2 }), unit);
    const head = [t("requestData.time"), t("requestData.value")];
    const figure = chart({
      title: name, unit, series: [{ name, kind: band ? "line" : "dots", points, band }],
      table: {
        head: band ? [...head, t("requestData.lowest"), t("requestData.highest")] : head,
        rows: points.map(({ time, value }, index) => {
          const bounds = band?.[index];
          return [dateTime(time), text(value),
            ...(bounds ? [text(bounds.low), text(bounds.high)] : [])];
        }).reverse(),
      },
      valueText: text, signal: this.drawing.signal,
    });
    const details = figure.querySelector("details");
    if (details) details.open = isOpen;
    show(this.plotPlace, band && h("p", { class: "small muted" },
      t("requestData.condensed", { count: points.length })), figure);
  }

  /** @param {readonly Sample[]} samples newest first */
  async drawMap(samples) {
    const isNew = this.map === null;
    try {
      if (this.map === null) {
        const place = h("div");
        const end = childSignal(this.signal);
        show(this.plotPlace, place);
        const label = t("requestData.map");
        this.map = { end, view: createMap(place, { signal: end.signal, label }) };
      }
      const { view, end } = this.map;
      const map = await view;
      if (end.signal.aborted) return;
      const points = samples.map(({ value }) => String(value).split(",").map(Number))
        .map(([lat = 0, lon = 0]) => ({ lat, lon })).reverse();
      map.setPath(points);
      const last = points[points.length - 1];
      if (last) map.setMarker("newest", { point: last, kind: "person" });
      // The reader may have chosen another view meanwhile.
      if (isNew) map.fit();
    } catch (problem) {
      if (this.signal.aborted) return;
      this.map = null;
      // The table also has the positions.
      console.error(problem);
      show(this.plotPlace, notice("warning", t("requestData.noMap")));
    }
  }

  /** @param {readonly Sample[]} samples newest first */
  drawTable(samples) {
    const old = this.tablePlace.querySelector("table");
    const shown = old ? Number(old.dataset.shown) : undefined;
    show(this.tablePlace, longTable({
      caption: t("requestData.table", { type: dataTypeName(this.chosen) }),
      head: [t("requestData.time"), t("requestData.value"), t("requestData.device")],
      count: samples.length, shown,
      row: (index) => {
        const sample = samples[index];
        if (!sample) return [];
        const { timestamp, value, unit, device } = sample;
        const text = typeof value === "number"
          ? withUnit(number(value, { maximumFractionDigits: 4 }), unitOfAPI(unit))
          : nameOf(`requestData.code.${this.chosen}`, value);
        return [dateTime(timestamp, { dateStyle: "medium", timeStyle: "medium" }), text,
          device === null
            ? t("requestData.noDevice") : t("requestData.deviceNumber", { number: device })];
      },
    }));
  }
}
