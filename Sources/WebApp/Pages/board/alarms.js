// Alarms of a live run: runners whose signal is lost, and runners off the course.

import { h, show } from "../../Client/dom.js";
import { dateTime, relative, t } from "../../Client/language.js";
import { keyOf, silent, strayed } from "../../Client/liveBoard.js";
import { icon } from "../../Elements/icon.js";
import { announce } from "../../Elements/notice.js";

/** @typedef {import("../../Client/liveBoard.js").Runner} Runner */

export class Alarms {
  /** @param {(runner: Runner) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    /** @type {Set<string>} */
    this.known = new Set();
    this.isFirst = true;
    this.shown = "";
    this.element = h("section", { class: "board-alarms", "aria-label": t("board.alarms") });
  }

  /** @param {readonly Runner[]} runners */
  update(runners) {
    const [lost, off] = [silent(runners), strayed(runners)];
    this.tell(lost);
    // Unchanged alarms keep their buttons, one of which may have the focus.
    const text = JSON.stringify([...lost, ...off].map((runner) => (
      [keyOf(runner), runner.status, runner.time && relative(runner.time)])));
    if (text === this.shown) return;
    this.shown = text;
    const focused = document.activeElement?.getAttribute("data-runner");
    show(this.element,
      lost.length > 0 && this.group(t("board.silent", { count: lost.length }), lost, true),
      off.length > 0 && this.group(t("board.offCourse", { count: off.length }), off, false),
      runners.length > 0 && lost.length + off.length === 0
        && h("p", { class: "muted" }, icon("check"), " ", t("board.noAlarms")));
    const again = focused && this.element.querySelector(`[data-runner="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /**
   * Announces runners whose signal was lost since the last poll.
   * @param {Runner[]} lost
   */
  tell(lost) {
    const now = new Set(lost.map(keyOf));
    const fresh = lost.filter((runner) => !this.known.has(keyOf(runner)));
    this.known = now;
    if (fresh.length > 0 && !this.isFirst) {
      const names = fresh.map(({ runnerName }) => runnerName).join(", ");
      announce(t("board.newSilent", { names }));
    }
    this.isFirst = false;
  }

  /**
   * @param {string} title
   * @param {Runner[]} runners
   * @param {boolean} isSilence
   */
  group(title, runners, isSilence) {
    return h("div", { class: `notice notice-${isSilence ? "error" : "warning"}` },
      h("h2", {}, icon("alarm"), " ", title),
      h("ul", { class: "plain-list" }, runners.map((runner) => h("li", {}, h("button", {
        type: "button", class: "plain", "data-runner": `${runner.status} ${keyOf(runner)}`,
        onclick: () => this.onChoose(runner),
      }, runner.number === undefined || runner.runnerName === String(runner.number)
        ? runner.runnerName : `${runner.number} ${runner.runnerName}`),
      " ", runner.time ? h("time", { datetime: runner.time, title: dateTime(runner.time) },
        t("board.lastSignal", { time: relative(runner.time) })) : t("board.neverSignal")))));
  }
}
