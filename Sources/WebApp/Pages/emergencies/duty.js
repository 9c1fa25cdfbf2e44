// The duty of the hospital: whether it answers emergencies, and its position.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { field, mark } from "../../Elements/form.js";
import { pointOf, textOf } from "../../Elements/mapMath.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { unlockSound } from "../../Elements/siren.js";

/**
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {ReturnType<typeof import("./boardMap.js").boardMap>} options.map
 * @param {boolean} options.onDuty
 * @param {string} [options.coordinate] of the last duty
 * @param {import("../../Elements/mapMath.js").Point | null} options.suggestion the position before
 * the first duty, which is not stored yet
 */
export function dutyPart({ signal, map, onDuty, coordinate, suggestion }) {
  let isOn = onDuty;
  let stored = coordinate ?? "";
  // What the field has without the hospital's doing.
  let given = stored || (suggestion ? textOf(suggestion) : "");
  const place = field({
    name: "coordinate", label: t("emergencies.place"), hint: t("emergencies.placeHint"),
    value: given, attributes: { inputmode: "text", placeholder: "45.4781,9.2273" },
  });
  const state = h("p", { class: "duty-state", role: "status" });
  const result = h("div");
  const buttons = h("p", { class: "actions" });

  const typed = () => pointOf(place.control.value);
  place.control.addEventListener("input", () => {
    map.showPlace(typed());
    draw();
  });
  map.onPlace((point) => {
    place.control.value = textOf(point);
    map.showPlace(point);
    draw();
  });
  map.showPlace(typed());

  /** @param {boolean} next */
  const choose = async (next) => {
    // Coming on duty is the gesture that browsers ask for before a page may sound.
    void unlockSound();
    show(result);
    const point = typed();
    mark(place.element, next && !point ? t("emergencies.placeMissing") : "");
    if (next && !point) {
      place.control.focus();
      return;
    }
    const chosen = point ? textOf(point) : undefined;
    try {
      await call("POST /sos/duty", {
        body: { onDuty: next, coordinate: chosen }, key: newKey(), signal,
      });
      isOn = next;
      stored = chosen ?? stored;
      draw();
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.field === "coordinate") mark(place.element, problem.detail);
      else show(result, problemNotice(problem, () => void choose(next)));
    }
  };

  const locate = () => {
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      if (signal.aborted) return;
      const point = { lat: coords.latitude, lon: coords.longitude };
      place.control.value = textOf(point);
      map.showPlace(point);
      draw();
    }, () => {
      if (!signal.aborted) show(result, notice("warning", t("emergencies.notLocated")));
    }, { enableHighAccuracy: true, timeout: 15_000 });
  };

  /**
   * @param {string} text
   * @param {() => void} press
   * @param {string} kind
   */
  const button = (text, press, kind = "") => h("button", {
    type: "button", class: `duty-button ${kind}`, onclick: press,
  }, text);

  function draw() {
    const point = typed();
    const isMoved = isOn && point !== null && textOf(point) !== stored;
    show(state, isOn ? t("emergencies.isOn") : t("emergencies.isOff"));
    state.classList.toggle("is-on", isOn);
    show(buttons,
      !isOn && button(t("emergencies.comeOn"), () => void choose(true)),
      isMoved && button(t("emergencies.savePlace"), () => void choose(true)),
      isOn && button(t("emergencies.goOff"), () => void choose(false), "secondary"),
      button(t("emergencies.locate"), locate, "secondary"));
  }
  draw();
  return {
    /** Whether the hospital is on duty, for the top of the page. */
    state,
    element: h("section", { class: "card duty", "aria-labelledby": "duty" },
      h("h2", { id: "duty" }, t("emergencies.duty")), place.element, result, buttons),
    /**
     * Shows the state of the server; a position that is being typed stays.
     * @param {boolean} next
     * @param {string} [nextPlace]
     */
    update: (next, nextPlace) => {
      const isTyped = place.control.value !== given && place.control.value !== stored;
      isOn = next;
      stored = nextPlace ?? "";
      if (!isTyped && stored && place.control.value !== stored) {
        given = stored;
        place.control.value = stored;
        map.showPlace(typed());
      }
      draw();
    },
  };
}
