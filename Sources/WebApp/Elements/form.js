// Forms: labels above fields, one column, errors beside the field and in a summary with the focus.

import { isOutage, newKey, Problem, repetitionPause } from "../Client/api.js";
import { h, identifier, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { forgetTyped } from "../Client/typedValues.js";
import { problemText, repeat } from "./notice.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/**
 * A field with its label, an explanation and a place for its error.
 * @typedef {object} Field
 * @property {string} name the name in the request, such as `full_name` or `diseases`
 * @property {HTMLElement} element
 * @property {Control} control
 */

/**
 * Creates a field.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {string} [options.hint]
 * @param {Control} [options.control] a text input by default
 * @param {string} [options.type] of the input
 * @param {string} [options.value]
 * @param {boolean} [options.required] true by default; optional fields say so
 * @param {string} [options.autocomplete]
 * @param {Record<string, import("../Client/dom.js").Attribute>} [options.attributes] of the input
 * @returns {Field}
 */
export function field({
  name, label, hint, control, type = "text", value = "", required = true, autocomplete,
  attributes = {},
}) {
  const id = identifier();
  const input = control ?? h("input", { type, autocomplete: autocomplete ?? null, ...attributes });
  input.id = id;
  input.setAttribute("name", name);
  if (value !== "") input.value = value;
  if (required) input.setAttribute("aria-required", "true");
  const describedBy = [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(" ");
  input.setAttribute("aria-describedby", describedBy);
  const element = h("div", { class: "field", "data-field": name },
    h("label", { for: id }, label,
      !required && h("span", { class: "optional" }, ` ${t("form.optional")}`)),
    hint && h("p", { class: "hint", id: `${id}-hint` }, hint),
    type === "password" && !control
      ? passwordControl(/** @type {HTMLInputElement} */ (input)) : input,
    h("p", { class: "error", id: `${id}-error` }));
  return { name, element, control: input };
}

/**
 * Makes a field that was created as an optional one required or optional, as other fields decide.
 * @param {Field} optional
 * @param {boolean} isRequired
 * @param {string} hint replaces the explanation
 */
export function requireField({ element, control }, isRequired, hint) {
  const word = element.querySelector("label .optional");
  if (word instanceof HTMLElement) word.hidden = isRequired;
  if (isRequired) control.setAttribute("aria-required", "true");
  else control.removeAttribute("aria-required");
  const explanation = element.querySelector(".hint");
  if (explanation) show(explanation, hint);
}

/** @param {HTMLInputElement} input */
function passwordControl(input) {
  const button = h("button", {
    type: "button", class: "plain", "aria-pressed": "false",
    onclick: () => {
      const isShown = input.type === "text";
      input.type = isShown ? "password" : "text";
      button.setAttribute("aria-pressed", String(!isShown));
    },
  }, t("form.showPassword"));
  return h("div", { class: "with-button" }, input, button);
}

/**
 * A list to choose one value from.
 * @param {[value: string, text: string][]} options
 * @param {{empty?: string}} [settings] empty: the text of the first entry, which has no value
 */
export function select(options, settings = {}) {
  const { empty } = settings;
  return h("select", {}, empty !== undefined && h("option", { value: "" }, empty),
    options.map(([value, text]) => h("option", { value }, text)));
}

/**
 * A box to tick.
 * @param {object} options
 * @param {string} options.name
 * @param {import("../Client/dom.js").Child} options.label
 * @param {boolean} [options.checked]
 * @returns {Field & {control: HTMLInputElement}}
 */
export function checkbox({ name, label, checked = false }) {
  const id = identifier();
  const control = h("input", {
    type: "checkbox", id, name, checked, "aria-describedby": `${id}-error`,
  });
  const element = h("div", { class: "field field-check", "data-field": name },
    h("div", {}, control, h("label", { for: id }, label)),
    h("p", { class: "error", id: `${id}-error` }));
  return { name, element, control };
}

/**
 * Marks a field as wrong, or as right with an empty text.
 * @param {Element} fieldElement
 * @param {string} text
 */
export function mark(fieldElement, text) {
  const error = fieldElement.querySelector(".error");
  if (error) show(error, text);
  fieldElement.classList.toggle("is-wrong", text !== "");
  const control = fieldElement.querySelector("input, select, textarea");
  if (text) control?.setAttribute("aria-invalid", "true");
  else control?.removeAttribute("aria-invalid");
}

/**
 * Creates a form. Errors do not change the typed values; with a `draft` they also survive leaving
 * the page. What may succeed later is sent again by itself, until a value is changed. An element
 * with `data-part` is changed like a control by dispatching `input`.
 *
 * @param {object} options
 * @param {import("../Client/dom.js").Child[]} options.content fields and the elements between them
 * @param {string} options.submit the verb of the button
 * @param {(key: string) => Promise<void | boolean>} options.send sends the form; the key makes a
 *   repetition of the same values harmless; false: nothing was sent, the draft is kept
 * @param {() => Record<string, string>} [options.check] finds errors before sending: text by field
 * @param {() => Promise<boolean>} [options.confirm] asks before sending, once for all repetitions
 * @param {(problem: Problem) => Record<string, string> | null} [options.explain] texts for a
 *   refusal by field, `""` for the whole form; null: those of the API
 * @param {boolean} [options.isDestructive] whether what is sent can't be undone
 * @param {string} [options.draft] a name under which the values (never passwords) are kept
 * @returns {HTMLFormElement}
 */
export function form({
  content, submit, send, check, confirm, explain, draft, isDestructive = false,
}) {
  const summary = h("div", { class: "summary", tabindex: -1, role: "alert" });
  const button = h("button", { type: "submit", class: isDestructive ? "destructive" : null },
    submit);
  let key = newKey();
  let stopRepeating = () => {};
  const element = h("form", { novalidate: true }, summary, content,
    h("p", { class: "actions" }, button));

  // An error refers to the sent value, so another value removes it. This runs before the
  // listeners of the fields, so that a check while typing can mark its field again.
  element.addEventListener("input", ({ target }) => {
    const part = target instanceof Element ? target.closest("[data-field]") : null;
    if (part) mark(part, "");
  }, { capture: true });
  element.addEventListener("input", ({ target }) => {
    stopRepeating();
    key = newKey();
    // The errors of a part that is not a control, such as a drawn course, are in the summary alone.
    const isPart = target instanceof Element && target.hasAttribute("data-part");
    if (isPart) showErrors(element, summary, {});
    if (draft) keepDraft(draft, element);
  });
  const attempt = async () => {
    button.disabled = true;
    element.setAttribute("aria-busy", "true");
    try {
      const isDone = await send(key);
      showErrors(element, summary, {});
      key = newKey();
      if (isDone !== false) forgetTyped(element);
      if (draft && isDone !== false) sessionStorage.removeItem(`trackme.draft.${draft}`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const own = isOutage(problem) ? null : explain?.(problem);
      showErrors(element, summary, own ?? fieldErrors(problem, element));
      stopRepeating = repeatLater(element, summary, problem, () => void attempt());
    } finally {
      button.disabled = false;
      element.removeAttribute("aria-busy");
    }
  };
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    stopRepeating();
    const errors = check?.() ?? {};
    const hasErrors = Object.keys(errors).length > 0;
    // The errors of the last attempt would contradict a question about this one.
    showErrors(element, summary, errors);
    if (!hasErrors && (!confirm || await confirm())) await attempt();
  });
  if (draft) restoreDraft(draft, element);
  return element;
}

/**
 * Shows errors beside their fields and in a summary, which takes the focus.
 * @param {HTMLFormElement} element
 * @param {HTMLElement} summary
 * @param {Record<string, string>} errors
 */
function showErrors(element, summary, errors) {
  for (const part of element.querySelectorAll("[data-field]")) mark(part, "");
  const links = Object.entries(errors).map(([name, text]) => {
    const part = element.querySelector(`[data-field="${CSS.escape(name)}"]`);
    const control = part?.querySelector("input, select, textarea");
    if (!part || !control) return h("li", {}, text);
    mark(part, text);
    const focus = (/** @type {Event} */ event) => {
      event.preventDefault();
      /** @type {HTMLElement} */ (control).focus();
    };
    return h("li", {}, h("a", { href: `#${control.id}`, onclick: focus }, text));
  });
  const hasErrors = links.length > 0;
  const isAboutFields = links.some((each) => each.firstElementChild !== null);
  show(summary, hasErrors && [
    isAboutFields && h("h2", {}, t("form.summary")), h("ul", {}, links),
  ]);
  if (hasErrors) summary.focus();
}

/**
 * Sends a form again by itself if that may succeed, and tells so in its summary.
 * @param {HTMLFormElement} element
 * @param {HTMLElement} summary
 * @param {Problem} problem
 * @param {() => void} attempt
 * @returns {() => void} ends the repetition
 */
function repeatLater(element, summary, problem, attempt) {
  const pause = repetitionPause(problem);
  if (pause === null) return () => {};
  const cancel = repeat(element, pause, attempt);
  const stop = () => {
    cancel();
    line.remove();
  };
  const line = h("p", {}, t("form.repeats"), " ", h("button", {
    type: "button", class: "plain", onclick: stop,
  }, t("form.stopRepeating")));
  summary.append(line);
  return stop;
}

/**
 * The errors of a refusal by field: the field with the longest matching prefix of its path.
 * @param {Problem} problem
 * @param {HTMLFormElement} element
 * @returns {Record<string, string>}
 */
function fieldErrors(problem, element) {
  const path = problem.field ?? "";
  const names = [path, path.replace(/\[.*$/, ""), path.replace(/\..*$/, "")];
  const name = names.find(
    (each) => each && element.querySelector(`[data-field="${CSS.escape(each)}"]`));
  return { [name ?? ""]: name ? problem.detail || problem.error : problemText(problem) };
}

/**
 * @param {string} name
 * @param {HTMLFormElement} element
 */
function keepDraft(name, element) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const control of element.querySelectorAll("input, select, textarea")) {
    if (control instanceof HTMLInputElement) {
      if (control.type === "password" || control.type === "file") continue;
      values[control.name] = control.type === "checkbox" ? String(control.checked) : control.value;
    } else if (control instanceof HTMLSelectElement || control instanceof HTMLTextAreaElement) {
      values[control.name] = control.value;
    }
  }
  sessionStorage.setItem(`trackme.draft.${name}`, JSON.stringify(values));
}

/**
 * @param {string} name
 * @param {HTMLFormElement} element
 */
function restoreDraft(name, element) {
  const kept = sessionStorage.getItem(`trackme.draft.${name}`);
  if (!kept) return;
  const values = /** @type {Record<string, string>} */ (JSON.parse(kept));
  for (const [key, value] of Object.entries(values)) {
    const control = element.elements.namedItem(key);
    if (control instanceof HTMLInputElement) {
      if (control.type === "checkbox") control.checked = value === "true";
      else if (control.type !== "password" && control.type !== "file") control.value = value;
    } else if (control instanceof HTMLSelectElement || control instanceof HTMLTextAreaElement) {
      control.value = value;
    }
  }
}
