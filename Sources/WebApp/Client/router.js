// Addresses of pages. Links are real paths, so they can be shared, reloaded, and opened in a new
// tab.

import { routes } from "./routes.js";

/**
 * A page's module.
 * @typedef {object} PageModule
 * @property {(context: PageContext) => HTMLElement | Promise<HTMLElement>} page creates its element
 * @property {(query: URLSearchParams) => void} [prepare] begins to load what the page needs for
 *   every reader, such as a library; `page` reports a failure
 */
/**
 * What a page receives: the values of its address, a signal that is aborted when the reader leaves,
 * and its title to set.
 * @typedef {object} PageContext
 * @property {Record<string, string>} parameters values of `:name` in the path
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal
 */
/**
 * The readers of a page: everybody, a person, a company, or any account.
 * @typedef {"everybody" | "person" | "company" | "account"} Reader
 */
/**
 * @typedef {object} Route
 * @property {string} path as `/app/runs/:code`
 * @property {Reader} reader
 * @property {"data4help" | "track4run" | null} product whose menu and colour the page has
 * @property {import("./language.js").TextKey} title
 * @property {() => Promise<PageModule>} load
 */

/**
 * The route of a path with the values of its parameters.
 * @param {string} path
 * @returns {{route: Route, parameters: Record<string, string>} | null}
 */
export function match(path) {
  const parts = path.replace(/\/+$/, "").split("/");
  for (const route of routes) {
    const pattern = route.path.replace(/\/+$/, "").split("/");
    if (pattern.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const parameters = {};
    const fits = pattern.every((part, index) => {
      const value = parts[index] ?? "";
      if (!part.startsWith(":")) return part === value;
      try {
        parameters[part.slice(1)] = decodeURIComponent(value);
        return value !== "";
      } catch {
        return false;
      }
    });
    if (fits) return { route, parameters };
  }
  return null;
}

/** @type {Set<() => Promise<boolean> | boolean>} */
const guards = new Set();

/**
 * Asks before the reader leaves the page, for example a form with unsaved changes.
 * @param {() => Promise<boolean> | boolean} allows
 * @param {AbortSignal} signal
 */
export function guard(allows, signal) {
  guards.add(allows);
  signal.addEventListener("abort", () => guards.delete(allows));
}

/** Whether the reader may leave the page; forms with unsaved changes ask. */
export async function mayLeave() {
  for (const allows of guards) if (!(await allows())) return false;
  return true;
}

/** @type {() => void} */
let render = () => {};
/** Path and query of the page that is shown. */
let shown = "";

/**
 * Starts to follow links, the back button and `go`.
 * @param {() => void} onChange called after each change of the address
 */
export function startRouter(onChange) {
  shown = location.pathname + location.search;
  render = () => {
    shown = location.pathname + location.search;
    onChange();
  };
  addEventListener("popstate", () => {
    // A link to a part of the page keeps the page and the typed values.
    if (location.pathname + location.search !== shown) render();
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target.closest("a") : null;
    if (!target || target.target || target.hasAttribute("download")) return;
    const url = new URL(target.href, location.href);
    if (url.origin !== location.origin || !match(url.pathname)) return;
    if (url.pathname === location.pathname && url.hash) return;
    event.preventDefault();
    void go(url.pathname + url.search + url.hash);
  });
}

/**
 * Keeps the choices of the reader in the address of the page, for a reload and the way back. A page
 * that the reader is leaving changes nothing: the address is already that of the next page.
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal of the page
 */
export function keepInAddress(query, signal) {
  if (signal.aborted) return;
  history.replaceState(null, "", location.pathname + (`${query}` && `?${query}`));
  shown = location.pathname + location.search;
}

/**
 * Opens a page, unless a form with unsaved changes keeps the reader.
 * @param {string} address
 * @param {{replace?: boolean, force?: boolean}} [options] replace: the present page does not stay
 *   in the history; force: nothing keeps the reader
 */
export async function go(address, options = {}) {
  const { replace = false, force = false } = options;
  if (!force && guards.size > 0 && !(await mayLeave())) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  render();
}
