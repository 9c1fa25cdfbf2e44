// The runner's own position on the map, from this device. It is only shown here and never sent.

import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { textOf } from "../../Elements/mapMath.js";
import { notice } from "../../Elements/notice.js";

/**
 * @param {import("../../Elements/map.js").MapView} map
 * @param {AbortSignal} signal
 */
export function ownPosition(map, signal) {
  /** @type {number | null} */
  let watch = null;
  const message = h("div", { role: "status" });
  const label = h("span");
  const stop = () => {
    if (watch !== null) navigator.geolocation.clearWatch(watch);
    watch = null;
  };
  const draw = () => show(label, t(watch === null ? "myRun.showPosition" : "myRun.hidePosition"));
  const start = () => {
    if (!("geolocation" in navigator)) {
      show(message, notice("warning", t("runs.noPosition")));
      return;
    }
    let isFirst = true;
    show(message, h("p", { class: "muted" }, t("runs.locating")));
    watch = navigator.geolocation.watchPosition(({ coords }) => {
      if (signal.aborted) return;
      const point = { lat: coords.latitude, lon: coords.longitude };
      map.setMarker("self", { point, kind: "self", label: t("myRun.here"), isChosen: true });
      if (isFirst) map.fit();
      isFirst = false;
      show(message, h("p", { class: "small number" }, t("myRun.hereText", {
        place: textOf(point), metres: Math.round(coords.accuracy),
      })));
    }, ({ code }) => {
      if (signal.aborted) return;
      show(message, notice("warning", code === 1 ? t("runs.positionRefused")
        : t("runs.noPosition")));
      if (code === 1) toggle();
    }, { enableHighAccuracy: true, maximumAge: 5_000, timeout: 30_000 });
  };
  const toggle = () => {
    if (watch === null) start();
    else {
      stop();
      map.removeMarker("self");
    }
    draw();
  };
  signal.addEventListener("abort", stop, { once: true });
  draw();
  return h("div", {}, h("p", { class: "actions" }, h("button", {
    type: "button", class: "secondary",
    onclick: () => {
      show(message);
      toggle();
    },
  }, icon("map"), label)), message);
}
