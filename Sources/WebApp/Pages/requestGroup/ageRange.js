// Two ages on one slider: the lower and the upper end of a range.

import { h, identifier, show } from "../../Client/dom.js";
import { number, t } from "../../Client/language.js";
import { ageMax } from "./search.js";

/** The field of the ages. `update` shows the values of a restored draft. */
export function ageRange() {
  const id = identifier();
  const text = h("output", { id, class: "number", for: `${id}-from ${id}-to` });
  const from = handle(`${id}-from`, "ageFrom", t("requestGroup.ageFrom"), 0);
  const to = handle(`${id}-to`, "ageTo", t("requestGroup.ageTo"), ageMax);
  const fill = h("span", { class: "age-fill" });
  const element = h("fieldset", { class: "field age", "data-field": "age" },
    h("legend", {}, t("requestGroup.age"), " ", text),
    h("div", { class: "age-slider" }, h("span", { class: "age-track" }, fill), from, to),
    h("p", { class: "error" }));

  const update = () => {
    const [low, high] = [Number(from.value), Number(to.value)];
    const isAll = low === 0 && high === ageMax;
    show(text, isAll ? t("requestGroup.ageAll") : high === ageMax
      ? t("requestGroup.ageOpen", { from: low })
      : t("requestGroup.ageBoth", { from: low, to: high }));
    for (const each of [from, to]) each.setAttribute("aria-valuetext", ageText(Number(each.value)));
    fill.style.insetInlineStart = `${(low / ageMax) * 100}%`;
    fill.style.insetInlineEnd = `${100 - (high / ageMax) * 100}%`;
    // At the right end the handles overlap; the lower one must stay reachable.
    from.classList.toggle("is-above", low > ageMax / 2);
  };
  // One handle pushes the other, so that the range is never reversed.
  from.addEventListener("input", () => {
    if (Number(to.value) < Number(from.value)) to.value = from.value;
    update();
  });
  to.addEventListener("input", () => {
    if (Number(from.value) > Number(to.value)) from.value = to.value;
    update();
  });
  update();
  return {
    element, update,
    values: () => ({ ageFrom: Number(from.value), ageTo: Number(to.value) }),
  };
}

/**
 * @param {string} id
 * @param {string} name
 * @param {string} label
 * @param {number} value
 */
function handle(id, name, label, value) {
  return h("input", { type: "range", id, name, min: 0, max: ageMax, value, "aria-label": label });
}

/** @param {number} age */
function ageText(age) {
  return age === ageMax ? t("requestGroup.ageOpen", { from: ageMax }) : number(age);
}
