// A list of settings, each with its value and a button to edit it. All edits are saved
// together, with one entry of the password.

import { h, show } from "../../Client/dom.js";
import { hasText, t } from "../../Client/language.js";
import { Problem } from "../../Client/api.js";
import { field, form } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { announce } from "../../Elements/notice.js";
import { guardChanges } from "../../Elements/unsaved.js";
import { draftNames } from "./changes.js";

/**
 * Edits the value of an item.
 * @typedef {object} Editor
 * @property {HTMLElement} element
 * @property {() => unknown} value as the API takes it
 * @property {() => Record<string, string>} [check] errors by field
 * @property {() => void} [refresh] redraws dependent parts after a draft was restored
 */
/**
 * @typedef {object} Item
 * @property {string} name of the field in the request
 * @property {string} label
 * @property {import("../../Client/dom.js").Child} shown the value; empty if it is not stated
 * @property {() => Editor} [edit] missing for a value that cannot be changed
 * @property {string} [fixed] why it cannot be changed
 * @property {string} [verb] of the button, by default Edit
 * @property {(value: any) => object} [body] the fields of the request, by default the value itself
 */
/** @typedef {{title: string, items: (Item | false | undefined)[]}} Group */
/** @typedef {{editor: Editor, before: string}} Open */
/** @typedef {object & {password: string}} Body */

/**
 * Creates the form.
 * @param {object} options
 * @param {Group[]} options.groups
 * @param {string} options.draft the name under which typed values survive a reload
 * @param {(body: Body, key: string) => Promise<void>} options.save
 * @param {() => Promise<void>} options.saved redraws the values
 * @param {AbortSignal} options.signal
 */
export function settingsForm({ groups, draft, save, saved, signal }) {
  const items = groups.flatMap((group) => group.items)
    .flatMap((item) => (item ? [item] : []));
  /** @type {Map<Item, Open>} */
  const open = new Map();
  const password = field({
    name: "password", label: t("settings.password"), hint: t("settings.passwordHint"),
    type: "password", autocomplete: "current-password",
  });
  const count = h("p", { role: "status" });
  const panel = h("section", { class: "settings-save" },
    h("h2", {}, t("settings.saveTitle")), count, password.element);
  const reminder = h("p", { class: "settings-reminder" });

  const changed = () => items.filter((item) => {
    const each = open.get(item);
    return each !== undefined && JSON.stringify(each.editor.value()) !== each.before;
  });

  const update = () => {
    const number = changed().length;
    element.classList.toggle("is-editing", open.size > 0);
    panel.hidden = open.size === 0;
    show(count, t("settings.changes", { count: number }));
    reminder.hidden = number === 0;
    show(reminder, h("button", {
      type: "button", onclick: () => {
        password.element.scrollIntoView({ block: "center" });
        password.control.focus();
      },
    }, t("settings.toSave", { count: number })));
  };

  /** @type {Map<Item, ReturnType<typeof itemElement>>} */
  const elements = new Map();
  /** @param {Item} item */
  const openItem = (item) => {
    const editor = item.edit?.();
    if (!editor) return;
    open.set(item, { editor, before: JSON.stringify(editor.value()) });
    elements.get(item)?.edit(editor);
  };
  /** @param {Item} item */
  const closeItem = (item) => {
    open.delete(item);
    elements.get(item)?.close();
    announce(t("settings.unchanged", { name: item.label }));
    // The form keeps the draft after each input.
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const item of items) {
    elements.set(item, itemElement(item, () => {
      openItem(item);
      update();
    }, () => closeItem(item)));
  }
  const drafted = draftNames(draft);
  for (const item of items) if (drafted.some((name) => belongs(name, item))) openItem(item);

  /** @param {string} key */
  const send = async (key) => {
    const body = Object.assign({}, ...changed().map((item) => {
      const value = open.get(item)?.editor.value();
      return item.body ? item.body(value) : { [item.name]: value };
    }));
    await save({ ...body, password: password.control.value }, key);
    open.clear();
    // The form forgets its draft first; otherwise the new one would open the same items.
    setTimeout(() => void saved());
  };
  const check = () => {
    const errors = Object.assign({}, ...[...open.values()].map(({ editor }) => editor.check?.()));
    if (changed().length === 0 && Object.keys(errors).length === 0) {
      errors[""] = t("settings.nothingChanged");
    }
    if (!password.control.value) errors.password = t("settings.passwordMissing");
    return errors;
  };
  const element = form({
    draft, send, check, submit: t("settings.save"),
    content: [
      ...groups.filter((group) => group.items.some(Boolean)).map((group) => h("section", {},
        h("h2", {}, group.title),
        h("div", { class: "settings-list" },
          group.items.map((item) => item && elements.get(item)?.element)))),
      panel, reminder,
    ],
    explain,
  });
  element.classList.add("settings-form");
  element.addEventListener("input", update);
  for (const { editor } of open.values()) editor.refresh?.();
  update();
  guardChanges(() => changed().length > 0, signal);
  return element;
}

/**
 * A refusal in the reader's language, if its field identifies the error.
 * @param {Problem} problem
 * @returns {Record<string, string> | null} null: the sentence of the API
 */
function explain(problem) {
  if (isWrongPassword(problem)) return { password: t("settings.passwordWrong") };
  const name = (problem.field ?? "").replace(/[.[].*$/, "");
  const key = `settings.refused.${name}`;
  return hasText(key) ? { [name]: t(key) } : null;
}

/**
 * Whether a control's name belongs to an item: its own, or that of a part.
 * @param {string} name
 * @param {Item} item
 */
function belongs(name, item) {
  return name === item.name || name.startsWith(`${item.name}.`);
}

/**
 * Whether a refusal is about the password that confirms a change.
 * @param {Problem} problem
 */
export function isWrongPassword(problem) {
  return problem.status === 403 && problem.error === "Wrong authentication";
}

/**
 * @param {Item} item
 * @param {() => void} onEdit
 * @param {() => void} onCancel
 */
function itemElement(item, onEdit, onCancel) {
  const { label, shown, fixed, edit, verb = t("action.edit") } = item;
  const button = h("button", { type: "button", class: "plain", onclick: onEdit },
    icon("edit"), verb, h("span", { class: "visually-hidden" }, ` ${label}`));
  const value = h("div", { class: "setting" },
    h("div", { class: "setting-label" }, label),
    h("div", { class: "setting-value" },
      shown || h("span", { class: "muted" }, t("settings.notStated")),
      fixed && h("p", { class: "muted small" }, fixed)),
    edit && button);
  const place = h("div", { class: "setting-editor", hidden: true });
  return {
    element: h("div", {}, value, place),
    /** @param {Editor} editor */
    edit: (editor) => {
      value.hidden = true;
      place.hidden = false;
      show(place, editor.element, h("p", {}, h("button", {
        type: "button", class: "plain", onclick: onCancel,
      }, t("settings.cancelEdit"), h("span", { class: "visually-hidden" }, ` ${label}`))));
      const first = place.querySelector("input, select, textarea, button");
      if (first instanceof HTMLElement) first.focus();
    },
    close: () => {
      value.hidden = false;
      place.hidden = true;
      show(place);
      button.focus();
    },
  };
}
