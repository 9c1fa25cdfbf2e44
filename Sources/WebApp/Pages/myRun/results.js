// A runner's figures during and after a run, beside those of the others.

import { call, Problem, request } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { number, t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { clock, distanceText, paceText, timeText } from "../../Elements/runFormat.js";
import { statusSign } from "../../Elements/runnerTable.js";
import { shareButton } from "../../Elements/share.js";

/** @typedef {import("./mainRun.js").MyRun} MyRun */
/** @typedef {import("./detail.js").Statistics} Statistics */
/** @typedef {Statistics["runners"][number]} RunnerResult */
/** @typedef {import("../../Client/livePicture.js").RunnerStatus} RunnerStatus */

/** The most others whose splits are shown beside the runner's own. */
const othersMax = 5;
/** Rows of the table around the runner's own place. */
const rowsMax = 30;

/**
 * Shows the figures; opened details stay open.
 * @param {HTMLElement} place
 * @param {HTMLElement} below for the tables
 * @param {MyRun} run
 * @param {Statistics} statistics
 * @param {() => void} onChange
 */
export function results(place, below, run, statistics, onChange) {
  const own = statistics.runners.find((runner) => runner.own);
  if (!own) {
    show(place, statistics.state === "ended" && notice("info", t("myRun.noResult")));
    show(below);
    return;
  }
  const open = new Set([...below.querySelectorAll("details[open]")].map((each) => each.id));
  const active = document.activeElement;
  const focused = place.contains(active) || below.contains(active) ? active?.id ?? "" : "";
  show(place,
    h("h3", {}, t(statistics.final ? "results.final" : "results.live")),
    figures(own),
    h("p", { class: "actions" },
      statistics.state === "live" && pauseButton(run, own, onChange),
      statistics.link && shareButton({
        title: t("results.shareTitle", { name: run.runName }), text: t("results.share"),
        // The API's link may name a host other than that of this page.
        address: new URL(new URL(statistics.link).pathname + new URL(statistics.link).search
          + new URL(statistics.link).hash, location.origin).href,
      }),
      statistics.state === "ended" && trackButton(run)));
  show(below,
    details("results-others", t("results.others"), others(statistics.runners), open, true),
    (own.splits ?? []).length > 0
      && details("results-splits", t("results.splits"), splits(own, statistics.runners), open,
        false));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * @param {string} id
 * @param {string} title
 * @param {HTMLElement} content
 * @param {Set<string>} open the opened details
 * @param {boolean} isOpenAtFirst
 */
function details(id, title, content, open, isOpenAtFirst) {
  const isOpen = document.getElementById(id) ? open.has(id) : isOpenAtFirst;
  return h("details", { id, open: isOpen }, h("summary", { id: `${id}-summary` }, title), content);
}

/** @param {RunnerResult} own */
function figures(own) {
  /** @type {[string, string | undefined][]} */
  const values = [
    [t("runnerTable.place"), own.place === undefined ? undefined : number(own.place)],
    [t("runnerTable.time"), timeText(own.seconds)],
    [t("runnerTable.distance"), distanceText(own.distance)],
    [t("runnerTable.pace"), paceText(own.averagePace)],
    [t("chosen.currentPace"), own.currentPace === undefined ? undefined
      : paceText(own.currentPace)],
    [t("chosen.meanHeartRate"), own.heartRate === undefined ? undefined
      : t("chosen.heartRateValue", { value: Math.round(own.heartRate) })],
    [t("chosen.energy"), own.activeEnergy === undefined ? undefined
      : t("chosen.energyValue", { value: Math.round(own.activeEnergy) })],
  ];
  return [h("p", {}, statusSign(/** @type {RunnerStatus} */ (own.status))),
    h("ul", { class: "big-figures" }, values.filter(([, value]) => value !== undefined)
      .map(([name, value]) => h("li", {},
        h("span", { class: "muted small" }, name), h("strong", {}, value))))];
}

/**
 * @param {MyRun} run
 * @param {RunnerResult} own
 * @param {() => void} onChange
 */
function pauseButton(run, own, onChange) {
  const isPaused = own.status === "paused";
  const message = h("div");
  const press = async () => {
    button.disabled = true;
    try {
      await call("POST /t4r/my/pause", { body: { runID: run.runID, paused: !isPaused } });
      onChange();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      button.disabled = false;
      show(message, problemNotice(problem));
    }
  };
  const button = h("button", {
    type: "button", id: "results-pause", class: "secondary", onclick: () => void press(),
  },
    icon(isPaused ? "play" : "pause"), t(isPaused ? "results.resume" : "results.pause"));
  return [button, message];
}

/** @param {MyRun} run */
function trackButton(run) {
  const message = h("div");
  const press = async () => {
    button.disabled = true;
    show(message);
    try {
      const response = await request("GET /t4r/my/track", { query: { runID: run.runID } });
      const address = URL.createObjectURL(await response.blob());
      h("a", { href: address, download: `run-${run.runID}-${run.number}.gpx` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", {
    type: "button", id: "results-track", class: "secondary", onclick: () => void press(),
  },
    icon("download"), t("results.track"));
  return [button, message];
}

/** @param {RunnerResult[]} runners by place */
function others(runners) {
  const at = runners.findIndex(({ own }) => own);
  const from = runners.length <= rowsMax ? 0
    : Math.max(0, Math.min(at - rowsMax / 2, runners.length - rowsMax));
  const shown = runners.slice(from, from + rowsMax);
  const has = (/** @type {"heartRate" | "activeEnergy"} */ key) =>
    shown.some((runner) => runner[key] !== undefined);
  const [hasHeartRate, hasEnergy] = [has("heartRate"), has("activeEnergy")];
  return h("div", { class: "scroll-x" },
    shown.length < runners.length && h("p", { class: "muted" },
      t("results.part", { count: shown.length, total: runners.length })),
    h("table", { class: "runner-table" },
      h("caption", { class: "visually-hidden" }, t("results.others")),
      h("thead", {}, h("tr", {}, [t("runnerTable.place"), t("runnerTable.name"),
        t("runnerTable.time"),
        t("runnerTable.distance"), t("runnerTable.pace"), hasHeartRate && t("chosen.meanHeartRate"),
        hasEnergy && t("chosen.energy")].map((name, index) => name
          && h("th", { scope: "col", class: index > 2 ? "wide-only" : null }, name)))),
      h("tbody", {}, shown.map((runner) => h("tr", { class: runner.own ? "is-chosen" : null },
        h("td", { class: "number" }, runner.place === undefined ? "–" : number(runner.place)),
        h("th", { scope: "row" }, runner.own ? t("results.you", { name: runner.runnerName })
          : runner.runnerName),
        h("td", { class: "number" }, timeText(runner.seconds)),
        h("td", { class: "number wide-only" }, distanceText(runner.distance)),
        h("td", { class: "number wide-only" }, paceText(runner.averagePace)),
        hasHeartRate && h("td", { class: "number wide-only" }, runner.heartRate === undefined ? "–"
          : number(Math.round(runner.heartRate))),
        hasEnergy && h("td", { class: "number wide-only" }, runner.activeEnergy === undefined ? "–"
          : number(Math.round(runner.activeEnergy))))))));
}

/**
 * The runner's splits beside those of the nearest others by place.
 * @param {RunnerResult} own
 * @param {RunnerResult[]} runners
 */
function splits(own, runners) {
  const beside = nearest(own, runners);
  const slowest = Math.max(...(own.splits ?? []).map(({ pace }) => pace));
  let metres = 0;
  return h("div", { class: "scroll-x" }, h("table", { class: "runner-table" },
    h("caption", { class: "visually-hidden" }, t("results.splits")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("results.until")),
      h("th", { scope: "col" }, t("results.ownSplit")),
      beside.map(({ runnerName }) => h("th", { scope: "col" }, runnerName)))),
    h("tbody", {}, (own.splits ?? []).map((split, index) => {
      metres += split.distance;
      // The bar only repeats the number visually: longer is slower.
      const bar = h("meter", { class: "split-bar", min: 0, max: slowest, value: split.pace,
        "aria-hidden": "true" });
      return h("tr", {}, h("th", { scope: "row" }, distanceText(metres)),
        h("td", { class: "number" }, clock(split.seconds), " ",
          h("span", { class: "muted" }, paceText(split.pace)), bar),
        beside.map((other) => h("td", { class: "number" },
          timeText(other.splits?.[index]?.seconds))));
    }))));
}

/**
 * The others with splits whose places are nearest to the runner's own.
 * @param {RunnerResult} own
 * @param {RunnerResult[]} runners by place
 */
function nearest(own, runners) {
  const at = runners.indexOf(own);
  return runners.map((runner, index) => ({ runner, away: Math.abs(index - at) }))
    .filter(({ runner, away }) => away > 0 && (runner.splits ?? []).length > 0)
    .sort((left, right) => left.away - right.away).slice(0, othersMax)
    .map(({ runner }) => runner);
}
