// Work that fills a part of a page: it ends with the page, and its refusals become notices.

import { Problem } from "./api.js";
import { h, show } from "./dom.js";
import { t } from "./language.js";
import { problemNotice } from "../Elements/notice.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * A function that creates a signal for the next piece of work and aborts the previous one.
 * @param {AbortSignal} signal of the page
 * @returns {() => AbortSignal}
 */
export function latest(signal) {
  let controller = new AbortController();
  signal.addEventListener("abort", () => controller.abort());
  return () => {
    controller.abort();
    controller = new AbortController();
    if (signal.aborted) controller.abort();
    return controller.signal;
  };
}

/**
 * Shows that a part of the page is loading, then the result of the work. A refusal is shown with a
 * button to try again; other errors are thrown.
 * @param {Element} place
 * @param {AbortSignal} signal
 * @param {() => Promise<Child>} work
 */
export async function fill(place, signal, work) {
  place.setAttribute("aria-busy", "true");
  if (!place.hasChildNodes()) show(place, h("p", { class: "muted" }, t("work.loading")));
  try {
    const content = await work();
    if (!signal.aborted) show(place, content);
  } catch (problem) {
    if (signal.aborted) return;
    if (!(problem instanceof Problem)) throw problem;
    show(place, problemNotice(problem, () => void fill(place, signal, work)));
  } finally {
    if (!signal.aborted) place.removeAttribute("aria-busy");
  }
}

/**
 * Waits for a time, or less if the signal is aborted.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function wait(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

/**
 * Does work for each item, at most some at the same time, and ends early with the signal.
 * @template Item
 * @param {readonly Item[]} items
 * @param {number} limit
 * @param {AbortSignal} signal
 * @param {(item: Item) => Promise<void>} work
 */
export async function each(items, limit, signal, work) {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
