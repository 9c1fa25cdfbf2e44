// The map of the board: the hospital's place and the people who need help.

import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { createMap } from "../../Elements/map.js";
import { pointOf } from "../../Elements/mapMath.js";
import { notice } from "../../Elements/notice.js";

/** @typedef {import("./callBoard.js").Entry} Entry */
/** @typedef {import("../../Elements/mapMath.js").Point} Point */

/**
 * A map whose content can be set before it is loaded.
 * @param {AbortSignal} signal
 * @param {(episodeID: string) => void} onCall a click on a person
 */
export function boardMap(signal, onCall) {
  const element = h("div");
  /** @type {import("../../Elements/map.js").MapView | null} */
  let map = null;
  /** @type {Entry[]} */
  let entries = [];
  /** @type {Point | null} */
  let place = null;
  /** @type {(point: Point) => void} */
  let onPlace = () => {};
  let fitted = "";

  const draw = () => {
    if (!map || signal.aborted) return;
    /** @type {Set<string>} */
    const shown = new Set();
    for (const { call, place: state } of entries) {
      const point = pointOf(call.position?.coordinate);
      if (!point) continue;
      shown.add(call.episodeID);
      map.setMarker(call.episodeID, {
        point, kind: "person", label: call.person.full_name,
        isFaded: call.position?.stale ?? false, isChosen: state === "incoming",
      });
    }
    map.keepMarkers(shown);
    // The view only moves for a new call, so that the reader can look at a place.
    const wanted = [...shown].sort().join();
    if (wanted !== fitted) {
      fitted = wanted;
      map.fit();
    }
  };
  const drawPlace = () => {
    if (!map || signal.aborted) return;
    if (!place) {
      map.removeHandle("place");
      return;
    }
    map.setHandle("place", {
      point: place, label: t("emergencies.place"), text: "H",
      onMove: (point) => {
        place = point;
        onPlace(point);
      },
    });
  };
  const load = async () => {
    try {
      map = await createMap(element, {
        signal, label: t("emergencies.map"), onMarker: onCall,
        onClick: (point) => {
          if (!place) onPlace(point);
        },
      });
      drawPlace();
      draw();
      map.fit();
    } catch {
      show(element, notice("info", t("map.failed")));
    }
  };
  void load();
  return {
    element,
    /** @param {Entry[]} next */
    showCalls: (next) => {
      entries = next;
      draw();
    },
    /** @param {Point | null} next */
    showPlace: (next) => {
      const isFirst = place === null;
      place = next;
      drawPlace();
      if (isFirst) map?.fit();
    },
    /** @param {(point: Point) => void} listener called when the reader moves the place */
    onPlace: (listener) => {
      onPlace = listener;
    },
  };
}
