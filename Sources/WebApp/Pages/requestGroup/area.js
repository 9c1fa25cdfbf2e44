// The area of a group request: a circle drawn on a map, with its numbers beside it.

import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { checkbox, field } from "../../Elements/form.js";
import { createMap } from "../../Elements/map.js";
import { notice } from "../../Elements/notice.js";
import { decimal, radii } from "./search.js";

/** @typedef {import("../../Elements/map.js").MapView} MapView */

/** The radius of a new circle in kilometres. */
const firstRadius = 10;

/**
 * The fields of the area.
 * @param {AbortSignal} signal
 */
export function areaField(signal) {
  const isOn = checkbox({ name: "hasArea", label: t("requestGroup.area") });
  const latitude = numberField("latitude", t("requestGroup.latitude"));
  const longitude = numberField("longitude", t("requestGroup.longitude"));
  const kilometres = numberField("kilometres", t("requestGroup.kilometres"));
  const place = h("div", { class: "area-map" });
  const parts = h("div", {},
    h("p", { class: "hint" }, t("requestGroup.areaHint", radii)), place,
    h("div", { class: "field-row" },
      latitude.element, longitude.element, kilometres.element));
  // An error of the area is shown beneath its box.
  const element = h("div", { class: "field search-part", "data-field": "area" },
    isOn.element, parts);
  isOn.element.removeAttribute("data-field");

  /** @type {Promise<MapView> | null} */
  let map = null;
  const circle = () => {
    const [lat, lon, radius] = [latitude, longitude, kilometres]
      .map(({ control }) => decimal(control.value));
    if (!Number.isFinite(lat) || !Number.isFinite(lon) || !Number.isFinite(radius)) return null;
    return { center: { lat: lat ?? 0, lon: lon ?? 0 }, radius: (radius ?? 0) * 1000 };
  };
  /** @param {{center: {lat: number, lon: number}, radius: number}} drawn */
  const write = ({ center, radius }) => {
    latitude.control.value = center.lat.toFixed(4);
    longitude.control.value = center.lon.toFixed(4);
    kilometres.control.value = String(Number((radius / 1000).toFixed(1)));
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  /** @param {MapView} view */
  const draw = (view) => {
    const drawn = circle();
    view.setCircle(drawn && {
      ...drawn, min: radii.min * 1000, max: radii.max * 1000, onChange: write,
    });
  };
  const open = async () => {
    try {
      map ??= createMap(place, {
        signal, label: t("requestGroup.map"),
        onClick: (center) => {
          const old = circle();
          write({ center, radius: old?.radius ?? firstRadius * 1000 });
          void map?.then((view) => {
            draw(view);
            // A new circle may be too small to be seen.
            if (!old) view.fit();
          });
        },
      });
      const view = await map;
      draw(view);
      view.fit();
    } catch (problem) {
      map = null;
      if (signal.aborted) return;
      // The numbers also work without the map.
      console.error(problem);
      show(place, notice("warning", t("requestGroup.noMap")));
    }
  };
  const update = () => {
    parts.hidden = !isOn.control.checked;
    if (isOn.control.checked && map === null) void open();
  };
  isOn.control.addEventListener("change", update);
  for (const { control } of [latitude, longitude, kilometres]) {
    control.addEventListener("change", () => void map?.then((view) => {
      draw(view);
      view.fit();
    }, () => {}));
  }
  update();
  return {
    element, update,
    value: () => (isOn.control.checked ? {
      latitude: latitude.control.value, longitude: longitude.control.value,
      kilometres: kilometres.control.value,
    } : null),
  };
}

/**
 * @param {string} name
 * @param {string} label
 */
function numberField(name, label) {
  const made = field({ name, label, attributes: { inputmode: "decimal" }, autocomplete: "off" });
  made.element.removeAttribute("data-field");
  return made;
}
