// P15, devices: the paired ones, pairing another, and the device for each data type.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { date, dateTime, relative, t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { dataTypeNames, loadDataTypes } from "../../Elements/dataTypes.js";
import { ask } from "../../Elements/dialog.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, problemNotice, toast } from "../../Elements/notice.js";
import { typeChoices } from "../../Elements/typeChoices.js";
import { pairing } from "./pairing.js";

/** @typedef {import("../../Elements/typeChanges.js").Device} Device */

/** The most devices of an account. */
const devicesMax = 20;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  const [{ devices }] = await Promise.all([
    call("GET /devices", { signal }), loadDataTypes(), style("devices.css", import.meta.url),
  ]);
  if (query.get("view") === "pair") {
    return h("section", { class: "page" },
      h("p", {}, h("a", { href: "/app/devices" }, t("devices.back"))),
      h("h1", {}, t("devices.pairTitle")),
      pairing(devices, query.get("replaces")));
  }
  const imported = await call("GET /settings/single/data", { signal });
  return h("section", { class: "page" },
    h("h1", {}, t("devices.title")),
    h("p", {}, t("devices.text")),
    devices.length === 0
      ? emptyState(t("devices.empty"), pairButton())
      : [h("ul", { class: "cards" }, devices.map(deviceEntry)),
        h("p", { class: "actions" }, devices.length < devicesMax
          ? pairButton() : h("span", { class: "muted" }, t("devices.tooManyDevices")))],
    h("h2", { id: "types" }, t("devices.types")),
    typeChoices(imported, devices, signal));
}

function pairButton() {
  return h("a", { class: "button", href: "/app/devices?view=pair" },
    icon("add"), t("devices.pair"));
}

/** @param {Device} device */
function deviceEntry(device) {
  const { deviceID, name, model, types, assignedTypes, pairedAt, lastSeen } = device;
  const message = h("div");
  const remove = async () => {
    const isSure = await ask({
      title: t("devices.removeTitle", { name }),
      text: [
        h("p", {}, t("devices.removeText", { name })),
        assignedTypes.length > 0 && h("p", {}, t("devices.removeAssigned", {
          types: dataTypeNames(assignedTypes),
        })),
      ],
      confirm: t("action.remove"), isDestructive: true,
    });
    if (!isSure) return;
    show(message);
    try {
      await call("DELETE /devices/{deviceID}", { path: { deviceID } });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // 404: it was removed in another tab.
      if (problem.status !== 404) {
        show(message, problemNotice(problem));
        return;
      }
    }
    toast(t("devices.removed", { name }));
    await go("/app/devices", { replace: true });
  };
  return h("li", {}, h("article", { class: "card device" },
    h("h2", {}, icon("device"), " ", name),
    h("p", { class: "muted" }, model),
    h("p", {}, t("devices.provides", { types: dataTypeNames(types) })),
    assignedTypes.length > 0
      && h("p", {}, t("devices.assigned", { types: dataTypeNames(assignedTypes) })),
    h("p", { class: "small muted" },
      lastSeen === null ? t("devices.neverSeen")
        : h("time", { datetime: lastSeen, title: dateTime(lastSeen) },
          t("devices.lastSeen", { time: relative(lastSeen) })),
      ` · ${t("devices.pairedOn", { day: date(pairedAt) })}`),
    message,
    h("p", { class: "actions" },
      h("a", {
        class: "button secondary",
        href: `/app/devices?view=pair&replaces=${encodeURIComponent(deviceID)}`,
      }, t("devices.replace"), h("span", { class: "visually-hidden" }, ` ${name}`)),
      h("button", { type: "button", class: "destructive", onclick: () => void remove() },
        icon("trash"), t("action.remove"), h("span", { class: "visually-hidden" }, ` ${name}`)))));
}
