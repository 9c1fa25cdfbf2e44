// The time until a run starts or ends.

import { h, show } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { countdownParts } from "./runFormat.js";

/**
 * A countdown that ends by itself, or unheard once the page has replaced it, as when the run was
 * moved. Screen readers read it on demand and are not interrupted.
 * @param {object} options
 * @param {string} options.until
 * @param {string} options.label the event at its end
 * @param {AbortSignal} options.signal
 * @param {() => void} [options.onEnd]
 */
export function runCountdown({ until, label, signal, onEnd }) {
  const end = Date.parse(until);
  const parts = h("p", { class: "countdown-parts number", role: "timer", "aria-live": "off" });
  const element = h("div", { class: "countdown" }, h("p", { class: "muted" }, label), parts);
  let shown = "";
  const draw = () => {
    const left = countdownParts(end - Date.now());
    const units = /** @type {["day" | "hour" | "minute" | "second", number][]} */ ([
      ["day", left.days], ["hour", left.hours], ["minute", left.minutes],
      ["second", left.seconds],
    ]);
    const from = units.findIndex(([, amount]) => amount > 0);
    // Above one day, seconds are only a distraction.
    const used = from < 0 ? units.slice(3) : units.slice(from, from === 0 ? 3 : 4);
    const text = used.map(([unit, amount]) => `${amount} ${unit}`).join(" ");
    if (text === shown) return;
    shown = text;
    // The space is outside the element, which would drop it from the accessible text.
    show(parts, used.flatMap(([unit, amount]) => [
      h("span", {}, number(amount, { style: "unit", unit, unitDisplay: "long" })), " ",
    ]));
  };
  draw();
  if (end <= Date.now()) {
    show(parts, t("runCountdown.now"));
    return element;
  }
  let isPlaced = false;
  const timer = setInterval(() => {
    if (isPlaced && !element.isConnected) {
      clearInterval(timer);
      return;
    }
    isPlaced = element.isConnected;
    draw();
    if (Date.now() < end) return;
    clearInterval(timer);
    show(parts, t("runCountdown.now"));
    onEnd?.();
  }, 1_000);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  return element;
}
