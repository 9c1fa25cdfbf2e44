// Messages: in the page, for a moment at its edge, and for screen readers.

import { h, identifier, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { repetitionPause } from "../Client/api.js";

/** @typedef {import("../Client/api.js").Problem} Problem */

/**
 * The sentence for a refusal that belongs to no field. The API's detail is shown where it is more
 * precise than the status.
 * @param {Problem} problem
 */
export function problemText(problem) {
  if (problem.status === 0) return t("problem.offline");
  if (problem.status === 429) {
    return problem.retryAfter === null
      ? t("problem.tooMany") : t("problem.tooManySeconds", { count: problem.retryAfter });
  }
  if (problem.status >= 500) return t("problem.temporary");
  return problem.detail || problem.error;
}

/**
 * A message in the page for a refusal, with a button to try again. While it is shown, the page
 * repeats by itself what may succeed later.
 * @param {Problem} problem
 * @param {() => void} [retry]
 */
export function problemNotice(problem, retry) {
  if (!retry) return notice("error", problemText(problem));
  const pause = repetitionPause(problem);
  let cancel = () => {};
  const element = notice("error", h("p", {}, problemText(problem)),
    pause !== null && h("p", {}, t("problem.repeats")),
    h("button", {
      type: "button",
      onclick: () => {
        cancel();
        retry();
      },
    }, t("problem.retry")));
  if (pause !== null) cancel = repeat(element, pause, retry);
  return element;
}

/**
 * Does work again after a pause, or as soon as the device is online again, if an element is still
 * shown by then.
 * @param {Element} element
 * @param {number} pause milliseconds
 * @param {() => void} work
 * @returns {() => void} cancels the repetition
 */
export function repeat(element, pause, work) {
  const cancel = () => {
    clearTimeout(timer);
    removeEventListener("online", run);
  };
  const run = () => {
    cancel();
    if (element.isConnected) work();
  };
  const timer = setTimeout(run, pause);
  addEventListener("online", run);
  return cancel;
}

/**
 * A message in the page.
 * @param {"info" | "success" | "warning" | "error"} kind
 * @param {...import("../Client/dom.js").Child} content
 */
export function notice(kind, ...content) {
  const role = kind === "error" ? "alert" : "status";
  return h("div", { class: `notice notice-${kind}`, role }, content);
}

/**
 * The content of an empty list: its purpose and the first step.
 * @param {string} text
 * @param {...import("../Client/dom.js").Child} actions
 */
export function emptyState(text, ...actions) {
  return h("div", { class: "empty" }, h("p", {}, text),
    actions.length > 0 && h("p", { class: "actions" }, actions));
}

const live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
document.body.append(live, toasts);

/**
 * Announces a sentence to screen readers without showing it.
 * @param {string} text
 */
export function announce(text) {
  show(live, text);
}

/**
 * Shows a sentence at the edge of the page for some seconds.
 * @param {string} text
 */
export function toast(text) {
  const element = h("div", { class: "toast", id: identifier() }, text);
  toasts.append(element);
  setTimeout(() => element.remove(), 6_000);
}
