// A field that is checked while typing: incomplete, wrong or correct.

import { h, show, style } from "../Client/dom.js";
import { mark } from "./form.js";
import { announce } from "./notice.js";
import { icon } from "./icon.js";

/**
 * The result of a check. An incomplete text is not an error while the reader types. A note, such as
 * the number of characters left, is never an error and is not announced.
 * @typedef {object} Finding
 * @property {"empty" | "note" | "incomplete" | "right" | "wrong"} state
 * @property {string} text
 */

/**
 * Checks a field while the reader types in it.
 * @param {import("./form.js").Field} field
 * @param {(text: string) => Finding} find
 * @returns {() => void} repeats the check, after a change of another value that it reads
 */
export function checkWhileTyping({ element, control }, find) {
  void style("typingCheck.css", import.meta.url);
  const status = h("p", { class: "typing-check" });
  element.querySelector(".error")?.before(status);
  let said = "";

  /** @param {boolean} isLeaving */
  const update = (isLeaving) => {
    const { state, text } = find(control.value);
    const isWrong = state === "wrong" || (isLeaving && state === "incomplete");
    mark(element, isWrong ? text : "");
    status.classList.toggle("is-right", state === "right");
    show(status, !isWrong && state !== "empty" && [state === "right" && icon("check"), text]);
    // Screen readers hear the outcome, not each of the characters before it.
    if ((state === "right" || isWrong) && text !== said) announce(text);
    said = state === "right" || isWrong ? text : "";
  };
  control.addEventListener("input", () => update(false));
  control.addEventListener("change", () => update(true));
  return () => update(false);
}
