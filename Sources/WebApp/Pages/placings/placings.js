// P24, the placings of a run: live while it lasts, final afterwards.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, notice, problemNotice } from "../../Elements/notice.js";
import { runAddress, stateTag } from "../../Elements/runCard.js";
import { missingRun, readRun } from "../../Elements/runMissing.js";
import { cutOffText, spanText } from "../../Elements/runFormat.js";
import { RunnerTable } from "../../Elements/runnerTable.js";
import { shareButton } from "../../Elements/share.js";

/** @typedef {import("../../Elements/runMissing.js").Run} Run */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/active/placings"]["answer"]} Placings */
/** @typedef {import("../../Elements/runnerTable.js").RunnerRow} RunnerRow */

const pause = 5_000;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, signal }) {
  const [run] = await Promise.all([
    readRun(parameters.code ?? "", signal),
    style("../../Elements/runs.css", import.meta.url), style("placings.css", import.meta.url),
  ]);
  if (!run) return missingRun();
  document.title = `${t("placings.title")}: ${run.runName} – TrackMe`;
  const own = `/r/${encodeURIComponent(run.code)}`;
  const table = new RunnerTable({
    caption: t("placings.caption", { name: run.runName }),
    link: ({ number }) => (number === null ? null : `${own}?runner=${number}#n${number}`),
  });
  const head = h("div", { class: "run-title" });
  const state = h("p", { class: "muted", role: "status" });
  const message = h("div");
  const content = h("div");

  const tag = h("span");
  show(head, h("h1", {}, t("placings.heading", { name: run.runName })), tag);
  /** @param {Placings} placings */
  const draw = (placings) => {
    show(tag, stateTag({ state: placings.state }));
    show(state, placings.state === "live" ? t("placings.live", { time: exactTime(new Date()) })
      : placings.state === "ended" ? t("placings.final") : "");
    const rows = placings.placings.map(rowOf);
    // A printed page contains the whole table.
    if (placings.state === "ended") table.limit = Math.max(table.limit, 200);
    table.show(rows);
    if (rows.length === 0) {
      show(content, emptyState(t(placings.state === "open"
        ? "placings.notBegun" : "placings.none")));
    } else if (!content.contains(table.element)) show(content, table.element);
  };

  const read = () => call("GET /t4r/active/placings", { query: { runID: run.runID }, signal });
  const first = await read();
  draw(first);
  if (first.state !== "ended") void keepCurrent(read, draw, message, signal);

  const printAll = () => {
    table.limit = Infinity;
    table.draw();
    print();
  };
  return h("section", { class: "page placings" }, head,
    h("p", {},
      [run.organiser, run.place, spanText(run.startTime, run.endTime)].filter(Boolean).join(" · ")),
    state,
    h("p", { class: "actions" },
      h("a", { class: "button secondary", href: runAddress(run.code, "/live") }, icon("map"),
        t("placings.map")),
      shareButton({
        title: t("placings.heading", { name: run.runName }),
        address: new URL(runAddress(run.code, "/placings"), location.origin).href,
      }),
      h("button", { type: "button", class: "secondary", onclick: printAll }, icon("print"),
        t("placings.print"))),
    message, content,
    h("p", {}, h("a", { href: runAddress(run.code) }, t("placings.toRun"))));
}

/**
 * Reads the placings until the run is over; shows a failure.
 * @param {() => Promise<Placings>} read
 * @param {(placings: Placings) => void} draw
 * @param {Element} message
 * @param {AbortSignal} signal
 */
async function keepCurrent(read, draw, message, signal) {
  /** @type {Date | null} */
  let cutOffSince = null;
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (signal.aborted) return;
    if (document.visibilityState === "hidden") continue;
    try {
      const placings = await read();
      if (signal.aborted) return;
      if (cutOffSince) show(message);
      cutOffSince = null;
      draw(placings);
      if (placings.state === "ended") {
        show(message, notice("info", t("placings.over")));
        return;
      }
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (!problem.isTemporary) {
        show(message, problemNotice(problem));
        return;
      }
      if (cutOffSince === null) {
        cutOffSince = new Date();
        show(message, notice("warning", cutOffText(cutOffSince)));
      }
    }
  }
}

/** @param {Date} time */
function exactTime(time) {
  return dateTime(time, { timeStyle: "medium" });
}

/**
 * @param {Placings["placings"][number]} runner
 * @returns {RunnerRow}
 */
function rowOf({ number, runnerName, status, place, distance, seconds, averagePace }) {
  return {
    id: String(number ?? runnerName), number: number ?? null, name: runnerName, status,
    place: place ?? null, metres: distance ?? null, seconds: seconds ?? null,
    pace: averagePace ?? null,
  };
}
