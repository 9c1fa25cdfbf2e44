// The switch of AutomatedSOS with its state: on, paused, off, and the types without a device.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, language, t } from "../../Client/language.js";
import { fill } from "../../Client/work.js";
import { dataTypeNames } from "../../Elements/dataTypes.js";
import { ask } from "../../Elements/dialog.js";
import { notice, problemNotice, toast } from "../../Elements/notice.js";

const sign = new URL("../../Pictures/automatedsos.svg", import.meta.url).href;

/** @typedef {import("../../Client/types").Endpoints["GET /sos/settings"]["answer"]} SOSSettings */

/**
 * The state of AutomatedSOS.
 * @param {Pick<SOSSettings, "enabled" | "pausedUntil">} settings
 * @param {number} now milliseconds since 1970
 * @returns {"on" | "paused" | "off"}
 */
export function sosState({ enabled, pausedUntil }, now) {
  if (!enabled) return "off";
  return pausedUntil !== null && Date.parse(pausedUntil) > now ? "paused" : "on";
}

/** @param {AbortSignal} signal */
export function sosCard(signal) {
  const content = h("div");
  const message = h("div");
  const load = () => fill(content, signal, async () =>
    state(await call("GET /sos/settings", { signal })));

  const change = async (/** @type {SOSSettings} */ settings) => {
    show(message);
    try {
      await (settings.enabled ? disable() : enable(message));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    }
    await load();
    // The switch was drawn anew: the focus returns to it.
    content.querySelector("button")?.focus();
  };

  const state = (/** @type {SOSSettings} */ settings) => {
    const name = sosState(settings, Date.now());
    const until = settings.pausedUntil === null ? "" : dateTime(settings.pausedUntil);
    return h("div", {},
      h("div", { class: "sos-switch" },
        h("button", {
          type: "button", role: "switch", "aria-checked": String(settings.enabled),
          class: "switch", onclick: () => void change(settings),
        }, h("img", { src: sign, alt: "", width: 32, height: 32 }), "AutomatedSOS",
        h("span", { class: "switch-track" })),
        h("strong", { class: `sos-${name}` }, t(`health.sos.${name}`, { until }))),
      settings.enabled && settings.missing.length > 0 && notice("warning",
        h("p", {}, settings.missing.includes("heartRate")
          ? t("health.sos.noHeartRate")
          : t("health.sos.missing", { types: dataTypeNames(settings.missing) })),
        h("p", {}, h("a", { href: "/app/devices" }, t("health.pair")))),
      h("p", { class: "small" }, t("health.sos.limits"), " ",
        h("a", { href: "/app/sos" }, t("health.sos.settings"))));
  };

  void load();
  return h("section", { class: "card sos-card", "aria-label": "AutomatedSOS" }, content, message);
}

/**
 * Asks for the permission for calls and switches AutomatedSOS on; without permission it stays off.
 * @param {Element} message
 */
async function enable(message) {
  const permits = await ask({
    title: t("health.sos.askTitle"), confirm: t("health.sos.permit"),
    text: [
      h("p", {}, t("health.sos.askWhat")), h("p", {}, t("health.sos.askPermission")),
      h("p", {}, h("strong", {}, t("health.sos.limits"))),
    ],
  });
  if (!permits) {
    show(message, notice("info", t("health.sos.refused")));
    return;
  }
  await call("POST /sos/enable", {
    body: { callPermission: true, language: language() }, key: newKey(),
  });
  show(message, notice("success", h("p", {}, t("health.sos.enabled")),
    h("p", {}, h("a", { href: "/app/sos" }, t("health.sos.next")))));
}

async function disable() {
  const ends = await ask({
    title: t("health.sos.offTitle"), text: t("health.sos.offText"),
    confirm: t("health.sos.turnOff"), isDestructive: true,
  });
  if (!ends) return;
  await call("POST /sos/disable", { key: newKey() });
  toast(t("health.sos.disabled"));
}
