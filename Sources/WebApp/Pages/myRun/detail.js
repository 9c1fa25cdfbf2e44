// One run of a runner: before it check-in and choices, during it the live picture, after it the
// result.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { watchRun } from "../../Client/liveRun.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { runAddress, stateTag } from "../../Elements/runCard.js";
import { runCountdown } from "../../Elements/runCountdown.js";
import { spanText } from "../../Elements/runFormat.js";
import { pathList, runMap } from "../../Elements/runMap.js";
import { RunnersLayer } from "../../Elements/runnersLayer.js";
import { shareButton } from "../../Elements/share.js";
import { checkIn } from "./checkIn.js";
import { options } from "./options.js";
import { ownPosition } from "./ownPosition.js";
import { results } from "./results.js";

/** @typedef {import("./mainRun.js").MyRun} MyRun */
/** @typedef {import("../../Client/livePicture.js").LivePicture} LivePicture */
/** @typedef {import("../../Client/types").Endpoints["GET /t4r/my/stats"]["answer"]} Statistics */

const statisticsPause = 10_000;
/** Results are final half a minute after the end. */
const finalPause = 35_000;

export class RunDetail {
  /**
   * @param {MyRun} run
   * @param {AbortSignal} signal
   * @param {() => void} onChange called after a change that the list also shows
   */
  constructor(run, signal, onChange) {
    this.run = run;
    this.signal = signal;
    this.onChange = onChange;
    this.state = run.state;
    /** @type {RunnersLayer | null} */
    this.layer = null;
    /** @type {LivePicture | null} */
    this.picture = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.head = h("div");
    this.check = h("div");
    this.alerts = h("div", { role: "status" });
    this.connection = h("div");
    this.figures = h("div");
    this.tables = h("div");
    this.map = h("div");
    this.mapText = h("div");
    this.position = h("div");
    this.element = h("article", { class: "card my-run" }, this.head, this.connection, this.alerts,
      this.check, this.figures, this.map, this.position, this.tables, this.mapText,
      options(run, signal, () => this.refresh()));
    signal.addEventListener("abort", () => clearTimeout(this.timer), { once: true });
  }

  /** Shows the run; a failure is shown in the place of the failed part. */
  async load() {
    this.drawHead();
    if (this.run.cancelled) {
      show(this.alerts, notice("warning", t("myRun.cancelled")));
      return;
    }
    void this.showMap();
    await Promise.all([this.showCheckIn(), this.readStatistics()]);
    if (this.state === "live") this.watch();
  }

  drawHead() {
    const { run, signal } = this;
    const [until, label] = this.state === "open"
      ? [run.startTime, t("run.startsIn")] : [run.endTime, t("run.endsIn")];
    show(this.head,
      h("div", { class: "run-title" },
        h("h2", {}, h("a", { href: runAddress(run.code) }, run.runName)),
        stateTag({ state: this.state, cancelled: run.cancelled })),
      h("p", { class: "muted" }, [run.organiser, run.place].filter(Boolean).join(" · ")),
      h("p", {}, spanText(run.startTime, run.endTime)),
      h("p", { class: "my-run-number" }, t("myRun.ownNumber"), " ", h("strong", {}, run.number),
        run.runnerName && ` · ${run.runnerName}`),
      !run.cancelled && this.state !== "ended" && runCountdown({
        until, label, signal, onEnd: () => this.begin(),
      }),
      h("p", { class: "actions" },
        h("a", { class: "button secondary", href: runAddress(run.code, "/live") },
          ...(this.state === "ended" ? [icon("map"), t("run.lastPositions")]
            : [icon("watch"), t("myRun.watch")])),
        shareButton({
          title: run.runName, text: t("myRun.shareRun"),
          address: new URL(`/r/${encodeURIComponent(run.code)}`, location.origin).href,
        })));
  }

  /** The countdown is over: the run begins, or its end is announced by the stream. */
  begin() {
    if (this.state !== "open" || this.signal.aborted) return;
    this.state = "live";
    this.drawHead();
    this.refresh();
    this.watch();
  }

  /** Reloads the parts that a notice or a choice may have changed; forms stay as they are. */
  refresh() {
    void this.reread();
  }

  async reread() {
    const { signal } = this;
    try {
      const { runs } = await call("GET /t4r/my/list", { query: { limit: 100 }, signal });
      const run = runs.find(({ runID }) => runID === this.run.runID);
      if (!run) {
        show(this.alerts, notice("warning", t("myRun.notEnrolled")));
        return;
      }
      const before = JSON.stringify(this.run);
      this.run = run;
      const wasOpen = this.state === "open";
      if (this.state !== "live" || run.state === "ended") this.state = run.state;
      // The run was moved to a time that had come when this page read of it.
      if (wasOpen && this.state === "live") this.watch();
      if (JSON.stringify(run) !== before) {
        this.drawHead();
        this.onChange();
      }
      if (run.cancelled) show(this.alerts, notice("warning", t("myRun.cancelled")));
      await Promise.all([this.showCheckIn(), this.readStatistics()]);
    } catch (problem) {
      // The present content stays; the next notice or a press reloads it.
      if (!(problem instanceof Problem) && !signal.aborted) throw problem;
    }
  }

  async showCheckIn() {
    await checkIn(this.check, this.run, this.state, this.signal, () => this.refresh());
  }

  async showMap() {
    const { run, signal } = this;
    try {
      const specification = await call("POST /t4r/active/spec", { body: { runID: run.runID },
        signal });
      show(this.mapText, pathList(specification.path, specification.length));
      const map = await runMap(this.map, {
        path: specification.path, label: t("run.mapLabel", { name: run.runName }), signal,
      });
      if (!map || signal.aborted) return;
      this.layer = new RunnersLayer(map, { signal });
      show(this.position, this.state !== "ended" && ownPosition(map, signal));
      this.drawRunners();
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(this.map, problemNotice(problem, () => void this.showMap()));
    }
  }

  watch() {
    const { signal } = this;
    watchRun(this.run.runID, {
      signal,
      onChange: (picture) => {
        this.picture = picture;
        this.drawRunners();
        this.drawAlerts();
      },
      onConnection: (since) => show(this.connection, since
        && notice("warning", t("live.cutOffShown"))),
      onEnd: () => {
        if (signal.aborted) return;
        this.state = "ended";
        this.drawHead();
        show(this.connection);
        show(this.alerts, notice("info", t("myRun.over")));
        void this.readStatistics();
      },
      onRefusal: (problem) => show(this.connection, problemNotice(problem)),
    });
  }

  drawRunners() {
    const { picture, layer, run } = this;
    if (!picture || !layer) return;
    layer.show([...picture.runners.values()].flatMap(({ number, name, point, status }) => {
      const isOwn = number === run.number;
      return point ? [{
        id: String(number), point, status, label: isOwn ? t("myRun.you") : name, isChosen: isOwn,
      }] : [];
    }));
  }

  /** Tells the runner about problems: a lost signal, or a position off the course. */
  drawAlerts() {
    const own = this.picture?.runners.get(this.run.number);
    const text = own?.status === "signal lost" ? t("myRun.signalLost")
      : own?.status === "off course" ? t("myRun.offCourse")
        : own?.status === "paused" ? t("myRun.pausedText") : "";
    if (this.alerts.dataset.text === text) return;
    this.alerts.dataset.text = text;
    show(this.alerts, text !== "" && notice(own?.status === "paused" ? "info" : "warning", text));
  }

  async readStatistics() {
    clearTimeout(this.timer);
    const { run, signal } = this;
    if (this.state === "open" || run.cancelled) {
      show(this.figures);
      return;
    }
    let wait = statisticsPause;
    try {
      const statistics = await call("GET /t4r/my/stats", { query: { runID: run.runID }, signal });
      if (signal.aborted) return;
      results(this.figures, this.tables, run, statistics, () => void this.readStatistics());
      if (statistics.final) return;
      if (this.state === "ended") wait = finalPause;
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (!problem.isTemporary || !this.figures.hasChildNodes()) {
        show(this.figures, problemNotice(problem, () => void this.readStatistics()));
        return;
      }
    }
    this.timer = setTimeout(() => void this.readStatistics(), wait);
  }
}
