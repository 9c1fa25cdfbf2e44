// The visibility of a person to requests.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { ask } from "../../Elements/dialog.js";
import { problemNotice, toast } from "../../Elements/notice.js";

/**
 * The state with the button that changes it.
 * @param {boolean} isActive
 */
export function statusPart(isActive) {
  let active = isActive;
  const message = h("div");
  const state = h("span", { class: "tag" });
  const text = h("p");
  const button = h("button", { type: "button", class: "secondary", onclick: () => void toggle() });
  const draw = () => {
    state.className = active ? "tag tag-positive" : "tag tag-warning";
    show(state, t(active ? "settings.active" : "settings.inactive"));
    show(text, t(active ? "settings.activeText" : "settings.inactiveText"));
    show(button, t(active ? "settings.deactivate" : "settings.activate"));
  };
  const toggle = async () => {
    const isSure = !active || await ask({
      title: t("settings.deactivateTitle"), text: h("p", {}, t("settings.deactivateText")),
      confirm: t("settings.deactivate"),
    });
    if (!isSure) return;
    button.disabled = true;
    show(message);
    try {
      await call("POST /settings/single/status", { body: { active: !active }, key: newKey() });
      active = !active;
      draw();
      toast(t(active ? "settings.active" : "settings.inactive"));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    } finally {
      button.disabled = false;
    }
  };
  draw();
  return [h("p", {}, state), text, message, h("p", { class: "actions" }, button)];
}
