// The runners of a run on one canvas above a map: a thousand of them move without DOM nodes.

import { h } from "../Client/dom.js";
import { boxesAround, LabelPlaces } from "./labelPlaces.js";
import { pixel, prepare } from "./mapCanvas.js";
import { project, shownAt } from "./mapMath.js";

/** @typedef {import("./mapMath.js").Point} Point */
/** @typedef {import("./mapCanvas.js").View} View */
/** @typedef {import("../Client/livePicture.js").RunnerStatus} RunnerStatus */

/**
 * @typedef {object} ShownRunner
 * @property {string} id
 * @property {Point} point
 * @property {RunnerStatus} status
 * @property {string} label
 * @property {boolean} isChosen
 */
/**
 * A runner between two positions. The objects are reused: a live map must not fill the memory.
 * @typedef {object} Motion
 * @property {number} fromX
 * @property {number} fromY
 * @property {number} toX
 * @property {number} toY
 * @property {number} startedAt milliseconds
 * @property {string} label
 * @property {RunnerStatus} status
 * @property {boolean} isChosen
 * @property {number} side of the name in the last picture
 * @property {number} generation of the last picture with this runner
 */

/** The kind decides colour and shape, because colour alone is not enough. */
/** @typedef {"halo" | "body"} Part the light edge of a runner, or the runner */
/** @typedef {"dot" | "ring" | "triangle" | "square" | "cross"} Shape */
/** @type {Record<RunnerStatus, {colour: string, shape: Shape}>} */
const looks = {
  "checked in": { colour: "--text-2", shape: "ring" },
  running: { colour: "--accent", shape: "dot" },
  "off course": { colour: "--warning", shape: "triangle" },
  "signal lost": { colour: "--text-2", shape: "ring" },
  finished: { colour: "--positive", shape: "square" },
  paused: { colour: "--text-2", shape: "ring" },
  "did not start": { colour: "--text-2", shape: "cross" },
  "did not finish": { colour: "--negative", shape: "cross" },
};

/** Up to this number all names are drawn; beyond it they would hide each other. */
const labelsMax = 30;
/** How far a click may be from a runner, in pixels: targets of 44 px. */
const reach = 22;
const spriteSize = 30;
/** The space around a sign that names leave free, and that between a sign and its name. */
const signRadius = 7;
const markerGap = 11;
/** The corner with the buttons of the map. */
const buttons = { width: 56, height: 152 };

export class RunnersLayer {
  /**
   * @param {import("./map.js").MapView} map
   * @param {object} options
   * @param {AbortSignal} options.signal
   * @param {(id: string) => void} [options.onRunner] a click on a runner
   */
  constructor(map, { signal, onRunner }) {
    this.map = map;
    this.signal = signal;
    this.canvas = h("canvas", { class: "map-canvas", "aria-hidden": "true" });
    /** @type {Map<string, Motion>} */
    this.motions = new Map();
    /** @type {Map<string, HTMLCanvasElement>} */
    this.sprites = new Map();
    this.generation = 0;
    this.changedAt = 0;
    /** How long a runner moves to a new position: the time between the last two pictures. */
    this.interval = 1_000;
    this.frame = 0;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    map.map.getPane("overlayPane").append(this.canvas);
    map.map.on("move zoom viewreset resize", () => this.draw());
    map.map.on("click", ({ containerPoint }) => {
      const id = this.runnerAt(containerPoint);
      if (id !== null) onRunner?.(id);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.sprites.clear();
      this.animate();
    }, { signal });
    signal.addEventListener("abort", () => {
      cancelAnimationFrame(this.frame);
      this.motions.clear();
      this.sprites.clear();
    }, { once: true });
  }

  /**
   * Shows only these runners; runners of the previous picture move to their new positions.
   * @param {Iterable<ShownRunner>} runners
   */
  show(runners) {
    const now = performance.now();
    this.generation += 1;
    let hasMoved = false;
    for (const { id, point, status, label, isChosen } of runners) {
      const { x, y } = project(point);
      let motion = this.motions.get(id);
      if (!motion) {
        motion = {
          fromX: x, fromY: y, toX: x, toY: y, startedAt: now, label, status, isChosen,
          side: 0, generation: this.generation,
        };
        this.motions.set(id, motion);
      } else if (motion.toX !== x || motion.toY !== y) {
        const share = this.share(motion, now);
        motion.fromX += (motion.toX - motion.fromX) * share;
        motion.fromY += (motion.toY - motion.fromY) * share;
        motion.toX = x;
        motion.toY = y;
        motion.startedAt = now;
        hasMoved = true;
      }
      motion.label = label;
      motion.status = status;
      motion.isChosen = isChosen;
      motion.generation = this.generation;
    }
    for (const [id, { generation }] of this.motions) {
      if (generation !== this.generation) this.motions.delete(id);
    }
    if (hasMoved) {
      // A little longer than the pause between pictures, so that no runner stops in between.
      this.interval = Math.max(400, Math.min(4_000, (now - this.changedAt) * 1.1));
      this.changedAt = now;
    }
    this.animate();
  }

  /**
   * How much of the way to the newest position has been covered.
   * @param {Motion} motion
   * @param {number} now milliseconds
   */
  share(motion, now) {
    if (this.calm.matches) return 1;
    return Math.max(0, Math.min(1, (now - motion.startedAt) / this.interval));
  }

  /** @param {{x: number, y: number}} place pixels in the view */
  runnerAt(place) {
    const view = this.map.present();
    const now = performance.now();
    let nearest = reach;
    /** @type {string | null} */
    let found = null;
    for (const [id, motion] of this.motions) {
      const { x, y } = this.pixel(view, motion, now);
      const distance = Math.hypot(x - place.x, y - place.y);
      if (distance > nearest) continue;
      nearest = distance;
      found = id;
    }
    return found;
  }

  /**
   * @param {View} view
   * @param {Motion} motion
   * @param {number} now
   */
  pixel(view, motion, now) {
    const share = this.share(motion, now);
    return pixel(view, {
      x: motion.fromX + (motion.toX - motion.fromX) * share,
      y: motion.fromY + (motion.toY - motion.fromY) * share,
    });
  }

  /** Draws in the next frame, and in each one until all runners have arrived. */
  animate() {
    if (this.frame !== 0 || this.signal.aborted) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
      if (!this.calm.matches && performance.now() - this.changedAt < this.interval) this.animate();
    });
  }

  /** Draws at once: while the map is dragged, the canvas must not be a frame behind. */
  draw() {
    if (this.signal.aborted || this.map.view.clientWidth === 0) return;
    const view = this.map.present();
    window.L.DomUtil.setPosition(
      this.canvas, this.map.map.containerPointToLayerPoint([0, 0]));
    const context = prepare(this.canvas, view);
    const now = performance.now();
    const hasLabels = this.motions.size <= labelsMax;
    // All halos come first: in a crowd, one runner's halo must not cover the others.
    for (const part of /** @type {Part[]} */ (["halo", "body"])) {
      for (const motion of this.motions.values()) {
        if (!motion.isChosen) this.drawRunner(context, view, motion, now, part);
      }
    }
    // Runners with a problem are few, and must not be hidden by the others.
    for (const motion of this.motions.values()) {
      const isTrouble = motion.status === "off course" || motion.status === "signal lost";
      if (isTrouble && !motion.isChosen) this.drawRunner(context, view, motion, now, "body");
    }
    for (const motion of this.motions.values()) {
      if (!motion.isChosen) continue;
      this.drawRunner(context, view, motion, now, "halo");
      this.drawRunner(context, view, motion, now, "body");
    }
    // Names of chosen runners take their place first. Few names leave runners and signs visible.
    const labels = new LabelPlaces();
    if (hasLabels) this.keepFree(context, view, now, labels);
    for (const isChosen of [true, false]) {
      for (const motion of this.motions.values()) {
        if (motion.isChosen !== isChosen || !(isChosen || hasLabels)) continue;
        this.drawLabel(context, view, motion, now, labels);
      }
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {View} view
   * @param {Motion} motion
   * @param {number} now
   * @param {Part} part
   */
  drawRunner(context, view, motion, now, part) {
    const { x, y } = this.pixel(view, motion, now);
    const half = spriteSize / 2;
    if (x < -half || y < -half || x > view.width + half || y > view.height + half) return;
    const sprite = this.sprite(view, motion.status, motion.isChosen, part);
    context.drawImage(sprite, x - half, y - half, spriteSize, spriteSize);
  }

  /**
   * Takes the places of the runners, of the start and the finish with their names, and of the
   * buttons, and those beyond both sides.
   * @param {CanvasRenderingContext2D} context
   * @param {View} view
   * @param {number} now
   * @param {LabelPlaces} labels
   */
  keepFree(context, view, now, labels) {
    context.font = `600 12px ${view.style.fontFamily}`;
    const size = 2 * signRadius;
    const keepSign = (/** @type {{x: number, y: number}} */ { x, y }) =>
      labels.keep({ x: x - signRadius, y: y - signRadius, width: size, height: size });
    const { width: right, height } = view;
    labels.keep({ x: right - buttons.width, y: 0, ...buttons });
    labels.keep({ x: right, y: 0, width: Infinity, height });
    labels.keep({ x: -right, y: 0, width: right, height });
    for (const motion of this.motions.values()) keepSign(this.pixel(view, motion, now));
    for (const { motion, label } of this.map.markers.values()) {
      const { width } = context.measureText(label);
      const place = pixel(view, shownAt(motion, now));
      keepSign(place);
      const [after, before] = boxesAround(place, width, markerGap);
      const box = after && after.x + width < right ? after : before;
      if (box) labels.keep(box);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {View} view
   * @param {Motion} motion
   * @param {number} now
   * @param {LabelPlaces} labels drawn so far: a name that would cover another is left out
   */
  drawLabel(context, view, motion, now, labels) {
    const { x, y } = this.pixel(view, motion, now);
    if (!motion.label || x < 0 || y < 0 || x > view.width || y > view.height) return;
    context.font = `600 12px ${view.style.fontFamily}`;
    const { width } = context.measureText(motion.label);
    const boxes = boxesAround({ x, y }, width, motion.isChosen ? 16 : 12);
    // The side stays while it is free, so that the names of moving runners do not jump.
    const side = labels.takeFirst(boxes, motion.side);
    if (side < 0 && !motion.isChosen) return;
    if (side >= 0) motion.side = side;
    const box = boxes[Math.max(side, 0)];
    if (!box) return;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = view.style.getPropertyValue("--surface");
    context.strokeText(motion.label, box.x, box.y + 11);
    context.fillStyle = view.style.getPropertyValue("--text");
    context.fillText(motion.label, box.x, box.y + 11);
  }

  /**
   * The picture of a runner, drawn once for each kind: copying it is fast.
   * @param {View} view
   * @param {RunnerStatus} status
   * @param {boolean} isChosen
   * @param {Part} part
   * @returns {HTMLCanvasElement}
   */
  sprite(view, status, isChosen, part) {
    const ratio = Math.min(devicePixelRatio || 1, 3);
    const key = `${status} ${String(isChosen)} ${part} ${ratio}`;
    const known = this.sprites.get(key);
    if (known) return known;
    const canvas = h("canvas", { width: spriteSize * ratio, height: spriteSize * ratio });
    const context = canvas.getContext("2d");
    if (!context) throw new Error("the browser has no canvas");
    context.scale(ratio, ratio);
    context.translate(spriteSize / 2, spriteSize / 2);
    const { colour, shape } = looks[status];
    const fill = view.style.getPropertyValue(colour);
    const surface = view.style.getPropertyValue("--surface");
    const radius = isChosen ? 9 : 6;
    outline(context, shape, radius);
    context.lineJoin = "round";
    const isLine = shape === "cross" || shape === "ring";
    context.strokeStyle = part === "halo" ? surface : fill;
    context.lineWidth = (isLine ? 3 : 0.5) + (part === "halo" ? 3 : 0);
    context.stroke();
    if (!isLine && part === "body") {
      context.fillStyle = fill;
      context.fill();
    }
    if (isChosen && part === "body") {
      context.beginPath();
      context.arc(0, 0, radius + 4, 0, 2 * Math.PI);
      context.lineWidth = 2;
      context.strokeStyle = view.style.getPropertyValue("--text");
      context.stroke();
    }
    this.sprites.set(key, canvas);
    return canvas;
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Shape} shape
 * @param {number} radius
 */
function outline(context, shape, radius) {
  context.beginPath();
  switch (shape) {
    case "dot":
    case "ring":
      context.arc(0, 0, shape === "ring" ? radius - 1 : radius, 0, 2 * Math.PI);
      break;
    case "square":
      context.rect(-radius + 1, -radius + 1, 2 * radius - 2, 2 * radius - 2);
      break;
    case "triangle":
      context.moveTo(0, -radius - 1);
      context.lineTo(radius + 1, radius - 1);
      context.lineTo(-radius - 1, radius - 1);
      context.closePath();
      break;
    case "cross":
      context.moveTo(-radius + 2, -radius + 2);
      context.lineTo(radius - 2, radius - 2);
      context.moveTo(radius - 2, -radius + 2);
      context.lineTo(-radius + 2, radius - 2);
  }
}
