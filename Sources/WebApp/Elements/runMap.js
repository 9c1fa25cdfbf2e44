// The map of a run: path, start and finish, with the same information as text below.

import { h, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { createMap } from "./map.js";
import { distance, pointOf, textOf } from "./mapMath.js";
import { notice } from "./notice.js";
import { distanceText } from "./runFormat.js";

/** @typedef {import("./mapMath.js").Point} Point */

/**
 * The points of a path as the API writes them.
 * @param {{coordinate: string}[]} path
 * @returns {Point[]}
 */
export function pathPoints(path) {
  return path.map(({ coordinate }) => pointOf(coordinate))
    .filter(/** @returns {point is Point} */ (point) => point !== null);
}

/**
 * Shows a run's path on a map.
 * @param {HTMLElement} place the element for the map
 * @param {object} options
 * @param {{coordinate: string}[]} options.path
 * @param {string} options.label the content of the map, for screen readers
 * @param {AbortSignal} options.signal
 * @returns {Promise<import("./map.js").MapView | null>} null if maps cannot be shown here
 */
export async function runMap(place, { path, label, signal }) {
  const points = pathPoints(path);
  const first = points[0];
  const last = points[points.length - 1];
  try {
    const map = await createMap(place, { signal, label, moveMilliseconds: 0 });
    if (signal.aborted) return null;
    // Runners have the accent; the path must not hide them.
    map.setPath(points, { colour: "--text-2" });
    if (last) map.setMarker("finish", { point: last, kind: "finish", label: t("runMap.finish") });
    if (first) {
      const isLap = last !== undefined && distance(first, last) < 30;
      const name = isLap ? t("runMap.startAndFinish") : t("runMap.start");
      if (isLap) map.removeMarker("finish");
      map.setMarker("start", { point: first, kind: "start", label: name });
    }
    map.fit();
    return map;
  } catch (cause) {
    if (signal.aborted) return null;
    // Lists and tables of the page have the same content as its map.
    console.error(cause);
    show(place, notice("warning", t("runMap.unavailable")));
    return null;
  }
}

/**
 * The path in words, beside its map: length, start, finish, and every turn.
 * @param {{coordinate: string}[]} path
 * @param {number} length metres
 */
export function pathList(path, length) {
  const points = pathPoints(path);
  let metres = 0;
  const rows = points.map((point, index) => {
    const before = points[index - 1];
    if (before) metres += distance(before, point);
    const isEnd = index === points.length - 1;
    return h("li", {}, t("runMap.point", {
      name: index === 0 ? t("runMap.start") : isEnd ? t("runMap.finish") : String(index + 1),
      place: textOf(point), distance: distanceText(isEnd ? length : metres),
    }));
  });
  return h("details", {},
    h("summary", {}, t("runMap.list", { count: points.length })),
    h("ol", { class: "plain-list number" }, rows));
}
