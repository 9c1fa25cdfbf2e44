// Parts of the views of data.

import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";

/** How many rows a table shows at first, and adds each time. */
const rowsStep = 50;

/**
 * A controller that is aborted with a signal, and on its own earlier.
 * @param {AbortSignal} signal
 */
export function childSignal(signal) {
  const child = new AbortController();
  if (signal.aborted) child.abort();
  signal.addEventListener("abort", () => child.abort(), { signal: child.signal });
  return child;
}

/**
 * A table that creates its rows when they are shown, for hundreds of thousands of them. Its
 * `data-shown` says how many are shown, so that a new table can show as many.
 * @param {object} options
 * @param {string} options.caption
 * @param {string[]} options.head
 * @param {number} options.count
 * @param {number} [options.shown]
 * @param {(index: number) => import("../../Client/dom.js").Child[]} options.row
 */
export function longTable({ caption, head, count, shown = rowsStep, row }) {
  const body = h("tbody");
  const table = h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))), body);
  const button = h("button", {
    type: "button", class: "secondary", onclick: () => add(body.rows.length + rowsStep),
  }, t("action.more"));
  const add = (/** @type {number} */ end) => {
    for (let index = body.rows.length; index < Math.min(end, count); index += 1) {
      body.append(h("tr", {}, row(index).map((cell, column) =>
        column === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: "number" }, cell))));
    }
    table.dataset.shown = String(Math.max(body.rows.length, rowsStep));
    button.hidden = body.rows.length >= count;
  };
  add(shown);
  return h("div", {},
    h("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": caption }, table),
    h("p", { class: "actions" }, button));
}
