// P23, a live run: all runners moving on a map, the same as a list, and chosen runners in detail.

import { call } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { LivePicture } from "../../Client/livePicture.js";
import { watchRun } from "../../Client/liveRun.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { runAddress, stateTag } from "../../Elements/runCard.js";
import { runCountdown } from "../../Elements/runCountdown.js";
import { missingRun, readRun } from "../../Elements/runMissing.js";
import { cutOffText, distanceText, liveTitle, spanText } from "../../Elements/runFormat.js";
import { pathList, runMap } from "../../Elements/runMap.js";
import { RunnersLayer } from "../../Elements/runnersLayer.js";
import { shareButton } from "../../Elements/share.js";
import { ChosenRunners } from "./chosen.js";
import { RunnerList } from "./runnerList.js";

/** @typedef {import("../../Elements/runMissing.js").Run} Run */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /t4r/active/spec"]["answer"]} Specification */

export { prepareMap as prepare } from "../../Elements/map.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, signal }) {
  const [run] = await Promise.all([
    readRun(parameters.code ?? "", signal),
    style("../../Elements/runs.css", import.meta.url), style("live.css", import.meta.url),
  ]);
  if (!run) return missingRun();
  const specification = await call("POST /t4r/active/spec", { body: { runID: run.runID }, signal });
  return new LivePage(run, specification, signal).element;
}

class LivePage {
  /**
   * @param {Run} run
   * @param {Specification} specification
   * @param {AbortSignal} signal
   */
  constructor(run, specification, signal) {
    this.run = run;
    this.signal = signal;
    this.state = run.state;
    this.picture = new LivePicture();
    this.drawnAt = 0;
    /** @type {Date | null} */
    this.cutOffSince = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {RunnersLayer | null} */
    this.layer = null;
    /** @type {import("../../Elements/map.js").MapView | null} */
    this.map = null;
    this.tag = h("span", {}, stateTag({ state: run.state }));
    this.watching = h("span", { class: "muted" });
    this.countdown = h("div");
    this.connection = h("div", { "data-cut-off": true });
    this.ending = h("div");
    this.onlyChosen = h("input", {
      type: "checkbox", id: "live-only", onchange: () => this.draw(),
    });
    this.only = h("p", { class: "live-only" }, this.onlyChosen,
      h("label", { for: "live-only" }, t("live.onlyChosen")));
    this.chosen = new ChosenRunners({
      runID: run.runID, signal, runner: (number) => this.picture.runners.get(number),
      isLive: () => this.state === "live", onChange: () => this.draw(),
    });
    this.list = new RunnerList(run.runName, (number) => this.choose(number));
    const map = h("div");
    this.element = h("section", { class: "page live" },
      h("div", { class: "run-title" }, h("h1", {}, run.runName), this.tag, this.watching),
      this.connection, this.ending,
      h("p", { class: "muted" }, [run.organiser, run.place, spanText(run.startTime, run.endTime),
        distanceText(specification.length)].filter(Boolean).join(" · ")),
      this.countdown,
      h("div", { class: "live-columns" },
        h("div", { class: "live-map" }, map, this.only, legend(),
          pathList(specification.path, specification.length)),
        h("div", {}, h("h2", {}, t("live.chosen")), this.chosen.element,
          h("h2", {}, t("live.runners")), this.list.element)),
      h("p", { class: "actions" },
        h("a", { class: "button secondary", href: runAddress(run.code, "/placings") },
          icon("list"), t("live.placings")),
        h("a", { class: "button secondary", href: runAddress(run.code) }, t("live.about")),
        shareButton({
          title: run.runName, address: new URL(runAddress(run.code, "/live"), location.origin).href,
        })));
    signal.addEventListener("abort", () => clearTimeout(this.timer), { once: true });
    this.count();
    this.draw();
    void this.showMap(map, specification);
    this.watch();
    // The cause of a loss may change: the device is online again, and TrackMe does not answer.
    for (const event of ["online", "offline"]) {
      addEventListener(event, () => {
        if (this.cutOffSince) this.showConnection(this.cutOffSince);
      }, { signal });
    }
  }

  /**
   * @param {HTMLElement} place
   * @param {Specification} specification
   */
  async showMap(place, { path }) {
    const { signal } = this;
    const label = t("live.mapLabel", { name: this.run.runName });
    const map = await runMap(place, { path, label, signal });
    if (!map || signal.aborted) return;
    this.layer = new RunnersLayer(map, {
      signal,
      onRunner: (id) => {
        const number = Number(id);
        if (Number.isInteger(number)) this.choose(number);
      },
    });
    this.map = map;
    this.draw();
  }

  watch() {
    watchRun(this.run.runID, {
      signal: this.signal,
      onChange: (picture) => {
        this.picture = picture;
        this.drawSoon();
      },
      onConnection: (since) => this.showConnection(since),
      onEnd: () => this.end(),
      onRefusal: (problem) => {
        show(this.connection, problemNotice(problem));
        this.list.element.hidden = !this.picture.isRead;
      },
    });
  }

  /** @param {Date | null} since when the connection was lost; null: connected */
  showConnection(since) {
    this.cutOffSince = since;
    show(this.connection, since && notice("warning", h("p", {}, cutOffText(since)),
      h("p", {}, t("live.cutOffShown"))));
  }

  /** Shows the state, and the time until the start or until the end. */
  count() {
    const { startTime, endTime } = this.run;
    show(this.tag, stateTag({ state: this.state }));
    document.title = `${liveTitle(this.state)}: ${this.run.runName} – TrackMe`;
    if (this.state === "ended") {
      show(this.countdown);
      return;
    }
    const isOpen = this.state === "open";
    show(this.countdown, runCountdown({
      until: isOpen ? startTime : endTime, signal: this.signal,
      label: isOpen ? t("run.startsIn") : t("run.endsIn"),
      onEnd: () => {
        if (this.state !== "open") return;
        this.state = "live";
        this.count();
        void this.chosen.poll();
      },
    }), isOpen && notice("info", t("live.notBegun")));
  }

  end() {
    const wasOver = this.run.state === "ended";
    this.state = "ended";
    this.count();
    this.showConnection(null);
    show(this.ending, notice("info", h("p", {}, wasOver ? t("live.isOver") : t("live.over")),
      h("p", {}, h("a", { href: runAddress(this.run.code, "/placings") }, t("live.toResults")))));
    void this.chosen.poll();
    this.draw();
  }

  /** @param {number} number of a runner in the list or on the map */
  choose(number) {
    const runner = this.picture.runners.get(number);
    if (!runner) return;
    this.chosen.toggle(runner);
    if (this.chosen.numbers.has(number) && runner.point) this.map?.panTo(runner.point);
  }

  /** Draws at most about once a second, so that two simultaneous events are drawn once. */
  drawSoon() {
    if (this.timer !== undefined) return;
    const wait = Math.max(30, this.drawnAt + 900 - performance.now());
    this.timer = setTimeout(() => this.draw(), wait);
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.signal.aborted) return;
    // A hidden page is not drawn; it is updated by the next picture after it is shown again.
    if (document.visibilityState === "hidden" && this.drawnAt > 0) return;
    this.drawnAt = performance.now();
    const { chosen, picture } = this;
    const numbers = chosen.numbers;
    const hasChosen = chosen.sought.length > 0;
    this.only.hidden = !hasChosen;
    show(this.watching, picture.spectators !== null && this.state !== "ended"
      && t("live.watching", { count: picture.spectators }));
    this.list.show(picture, numbers, this.state);
    chosen.draw();
    const isOnlyChosen = hasChosen && this.onlyChosen.checked;
    this.layer?.show(this.shownRunners(numbers, isOnlyChosen));
  }

  /**
   * @param {Set<number>} numbers
   * @param {boolean} isOnlyChosen
   */
  *shownRunners(numbers, isOnlyChosen) {
    for (const { number, name, status, point } of this.picture.runners.values()) {
      const isChosen = numbers.has(number);
      if (!point || (isOnlyChosen && !isChosen)) continue;
      yield { id: String(number), point, status, label: name, isChosen };
    }
    for (const runner of this.chosen.unnumbered) yield { ...runner, isChosen: true };
  }
}

/** The legend of the map. */
function legend() {
  return h("p", { class: "muted small" }, t("live.legend"));
}
