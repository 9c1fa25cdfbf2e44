// Questions over the page.

import { h, identifier } from "../Client/dom.js";
import { t } from "../Client/language.js";

/** @type {Set<HTMLDialogElement>} */
const questions = new Set();

/** Answers all open questions with no: the session whose page asked them is over. */
export function closeQuestions() {
  for (const dialog of questions) dialog.close();
}

/**
 * Asks a question with two answers. The dialog takes the focus and returns it.
 * @param {object} question
 * @param {string} question.title
 * @param {import("../Client/dom.js").Child} question.text the consequences, above all losses
 * @param {string} question.confirm the verb of the button, such as "Delete"
 * @param {boolean} [question.isDestructive]
 * @returns {Promise<boolean>} false also for Escape
 */
export function ask({ title, text, confirm, isDestructive = false }) {
  const heading = identifier();
  const dialog = h("dialog", { "aria-labelledby": heading },
    h("form", { method: "dialog" },
      h("h2", { id: heading }, title),
      h("div", {}, text),
      h("p", { class: "actions" },
        h("button", { value: "", class: "secondary" }, t("action.cancel")),
        h("button", { value: "yes", class: isDestructive ? "destructive" : null }, confirm))));
  document.body.append(dialog);
  questions.add(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      questions.delete(dialog);
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
  });
}
