// Movable parts of a map: handles, and a circle with its radius.

import { h } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { field } from "./form.js";
import { distance, eastOf } from "./mapMath.js";

/** @typedef {import("./mapMath.js").Point} Point */
/** @typedef {import("./leaflet").LeafletMap} LeafletMap */

/**
 * @typedef {object} Handle
 * @property {Point} point
 * @property {string} label its name, such as "Checkpoint 3"
 * @property {string} [text] in it, at most three characters
 * @property {(point: Point) => void} onMove called after each move
 * @property {(point: Point) => void} [onDrag] called while it moves
 * @property {() => void} [onPress] a click, or Enter
 */
/**
 * @typedef {object} Circle
 * @property {Point} center
 * @property {number} radius metres
 * @property {number} [min] metres
 * @property {number} [max] metres
 * @property {(circle: {center: Point, radius: number}) => void} [onChange]
 */

/** Pixels for an arrow key; with Shift one pixel. */
const keyStep = 12;

/**
 * Shows a handle on a map.
 * @param {LeafletMap} map
 * @param {Handle} handle
 */
export function makeHandle(map, handle) {
  let { label, onMove, onDrag, onPress } = handle;
  const { point } = handle;
  const sign = h("span", { class: "map-handle-sign" }, handle.text);
  const marker = window.L.marker([point.lat, point.lon], {
    icon: window.L.divIcon({ html: sign, className: "map-handle", iconSize: [44, 44] }),
    draggable: true, keyboard: true,
  }).addTo(map);
  const place = () => {
    const { lat, lng } = marker.getLatLng();
    return { lat, lon: lng };
  };
  marker.on("drag", () => onDrag?.(place()));
  marker.on("dragend", () => onMove(place()));
  marker.on("click", () => onPress?.());
  const element = marker.getElement();
  element?.setAttribute("role", "button");
  const name = () => element?.setAttribute("aria-label", t("map.handle", { name: label }));
  name();
  element?.addEventListener("keydown", (event) => {
    /** @type {Record<string, [number, number]>} */
    const directions = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    };
    const direction = directions[event.key];
    const isPress = event.key === "Enter" || event.key === " ";
    if (!direction && !isPress) return;
    event.preventDefault();
    event.stopPropagation();
    if (!direction) {
      onPress?.();
      return;
    }
    const step = event.shiftKey ? 1 : keyStep;
    const { lat, lng } = marker.getLatLng();
    const { x, y } = map.latLngToContainerPoint([lat, lng]);
    const next = map.containerPointToLatLng([x + direction[0] * step, y + direction[1] * step]);
    marker.setLatLng([next.lat, next.lng]);
    onMove(place());
  });
  return {
    point: place,
    /**
     * Changes it in place: a handle that is being moved keeps the focus.
     * @param {Handle} next
     */
    update: (next) => {
      ({ label, onMove, onDrag, onPress } = next);
      sign.textContent = next.text ?? "";
      name();
      const { lat, lon } = place();
      if (lat !== next.point.lat || lon !== next.point.lon) {
        marker.setLatLng([next.point.lat, next.point.lon]);
      }
    },
    /** @param {Point} next */
    move: (next) => void marker.setLatLng([next.lat, next.lon]),
    remove: () => void marker.remove(),
  };
}

/**
 * A circle with a handle in its centre, one on its edge, and a number for its radius.
 * @param {LeafletMap} map
 * @param {Circle} given
 * @param {() => void} draw
 */
export function circleEditor(map, given, draw) {
  const { min = 1, max = 20_000_000, onChange } = given;
  const circle = { center: given.center, radius: given.radius };
  const kilometres = () => String(Number((circle.radius / 1_000).toFixed(3)));
  const radius = field({
    name: "radius", label: t("map.radius"), type: "number", value: kilometres(),
    hint: t("map.radiusHint", { min: number(min / 1_000), max: number(max / 1_000) }),
    attributes: { min: min / 1_000, max: max / 1_000, step: "any", inputmode: "decimal" },
  });
  /** @param {number} metres */
  const limited = (metres) => Math.max(min, Math.min(max, metres));
  const change = () => {
    edge.move(eastOf(circle.center, circle.radius));
    draw();
    onChange?.({ ...circle });
  };
  const middle = makeHandle(map, {
    point: circle.center, label: t("map.center"), text: "+",
    onDrag: (point) => {
      circle.center = point;
      edge.move(eastOf(point, circle.radius));
      draw();
    },
    onMove: (point) => {
      circle.center = point;
      change();
    },
  });
  const edge = makeHandle(map, {
    point: eastOf(circle.center, circle.radius), label: t("map.radiusHandle"), text: "↔",
    onDrag: (point) => {
      circle.radius = limited(distance(circle.center, point));
      radius.control.value = kilometres();
      draw();
    },
    onMove: (point) => {
      circle.radius = limited(distance(circle.center, point));
      radius.control.value = kilometres();
      change();
    },
  });
  radius.control.addEventListener("change", () => {
    const metres = Number(radius.control.value) * 1_000;
    if (metres > 0) circle.radius = limited(metres);
    radius.control.value = kilometres();
    change();
  });
  return {
    circle,
    element: radius.element,
    remove: () => {
      middle.remove();
      edge.remove();
    },
  };
}
