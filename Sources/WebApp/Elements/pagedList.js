// Lists that are read page by page, with their states: loading, empty, failed, more to show.

import { Problem } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { inTurn } from "./inTurn.js";
import { announce, problemNotice } from "./notice.js";
import { appended, renewed } from "./pagedListMerge.js";

/**
 * @template Item
 * @typedef {object} ListPage
 * @property {Item[]} items
 * @property {string} [next] the cursor of the following page
 */

/**
 * Creates a list. Its first page is read at once, the others on demand.
 *
 * @template Item
 * @param {object} options
 * @param {(cursor: string | undefined) => Promise<ListPage<Item>>} options.load reads a page
 * @param {(item: Item) => string} options.key identifies an item
 * @param {(item: Item, previous: Item | undefined) => HTMLElement} options.entry draws an item
 *   after the previous one
 * @param {() => HTMLElement} options.empty the content without any item
 * @param {AbortSignal} options.signal ends the reading
 * @param {string} [options.label] the name of the list for screen readers
 */
export function pagedList({ load, key, entry, empty, signal, label }) {
  const list = h("ul", { class: "plain-list paged-list", "aria-label": label ?? null });
  const state = h("div", { class: "paged-list-state" });
  const element = h("div", {}, list, state);
  /** @type {Item[]} */
  let items = [];
  /** @type {Map<string, {text: string, element: HTMLElement}>} */
  let drawn = new Map();
  /** @type {string | undefined} */
  let next;

  /** Draws the items; unchanged entries keep their element with its typed values. */
  const draw = () => {
    const kept = drawn;
    drawn = new Map();
    items.forEach((item, index) => {
      const name = key(item);
      const text = JSON.stringify([item, index > 0 && items[index - 1]]);
      const before = kept.get(name);
      drawn.set(name, before?.text === text
        ? before : { text, element: entry(item, items[index - 1]) });
    });
    const elements = [...drawn.values()].map((each) => each.element);
    for (const child of [...list.children]) {
      if (!elements.includes(/** @type {HTMLElement} */ (child))) child.remove();
    }
    // Elements that are in their place stay in the document: moving one would take its focus.
    elements.forEach((each, index) => {
      if (list.children[index] !== each) list.insertBefore(each, list.children[index] ?? null);
    });
    list.hidden = items.length === 0;
    show(state, items.length === 0 && empty(), next !== undefined
      && h("p", { class: "actions" }, h("button", {
        type: "button", class: "secondary", onclick: () => void more(),
      }, t("action.more"))));
  };

  /**
   * Reads a page.
   * @param {string | undefined} cursor
   * @param {(page: ListPage<Item>) => void} use
   * @param {() => Promise<void>} again reads it once more after a failure
   */
  const read = async (cursor, use, again) => {
    if (signal.aborted) return;
    element.setAttribute("aria-busy", "true");
    try {
      const page = await load(cursor);
      if (!signal.aborted) use(page);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(state, problemNotice(problem, () => void again()));
    } finally {
      element.removeAttribute("aria-busy");
    }
  };

  const addPage = async () => {
    // A reload before it may have found the end.
    if (next !== undefined) await read(next, add, more);
  };
  const add = (/** @type {ListPage<Item>} */ page) => {
    const first = page.items[0];
    ({ items, next } = { items: appended(items, page.items, key), next: page.next });
    draw();
    const shown = first && drawn.get(key(first))?.element;
    if (shown) {
      shown.tabIndex = -1;
      shown.focus();
    } else announce(t("pagedList.end"));
  };
  const reload = () => read(undefined, (page) => {
    const all = page.next === undefined ? null : renewed(items, page.items, key);
    if (all === null || all.length === page.items.length) ({ items, next } = page);
    else items = all;
    draw();
  }, refresh);

  // One read after the other: an event must not drop the page that the reader has asked for, nor
  // that page the reload.
  const turn = inTurn();
  let isAdding = false;
  const more = async () => {
    if (isAdding) return;
    isAdding = true;
    try {
      await turn(addPage);
    } finally {
      isAdding = false;
    }
  };
  /** Reloads the list from its beginning; unchanged entries stay as they are. */
  const refresh = () => turn(reload);

  show(state, h("p", { class: "muted", role: "status" }, t("pagedList.loading")));
  void refresh();
  return { element, refresh };
}
