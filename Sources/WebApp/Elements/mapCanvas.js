// The drawing of a map on two canvases: grid, paths and circle below, markers above.

import { number, t } from "../Client/language.js";
import { gridLines, shownAt } from "./mapMath.js";

/** @typedef {import("./mapMath.js").World} World */
/** @typedef {import("./mapMath.js").Motion} Motion */

/**
 * The kind decides colour and shape, because colour alone is not enough.
 * @typedef {"runner" | "self" | "person" | "hospital" | "start" | "finish" | "checkpoint"
 * } MarkerKind
 */
/**
 * @typedef {object} DrawnMarker
 * @property {MarkerKind} kind
 * @property {string} label beside the marker
 * @property {string} text in the marker, at most three characters
 * @property {boolean} isFaded for a position that is no longer up to date
 * @property {boolean} isChosen
 * @property {Motion} motion
 */
/**
 * The visible part of the map.
 * @typedef {object} View
 * @property {number} width pixels
 * @property {number} height pixels
 * @property {number} size of the world in pixels
 * @property {number} left of the view in the world's pixels
 * @property {number} top
 * @property {{south: number, west: number, north: number, east: number}} bounds degrees
 * @property {CSSStyleDeclaration} style of the map, for the tokens of colour
 */

/** @typedef {"circle" | "square" | "diamond" | "triangle"} Shape */
/** @type {Record<MarkerKind, {colour: string, shape: Shape}>} */
const looks = {
  runner: { colour: "--accent", shape: "circle" },
  self: { colour: "--focus", shape: "diamond" },
  person: { colour: "--negative", shape: "circle" },
  hospital: { colour: "--accent", shape: "square" },
  start: { colour: "--positive", shape: "triangle" },
  finish: { colour: "--text", shape: "square" },
  checkpoint: { colour: "--accent", shape: "circle" },
};

/** Labels of all markers are drawn up to this number; beyond it they would hide each other. */
const labelsMax = 30;
/** The width at the edge that the buttons of the map and the end of a label take. */
const buttonsWidth = 110;

/**
 * The pixel of a position in the view.
 * @param {View} view
 * @param {World} world
 */
export function pixel(view, world) {
  return { x: world.x * view.size - view.left, y: world.y * view.size - view.top };
}

/** Device pixels per CSS pixel, at most three: more are not visible. */
export function pixelRatio() {
  return Math.min(devicePixelRatio || 1, 3);
}

/**
 * Fits a canvas to the view and the screen's resolution.
 * @param {HTMLCanvasElement} canvas
 * @param {View} view
 * @returns {CanvasRenderingContext2D}
 */
export function prepare(canvas, view) {
  const ratio = pixelRatio();
  const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${view.width}px`;
    canvas.style.height = `${view.height}px`;
  }
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser has no canvas");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  return context;
}

/**
 * Lines of equal latitude and longitude with their degrees, so that a map without tiles
 * shows its location.
 * @param {CanvasRenderingContext2D} context
 * @param {View} view
 * @param {(latitude: number) => number} top of a latitude in the world
 */
export function drawGrid(context, view, top) {
  const { bounds, width, height, size, left } = view;
  context.strokeStyle = view.style.getPropertyValue("--line");
  context.fillStyle = view.style.getPropertyValue("--text-2");
  context.font = `11px ${view.style.fontFamily}`;
  context.lineWidth = 1;
  context.beginPath();
  const east = gridLines(bounds.west, bounds.east, width);
  const north = gridLines(bounds.south, bounds.north, height);
  /** @type {[text: string, x: number, y: number][]} */
  const labels = [];
  for (const degrees of east.lines) {
    const x = Math.round((degrees / 360 + 0.5) * size - left) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, height);
    // Beneath the buttons of the map a label could not be read.
    if (x > width - buttonsWidth) continue;
    labels.push([degreesText(degrees, east.digits, t("map.east"), t("map.west")), x + 4, 14]);
  }
  for (const degrees of north.lines) {
    const y = Math.round(top(degrees) * size - view.top) + 0.5;
    context.moveTo(0, y);
    context.lineTo(width, y);
    const text = degreesText(degrees, north.digits, t("map.north"), t("map.south"));
    // The upper edge has the other labels, the lower one the scale.
    if (y > 30 && y < height - 30) labels.push([text, 4, y - 4]);
  }
  context.stroke();
  for (const [text, x, y] of labels) context.fillText(text, x, y);
}

/**
 * @param {number} degrees
 * @param {number} digits
 * @param {string} positive the direction of positive degrees
 * @param {string} negative
 */
function degreesText(degrees, digits, positive, negative) {
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const text = number(Math.abs(degrees), places);
  return degrees === 0 ? `${text}°` : `${text}° ${degrees > 0 ? positive : negative}`;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {View} view
 * @param {World[]} path
 * @param {{colour: string, width: number, isDashed: boolean}} look colour: a token
 */
export function drawPath(context, view, path, look) {
  if (path.length === 0) return;
  context.beginPath();
  for (const world of path) {
    const { x, y } = pixel(view, world);
    context.lineTo(x, y);
  }
  context.lineJoin = "round";
  context.lineCap = "round";
  // A light line below keeps the path visible on every tile.
  context.setLineDash([]);
  context.strokeStyle = view.style.getPropertyValue("--surface");
  context.lineWidth = look.width + 3;
  context.stroke();
  context.setLineDash(look.isDashed ? [look.width * 2, look.width * 2] : []);
  context.strokeStyle = view.style.getPropertyValue(look.colour);
  context.lineWidth = look.width;
  context.stroke();
  context.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {View} view
 * @param {World} center
 * @param {number} radius pixels
 */
export function drawCircle(context, view, center, radius) {
  const { x, y } = pixel(view, center);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.globalAlpha = 0.18;
  context.fillStyle = view.style.getPropertyValue("--accent");
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 2;
  context.strokeStyle = view.style.getPropertyValue("--accent");
  context.stroke();
}

/**
 * Draws markers at their present positions; chosen ones are larger and on top.
 * @param {CanvasRenderingContext2D} context
 * @param {View} view
 * @param {Iterable<DrawnMarker>} markers
 * @param {number} count of markers
 * @param {number} now milliseconds
 */
export function drawMarkers(context, view, markers, count, now) {
  /** @type {DrawnMarker[]} */
  const chosen = [];
  const colours = new Map(Object.values(looks).map(
    ({ colour }) => [colour, view.style.getPropertyValue(colour)]));
  const surface = view.style.getPropertyValue("--surface");
  const text = view.style.getPropertyValue("--text");
  const hasLabels = count <= labelsMax;
  /**
   * @param {DrawnMarker} marker
   * @param {boolean} hasLabel
   */
  const draw = (marker, hasLabel) => {
    const { x, y } = pixel(view, shownAt(marker.motion, now));
    if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) return;
    const look = looks[marker.kind];
    const radius = (marker.text ? 10 : 7) + (marker.isChosen ? 3 : 0);
    context.globalAlpha = marker.isFaded ? 0.55 : 1;
    outline(context, look.shape, x, y, radius);
    context.fillStyle = colours.get(look.colour) ?? text;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = marker.isChosen ? text : surface;
    context.setLineDash(marker.isFaded ? [3, 3] : []);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    if (marker.text) {
      context.fillStyle = surface;
      context.textAlign = "center";
      context.font = `bold 10px ${view.style.fontFamily}`;
      context.fillText(marker.text, x, y + 3.5);
      context.textAlign = "start";
    }
    if (hasLabel && marker.label) {
      context.font = `600 12px ${view.style.fontFamily}`;
      context.lineWidth = 3;
      context.strokeStyle = surface;
      // A label that would leave the view is drawn on the other side.
      const isInside = x + radius + 4 + context.measureText(marker.label).width < view.width;
      const start = isInside ? x + radius + 4 : x - radius - 4;
      context.textAlign = isInside ? "start" : "end";
      context.strokeText(marker.label, start, y + 4);
      context.fillStyle = text;
      context.fillText(marker.label, start, y + 4);
      context.textAlign = "start";
    }
  };
  for (const marker of markers) {
    if (marker.isChosen) chosen.push(marker);
    else draw(marker, hasLabels);
  }
  for (const marker of chosen) draw(marker, true);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Shape} shape
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
function outline(context, shape, x, y, radius) {
  context.beginPath();
  switch (shape) {
    case "circle":
      context.arc(x, y, radius, 0, 2 * Math.PI);
      break;
    case "square":
      context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      break;
    case "diamond":
      context.moveTo(x, y - radius - 2);
      context.lineTo(x + radius + 2, y);
      context.lineTo(x, y + radius + 2);
      context.lineTo(x - radius - 2, y);
      context.closePath();
      break;
    case "triangle":
      context.moveTo(x - radius, y + radius);
      context.lineTo(x + radius + 2, y);
      context.lineTo(x - radius, y - radius);
      context.closePath();
  }
}
