// A map: pan, zoom and tiles by Leaflet; grid, paths, circle and moving markers drawn on canvases.
// Markers on a canvas cannot be reached by keyboard: each page shows a list beside its map.

import { h, show, style } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { tilesAttribution } from "../Client/operator.js";
import { loadScript } from "../Client/trusted.js";
import { drawCircle, drawGrid, drawMarkers, drawPath, pixel, prepare } from "./mapCanvas.js";
import { circleEditor, makeHandle } from "./mapHandles.js";
import {
  boundsOf, cornersOf, isMoving, metresPerPixel, project, scaleBar, shownAt,
} from "./mapMath.js";

/** @typedef {import("./mapMath.js").Point} Point */
/** @typedef {import("./mapMath.js").World} World */
/** @typedef {import("./mapCanvas.js").DrawnMarker} DrawnMarker */
/** @typedef {import("./mapHandles.js").Circle} Circle */
/** @typedef {import("./mapHandles.js").Handle} Handle */
/** @typedef {{colour: string, width: number, isDashed: boolean}} PathLook colour: a token */

/**
 * @typedef {object} MapOptions
 * @property {AbortSignal} signal removes the map
 * @property {string} label the content of the map, for screen readers
 * @property {Point} [center] of the first view; Italy by default
 * @property {number} [zoom]
 * @property {(point: Point) => void} [onClick] also called by Enter, with the middle of the map
 * @property {(id: string) => void} [onMarker] a click on a marker
 * @property {number} [moveMilliseconds] how long a marker moves to a new position; 1000 by default
 */

/** How far a click may be from a marker, in pixels: targets of 44 px. */
const reach = 22;
const zoomMax = 19;
/** The most to which content is fitted: a run of a few hundred metres fills its map. */
const zoomFitted = 18;
/** Tiles come from TrackMe itself: no tile server learns which place somebody looks at. */
const tilesAddress = "/t4r/tiles/{z}/{x}/{y}";

/** The library and the styles of a map. */
const loadMap = () => Promise.all([
  loadScript("vendor/leaflet/leaflet.min.js"),
  style("../vendor/leaflet/leaflet.css", import.meta.url),
  style("map.css", import.meta.url),
]);

/** Loads what a map needs while its page still reads its content; `createMap` reports failures. */
export function prepareMap() {
  loadMap().catch(() => {});
}

/**
 * Creates a map in a container. The container may still be outside the document: the view is fitted
 * as soon as it has a size.
 * @param {HTMLElement} container
 * @param {MapOptions} options
 * @returns {Promise<MapView>}
 */
export async function createMap(container, options) {
  await loadMap();
  return new MapView(container, options);
}

export class MapView {
  /**
   * @param {HTMLElement} container
   * @param {MapOptions} options
   */
  constructor(container, options) {
    this.container = container;
    this.options = options;
    this.view = h("div", { class: "map-view", role: "region", "aria-label": options.label });
    this.scale = h("div", { class: "map-scale", "aria-hidden": "true" });
    this.extras = h("div", { class: "map-extras" });
    const attribution = tilesAttribution();
    container.classList.add("map");
    show(container, h("div", { class: "map-frame" }, this.view, this.buttons(), this.scale,
      options.onClick && h("div", { class: "map-cross", "aria-hidden": "true" }, "+"),
      attribution && h("p", { class: "map-attribution" }, attribution)),
    this.extras);
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.map = window.L.map(this.view, {
      attributionControl: false, zoomControl: false, zoomAnimation: false, fadeAnimation: false,
      markerZoomAnimation: true, inertia: !calm.matches, scrollWheelZoom: false,
      minZoom: 2, maxZoom: zoomMax,
    });
    const center = options.center ?? { lat: 42.2, lon: 12.6 };
    this.map.setView([center.lat, center.lon], options.zoom ?? (options.center ? 14 : 5));
    this.hasTiles = attribution !== "";
    if (this.hasTiles) window.L.tileLayer(tilesAddress, { maxZoom: zoomMax }).addTo(this.map);
    this.ground = h("canvas", { class: "map-canvas", "aria-hidden": "true" });
    this.top = h("canvas", { class: "map-canvas", "aria-hidden": "true" });
    this.map.getPane("overlayPane").append(this.ground, this.top);
    /** @type {Map<string, {world: World[], points: Point[], look: PathLook}>} */
    this.paths = new Map();
    /** @type {Map<string, DrawnMarker & {point: Point}>} */
    this.markers = new Map();
    /** @type {Map<string, ReturnType<typeof makeHandle>>} */
    this.handles = new Map();
    /** @type {ReturnType<typeof circleEditor> | null} */
    this.circle = null;
    /** @type {(() => void) | null} */
    this.pendingFit = null;
    /** The view after the last fit; empty before. */
    this.fittedView = "";
    /** @type {Point[] | undefined} */
    this.fittedPoints = undefined;
    this.calm = calm;
    this.frame = 0;
    this.listen();
  }

  listen() {
    const { signal, onClick } = this.options;
    this.map.on("move zoom viewreset resize", () => this.draw());
    this.map.on("click", ({ latlng, containerPoint }) => {
      const id = this.markerAt(containerPoint);
      if (id !== null && this.options.onMarker) this.options.onMarker(id);
      else onClick?.({ lat: latlng.lat, lon: latlng.lng });
    });
    // The wheel scrolls the page until the map has the focus.
    this.view.addEventListener("focusin", () => this.map.scrollWheelZoom.enable());
    this.view.addEventListener("focusout", () => this.map.scrollWheelZoom.disable());
    this.view.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target !== this.view || !onClick) return;
      event.preventDefault();
      const { lat, lng } = this.map.getCenter();
      onClick({ lat, lon: lng });
    });
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.view);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", () => this.draw(), { signal });
    signal.addEventListener("abort", () => {
      observer.disconnect();
      cancelAnimationFrame(this.frame);
      this.map.remove();
      this.markers.clear();
      this.paths.clear();
    }, { once: true });
  }

  /**
   * Adapts to a new size of the container. A view that was waiting for it is fitted, and one that
   * was fitted and not moved since is fitted again: a phone may be turned.
   */
  resize() {
    if (this.options.signal.aborted || this.view.clientWidth === 0) return;
    const isFitted = this.fittedView === this.viewText();
    this.map.invalidateSize({ pan: true });
    const fit = this.pendingFit ?? (isFitted ? () => this.fit(this.fittedPoints) : null);
    this.pendingFit = null;
    fit?.();
    this.draw();
  }

  buttons() {
    /**
     * @param {string} name
     * @param {string} sign
     * @param {() => void} press
     */
    const button = (name, sign, press) => h("button", {
      type: "button", class: "secondary", title: name, "aria-label": name, onclick: press,
    }, h("span", { "aria-hidden": "true" }, sign));
    return h("div", { class: "map-buttons" },
      button(t("map.zoomIn"), "+", () => this.map.zoomIn()),
      button(t("map.zoomOut"), "−", () => this.map.zoomOut()),
      button(t("map.fit"), "⤢", () => this.fit()));
  }

  /**
   * Shows a path; an empty one removes it.
   * @param {Point[]} points
   * @param {{id?: string} & Partial<PathLook>} [options] several paths differ by their id
   */
  setPath(points, options = {}) {
    const { id = "path", colour = "--accent", width = 4, isDashed = false } = options;
    if (points.length === 0) this.paths.delete(id);
    else {
      const look = { colour, width, isDashed };
      this.paths.set(id, { points, world: points.map(project), look });
    }
    this.draw();
  }

  /**
   * Shows a circle whose place and radius can be changed by handles and by a number; null removes
   * it.
   * @param {Circle | null} circle
   */
  setCircle(circle) {
    this.circle?.remove();
    this.circle = circle && circleEditor(this.map, circle, () => this.draw());
    show(this.extras, this.circle?.element);
    this.draw();
  }

  /**
   * Shows a marker, or moves it smoothly to its new position.
   * @param {string} id
   * @param {object} marker
   * @param {Point} marker.point
   * @param {import("./mapCanvas.js").MarkerKind} marker.kind
   * @param {string} [marker.label] beside it
   * @param {string} [marker.text] in it, at most three characters
   * @param {boolean} [marker.isFaded] its position is no longer up to date
   * @param {boolean} [marker.isChosen]
   */
  setMarker(id, { point, kind, label = "", text = "", isFaded = false, isChosen = false }) {
    const old = this.markers.get(id);
    const now = performance.now();
    const to = project(point);
    const from = old ? shownAt(old.motion, now) : to;
    const isNew = !old || old.point.lat !== point.lat || old.point.lon !== point.lon;
    const duration = old && !this.calm.matches ? this.options.moveMilliseconds ?? 1_000 : 0;
    const motion = isNew ? { from, to, startedAt: now, duration } : old.motion;
    this.markers.set(id, { point, kind, label, text, isFaded, isChosen, motion });
    this.animate();
  }

  /** @param {string} id */
  removeMarker(id) {
    if (this.markers.delete(id)) this.animate();
  }

  /**
   * Removes all markers except these.
   * @param {Set<string>} ids
   */
  keepMarkers(ids) {
    for (const id of [...this.markers.keys()]) if (!ids.has(id)) this.removeMarker(id);
  }

  /**
   * Shows a handle that is dragged, or moved by the arrow keys: an element, so it has the focus and
   * a name, unlike a marker. A known one is changed in place.
   * @param {string} id
   * @param {Handle} handle
   */
  setHandle(id, handle) {
    const known = this.handles.get(id);
    if (known) known.update(handle);
    else this.handles.set(id, makeHandle(this.map, handle));
  }

  /** @param {string} id */
  removeHandle(id) {
    this.handles.get(id)?.remove();
    this.handles.delete(id);
  }

  /**
   * Fits the view to points, by default to all content of the map.
   * @param {Point[]} [points]
   */
  fit(points) {
    if (this.options.signal.aborted) return;
    if (this.view.clientWidth === 0) {
      this.pendingFit = () => this.fit(points);
      return;
    }
    const fitted = points ?? this.shownPoints();
    const bounds = boundsOf(fitted);
    if (!bounds) return;
    const [southWest, northEast] = bounds;
    // A single point is shown with its surroundings.
    const maxZoom = fitted.length > 1 ? zoomFitted : 16;
    this.map.fitBounds([[southWest.lat, southWest.lon], [northEast.lat, northEast.lon]],
      { padding: [32, 32], maxZoom, animate: false });
    this.fittedView = this.viewText();
    this.fittedPoints = points;
  }

  /** The view as a text, which a movement or another zoom changes. */
  viewText() {
    const { lat, lng } = this.map.getCenter();
    return `${lat} ${lng} ${this.map.getZoom()}`;
  }

  /** @returns {Point[]} */
  shownPoints() {
    const circle = this.circle?.circle;
    return [...[...this.paths.values()].flatMap(({ points }) => points),
      ...[...this.markers.values()].map(({ point }) => point),
      ...[...this.handles.values()].map((handle) => handle.point()),
      ...(circle ? cornersOf(circle.center, circle.radius) : [])];
  }

  /**
   * Moves the middle of the view.
   * @param {Point} point
   * @param {number} [zoom]
   */
  panTo({ lat, lon }, zoom = this.map.getZoom()) {
    this.map.setView([lat, lon], zoom, { animate: false });
  }

  /** @param {{x: number, y: number}} place pixels in the view */
  markerAt(place) {
    const view = this.present();
    const now = performance.now();
    let nearest = reach;
    /** @type {string | null} */
    let found = null;
    for (const [id, marker] of this.markers) {
      const { x, y } = pixel(view, shownAt(marker.motion, now));
      const away = Math.hypot(x - place.x, y - place.y);
      if (away > nearest) continue;
      nearest = away;
      found = id;
    }
    return found;
  }

  /** @returns {import("./mapCanvas.js").View} */
  present() {
    const { x: width, y: height } = this.map.getSize();
    const { min } = this.map.getPixelBounds();
    const southWest = this.map.containerPointToLatLng([0, height]);
    const northEast = this.map.containerPointToLatLng([width, 0]);
    return {
      width, height, size: 256 * 2 ** this.map.getZoom(), left: min.x, top: min.y,
      bounds: {
        south: southWest.lat, west: southWest.lng, north: northEast.lat, east: northEast.lng,
      },
      style: getComputedStyle(this.container),
    };
  }

  /** Draws everything at once: while the map is dragged, canvases must not be a frame behind. */
  draw() {
    if (this.options.signal.aborted || this.view.clientWidth === 0) return;
    const view = this.present();
    const origin = this.map.containerPointToLayerPoint([0, 0]);
    window.L.DomUtil.setPosition(this.ground, origin);
    window.L.DomUtil.setPosition(this.top, origin);
    const context = prepare(this.ground, view);
    if (!this.hasTiles) drawGrid(context, view, (lat) => project({ lat, lon: 0 }).y);
    const { lat } = this.map.getCenter();
    const circle = this.circle?.circle;
    if (circle) {
      const metres = metresPerPixel(circle.center.lat, this.map.getZoom());
      drawCircle(context, view, project(circle.center), circle.radius / metres);
    }
    for (const { world, look } of this.paths.values()) drawPath(context, view, world, look);
    this.drawScale(metresPerPixel(lat, this.map.getZoom()));
    this.animate();
  }

  /** @param {number} metres for one pixel */
  drawScale(metres) {
    const bar = scaleBar(metres, 110);
    this.scale.style.width = `${bar.pixels}px`;
    const isLong = bar.metres >= 1_000;
    this.scale.textContent = number(isLong ? bar.metres / 1_000 : bar.metres, {
      style: "unit", unit: isLong ? "kilometer" : "meter", maximumFractionDigits: 2,
    });
  }

  /** Draws the markers in the next frame, and in each one until all have arrived. */
  animate() {
    if (this.frame !== 0 || this.options.signal.aborted) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.view.clientWidth === 0) return;
      const now = performance.now();
      const view = this.present();
      drawMarkers(prepare(this.top, view), view, this.markers.values(), this.markers.size, now);
      for (const { motion } of this.markers.values()) {
        if (isMoving(motion, now)) {
          this.animate();
          return;
        }
      }
    });
  }
}
