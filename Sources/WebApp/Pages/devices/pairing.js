// Pairing a device in three steps: the six digits, the device that shows them, done.

import { call } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { duration, t } from "../../Client/language.js";
import { dataTypeNames } from "../../Elements/dataTypes.js";
import { field, form, select } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { notice } from "../../Elements/notice.js";
import { pairingCode } from "./pairingCode.js";

/** @typedef {import("../../Elements/typeChanges.js").Device} Device */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /devices/pair/confirm"]["answer"]} Shown */
/** @typedef {import("../../Client/api.js").Problem} Problem */

/**
 * Creates the wizard.
 * @param {readonly Device[]} devices the paired ones
 * @param {string | null} replaces the `deviceID` of the device to replace
 */
export function pairing(devices, replaces) {
  const place = h("div");

  /**
   * Shows a step; its heading takes the focus unless it is the first one of the page.
   * @param {number} number
   * @param {string} title
   * @param {import("../../Client/dom.js").Child[]} content
   */
  const step = (number, title, content) => {
    const isFirst = place.firstChild === null;
    const heading = h("h2", { tabindex: -1 }, title);
    const position = h("p", { class: "muted small" }, t("devices.step", { number, of: 3 }));
    show(place, position, heading, content);
    if (!isFirst) heading.focus();
  };

  const askCode = () => {
    const code = field({
      name: "code", label: t("devices.code"), hint: t("devices.codeHint"),
      autocomplete: "one-time-code",
      attributes: {
        inputmode: "numeric", maxlength: 11, spellcheck: "false", class: "pairing-code",
      },
    });
    step(1, t("devices.stepCode"), [
      h("ol", {}, h("li", {}, t("devices.openApp")), h("li", {}, t("devices.seeCode")),
        h("li", {}, t("devices.typeCode"))),
      form({
        content: [code.element], submit: t("devices.continue"), explain,
        check: () => {
          /** @type {Record<string, string>} */
          const errors = {};
          if (pairingCode(code.control.value) === null) errors.code = t("devices.codeMalformed");
          return errors;
        },
        send: async () => {
          const digits = pairingCode(code.control.value) ?? "";
          askDevice(digits, await call("POST /devices/pair/confirm", { body: { code: digits } }));
        },
      }),
    ]);
  };

  /**
   * @param {string} code
   * @param {Shown} device
   */
  const askDevice = (code, device) => {
    const replaced = field({
      name: "replaces", label: t("devices.replaces"), hint: t("devices.replacesHint"),
      required: false, value: replaces ?? "",
      control: select(devices.map(({ deviceID, name, model }) => [deviceID, `${name} (${model})`]),
        { empty: t("devices.replacesNone") }),
    });
    step(2, t("devices.stepDevice"), [
      h("div", { class: "card" },
        h("p", { class: "row" }, icon("device"), h("strong", {}, device.name)),
        h("p", {}, device.model),
        h("p", {}, t("devices.provides", { types: dataTypeNames(device.types) }))),
      h("p", {}, t("devices.isYours")),
      form({
        content: [devices.length > 0 && replaced.element],
        submit: t("devices.pairIt"), explain,
        send: async () => {
          const paired = await call("POST /devices/pair/confirm", {
            body: { code, accept: true, replaces: replaced.control.value || undefined },
          });
          step(3, t("devices.stepDone"), done(paired));
        },
      }),
      h("p", {}, h("button", { type: "button", class: "plain", onclick: askCode },
        t("devices.otherCode"))),
    ]);
  };

  askCode();
  return place;
}

/** @param {Shown} device */
function done({ name }) {
  return [
    notice("success", h("p", {}, t("devices.paired", { name }))),
    h("p", {}, t("devices.pairedText")),
    h("p", { class: "actions" },
      h("a", { class: "button", href: "/app/devices" }, t("devices.done"))),
  ];
}

/**
 * @param {Problem} problem
 * @returns {Record<string, string> | null}
 */
function explain(problem) {
  if (problem.status === 404) return { code: t("devices.wrongCode") };
  if (problem.status === 409) return { "": t("devices.tooManyDevices") };
  if (problem.status !== 429 || problem.retryAfter === null) return null;
  return { "": t("devices.tooManyCodes", { duration: duration(problem.retryAfter) }) };
}
