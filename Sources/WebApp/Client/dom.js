// Creation of DOM nodes. All text enters as text nodes, so markup in data is shown, never parsed.

/**
 * An attribute: a string or number is set as it is, `true` sets it empty, `false`, `null` and
 * `undefined` leave it out, and a function under a name such as `onclick` becomes an event
 * listener.
 * @typedef {string | number | boolean | null | undefined | ((event: any) => unknown)} Attribute
 */
/** @typedef {import("./child").Child} Child */

/**
 * Creates an element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  assign(element, attributes);
  append(element, children);
  return element;
}

/**
 * Creates an SVG element with attributes and children.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  assign(element, attributes);
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, Attribute>} attributes
 */
function assign(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
}

/**
 * Appends children; lists are flattened, empty children are skipped.
 * @param {Node} parent
 * @param {Child[]} children
 */
export function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Replaces the children of an element.
 * @param {Element} parent
 * @param {...Child} children
 */
export function show(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

let lastIdentifier = 0;

/** An identifier that is unique in the document, for labels and descriptions. */
export function identifier() {
  lastIdentifier += 1;
  return `e${lastIdentifier}`;
}

/** @type {Map<string, Promise<void>>} */
const styles = new Map();

/**
 * Loads a style sheet once. The promise is fulfilled when it applies, so that a page is never shown
 * without its style; a sheet that cannot be loaded does not block the page.
 * @param {string} address
 * @param {string} base the module's `import.meta.url`
 * @returns {Promise<void>}
 */
export function style(address, base) {
  const href = new URL(address, base).href;
  const known = styles.get(href);
  if (known) return known;
  const loaded = new Promise((/** @type {(value: void) => void} */ resolve) => {
    const link = h("link", {
      rel: "stylesheet", href, onload: () => resolve(), onerror: () => resolve(),
    });
    document.head.append(link);
  });
  styles.set(href, loaded);
  return loaded;
}
