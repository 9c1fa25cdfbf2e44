// The switch of notifications on this device, with its state and the kinds to receive.

import { Problem } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import {
  NoPushService, NoServiceWorker, NotPermitted, pushState, switchPushOff, switchPushOn,
} from "../Client/push.js";
import { fill } from "../Client/work.js";
import { checkbox, form } from "./form.js";
import { icon } from "./icon.js";
import { notice, problemNotice, toast } from "./notice.js";

/** @typedef {import("../Client/push.js").NoticeKind} NoticeKind */
/** @typedef {import("../Client/push.js").PushState} PushState */

/**
 * @param {AbortSignal} signal
 * @param {readonly NoticeKind[]} [offered] the kinds to choose from; none without a choice
 */
export function pushSwitch(signal, offered = []) {
  const content = h("div");
  const message = h("div");

  const load = () => fill(content, signal, async () => {
    const { state, kinds } = await pushState(signal);
    return [switchElement(state), state === "on" && offered.length > 0 && choice(kinds)];
  });

  /** @param {PushState} state */
  const switchElement = (state) => {
    const isOn = state === "on";
    const isFixed = state === "blocked" || state === "unsupported";
    const description = h("p", { class: "small" }, t(`push.text.${state}`));
    return h("div", { class: "push-switch", "data-push": state },
      h("div", { class: "push-state" },
        h("button", {
          type: "button", role: "switch", "aria-checked": String(isOn), disabled: isFixed,
          class: isOn ? null : "secondary", onclick: () => void change(isOn),
        }, icon("bell"), t("push.switch")),
        h("strong", {}, t(`push.state.${state}`))),
      description);
  };

  /** @param {boolean} isOn */
  const change = async (isOn) => {
    show(message);
    const button = content.querySelector("button");
    button?.setAttribute("disabled", "");
    try {
      await (isOn ? switchPushOff() : switchPushOn());
      toast(t(isOn ? "push.state.off" : "push.state.on"));
    } catch (problem) {
      show(message, explanation(problem));
    }
    await load();
    // The switch was drawn anew: the focus returns to it.
    content.querySelector("button")?.focus();
  };

  /** @param {readonly NoticeKind[]} kinds */
  const choice = (kinds) => {
    const boxes = offered.map((kind) => ({
      kind,
      box: checkbox({
        name: `push.${kind}`, checked: kinds.includes(kind), label: t(`settings.mail.${kind}`),
      }),
    }));
    return form({
      submit: t("push.save"),
      content: [h("fieldset", {}, h("legend", {}, t("push.kinds")),
        boxes.map(({ box }) => box.element))],
      send: async () => {
        const chosen = boxes.filter(({ box }) => box.control.checked).map(({ kind }) => kind);
        const others = kinds.filter((kind) => !offered.includes(kind));
        show(message);
        try {
          await switchPushOn([...chosen, ...others]);
          toast(t("push.saved"));
        } catch (problem) {
          show(message, explanation(problem));
        }
      },
    });
  };

  void load();
  return h("div", { class: "card push-card" }, content, message);
}

/**
 * The message for a reason why the switch did not change; other errors are thrown.
 * @param {unknown} problem
 */
function explanation(problem) {
  if (problem instanceof NotPermitted) return notice("info", t("push.notPermitted"));
  if (problem instanceof NoServiceWorker) return notice("error", t("push.noWorker"));
  if (problem instanceof NoPushService) return notice("error", t("push.failed"));
  if (problem instanceof Problem) return problemNotice(problem);
  throw problem;
}
