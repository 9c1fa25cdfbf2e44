// The table of a run's runners, which changes once a second while the run is live.

import { h, show } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { paceOf } from "../Client/livePicture.js";
import { distanceText, paceText, statusName, timeText } from "./runFormat.js";

/** @typedef {import("../Client/livePicture.js").RunnerStatus} RunnerStatus */
/**
 * @typedef {object} RunnerRow
 * @property {string} id
 * @property {number | null} number null for a result of a search by email or fiscal code
 * @property {string} name
 * @property {RunnerStatus} status
 * @property {number | null} place
 * @property {number | null} metres
 * @property {number | null} seconds
 * @property {number | null} [pace] seconds per kilometre
 */

/** Rows that are drawn at first, and with each request for more. */
const rowsStep = 50;

/** A symbol for each status, because colour alone is not enough. */
/** @type {Record<RunnerStatus, string>} */
const signs = {
  "checked in": "◦", running: "▶", "off course": "▲", "signal lost": "?", finished: "■",
  paused: "❚❚", "did not start": "–", "did not finish": "✕",
};

/**
 * A runner's status with its symbol.
 * @param {RunnerStatus} status
 */
export function statusSign(status) {
  return h("span", {}, h("span", {
    class: `runner-sign sign-${status.replace(/ /g, "_")}`, "aria-hidden": "true",
  }, signs[status]), " ", statusName(status));
}

export class RunnerTable {
  /**
   * @param {object} options
   * @param {string} options.caption
   * @param {(id: string) => void} [options.onChoose] a press on a runner's name
   * @param {(row: RunnerRow) => string | null} [options.link] a page of one runner
   */
  constructor({ caption, onChoose, link }) {
    this.onChoose = onChoose;
    this.link = link;
    this.limit = rowsStep;
    /** @type {RunnerRow[]} */
    this.rows = [];
    this.chosen = new Set();
    /** @type {Map<string, {text: string, element: HTMLTableRowElement}>} */
    this.drawn = new Map();
    this.body = h("tbody");
    this.more = h("p", { class: "actions" });
    const head = (/** @type {string} */ text, /** @type {string | null} */ name = null) =>
      h("th", { scope: "col", class: name }, text);
    this.element = h("div", {},
      h("div", { class: "scroll-x" }, h("table", { class: "runner-table" },
        h("caption", { class: "visually-hidden" }, caption),
        h("thead", {}, h("tr", {},
          head(t("runnerTable.place")), head(t("runnerTable.name")),
          head(t("runnerTable.status")), head(t("runnerTable.time"), "end"),
          head(t("runnerTable.distance"), "end wide-only"),
          head(t("runnerTable.pace"), "end wide-only"))),
        this.body)),
      this.more);
  }

  /**
   * Shows these runners in this order.
   * @param {RunnerRow[]} rows
   * @param {Set<string>} [chosen]
   */
  show(rows, chosen = new Set()) {
    this.rows = rows;
    this.chosen = chosen;
    this.draw();
  }

  /** Draws the changes; remaining rows keep their elements, and so the focus. */
  draw() {
    const shown = this.rows.slice(0, this.limit);
    const kept = this.drawn;
    this.drawn = new Map();
    for (const row of shown) {
      const isChosen = this.chosen.has(row.id);
      const cells = this.texts(row);
      const text = `${row.name}\n${row.status}\n${cells.join("\n")}\n${String(isChosen)}`;
      const before = kept.get(row.id);
      if (before && before.text === text) this.drawn.set(row.id, before);
      else if (before) {
        this.fill(before.element, row, cells, isChosen);
        this.drawn.set(row.id, { text, element: before.element });
      } else {
        const element = h("tr", { id: row.number === null ? null : `n${row.number}` });
        this.fill(element, row, cells, isChosen);
        this.drawn.set(row.id, { text, element });
      }
    }
    for (const [id, { element }] of kept) if (!this.drawn.has(id)) element.remove();
    const focused = document.activeElement;
    shown.forEach((row, index) => {
      const element = this.drawn.get(row.id)?.element;
      const there = this.body.children[index] ?? null;
      if (element && there !== element) this.body.insertBefore(element, there);
    });
    // Moving a row removes the focus from its content.
    if (focused instanceof HTMLElement && this.body.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
    this.showMore();
  }

  showMore() {
    const rest = this.rows.length - this.limit;
    this.more.hidden = rest <= 0;
    if (rest <= 0 || this.more.dataset.rest === String(rest)) return;
    this.more.dataset.rest = String(rest);
    const button = this.more.querySelector("button");
    const text = t("runnerTable.more", { count: rest });
    if (button) show(button, text);
    else {
      show(this.more, h("button", {
        type: "button", class: "secondary", onclick: () => this.grow(),
      }, text));
    }
  }

  grow() {
    const first = this.rows[this.limit];
    this.limit += rowsStep;
    this.draw();
    const row = first && this.drawn.get(first.id)?.element;
    if (!row) return;
    row.tabIndex = -1;
    row.focus();
  }

  /**
   * Brings a runner into the table and into the view.
   * @param {string} id
   */
  reveal(id) {
    const index = this.rows.findIndex((row) => row.id === id);
    if (index < 0) return;
    this.limit = Math.max(this.limit, index + 1);
    this.draw();
    this.drawn.get(id)?.element.scrollIntoView({ block: "center" });
  }

  /**
   * @param {RunnerRow} row
   * @returns {string[]}
   */
  texts({ place, metres, seconds, pace }) {
    return [
      place === null ? "–" : number(place), timeText(seconds), distanceText(metres),
      paceText(pace === undefined ? paceOf(metres, seconds) : pace),
    ];
  }

  /**
   * Writes the cells; the cell of the name keeps its element while the name stays, because it may
   * have the focus.
   * @param {HTMLTableRowElement} element
   * @param {RunnerRow} row
   * @param {string[]} texts
   * @param {boolean} isChosen
   */
  fill(element, row, [place, time, distance, pace], isChosen) {
    element.classList.toggle("is-chosen", isChosen);
    const old = element.cells[1];
    const isSame = old?.dataset.name === row.name;
    const name = isSame ? old : h("th", { scope: "row", "data-name": row.name }, this.name(row));
    const button = name.querySelector("button");
    button?.setAttribute("aria-pressed", String(isChosen));
    const before = h("td", { class: "number" }, place);
    const after = [
      h("td", {}, statusSign(row.status)),
      h("td", { class: "number end" }, time), h("td", { class: "number end wide-only" }, distance),
      h("td", { class: "number end wide-only" }, pace),
    ];
    if (isSame) {
      for (const cell of [...element.cells]) if (cell !== name) cell.remove();
      element.prepend(before);
      element.append(...after);
    } else show(element, before, name, ...after);
  }

  /** @param {RunnerRow} row */
  name(row) {
    const isNumber = row.number === null || row.name === String(row.number);
    const text = row.number !== null && isNumber ? t("runnerTable.number", { name: row.name })
      : row.name;
    const detail = row.number !== null && !isNumber
      && [" ", h("span", { class: "runner-number muted small" },
        t("runnerTable.number", { name: String(row.number) }))];
    const address = this.link?.(row) ?? null;
    if (address) return [h("a", { href: address }, text), detail];
    if (!this.onChoose) return [text, detail];
    const choose = () => this.onChoose?.(row.id);
    return [h("button", { type: "button", class: "plain", onclick: choose }, text), detail];
  }
}
