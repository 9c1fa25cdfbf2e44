// The runners of a run on one canvas above a map: a thousand of them move without DOM nodes.

import { h } from "../Client/dom.js";
import { boxesAround, LabelPlaces } from "./labelPlaces.js";
import { pixel, pixelRatio, prepare } from "./mapCanvas.js";
import { project, shownAt } from "./mapMath.js";
import { RunnerSprites, spriteSize } from "./runnerSprites.js";

/** @typedef {import("./mapMath.js").Point} Point */
/** @typedef {import("./mapCanvas.js").View} View */
/** @typedef {import("../Client/livePicture.js").RunnerStatus} RunnerStatus */
/** @typedef {import("./runnerSprites.js").Sprite} Sprite */

/**
 * @typedef {object} ShownRunner
 * @property {string} id
 * @property {Point} point
 * @property {RunnerStatus} status
 * @property {string} label
 * @property {boolean} isChosen
 */
/**
 * A runner between two positions of the world, and its newest pixel. The objects are reused: a live
 * map must not fill the memory.
 * @typedef {object} Motion
 * @property {number} fromX
 * @property {number} fromY
 * @property {number} toX
 * @property {number} toY
 * @property {number} x pixels in the view
 * @property {number} y
 * @property {number} startedAt milliseconds
 * @property {string} label
 * @property {RunnerStatus} status
 * @property {boolean} isChosen
 * @property {number} side of the name in the last picture
 * @property {number} generation of the last picture with this runner
 */

/** Up to this number all names are drawn; beyond it they would hide each other. */
const labelsMax = 30;
/** How far a click may be from a runner, in pixels: targets of 44 px. */
const reach = 22;
/** A movement that is drawn, in device pixels: a smaller one is not visible. */
const visibleStep = 0.5;
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
    this.sprites = new RunnerSprites();
    this.generation = 0;
    this.changedAt = 0;
    /** How long a runner moves to a new position: the time between the last two pictures. */
    this.interval = 1_000;
    /** The speed of the fastest runner, in worlds a millisecond. */
    this.speed = 0;
    /** When the fastest runner will have moved visibly since the last drawing. */
    this.dueAt = 0;
    this.frame = 0;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    map.map.getPane("overlayPane").append(this.canvas);
    map.map.on("move zoom viewreset resize", () => this.draw());
    map.map.on("click", ({ containerPoint }) => {
      const id = this.runnerAt(containerPoint);
      if (id !== null) onRunner?.(id);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.sprites.forget();
      this.dueAt = 0;
      this.animate();
    }, { signal });
    signal.addEventListener("abort", () => {
      cancelAnimationFrame(this.frame);
      this.motions.clear();
      this.sprites.forget();
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
          fromX: x, fromY: y, toX: x, toY: y, x: 0, y: 0, startedAt: now, label, status, isChosen,
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
    this.speed = this.fastest(now);
    this.dueAt = 0;
    this.animate();
  }

  /**
   * The speed of the fastest runner, in worlds a millisecond.
   * @param {number} now milliseconds
   */
  fastest(now) {
    let longest = 0;
    for (const motion of this.motions.values()) {
      if (this.share(motion, now) === 1) continue;
      const way = Math.hypot(motion.toX - motion.fromX, motion.toY - motion.fromY);
      longest = Math.max(longest, way);
    }
    return longest / this.interval;
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
      this.place(view, motion, now);
      const distance = Math.hypot(motion.x - place.x, motion.y - place.y);
      if (distance > nearest) continue;
      nearest = distance;
      found = id;
    }
    return found;
  }

  /**
   * Sets the pixel of a runner.
   * @param {View} view
   * @param {Motion} motion
   * @param {number} now
   */
  place(view, motion, now) {
    const share = this.share(motion, now);
    motion.x = (motion.fromX + (motion.toX - motion.fromX) * share) * view.size - view.left;
    motion.y = (motion.fromY + (motion.toY - motion.fromY) * share) * view.size - view.top;
  }

  /**
   * Draws in the next frame, and until all runners have arrived in each one in which a runner has
   * moved visibly: on a map of a whole run, that is one of many.
   */
  animate() {
    if (this.frame !== 0 || this.signal.aborted) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const now = performance.now();
      const hasArrived = this.calm.matches || now - this.changedAt >= this.interval;
      if (hasArrived || now >= this.dueAt) this.draw();
      if (!hasArrived) this.animate();
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
    const ratio = pixelRatio();
    this.sprites.use(ratio);
    this.dueAt = now + visibleStep / (this.speed * view.size * ratio);
    const hasLabels = this.motions.size <= labelsMax;
    // All halos come first: in a crowd, one runner's halo must not cover the others.
    for (const motion of this.motions.values()) {
      this.place(view, motion, now);
      if (!motion.isChosen) this.drawRunner(context, view, motion, "halo");
    }
    for (const motion of this.motions.values()) {
      if (!motion.isChosen) this.drawRunner(context, view, motion, "body");
    }
    // Runners with a problem are few, and must not be hidden by the others.
    for (const motion of this.motions.values()) {
      const isTrouble = motion.status === "off course" || motion.status === "signal lost";
      if (isTrouble && !motion.isChosen) this.drawRunner(context, view, motion, "body");
    }
    for (const motion of this.motions.values()) {
      if (!motion.isChosen) continue;
      this.drawRunner(context, view, motion, "halo");
      this.drawRunner(context, view, motion, "body");
    }
    // Names of chosen runners take their place first. Few names leave runners and signs visible.
    const labels = new LabelPlaces();
    if (hasLabels) this.keepFree(context, view, now, labels);
    for (const isChosen of [true, false]) {
      for (const motion of this.motions.values()) {
        if (motion.isChosen !== isChosen || !(isChosen || hasLabels)) continue;
        this.drawLabel(context, view, motion, labels);
      }
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {View} view
   * @param {Motion} motion
   * @param {keyof Sprite} part
   */
  drawRunner(context, view, { x, y, status, isChosen }, part) {
    const half = spriteSize / 2;
    if (x < -half || y < -half || x > view.width + half || y > view.height + half) return;
    const sprite = this.sprites.sprite(view, status, isChosen)[part];
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
    for (const motion of this.motions.values()) keepSign(motion);
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
   * @param {LabelPlaces} labels drawn so far: a name that would cover another is left out
   */
  drawLabel(context, view, motion, labels) {
    const { x, y } = motion;
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
}
