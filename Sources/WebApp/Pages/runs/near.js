// Runs near the reader: the position leaves the device only after a press, rounded to about 100 m.

import { h, show } from "../../Client/dom.js";
import { number, t } from "../../Client/language.js";
import { select } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { notice } from "../../Elements/notice.js";
import { radii } from "./filters.js";

/** @typedef {import("./filters.js").Filters} Filters */

const askMilliseconds = 15_000;

/**
 * @param {Filters} filters
 * @param {AbortSignal} signal
 * @param {(change: Partial<Filters>) => void} onChange
 */
export function near(filters, signal, onChange) {
  let position = filters.near;
  const message = h("div");
  const radius = select(radii.map((metres) => [String(metres),
    number(metres / 1_000, { style: "unit", unit: "kilometer" })]));
  radius.id = "runs-radius";
  radius.value = String(filters.radius);
  radius.addEventListener("change", () => {
    if (position) onChange({ radius: Number(radius.value) });
  });
  const label = h("span");
  const button = h("button", {
    type: "button", class: "secondary", onclick: () => (position ? stop() : locate()),
  }, icon("map"), label);
  const radiusField = h("div", { class: "row" },
    h("label", { for: "runs-radius" }, t("runs.radius")), radius);

  const draw = () => {
    show(label, position ? t("runs.notNear") : t("runs.near"));
    button.setAttribute("aria-pressed", String(position !== ""));
    radiusField.hidden = position === "";
  };
  const clear = () => {
    position = "";
    show(message);
    draw();
  };
  const stop = () => {
    clear();
    onChange({ near: "" });
  };
  /** @param {string} text */
  const fail = (text) => {
    button.disabled = false;
    show(message, notice("warning", text));
  };
  const locate = () => {
    if (!("geolocation" in navigator)) {
      fail(t("runs.noPosition"));
      return;
    }
    button.disabled = true;
    show(message, notice("info", t("runs.locating")));
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      if (signal.aborted) return;
      button.disabled = false;
      position = `${coords.latitude.toFixed(3)},${coords.longitude.toFixed(3)}`;
      show(message);
      draw();
      onChange({ near: position, radius: Number(radius.value) });
    }, ({ code }) => {
      if (!signal.aborted) fail(code === 1 ? t("runs.positionRefused") : t("runs.noPosition"));
    }, { timeout: askMilliseconds, maximumAge: 300_000 });
  };
  draw();
  return { element: h("div", { class: "row runs-near" }, button, radiusField, message), clear };
}
