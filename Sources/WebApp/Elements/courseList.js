// The checkpoints of a course as a list of coordinates, for editing by keyboard.

import { distances, isClosed, pointsOf } from "../Client/course.js";
import { h, show } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { icon } from "./icon.js";
import { announce, notice } from "./notice.js";
import { pointOf, textOf } from "./mapMath.js";
import { distanceText } from "./runFormat.js";

/** @typedef {import("../Client/course.js").Course} Course */
/** @typedef {import("./mapMath.js").Point} Point */
/**
 * @typedef {object} CourseActions
 * @property {(index: number, point: Point) => void} move
 * @property {(index: number) => void} remove
 * @property {(index: number, points: Point[]) => void} insert before an index
 * @property {(points: Point[]) => void} replace
 * @property {(index: number) => void} choose
 */

/** Rows shown at a time: a recorded track has thousands of points. */
const rowsMax = 50;

/**
 * The name of a point by its index.
 * @param {Course} course
 * @param {number} index
 */
export function pointName({ points }, index) {
  if (index === 0) return isClosed(points) ? t("course.startFinish") : t("course.start");
  if (index === points.length - 1) return t("course.finish");
  return t("course.point", { count: index + 1 });
}

/**
 * The first index of the page with an index.
 * @param {number} index
 */
function pageOf(index) {
  return Math.max(0, Math.floor(index / rowsMax) * rowsMax);
}

export class CourseList {
  /** @param {CourseActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Course} */
    this.course = { points: [], laps: 1 };
    /** @type {number | null} */
    this.chosen = null;
    /** @type {Set<number>} */
    this.faultyLegs = new Set();
    this.first = 0;
    /** @type {ReturnType<CourseList["row"]>[]} */
    this.rows = [];
    this.list = h("ol", { class: "plain-list course-list", "aria-label": t("course.list") });
    this.pages = h("div", { class: "row" });
    this.added = h("input", {
      type: "text", inputmode: "text", placeholder: "45.4781, 9.2272", autocomplete: "off",
      "aria-label": t("course.coordinate"),
    });
    this.message = h("div");
    this.text = h("textarea", { rows: 8, spellcheck: "false", "aria-label": t("course.asText") });
    this.textMessage = h("div");
    this.element = h("div", {}, this.list, this.pages, this.adding(), this.textEditing());
    this.element.addEventListener("keydown", (event) => this.enter(event));
  }

  adding() {
    return h("div", {}, h("p", { class: "hint" }, t("course.addHint")),
      h("div", { class: "with-button" }, this.added,
        h("button", { type: "button", class: "secondary", onclick: () => this.add() },
          icon("add"), t("course.add"))), this.message);
  }

  textEditing() {
    const details = h("details", {
      ontoggle: () => {
        if (details.open) this.text.value = this.course.points.map(textOf).join("\n");
      },
    }, h("summary", {}, t("course.asText")),
    h("p", { class: "hint" }, t("course.asTextHint")), this.text, this.textMessage,
    h("p", { class: "actions" },
      h("button", { type: "button", class: "secondary", onclick: () => this.replace() },
        t("course.apply"))));
    return details;
  }

  /**
   * Enter in a field applies it, instead of sending the form around the editor.
   * @param {KeyboardEvent} event
   */
  enter(event) {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (event.target === this.added) this.add();
    else event.target.dispatchEvent(new Event("change"));
  }

  add() {
    const point = pointOf(this.added.value);
    show(this.message, !point && notice("error", t("course.wrongCoordinate")));
    if (!point) {
      this.added.focus();
      return;
    }
    this.added.value = "";
    this.actions.insert(this.course.points.length, [point]);
    this.showPage(pageOf(this.course.points.length - 1));
    announce(t("course.added", { name: pointName(this.course, this.course.points.length - 1) }));
  }

  replace() {
    const { points, wrongLines } = pointsOf(this.text.value);
    const lines = wrongLines.slice(0, 10).map((line) => number(line)).join(", ");
    show(this.textMessage,
      wrongLines.length > 0 && notice("error", t("course.wrongLines", { lines })));
    if (wrongLines.length === 0) this.actions.replace(points);
  }

  /**
   * Shows a course.
   * @param {Course} course
   * @param {number | null} chosen
   * @param {Set<number>} faultyLegs
   */
  update(course, chosen, faultyLegs) {
    if (chosen !== null && chosen !== this.chosen) this.first = pageOf(chosen);
    this.course = course;
    this.chosen = chosen;
    this.faultyLegs = faultyLegs;
    const { length } = course.points;
    if (this.first >= length) this.first = pageOf(length - 1);
    this.draw();
  }

  /** @param {number} first the index of the first row */
  showPage(first) {
    this.first = first;
    this.draw();
  }

  draw() {
    const { points } = this.course;
    const metres = distances(points);
    const count = Math.min(rowsMax, points.length - this.first);
    while (this.rows.length > Math.max(0, count)) this.rows.pop()?.element.remove();
    while (this.rows.length < count) {
      const row = this.row(this.rows.length);
      this.rows.push(row);
      this.list.append(row.element);
    }
    this.rows.forEach((row, at) => {
      const index = this.first + at;
      const point = points[index];
      if (!point) return;
      row.show(point, pointName(this.course, index), metres[index] ?? 0,
        this.faultyLegs.has(index), index === this.chosen, index < points.length - 1);
    });
    this.list.setAttribute("start", String(this.first + 1));
    this.drawPages();
  }

  drawPages() {
    const { length } = this.course.points;
    if (length <= rowsMax) {
      show(this.pages);
      return;
    }
    const last = Math.min(this.first + rowsMax, length);
    /**
     * @param {string} text
     * @param {number} first
     */
    const button = (text, first) => h("button", {
      type: "button", class: "secondary", disabled: first < 0 || first >= length,
      onclick: () => this.showPage(first),
    }, text);
    show(this.pages, button(t("course.previous"), this.first - rowsMax),
      h("span", {}, t("course.page", { from: this.first + 1, to: last, count: length })),
      button(t("course.next"), this.first + rowsMax));
  }

  /**
   * A row for a position in the list. A change keeps its element, and with it the focus.
   * @param {number} at
   */
  row(at) {
    const index = () => this.first + at;
    const name = h("span", { class: "course-name" });
    const so = h("span", { class: "muted small number" });
    const fault = h("span", { class: "tag tag-negative", hidden: true }, t("course.faultyLeg"));
    const input = h("input", {
      type: "text", autocomplete: "off", onfocus: () => this.actions.choose(index()),
      onchange: () => {
        const point = pointOf(input.value);
        input.setAttribute("aria-invalid", String(!point));
        error.textContent = point ? "" : t("course.wrongCoordinate");
        if (point) this.actions.move(index(), point);
      },
    });
    const error = h("p", { class: "error course-error", role: "alert" });
    const insert = h("button", {
      type: "button", class: "plain", onclick: () => this.insertAfter(index()),
    }, icon("add"), h("span", { class: "visually-hidden" }));
    const remove = h("button", {
      type: "button", class: "plain", onclick: () => this.removeRow(index()),
    }, icon("trash"), h("span", { class: "visually-hidden" }));
    const element = h("li", {}, h("div", { class: "course-row" },
      h("div", { class: "course-row-name" }, name, so, fault), input, insert, remove), error);
    let shown = "";
    /**
     * @param {Point} point
     * @param {string} label
     * @param {number} metres
     * @param {boolean} isFaulty
     * @param {boolean} isChosen
     * @param {boolean} hasNext
     */
    const showPoint = (point, label, metres, isFaulty, isChosen, hasNext) => {
      name.textContent = label;
      so.textContent = distanceText(metres);
      fault.hidden = !isFaulty;
      const text = textOf(point).replace(",", ", ");
      if (text !== shown) {
        input.value = text;
        error.textContent = "";
        input.removeAttribute("aria-invalid");
      }
      shown = text;
      input.setAttribute("aria-label", t("course.coordinateOf", { name: label }));
      insert.hidden = !hasNext;
      setName(insert, t("course.insertAfter", { name: label }));
      setName(remove, t("course.removePoint", { name: label }));
      element.classList.toggle("is-chosen", isChosen);
    };
    return { element, input, remove, show: showPoint };
  }

  /** @param {number} index */
  insertAfter(index) {
    const [before, after] = [this.course.points[index], this.course.points[index + 1]];
    if (!before || !after) return;
    const middle = { lat: (before.lat + after.lat) / 2, lon: (before.lon + after.lon) / 2 };
    this.actions.insert(index + 1, [middle]);
    this.rows[index + 1 - this.first]?.input.focus();
  }

  /** @param {number} index */
  removeRow(index) {
    const name = pointName(this.course, index);
    this.actions.remove(index);
    announce(t("course.removed", { name }));
    const row = this.rows[Math.min(index - this.first, this.rows.length - 1)];
    (row?.remove ?? this.added).focus();
  }
}

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
function setName(button, text) {
  const label = button.querySelector(".visually-hidden");
  if (label) label.textContent = text;
  button.title = text;
}
