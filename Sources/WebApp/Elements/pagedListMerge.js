// Merging a page of a list with the items that are already shown.

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
 * The items after a reload of the first page: items missing in the page are removed, and the items
 * after its last one stay.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {readonly Item[]} page
 * @param {(item: Item) => string} key identifies an item
 * @returns {Item[] | null} null if the page and the items have no item in common, so that items
 *   between them may be missing
 */
export function renewed(items, page, key) {
  const fresh = new Set(page.map(key));
  let last = items.length - 1;
  while (last >= 0 && !fresh.has(key(/** @type {Item} */ (items[last])))) last -= 1;
  return last < 0 ? null : [...page, ...items.slice(last + 1)];
}
