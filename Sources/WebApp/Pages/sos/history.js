// Past and present emergencies with readings, map and timeline.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { ask } from "../../Elements/dialog.js";
import {
  exactTime, outcomeName, positionText, readingTable, ruleName, stageName,
} from "../../Elements/emergency.js";
import { createMap } from "../../Elements/map.js";
import { pointOf } from "../../Elements/mapMath.js";
import { emptyState, notice, problemNotice, toast } from "../../Elements/notice.js";
import { timeline } from "./timeline.js";

/** @typedef {import("../../Elements/alarmState.js").Episode} Episode */

const pageSize = 10;

/** @param {AbortSignal} signal */
export function historyPart(signal) {
  const list = h("div", { class: "sos-history", "aria-busy": "true" });
  const more = h("p", { class: "actions" });
  /** @type {Set<string>} the emergencies that are shown with details, which stay open */
  const open = new Set();
  let drawing = new AbortController();
  signal.addEventListener("abort", () => drawing.abort());

  /** @param {string} [cursor] of the following page; the first one by default */
  const load = async (cursor) => {
    show(more);
    try {
      const answer = await call("GET /sos/history", { query: { limit: pageSize, cursor }, signal });
      if (cursor === undefined) {
        drawing.abort();
        drawing = new AbortController();
        show(list, answer.episodes.length === 0 && emptyState(t("sos.historyEmpty")));
      }
      for (const episode of answer.episodes) {
        list.append(card(episode, open, drawing.signal, () => void load()));
      }
      const { next } = answer;
      if (next !== undefined) {
        show(more, h("button", {
          type: "button", class: "secondary", onclick: () => void load(next),
        }, t("action.more")));
      }
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(more, problemNotice(problem, () => void load(cursor)));
    } finally {
      list.removeAttribute("aria-busy");
    }
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  addEventListener("trackme-alarm", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void load(), 1_000);
  }, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  void load();
  return h("section", { "aria-labelledby": "sos-history" },
    h("h2", { id: "sos-history" }, t("sos.history")), list, more);
}

/**
 * One emergency: its line, and its details once it is opened.
 * @param {Episode} episode
 * @param {Set<string>} open
 * @param {AbortSignal} signal
 * @param {() => void} reload
 */
function card(episode, open, signal, reload) {
  const body = h("div");
  /** @type {AbortController | null} */
  let shown = null;
  const toggle = () => {
    shown?.abort();
    shown = null;
    if (!element.open) {
      open.delete(episode.episodeID);
      show(body);
      return;
    }
    open.add(episode.episodeID);
    shown = new AbortController();
    const { signal: whileOpen } = shown;
    signal.addEventListener("abort", () => shown?.abort(), { signal: whileOpen });
    show(body, details(episode, whileOpen, reload));
  };
  const element = h("details", { class: "card", ontoggle: toggle },
    h("summary", {},
      h("span", { class: "sos-line-time" }, dateTime(episode.suspectedAt)), " ",
      h("strong", {}, ruleName(episode.rule)), " ",
      h("span", { class: "tag" }, stageName(episode.stage))),
    body);
  if (open.has(episode.episodeID)) element.open = true;
  return element;
}

/**
 * @param {Episode} episode
 * @param {AbortSignal} signal
 * @param {() => void} reload
 */
function details(episode, signal, reload) {
  const isCalled = episode.stage === "dispatched" || episode.stage === "acknowledged";
  return [
    episode.outcome && h("p", {}, t("sos.outcome", { outcome: outcomeName(episode.outcome) })),
    isCalled && falseAlarm(episode, signal, reload),
    h("h3", {}, t("sos.timeline")),
    h("ol", { class: "sos-timeline" }, timeline(episode).map(({ time, kind, who }) => h("li", {},
      h("time", { datetime: time }, exactTime(time)), " ",
      t(`sos.moment.${kind}`, { who: who || t("alarm.emergencyNumber") })))),
    h("h3", {}, t("sos.place")),
    h("p", {}, positionText(episode.position, Date.now())),
    place(episode, signal),
    h("h3", {}, t("emergency.readings")),
    readingTable(episode.readings),
  ];
}

/**
 * @param {Episode} episode
 * @param {AbortSignal} signal
 */
function place({ position }, signal) {
  const point = pointOf(position?.coordinate);
  if (!position || !point) return null;
  const container = h("div");
  const draw = async () => {
    try {
      const map = await createMap(container, { signal, label: t("sos.placeMap"), center: point });
      if (signal.aborted) return;
      map.setMarker("person", {
        point, kind: "person", label: dateTime(position.time), isFaded: position.stale,
      });
    } catch {
      // The coordinates are in the text above the map.
      show(container, notice("info", t("map.failed")));
    }
  };
  void draw();
  return container;
}

/**
 * @param {Episode} episode
 * @param {AbortSignal} signal
 * @param {() => void} reload
 */
function falseAlarm({ episodeID }, signal, reload) {
  const result = h("div");
  const key = newKey();
  const press = async () => {
    const isSure = await ask({
      title: t("alarm.falseTitle"), text: h("p", {}, t("alarm.falseText")),
      confirm: t("alarm.falseConfirm"), isDestructive: true,
    });
    if (!isSure) return;
    try {
      await call("POST /sos/falseAlarm", { body: { episodeID }, key, signal });
      toast(t("alarm.falseOver"));
      reload();
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(result, problemNotice(problem));
    }
  };
  return h("div", {},
    h("p", { class: "actions" }, h("button", {
      type: "button", class: "sos-button destructive", onclick: () => void press(),
    }, t("alarm.false"))), result);
}
