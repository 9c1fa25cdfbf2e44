// P11, My Data: history of each type, values by hand, import and storage.

import { h, show, style } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { onQueueChange, queue } from "../../Client/queue.js";
import { prepareChart } from "../../Elements/chart.js";
import { dataTypeName, loadDataTypes } from "../../Elements/dataTypes.js";
import { notice } from "../../Elements/notice.js";
import { historyPart } from "./history.js";

/** @type {["history", "add", "import", "manage"]} */
const parts = ["history", "add", "import", "manage"];

/** @param {URLSearchParams} query */
function partOf(query) {
  return parts.find((each) => each === query.get("part")) ?? "history";
}

/**
 * The function that creates a part. All but the first are loaded when they are opened.
 * @param {typeof parts[number]} part
 */
async function creator(part) {
  switch (part) {
    case "history": return historyPart;
    case "add": return (await import("./add.js")).addPart;
    case "import": return (await import("./import.js")).importPart;
    case "manage": return (await import("./manage.js")).managePart;
  }
}

/** @param {URLSearchParams} query */
export function prepare(query) {
  if (partOf(query) === "history") prepareChart();
  void styles();
  // `page` reports a failure.
  loadDataTypes().catch(() => {});
}

function styles() {
  return style("data.css", import.meta.url);
}

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  const part = partOf(query);
  const [create] = await Promise.all([
    creator(part),
    styles(), loadDataTypes(),
  ]);
  const content = create(query, signal);
  return h("section", { class: "page" },
    h("h1", {}, t("data.title")),
    h("nav", { class: "segments part-menu", "aria-label": t("data.parts") },
      parts.map((each) => h("a", {
        href: each === "history" ? "/app/data" : `/app/data?part=${each}`,
        "aria-current": each === part ? "true" : null,
      }, t(`data.part.${each}`)))),
    waiting(signal), content);
}

/**
 * The number of values waiting to be sent, and the refused ones.
 * @param {AbortSignal} signal
 */
function waiting(signal) {
  const place = h("div", { role: "status" });
  const draw = () => {
    const { entries } = queue;
    const count = entries.filter((entry) => entry.refusal === undefined).length;
    const refused = entries.filter((entry) => entry.refusal !== undefined);
    show(place,
      count > 0 && notice("warning", h("p", {}, t("data.waiting", { count })),
        h("button", { type: "button", class: "secondary", onclick: () => void queue.flush() },
          t("data.sendNow"))),
      refused.length > 0 && notice("error", h("p", {}, t("data.refused")),
        h("ul", {}, refused.map(refusedEntry))));
  };
  onQueueChange(draw, signal);
  draw();
  return place;
}

/** @param {import("../../Client/queue.js").WaitingUpload} entry */
function refusedEntry({ key, body, refusal }) {
  const values = body.dataTypes.map((type, index) =>
    `${dataTypeName(type)} (${dateTime(body.timestamp[index] ?? "")})`).join(", ");
  return h("li", {}, `${values}: ${refusal} `,
    h("button", { type: "button", class: "plain", onclick: () => queue.remove(key) },
      t("action.remove")));
}
