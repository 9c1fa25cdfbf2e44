// P43, the organiser's live board: all runners on a map and in a table, lost signals, and the
// runners without a check-in.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { dateTime, relative, t } from "../../Client/language.js";
import { keyOf, pollPause } from "../../Client/liveBoard.js";
import { ownRun, runNumber } from "../../Client/ownRuns.js";
import { emptyState, notice, problemText } from "../../Elements/notice.js";
import { Alarms } from "./alarms.js";
import { absentRunners } from "./absent.js";
import { BoardMap } from "./boardMap.js";
import { BoardTable } from "./boardTable.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/org/live"]["answer"]} Live */

/** The longest pause between polls while TrackMe does not answer. */
const longestPause = 30_000;

export { prepareMap as prepare } from "../../Elements/map.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, signal }) {
  const runID = runNumber(parameters.runID);
  const back = h("p", {}, h("a", { href: `/app/organise/runs/${runID}` }, t("runCode.back")));
  /** @type {OwnRun} */
  let run;
  try {
    [run] = await Promise.all([
      ownRun(runID, signal),
      style("../../Elements/organise.css", import.meta.url), style("board.css", import.meta.url),
    ]);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
    return h("section", { class: "page" }, h("h1", {}, t("board.title")),
      notice("error", t("manageRun.unknown")),
      h("p", {}, h("a", { href: "/app/organise/runs" }, t("manageRun.back"))));
  }
  if (!run.published || run.cancelled) {
    return h("section", { class: "page" }, back, h("h1", {}, run.runName),
      emptyState(run.cancelled ? t("manageRun.cancelledText") : t("manageRun.draft")));
  }
  const board = new Board(run, signal);
  return h("section", { class: "page" }, back,
    h("h1", {}, t("board.heading", { name: run.runName })), board.element);
}

class Board {
  /**
   * @param {OwnRun} run
   * @param {AbortSignal} signal
   */
  constructor(run, signal) {
    this.run = run;
    this.signal = signal;
    /** @type {Live | null} */
    this.live = null;
    /** @type {string | null} */
    this.chosen = null;
    /** @type {Date | null} */
    this.cutOffSince = null;
    this.pause = 3_000;
    this.isReading = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.state = h("p", { class: "board-state" });
    this.connection = h("div", { "data-cut-off": true });
    this.counts = h("ul", { class: "plain-list board-counts", "aria-label": t("board.counts") });
    this.alarms = new Alarms((runner) => this.choose(keyOf(runner), true));
    this.table = new BoardTable({
      hasHealth: !run.coOrganised, onChoose: (key) => this.choose(key, true),
    });
    this.map = new BoardMap(run.runID, signal, (key) => this.choose(key, false));
    this.absent = absentRunners(run, signal);
    this.element = h("div", { class: "run-board" },
      this.connection, this.state, this.alarms.element, this.counts, this.map.element,
      this.table.element,
      h("section", { class: "panel" }, h("h2", {}, t("absent.title")), this.absent));
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    const clock = setInterval(() => this.drawState(), 1_000);
    signal.addEventListener("abort", () => clearInterval(clock));
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.live?.state !== "ended") void this.read();
    }, { signal });
    addEventListener("online", () => void this.read(), { signal });
    void this.read();
  }

  /** Reads the runners, and again after a pause until the run is over. */
  async read() {
    if (this.isReading) return;
    this.isReading = true;
    clearTimeout(this.timer);
    /** @type {number | null} */
    let next;
    try {
      this.live = await call("GET /t4r/org/live", {
        query: { runID: this.run.runID }, signal: this.signal,
      });
      this.cutOffSince = null;
      this.pause = 3_000;
      show(this.connection);
      this.draw(this.live);
      next = pollPause(this.live.state, Date.parse(this.run.startTime) - Date.now());
    } catch (problem) {
      if (this.signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      next = this.lost(problem);
    } finally {
      this.isReading = false;
    }
    if (next === null || this.signal.aborted) return;
    this.timer = setTimeout(() => void this.read(), next);
  }

  /**
   * Shows the time since the last answer; the last picture stays.
   * @param {Problem} problem
   * @returns {number | null} the pause before the next poll; null to stop polling
   */
  lost(problem) {
    if (!problem.isTemporary && problem.status !== 500) {
      show(this.connection, notice("error", problemText(problem)));
      return null;
    }
    this.cutOffSince ??= new Date();
    show(this.connection, notice("warning", t("board.cutOff", {
      time: dateTime(this.cutOffSince, { timeStyle: "medium" }),
    })));
    this.pause = Math.min(this.pause * 2, longestPause);
    return Math.max(this.pause * (0.5 + Math.random() / 2), (problem.retryAfter ?? 0) * 1_000);
  }

  /** @param {Live} live */
  draw({ state, runners }) {
    this.alarms.update(state === "live" ? runners : []);
    this.table.update(runners, this.chosen, state);
    this.map.update(runners, this.chosen);
    this.table.showCounts(this.counts, runners);
    this.drawState();
  }

  drawState() {
    const { run, live } = this;
    if (!live) {
      if (!this.state.hasChildNodes()) show(this.state, t("pagedList.loading"));
      return;
    }
    const [when, time] = live.state === "open" ? [t("board.starts"), run.startTime]
      : live.state === "live" ? [t("board.ends"), run.endTime] : [t("board.ended"), run.endTime];
    const watching = t("board.watching", { count: live.watching });
    const text = [when, relative(time), watching].join(" · ");
    // Only a change is written, because a screen reader may be reading it.
    if (this.state.dataset.text === `${live.state} ${text}`) return;
    this.state.dataset.text = `${live.state} ${text}`;
    const { code } = run;
    show(this.state, h("strong", {}, when), ` ${relative(time)} `,
      h("span", { class: "muted" }, `(${dateTime(time)}) · ${watching}`),
      live.state === "ended" && h("span", { class: "actions" },
        code && h("a", { class: "button", href: `/app/runs/${code}/placings` }, t("board.results")),
        h("a", { class: "button secondary", href: `/app/organise/runs/${run.runID}?part=download` },
          t("manageRun.part.download"))));
  }

  /**
   * Chooses a runner in the table and on the map, or none if it is chosen already.
   * @param {string} key
   * @param {boolean} pans whether the map moves to the runner
   */
  choose(key, pans) {
    this.chosen = this.chosen === key ? null : key;
    if (!this.live) return;
    this.table.update(this.live.runners, this.chosen, this.live.state);
    this.map.update(this.live.runners, this.chosen);
    if (this.chosen === null) return;
    if (pans) this.map.panTo(key);
    else this.table.scrollTo(key);
  }
}
