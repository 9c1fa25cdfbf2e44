// A text field with suggestions while typing (the combobox of the ARIA Authoring Practices). The
// text stays free: choosing a suggestion writes it into the field.

import { Problem } from "../Client/api.js";
import { h, identifier, show, style } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { field } from "./form.js";
import { announce } from "./notice.js";

/**
 * @typedef {object} Suggestion
 * @property {string} text the field's text after choosing it
 * @property {string} [detail] shown beside it
 */
/** @typedef {(text: string, signal: AbortSignal) => Promise<Suggestion[]>} Search */

/** The pause after the last key before the search begins, in milliseconds. */
const typingPause = 180;

/**
 * Creates the field.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.label
 * @param {string} [options.hint]
 * @param {string} [options.value]
 * @param {boolean} [options.required]
 * @param {number} [options.lettersMin] the number of characters before the search begins
 * @param {Search} options.search
 * @param {(suggestion: Suggestion) => void} [options.onChoice]
 * @param {AbortSignal} options.signal ends searches when the reader leaves the page
 * @returns {import("./form.js").Field & {control: HTMLInputElement}}
 */
export function lookup({ lettersMin = 2, search, onChoice, signal, ...options }) {
  void style("lookup.css", import.meta.url);
  const listID = identifier();
  const control = h("input", {
    type: "text", role: "combobox", autocomplete: "off", autocapitalize: "words",
    spellcheck: "false",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": listID,
  });
  const made = field({ ...options, control });
  const list = h("ul", { id: listID, role: "listbox", "aria-label": options.label, hidden: true });
  const status = h("p", { class: "hint", hidden: true });
  const box = h("div", { class: "lookup" });
  control.replaceWith(box);
  box.append(control, list, status);
  const suggestions = new Suggestions(control, list, status);
  suggestions.onChoice = onChoice;
  suggestions.listen(search, lettersMin, signal);
  return { ...made, control };
}

class Suggestions {
  /**
   * @param {HTMLInputElement} control
   * @param {HTMLUListElement} list
   * @param {HTMLElement} status
   */
  constructor(control, list, status) {
    this.control = control;
    this.list = list;
    this.status = status;
    /** @type {Suggestion[]} */
    this.found = [];
    this.active = -1;
    this.isChoosing = false;
    this.running = new AbortController();
    /** @type {((suggestion: Suggestion) => void) | undefined} */
    this.onChoice = undefined;
  }

  /**
   * @param {Search} search
   * @param {number} lettersMin
   * @param {AbortSignal} signal
   */
  listen(search, lettersMin, signal) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const stop = () => {
      clearTimeout(timer);
      this.running.abort();
    };
    const start = () => {
      stop();
      const text = this.control.value.trim();
      if (text.length < lettersMin) this.close();
      else timer = setTimeout(() => void this.search(search, text), typingPause);
    };
    signal.addEventListener("abort", stop);
    this.control.addEventListener("input", () => {
      if (!this.isChoosing) start();
    });
    this.control.addEventListener("blur", () => {
      stop();
      this.close();
    });
    this.control.addEventListener("keydown", (event) => {
      if (this.key(event.key)) event.preventDefault();
      else if (event.key === "ArrowDown") start();
    });
  }

  /**
   * @param {Search} search
   * @param {string} text
   */
  async search(search, text) {
    this.running = new AbortController();
    const { signal } = this.running;
    try {
      const found = await search(text, signal);
      if (!signal.aborted) this.open(found);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      this.close();
      this.say(t("lookup.unavailable"));
    }
  }

  /** @param {Suggestion[]} found */
  open(found) {
    this.found = found;
    this.active = -1;
    this.control.removeAttribute("aria-activedescendant");
    if (found.length === 0) {
      this.close();
      this.say(t("lookup.none"));
      return;
    }
    this.status.hidden = true;
    show(this.list, found.map((suggestion, index) => h("li", {
      id: `${this.list.id}-${index}`, role: "option", "aria-selected": "false",
      // The field keeps the focus, so that its list is not closed before the click.
      onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
      onclick: () => this.choose(index),
    }, h("span", {}, suggestion.text),
    suggestion.detail && h("span", { class: "muted small" }, ` ${suggestion.detail}`))));
    this.list.hidden = false;
    this.control.setAttribute("aria-expanded", "true");
    announce(t("lookup.found", { count: found.length }));
  }

  close() {
    this.list.hidden = true;
    this.status.hidden = true;
    this.active = -1;
    this.control.setAttribute("aria-expanded", "false");
    this.control.removeAttribute("aria-activedescendant");
  }

  /** @param {string} text */
  say(text) {
    show(this.status, text);
    this.status.hidden = false;
    announce(text);
  }

  /**
   * Handles a key.
   * @param {string} key
   * @returns {boolean} whether the list uses the key
   */
  key(key) {
    if (this.list.hidden) return false;
    const last = this.found.length - 1;
    if (key === "ArrowDown") this.activate(this.active === last ? 0 : this.active + 1);
    else if (key === "ArrowUp") this.activate(this.active <= 0 ? last : this.active - 1);
    else if (key === "Enter" && this.active >= 0) this.choose(this.active);
    else if (key === "Escape") this.close();
    else return false;
    return true;
  }

  /** @param {number} index */
  activate(index) {
    this.list.children[this.active]?.setAttribute("aria-selected", "false");
    const option = this.list.children[index];
    this.active = index;
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.control.setAttribute("aria-activedescendant", option.id);
  }

  /** @param {number} index */
  choose(index) {
    const suggestion = this.found[index];
    if (!suggestion) return;
    this.control.value = suggestion.text;
    this.close();
    this.isChoosing = true;
    this.control.dispatchEvent(new Event("input", { bubbles: true }));
    this.isChoosing = false;
    this.onChoice?.(suggestion);
  }
}
