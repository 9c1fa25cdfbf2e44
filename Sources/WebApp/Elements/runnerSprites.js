// The pictures of runners on a map, drawn once for each kind: copying them is fast.

import { h } from "../Client/dom.js";

/** @typedef {import("../Client/livePicture.js").RunnerStatus} RunnerStatus */
/** @typedef {import("./mapCanvas.js").View} View */
/**
 * The light edge of a runner, and the runner.
 * @typedef {{halo: HTMLCanvasElement, body: HTMLCanvasElement}} Sprite
 */
/** The kind decides colour and shape, because colour alone is not enough. */
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

/** Width and height of a picture, in CSS pixels. */
export const spriteSize = 30;

/** The pictures for one screen, drawn when they are first needed. */
export class RunnerSprites {
  constructor() {
    /** @type {Map<RunnerStatus, Sprite>} */
    this.usual = new Map();
    /** @type {Map<RunnerStatus, Sprite>} */
    this.chosen = new Map();
    this.ratio = 1;
  }

  /**
   * Draws the pictures for a screen with this number of device pixels per CSS pixel.
   * @param {number} ratio
   */
  use(ratio) {
    if (ratio !== this.ratio) this.forget();
    this.ratio = ratio;
  }

  /** The colours have changed, or the pictures are no longer needed. */
  forget() {
    this.usual.clear();
    this.chosen.clear();
  }

  /**
   * The pictures of a runner.
   * @param {View} view
   * @param {RunnerStatus} status
   * @param {boolean} isChosen
   * @returns {Sprite}
   */
  sprite(view, status, isChosen) {
    const sprites = isChosen ? this.chosen : this.usual;
    const known = sprites.get(status);
    if (known) return known;
    const drawn = {
      halo: this.draw(view, status, isChosen, "halo"),
      body: this.draw(view, status, isChosen, "body"),
    };
    sprites.set(status, drawn);
    return drawn;
  }

  /**
   * @param {View} view
   * @param {RunnerStatus} status
   * @param {boolean} isChosen
   * @param {keyof Sprite} part
   * @returns {HTMLCanvasElement}
   */
  draw(view, status, isChosen, part) {
    const { ratio } = this;
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
