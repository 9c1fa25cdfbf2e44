// A course on a map while it is drawn: line, faulty legs, and handles of the checkpoints.

import { isClosed, stretches } from "../Client/course.js";
import { t } from "../Client/language.js";
import { createMap } from "./map.js";
import { pointName } from "./courseList.js";

/** @typedef {import("../Client/course.js").Course} Course */
/** @typedef {import("./mapMath.js").Point} Point */

/** Each handle is an element: more of them would slow down the map and hide the course. */
const handlesMax = 120;
/** The zoom at which a course is begun: some kilometres. */
const drawingZoom = 13;

/**
 * @typedef {object} CourseMapActions
 * @property {(point: Point) => void} add
 * @property {(index: number, point: Point) => void} move
 * @property {(index: number) => void} choose
 */

export class CourseMap {
  /**
   * @param {import("./map.js").MapView} map
   * @param {CourseMapActions} actions
   */
  constructor(map, actions) {
    this.map = map;
    this.actions = actions;
    /** @type {Map<string, string>} the text of each handle */
    this.shown = new Map();
    /** @type {Set<string>} */
    this.faultPaths = new Set();
    /** @type {Course} */
    this.course = { points: [], laps: 1 };
    this.firstView = map.viewText();
  }

  /**
   * @param {HTMLElement} container
   * @param {AbortSignal} signal
   * @param {CourseMapActions} actions
   * @param {Point | undefined} center
   */
  static async create(container, signal, actions, center) {
    const map = await createMap(container, {
      signal, label: t("course.map"), onClick: actions.add, center,
      zoom: center ? drawingZoom : undefined, moveMilliseconds: 0,
    });
    return new CourseMap(map, actions);
  }

  /**
   * Shows a course.
   * @param {Course} course
   * @param {number | null} chosen
   * @param {readonly number[]} faultyLegs
   */
  update(course, chosen, faultyLegs) {
    this.course = course;
    const { points } = course;
    this.map.setPath([...points]);
    this.drawFaults(faultyLegs);
    const wanted = this.handles(chosen);
    for (const id of [...this.shown.keys()]) {
      if (wanted.has(id)) continue;
      this.map.removeHandle(id);
      this.shown.delete(id);
    }
    for (const [id, index] of wanted) this.drawHandle(id, index);
    const point = chosen === null ? undefined : points[chosen];
    if (point && chosen !== null) {
      this.map.setMarker("chosen", {
        point, kind: "self", label: pointName(course, chosen), isChosen: true,
      });
    } else this.map.removeMarker("chosen");
  }

  /**
   * The points with a handle. The finish of a lap is its start and has no separate handle.
   * @param {number | null} chosen
   * @returns {Map<string, number>}
   */
  handles(chosen) {
    const { points } = this.course;
    const count = isClosed(points) ? points.length - 1 : points.length;
    const all = count <= handlesMax ? [...points.keys()] : [0, count - 1, chosen ?? 0];
    return new Map(all.filter((index) => index < count).map((index) => [`point-${index}`, index]));
  }

  /**
   * @param {string} id
   * @param {number} index
   */
  drawHandle(id, index) {
    const { points } = this.course;
    const point = points[index];
    if (!point) return;
    const isFinish = index === points.length - 1 && index > 0;
    const text = index === 0 ? t("course.startSign")
      : isFinish ? t("course.finishSign") : index > 998 ? "…" : String(index + 1);
    const label = pointName(this.course, index);
    /** @param {Point} at */
    const look = (at) => `${at.lat},${at.lon},${text},${label}`;
    // An unchanged handle stays, because it may have the focus.
    if (this.shown.get(id) === look(point)) return;
    this.shown.set(id, look(point));
    this.map.setHandle(id, {
      point, label, text,
      onDrag: (at) => this.preview(index, at),
      onMove: (at) => {
        this.shown.set(id, look(at));
        this.actions.move(index, at);
      },
      onPress: () => this.actions.choose(index),
    });
  }

  /**
   * Draws the line to a point that is being dragged.
   * @param {number} index
   * @param {Point} at
   */
  preview(index, at) {
    const { points } = this.course;
    const isEnd = isClosed(points) && index === 0;
    this.map.setPath(points.map((point, each) => (
      each === index || (isEnd && each === points.length - 1) ? at : point)));
  }

  /** @param {readonly number[]} legs */
  drawFaults(legs) {
    const paths = stretches(legs).slice(0, 200);
    for (const id of this.faultPaths) this.map.setPath([], { id });
    this.faultPaths.clear();
    paths.forEach(({ from, to }, index) => {
      const id = `fault-${index}`;
      this.faultPaths.add(id);
      this.map.setPath(this.course.points.slice(from, to + 1),
        { id, colour: "--text", width: 6, isDashed: true });
    });
  }

  /** Whether the map still shows what it began with: the organiser has not looked for a place. */
  get isUnused() {
    return this.map.viewText() === this.firstView;
  }

  /** @param {Point} point */
  showAround(point) {
    this.map.panTo(point, drawingZoom);
  }

  /** @param {{from: number, to: number}} [stretch] by default the whole course */
  fit(stretch) {
    const { points } = this.course;
    if (points.length === 0) return;
    this.map.fit(stretch ? points.slice(stretch.from, stretch.to + 1) : undefined);
  }
}
