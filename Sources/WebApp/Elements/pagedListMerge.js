// How a page of a list joins the items that are shown already.

/**
 * The items followed by those of the next page, each once.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {readonly Item[]} page
 * @param {(item: Item) => string} key identifies an item
 * @returns {Item[]}
 */
export function appended(items, page, key) {
  const known = new Set(items.map(key));
  return [...items, ...page.filter((item) => !known.has(key(item)))];
}

/**
 * The items after their first page was read anew: what the page no longer holds is gone, and what
 * follows its last item stays.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {readonly Item[]} page
 * @param {(item: Item) => string} key identifies an item
 * @returns {Item[] | null} null where the page and the items have nothing in common, so that items
 *   between them may be missing
 */
export function renewed(items, page, key) {
  const fresh = new Set(page.map(key));
  let last = items.length - 1;
  while (last >= 0 && !fresh.has(key(/** @type {Item} */ (items[last])))) last -= 1;
  return last < 0 ? null : [...page, ...items.slice(last + 1)];
}
