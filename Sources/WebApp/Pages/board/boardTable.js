// The table of all runners. Cells are changed in place, so that focus and reading position stay.

import { h, show } from "../../Client/dom.js";
import { compare, dateTime, number, relative, t } from "../../Client/language.js";
import { countsOf, keyOf, matches, ordered } from "../../Client/liveBoard.js";
import { field, select } from "../../Elements/form.js";
import { distanceText, paceText, statusName, timeText } from "../../Elements/runFormat.js";

/** @typedef {import("../../Client/liveBoard.js").Runner} Runner */
/** @typedef {import("../../Client/liveBoard.js").Order} Order */

const orders = /** @type {const} */ (["place", "attention", "name", "number"]);
const columns = /** @type {const} */ (["place", "runner", "state", "distance", "time", "pace",
  "heartRate", "energy", "signal"]);

const stateLooks = /** @type {Record<Runner["status"], string>} */ ({
  "signal lost": "tag tag-negative", "off course": "tag tag-warning", paused: "tag",
  running: "tag tag-positive", "checked in": "tag", finished: "tag tag-positive",
  "did not start": "tag", "did not finish": "tag",
});

export class BoardTable {
  /** @param {{hasHealth: boolean, onChoose: (key: string) => void}} options */
  constructor({ hasHealth, onChoose }) {
    this.onChoose = onChoose;
    this.columns = columns.filter(
      (name) => hasHealth || (name !== "heartRate" && name !== "energy"));
    /** @type {readonly Runner[]} */
    this.runners = [];
    /** @type {string | null} */
    this.chosen = null;
    /** @type {"open" | "live" | "ended"} */
    this.state = "open";
    this.countText = "";
    /** @type {Map<string, ReturnType<BoardTable["row"]>>} */
    this.rows = new Map();
    this.search = field({
      name: "runner", label: t("board.search"), type: "search", required: false,
    });
    this.order = field({
      name: "order", label: t("board.order"),
      control: select(orders.map((order) => [order, t(`board.order.${order}`)])),
    });
    this.search.control.addEventListener("input", () => this.draw());
    this.order.control.addEventListener("change", () => this.draw());
    this.body = h("tbody", { role: "rowgroup" });
    this.none = h("p", { class: "muted", role: "status" });
    // The roles last where a narrow window shows each row as two lines (board.css).
    const table = h("table", { class: "board-table", role: "table" },
      h("caption", { class: "visually-hidden" }, t("board.table")),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, this.columns.map((name) => (
        h("th", { scope: "col", role: "columnheader" }, t(`board.column.${name}`)))))), this.body);
    this.element = h("section", { "aria-label": t("board.table") },
      h("div", { class: "search-row" }, this.search.element, this.order.element),
      h("div", {
        class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("board.table"),
      }, table),
      this.none);
  }

  /**
   * @param {readonly Runner[]} runners
   * @param {string | null} chosen
   * @param {"open" | "live" | "ended"} state
   */
  update(runners, chosen, state) {
    this.runners = runners;
    this.chosen = chosen;
    this.state = state;
    this.draw();
  }

  draw() {
    const order = orders.find((each) => each === this.order.control.value) ?? "place";
    const sought = this.search.control.value;
    const shown = ordered(this.runners.filter((runner) => matches(runner, sought)), order, compare);
    const keys = new Set(shown.map(keyOf));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    shown.forEach((runner, index) => {
      const key = keyOf(runner);
      const row = this.rows.get(key) ?? this.row(key);
      this.rows.set(key, row);
      row.show(runner, key === this.chosen);
      const present = this.body.children[index];
      if (present === row.element) return;
      const hadFocus = row.element.contains(document.activeElement);
      this.body.insertBefore(row.element, present ?? null);
      if (hadFocus) row.button.focus();
    });
    this.none.textContent = shown.length > 0 ? "" : this.runners.length > 0 ? t("board.noneFound")
      : this.state === "open" ? t("board.noneYet") : t("board.none");
  }

  /** @param {string} key */
  row(key) {
    const button = h("button", {
      type: "button", class: "plain board-runner", onclick: () => this.onChoose(key),
    });
    const state = h("span");
    const cells = new Map(this.columns.map((name) => (
      [name, name === "runner" ? h("th", { scope: "row", role: "rowheader" }, button)
        : h("td", { role: "cell", "data-column": name, "data-name": t(`board.column.${name}`) },
          name === "state" && state)])));
    const element = h("tr", { role: "row" }, ...cells.values());
    /**
     * @param {(typeof columns)[number]} name
     * @param {string} text
     */
    const write = (name, text) => {
      const cell = cells.get(name);
      if (cell && cell.textContent !== text) cell.textContent = text;
    };
    /**
     * @param {Runner} runner
     * @param {boolean} isChosen
     */
    const showRunner = (runner, isChosen) => {
      const name = runner.number === undefined || runner.runnerName === String(runner.number)
        ? runner.runnerName : `${runner.number} ${runner.runnerName}`;
      if (button.textContent !== name) button.textContent = name;
      button.setAttribute("aria-pressed", String(isChosen));
      element.classList.toggle("is-chosen", isChosen);
      const status = statusName(runner.status)
        + (runner.paused && runner.status !== "paused" ? ` (${t("board.paused")})` : "");
      if (state.textContent !== status) state.textContent = status;
      state.className = stateLooks[runner.status];
      write("place", runner.place === undefined ? "–" : number(runner.place));
      write("distance", distanceText(runner.distance));
      write("time", timeText(runner.seconds));
      write("pace", paceText(paceOf(runner)));
      write("heartRate", heartText(runner));
      write("energy", runner.activeEnergy === undefined ? "–"
        : t("board.kilocalories", { count: Math.round(runner.activeEnergy) }));
      write("signal", runner.time === undefined ? "–" : relative(runner.time));
    };
    return { element, button, show: showRunner };
  }

  /**
   * Shows how many runners are in each state.
   * @param {Element} place
   * @param {readonly Runner[]} runners
   */
  showCounts(place, runners) {
    const counts = countsOf(runners);
    const text = JSON.stringify(counts);
    if (text === this.countText) return;
    this.countText = text;
    show(place, counts.map(([status, count]) => h("li", { class: stateLooks[status] },
      `${statusName(status)} ${number(count)}`)));
  }

  /** @param {string} key of a runner */
  scrollTo(key) {
    const row = this.rows.get(key);
    row?.element.scrollIntoView({ block: "nearest" });
    row?.button.focus({ preventScroll: true });
  }
}

/**
 * On the course the pace of the last minute, before and after it the average pace.
 * @param {Runner} runner
 */
function paceOf({ currentPace, averagePace, status }) {
  const isOnCourse = status === "running" || status === "off course";
  return isOnCourse ? currentPace ?? averagePace : averagePace;
}

/** @param {Runner} runner */
function heartText({ heartRate, heartRateTime, meanHeartRate }) {
  if (heartRate === undefined) {
    return meanHeartRate === undefined ? "–"
      : t("board.meanHeartRate", { count: Math.round(meanHeartRate) });
  }
  const text = t("board.heartRate", { count: Math.round(heartRate) });
  if (!heartRateTime || Date.now() - Date.parse(heartRateTime) < 120_000) return text;
  return `${text} (${dateTime(heartRateTime, { timeStyle: "short" })})`;
}
