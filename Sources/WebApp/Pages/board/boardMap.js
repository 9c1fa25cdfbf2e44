// The course and the runners on a map.

import { call, Problem } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { keyOf } from "../../Client/liveBoard.js";
import { pointOf } from "../../Elements/mapMath.js";
import { runMap } from "../../Elements/runMap.js";
import { RunnersLayer } from "../../Elements/runnersLayer.js";

/** @typedef {import("../../Client/liveBoard.js").Runner} Runner */

export class BoardMap {
  /**
   * @param {number} runID
   * @param {AbortSignal} signal
   * @param {(key: string) => void} onChoose
   */
  constructor(runID, signal, onChoose) {
    this.runID = runID;
    this.signal = signal;
    this.element = h("div", { class: "board-map" });
    /** @type {import("../../Elements/map.js").MapView | null} */
    this.map = null;
    /** @type {RunnersLayer | null} */
    this.layer = null;
    /** @type {readonly Runner[]} */
    this.runners = [];
    /** @type {string | null} */
    this.chosen = null;
    void this.start(onChoose);
  }

  /**
   * Loads the map with the course. The table also works without the map.
   * @param {(key: string) => void} onChoose
   */
  async start(onChoose) {
    const { signal } = this;
    const path = await this.path();
    if (signal.aborted) return;
    this.map = await runMap(this.element, { path, label: t("board.map"), signal });
    if (!this.map) return;
    this.layer = new RunnersLayer(this.map, { signal, onRunner: onChoose });
    this.update(this.runners, this.chosen);
  }

  /** The points of the course; none if it cannot be read. */
  async path() {
    try {
      const { path } = await call("POST /t4r/active/spec", {
        body: { runID: this.runID }, signal: this.signal,
      });
      return path;
    } catch (problem) {
      if (problem instanceof Problem || this.signal.aborted) return [];
      throw problem;
    }
  }

  /**
   * @param {readonly Runner[]} runners
   * @param {string | null} chosen
   */
  update(runners, chosen) {
    this.runners = runners;
    this.chosen = chosen;
    this.layer?.show(runners.flatMap((runner) => {
      const point = pointOf(runner.coordinate);
      const id = keyOf(runner);
      return point ? [{
        id, point, status: runner.status, label: runner.runnerName, isChosen: id === chosen,
      }] : [];
    }));
  }

  /** @param {string} key of a runner */
  panTo(key) {
    const point = pointOf(this.runners.find((runner) => keyOf(runner) === key)?.coordinate);
    if (point) this.map?.panTo(point);
  }
}
