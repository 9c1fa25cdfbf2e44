// P24, the placings of a run: live while it lasts, final afterwards.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, notice, problemNotice } from "../../Elements/notice.js";
import { runAddress, stateTag } from "../../Elements/runCard.js";
import { missingRun, readRun } from "../../Elements/runMissing.js";
import { cutOffText, spanText } from "../../Elements/runFormat.js";
import { areFinal } from "../../Elements/runState.js";
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
  let endedAt = run.state === "ended" ? Date.parse(run.endTime) : null;
  /**
   * @param {Placings} placings
   * @returns {boolean} whether they are final
   */
  const draw = ({ state: runState, placings }) => {
    const isEnded = runState === "ended";
    // The organiser may have moved the end since the run was read.
    endedAt = isEnded ? endedAt ?? Date.now() : null;
    const isFinal = endedAt !== null && areFinal(endedAt, Date.now());
    show(tag, stateTag({ state: runState }));
    const text = runState === "live" ? t("placings.live", { time: exactTime(new Date()) })
      : isEnded ? t(isFinal ? "placings.final" : "placings.settling") : "";
    // Screen readers announce what is written.
    if (state.textContent !== text) show(state, text);
    // A printed page contains the whole table.
    if (isEnded) table.limit = Math.max(table.limit, 200);
    table.show(placings.map(rowOf));
    if (placings.length === 0) {
      const none = noPlacings(runState, own);
      // A link that is drawn anew would lose the focus.
      if (content.textContent !== none.textContent) show(content, none);
    } else if (!content.contains(table.element)) show(content, table.element);
    return isFinal;
  };

  const read = () => call("GET /t4r/active/placings", { query: { runID: run.runID }, signal });
  const first = await read();
  if (!draw(first)) void keepCurrent(read, draw, message, signal);

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
 * The reason for which there are none. Stored results do not need the positions from which the
 * placings are computed, so the public page of an ended run may have more.
 * @param {Placings["state"]} state
 * @param {string} publicPage
 */
function noPlacings(state, publicPage) {
  if (state === "open") return emptyState(t("placings.notBegun"));
  if (state === "live") return emptyState(t("placings.none"));
  return emptyState(t("placings.noneLeft"),
    h("a", { class: "button", href: publicPage }, icon("list"), t("placings.publicPage")));
}

/**
 * Reads the placings until they are final; shows a failure.
 * @param {() => Promise<Placings>} read
 * @param {(placings: Placings) => boolean} draw returns whether they are final
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
      if (draw(placings)) return;
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
