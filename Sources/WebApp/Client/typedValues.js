// Values that the reader has typed or chosen: they survive a change of the language, the end of a
// session, and a reload.

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */
/**
 * A typed value. `isOpen` is that of a `details` element, which has no other value.
 * @typedef {{control: string, text?: string, isOn?: boolean, isOpen?: boolean}} TypedValue
 */
/** @typedef {{reader: string, address: string, values: TypedValue[]}} KeptValues */

const storageKey = "trackme.typed";
const selector = "input, select, textarea, details";

/** @type {WeakSet<Element>} */
const changed = new WeakSet();
for (const name of ["input", "change", "toggle"]) {
  document.addEventListener(name, ({ target }) => {
    if (target instanceof Element) changed.add(target);
  }, { capture: true });
}

/**
 * The controls that the reader has changed, with their values.
 * @param {Element} page
 * @param {{withSecrets: boolean}} options withSecrets: with passwords, which are never stored
 * @returns {TypedValue[]}
 */
export function typedValues(page, { withSecrets }) {
  /** @type {TypedValue[]} */
  const values = [];
  for (const [control, element] of named(page)) {
    if (!changed.has(element)) continue;
    const input = element instanceof HTMLInputElement ? element : null;
    if (input?.type === "file" || (input && isSecret(input) && !withSecrets)) continue;
    if (element instanceof HTMLDetailsElement) values.push({ control, isOpen: element.open });
    else if (input && isBox(input)) values.push({ control, isOn: input.checked });
    else values.push({ control, text: element.value });
  }
  return values;
}

/**
 * Types values into the controls of a page. A control may appear only after another was changed,
 * as the field for a value after its type, so each is looked up when it is needed.
 * @param {Element} page
 * @param {readonly TypedValue[]} values
 */
export function retype(page, values) {
  for (const { control, text, isOn, isOpen } of values) {
    const element = named(page).find(([name]) => name === control)?.[1];
    if (element instanceof HTMLDetailsElement) {
      element.open = isOpen ?? false;
      continue;
    }
    if (!element) continue;
    if (element instanceof HTMLInputElement && isBox(element)) element.checked = isOn ?? false;
    else element.value = text ?? "";
    for (const name of ["input", "change"]) {
      element.dispatchEvent(new Event(name, { bubbles: true }));
    }
  }
}

/**
 * Forgets that controls were changed, because their values have arrived.
 * @param {Element} place
 */
export function forgetTyped(place) {
  for (const element of place.querySelectorAll(selector)) changed.delete(element);
}

/**
 * Keeps the typed values in this tab, without passwords, until the same reader opens the same
 * address again.
 * @param {Element} page
 * @param {string} reader
 * @param {string} address
 */
export function keepTyped(page, reader, address) {
  const values = typedValues(page, { withSecrets: false });
  if (values.length === 0) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, JSON.stringify({ reader, address, values }));
}

/**
 * The kept values of an address, once. They stay while no reader is logged in, and are forgotten
 * when another reader is.
 * @param {string} reader
 * @param {string} address
 * @returns {TypedValue[]}
 */
export function takeTyped(reader, address) {
  const text = sessionStorage.getItem(storageKey);
  if (!text) return [];
  const kept = /** @type {KeptValues} */ (JSON.parse(text));
  const isOwn = kept.reader === reader;
  if (isOwn ? kept.address !== address : reader === "") return [];
  dropTyped();
  return isOwn ? kept.values : [];
}

/** Forgets the kept values. */
export function dropTyped() {
  sessionStorage.removeItem(storageKey);
}

/**
 * The controls of a page with names that are the same after it is drawn again: field, name, value
 * of a box, and the number among those with the same name.
 * @param {Element} page
 * @returns {[string, Control | HTMLDetailsElement][]}
 */
function named(page) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const controls = /** @type {NodeListOf<Control | HTMLDetailsElement>} */ (
    page.querySelectorAll(selector));
  return [...controls].map((element) => {
    const field = element.closest("[data-field]")?.getAttribute("data-field") ?? "";
    const isDetails = element instanceof HTMLDetailsElement;
    const value = element instanceof HTMLInputElement && isBox(element) ? element.value : "";
    const name = [element.tagName, field, isDetails ? "" : element.name, value].join(" ");
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return [`${name} ${count}`, element];
  });
}

/** @param {HTMLInputElement} input */
function isBox({ type }) {
  return type === "checkbox" || type === "radio";
}

/**
 * Whether a field holds a password, which its reader may be showing as text.
 * @param {HTMLInputElement} input
 */
function isSecret({ type, autocomplete }) {
  return type === "password" || autocomplete.endsWith("-password");
}
