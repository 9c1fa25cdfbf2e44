// The points of a GPX file. `DOMParser` is a sink of Trusted Types, and a path needs only two
// attributes, so this scans the tags itself. The rules are those of `POST /t4r/org/path`.

import { pointsMax } from "./course.js";
import { pointOf } from "../Elements/mapMath.js";

/** @typedef {import("../Elements/mapMath.js").Point} Point */
/** @typedef {"no gpx" | "no points" | "wrong point" | "too many points"} GPXFaultReason */

/** The largest file that is read. The API takes the points alone, not the file. */
export const gpxBytesMax = 32 * 1024 * 1024;

export class GPXFault extends Error {
  /**
   * @param {GPXFaultReason} reason
   * @param {number} [line] of the file, from 1
   */
  constructor(reason, line = 0) {
    super(reason);
    this.reason = reason;
    this.line = line;
  }
}

/** Comments, CDATA sections and instructions hide tags; then a tag with its attributes. */
const token = new RegExp([
  /<!--[^]*?(?:-->|$)/, /<!\[CDATA\[[^]*?(?:\]\]>|$)/, /<\?[^]*?(?:\?>|$)/,
  /<(\/?)([^\s<>/!?]+)((?:[^<>"']|"[^"]*"|'[^']*')*)>/,
].map(({ source }) => source).join("|"), "g");

/**
 * The points of the first track with points, over all its segments; without one, of the first route
 * with points; without both, the waypoints in their order.
 * @param {string} text of a file of GPX 1.0 or 1.1
 * @returns {{kind: "track" | "route" | "waypoints", name: string, points: Point[]}}
 * @throws {GPXFault}
 */
export function gpxPoints(text) {
  const found = new Collector();
  let isGPX = false;
  for (const match of text.matchAll(token)) {
    const whole = match[0] ?? "";
    const [, close, name, attributes] = match;
    if (name === undefined) continue;
    const local = name.slice(name.indexOf(":") + 1);
    if (!isGPX && local !== "gpx") throw new GPXFault("no gpx", lineOf(text, match.index ?? 0));
    isGPX = true;
    const end = (match.index ?? 0) + whole.length;
    if (close) found.ended(local);
    else if (local === "name") found.named(text.slice(end, text.indexOf("<", end)));
    else if (!found.began(local, attributes ?? "")) {
      throw new GPXFault(found.isFull ? "too many points" : "wrong point",
        lineOf(text, match.index ?? 0));
    }
    if (!close && whole.endsWith("/>")) found.ended(local);
  }
  if (!isGPX) throw new GPXFault("no gpx");
  return found.chosen();
}

/** Collects points while tags are read. */
class Collector {
  constructor() {
    /** @type {Record<"track" | "route" | "waypoints", {name: string, points: Point[]}>} */
    this.lists = {
      track: { name: "", points: [] }, route: { name: "", points: [] },
      waypoints: { name: "", points: [] },
    };
    /** @type {"track" | "route" | null} */
    this.inside = null;
    this.isPoint = false;
    this.isFull = false;
  }

  /**
   * @param {string} name
   * @param {string} attributes
   * @returns {boolean} false for a point that is wrong, or one beyond the limit
   */
  began(name, attributes) {
    if (name === "trk" || name === "rte") {
      const kind = name === "trk" ? "track" : "route";
      // Only the first one with points counts.
      this.inside = this.lists[kind].points.length === 0 ? kind : null;
      if (this.inside) this.lists[kind].name = "";
      return true;
    }
    const kind = name === "wpt" ? "waypoints"
      : name === "trkpt" ? "track" : name === "rtept" ? "route" : null;
    if (!kind) return true;
    this.isPoint = true;
    if (kind !== "waypoints" && this.inside !== kind) return true;
    const point = pointOf(`${number(attributes, "lat")},${number(attributes, "lon")}`);
    const { points } = this.lists[kind];
    // The API ignores waypoints, so a wrong one does not make a track invalid.
    if (kind === "waypoints" && (!point || points.length >= pointsMax)) return true;
    this.isFull = points.length >= pointsMax;
    if (!point || this.isFull) return false;
    points.push(point);
    return true;
  }

  /** @param {string} name */
  ended(name) {
    if (name === "trk" || name === "rte") this.inside = null;
    if (name === "trkpt" || name === "rtept" || name === "wpt") this.isPoint = false;
  }

  /** @param {string} text of a `name` element, of the track or of a point in it */
  named(text) {
    if (this.inside && !this.isPoint) this.lists[this.inside].name ||= unescaped(text.trim());
  }

  chosen() {
    for (const kind of /** @type {const} */ (["track", "route", "waypoints"])) {
      const { name, points } = this.lists[kind];
      if (points.length > 0) return { kind, name, points };
    }
    throw new GPXFault("no points");
  }
}

/**
 * The number of an attribute, without the spaces and the plus sign that XML allows.
 * @param {string} attributes
 * @param {string} name
 */
function number(attributes, name) {
  const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return (value?.[1] ?? value?.[2] ?? "").trim().replace(/^\+/, "");
}

/** @param {string} text with the five entities of XML */
function unescaped(text) {
  /** @type {Record<string, string>} */
  const entities = { lt: "<", gt: ">", quot: "\"", apos: "'", amp: "&" };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name) => entities[name] ?? whole);
}

/**
 * @param {string} text
 * @param {number} index
 */
function lineOf(text, index) {
  return text.slice(0, index).split("\n").length;
}
