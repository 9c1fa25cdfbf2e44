// The course of a run, drawn on a map, typed as coordinates, or read from a GPX file. While it is
// drawn, the API checks it and returns its length and its faults.

import { call, Problem } from "../Client/api.js";
import * as shapes from "../Client/course.js";
import { h, show, style } from "../Client/dom.js";
import { GPXFault, gpxBytesMax, gpxPoints } from "../Client/gpx.js";
import { t } from "../Client/language.js";
import { latest } from "../Client/work.js";
import { faultList } from "./courseFaults.js";
import { CourseList, pointName } from "./courseList.js";
import { CourseMap } from "./courseMap.js";
import { devicePlace, likelyPlace } from "./coursePlace.js";
import { icon } from "./icon.js";
import { announce, notice, problemNotice } from "./notice.js";
import { distanceText } from "./runFormat.js";

/** @typedef {import("../Client/course.js").Course} Course */
/** @typedef {import("../Client/course.js").CheckedPath} CheckedPath */
/** @typedef {import("./mapMath.js").Point} Point */
/**
 * @typedef {object} CourseEditorOptions
 * @property {AbortSignal} signal
 * @property {Course} [course]
 * @property {() => {runID?: number, startTime?: string}} about the run whose day
 *   counts for other runs
 * @property {(course: Course) => void} [onChange]
 */

/** Milliseconds without a change before the course is checked. */
const pause = 600;
/** Metres by which a simplified track may differ from the recorded one. */
const tolerance = 5;

export class CourseEditor {
  /** @param {CourseEditorOptions} options */
  constructor(options) {
    this.options = options;
    this.history = new shapes.CourseHistory(options.course);
    /** @type {number | null} */
    this.chosen = null;
    /** @type {CheckedPath | null} */
    this.checked = null;
    /** @type {CourseMap | null} */
    this.map = null;
    this.nextCheck = latest(options.signal);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    options.signal.addEventListener("abort", () => clearTimeout(this.timer));
    this.list = new CourseList({
      move: (index, point) => this.change(shapes.moved(this.course, index, point), index),
      remove: (index) => this.change(shapes.removed(this.course, index), null),
      insert: (index, points) => this.change(shapes.inserted(this.course, index, points), null),
      replace: (points) => {
        this.change(shapes.folded(points), null);
        this.map?.fit();
      },
      choose: (index) => this.choose(index),
    });
    this.status = h("p", { class: "course-status row", role: "status" });
    this.message = h("div");
    this.faults = h("div");
    this.place = h("div", { class: "course-map" });
    this.tools = this.toolbar();
    this.element = h("div", { class: "course-editor", "data-part": "course" },
      h("p", { class: "hint" }, t("course.hint")), this.tools.element, this.message, this.place,
      this.status, this.faults,
      h("details", { open: matchMedia("(min-width: 60rem)").matches },
        h("summary", {}, t("course.list")), this.list.element));
    this.draw();
    void this.start();
  }

  /** @returns {Course} */
  get course() {
    return this.history.present;
  }

  /** Loads the map. Without it the list of coordinates remains. */
  async start() {
    const { signal } = this.options;
    await style("courseEditor.css", import.meta.url);
    try {
      this.map = await CourseMap.create(this.place, signal, {
        add: (point) => this.add(point),
        move: (index, point) => this.change(shapes.moved(this.course, index, point), index),
        choose: (index) => this.choose(index),
      }, this.course.points[0]);
    } catch (cause) {
      if (signal.aborted) return;
      show(this.place, notice("warning", t("course.noMap")));
      reportError(cause);
    }
    this.draw();
    this.map?.fit();
    if (this.course.points.length > 1) await this.check();
    else if (this.course.points.length === 0) await this.begin();
  }

  /** Begins an empty course where the organiser probably draws it. */
  async begin() {
    const place = await likelyPlace(this.options.signal);
    if (!place || this.options.signal.aborted || this.course.points.length > 0) return;
    if (this.map?.isUnused) this.map.showAround(place);
  }

  /** Shows the surroundings of this device. */
  async locate() {
    const place = await devicePlace();
    if (this.options.signal.aborted || this.course.points.length > 0) return;
    show(this.message, !place && notice("warning", t("course.notLocated")));
    if (!place) return;
    this.map?.showAround(place);
    announce(t("course.located"));
  }

  toolbar() {
    /**
     * @param {import("../Client/dom.js").Child[]} content
     * @param {() => void} press
     */
    const button = (content, press) => h("button", {
      type: "button", class: "secondary", onclick: press,
    }, ...content);
    const undo = button([t("course.undo")], () => this.step(-1));
    const redo = button([t("course.redo")], () => this.step(1));
    const close = button([t("course.close")], () => this.change(shapes.closed(this.course), null));
    const reverse = button([t("course.reverse")],
      () => this.change(shapes.reversed(this.course), null));
    const simplify = button([t("course.simplify")], () => this.simplify());
    const clear = button([t("course.clear")], () => this.change(shapes.emptyCourse, null));
    const remove = button([], () => this.removeChosen());
    const locate = button([t("course.locate")], () => void this.locate());
    const laps = h("input", { type: "number", min: 1, max: 1000, step: 1, inputmode: "numeric" });
    laps.addEventListener("change", () => this.setLaps(Number(laps.value)));
    laps.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.setLaps(Number(laps.value));
    });
    const lapsField = h("label", { class: "course-laps" }, t("course.laps"), laps);
    const file = h("input", {
      type: "file", accept: ".gpx,application/gpx+xml", class: "visually-hidden",
    });
    file.addEventListener("change", () => void this.read(file));
    const element = h("div", {
      class: "course-tools", role: "group", "aria-label": t("course.tools"),
    },
      undo, redo, close, lapsField, remove, reverse, simplify, clear, locate,
      h("label", { class: "button secondary course-file" }, file, icon("map"), t("course.gpx")));
    element.addEventListener("keydown", (event) => this.shortcut(event));
    return {
      element, undo, redo, close, reverse, simplify, clear, locate, remove, laps, lapsField,
    };
  }

  /** @param {KeyboardEvent} event */
  shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    this.step(key === "y" || event.shiftKey ? 1 : -1);
  }

  /**
   * Adds a clicked point after the chosen one, or at the end; in a closed course before its
   * finish.
   * @param {Point} point
   */
  add(point) {
    const { points } = this.course;
    const end = shapes.isClosed(points) ? points.length - 1 : points.length;
    const index = this.chosen === null || this.chosen >= end - 1 ? end : this.chosen + 1;
    this.change(shapes.inserted(this.course, index, [point]), index === end ? null : index);
  }

  removeChosen() {
    const last = this.course.points.length - 1;
    if (last < 0) return;
    this.change(shapes.removed(this.course, this.chosen ?? last), null);
  }

  /** @param {number} laps */
  setLaps(laps) {
    const count = Number.isInteger(laps) ? Math.max(1, Math.min(1_000, laps)) : 1;
    if (count !== this.course.laps) this.change({ ...this.course, laps: count }, this.chosen);
  }

  simplify() {
    const { points, laps } = this.course;
    this.change({ points: shapes.simplified(points, tolerance), laps }, null);
  }

  /** @param {number} index */
  choose(index) {
    if (this.chosen === index) return;
    this.chosen = index;
    this.draw();
  }

  /** @param {-1 | 1} direction */
  step(direction) {
    if (direction < 0) this.history.undo();
    else this.history.redo();
    this.changed(null);
  }

  /**
   * @param {Course} course
   * @param {number | null} chosen
   */
  change(course, chosen) {
    this.history.add(course);
    this.changed(chosen);
  }

  /** @param {number | null} chosen */
  changed(chosen) {
    this.chosen = chosen;
    this.checked = null;
    show(this.message);
    show(this.faults);
    this.draw();
    this.options.onChange?.(this.course);
    // The errors of the form refer to the course before.
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
    clearTimeout(this.timer);
    this.nextCheck();
    if (this.course.points.length > 1) this.timer = setTimeout(() => void this.check(), pause);
  }

  /** Checks the course again, for example after a change of the run's day. */
  recheck() {
    if (this.course.points.length > 1) void this.check();
  }

  /** Asks the API for the length and the faults. An answer about an older course is dropped. */
  async check() {
    clearTimeout(this.timer);
    const signal = this.nextCheck();
    try {
      this.checked = await call("POST /t4r/org/path/check", {
        body: { ...this.options.about(), path: shapes.pathOf(this.course) }, signal,
      });
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(this.faults, problemNotice(problem, () => void this.check()));
      return;
    }
    if (signal.aborted) return;
    show(this.faults, faultList(this.checked.faults, this.course, (stretch) => {
      this.map?.fit(stretch);
      this.place.scrollIntoView({ block: "nearest" });
      this.choose(stretch.from);
    }));
    this.draw();
  }

  /** The legs with faults, of the drawn lap. */
  get faultyLegs() {
    const legs = (this.checked?.faults ?? []).flatMap((fault) => fault.legs);
    return shapes.drawnLegs(legs, this.course);
  }

  draw() {
    const { course, tools, history } = this;
    const { points } = course;
    const isClosed = shapes.isClosed(points);
    const legs = this.faultyLegs;
    tools.undo.disabled = !history.canUndo;
    tools.redo.disabled = !history.canRedo;
    tools.close.disabled = isClosed || points.length < 2;
    tools.lapsField.hidden = !isClosed;
    if (document.activeElement !== tools.laps) tools.laps.value = String(course.laps);
    tools.locate.hidden = points.length > 0 || !this.map || !("geolocation" in navigator);
    // Hidden as well as disabled, so that the focus moves on from it.
    tools.remove.disabled = points.length === 0;
    tools.remove.hidden = tools.remove.disabled;
    const name = pointName(course, this.chosen ?? Math.max(0, points.length - 1));
    show(tools.remove, icon("trash"), t("course.removePoint", { name }));
    tools.reverse.disabled = points.length < 2;
    tools.clear.disabled = points.length === 0;
    tools.simplify.hidden = points.length < 100;
    this.list.update(course, this.chosen, new Set(legs));
    this.map?.update(course, this.chosen, legs);
    this.drawStatus();
    this.keepFocus();
  }

  /** Shows count, length and result. Only changes are written: screen readers announce them. */
  drawStatus() {
    const { points } = this.course;
    const length = distanceText(this.checked?.length ?? shapes.lengthOf(this.course));
    const isBehind = this.chosen !== null && this.chosen < points.length - 1;
    const text = JSON.stringify([points.length, length, this.checked?.valid, isBehind]);
    if (text === this.status.dataset.text) return;
    this.status.dataset.text = text;
    show(this.status,
      h("span", {}, t("course.summary", { count: points.length, length })),
      this.checked?.valid
        && h("span", { class: "tag tag-positive" }, icon("check"), t("course.valid")),
      this.checked && !this.checked.valid
        && h("span", { class: "tag tag-negative" }, t("course.invalid")),
      points.length < 2 && h("span", { class: "muted" }, t("course.few")),
      isBehind && h("button", { type: "button", class: "plain", onclick: () => this.unchoose() },
        t("course.atEnd")));
  }

  /** Moves the focus from a pressed button that was then disabled. */
  keepFocus() {
    const active = document.activeElement;
    if (!(active instanceof HTMLButtonElement) || !active.disabled) return;
    if (!this.tools.element.contains(active)) return;
    const next = this.tools.element.querySelector("button:not(:disabled):not([hidden])");
    if (next instanceof HTMLElement) next.focus();
  }

  unchoose() {
    this.chosen = null;
    this.draw();
  }

  /** @param {HTMLInputElement} input */
  async read(input) {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    if (file.size > gpxBytesMax) {
      show(this.message, notice("error", t("course.gpxLarge")));
      return;
    }
    const text = await file.text().catch(() => null);
    if (this.options.signal.aborted) return;
    if (text === null) show(this.message, notice("error", t("course.gpxUnreadable")));
    else this.use(text, file.name);
  }

  /**
   * @param {string} text of a GPX file
   * @param {string} fileName
   */
  use(text, fileName) {
    try {
      const { kind, name, points } = gpxPoints(text);
      this.change(shapes.folded(points), null);
      this.map?.fit();
      const read = t(`course.gpx.${kind}`, { count: points.length, name: name || fileName });
      show(this.message, notice("success", read));
      announce(read);
    } catch (fault) {
      if (!(fault instanceof GPXFault)) throw fault;
      const keys = /** @type {const} */ ({
        "no gpx": "course.gpxNone", "no points": "course.gpxEmpty",
        "wrong point": "course.gpxWrong", "too many points": "course.gpxMany",
      });
      show(this.message, notice("error", t(keys[fault.reason], { line: fault.line })));
    }
  }
}
