// P50, the help: the purpose and steps of each page, questions, and the contact of the operator.

import { h, show, style } from "../../Client/dom.js";
import { hasText, t } from "../../Client/language.js";
import { operatorContact } from "../../Client/operator.js";
import { currentAccount } from "../../Client/session.js";
import { field } from "../../Elements/form.js";
import { announce, emptyState, notice } from "../../Elements/notice.js";
import { groupsFor } from "./topics.js";

/** @typedef {import("./topics.js").Topic} Topic */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await style("help.css", import.meta.url);
  const sections = groupsFor(currentAccount()?.accountType).map(({ name, topics }) =>
    h("section", { class: "help-group" }, h("h2", {}, t(`help.group.${name}`)), topics.map(topic)));
  const none = h("div");
  const search = field({
    name: "search", label: t("help.search"), type: "search", required: false,
    autocomplete: "off",
  });
  search.element.querySelector(".optional")?.remove();
  search.control.addEventListener("input", () => {
    const count = filter(sections, search.control.value);
    show(none, count === 0 && emptyState(t("help.none")));
    announce(t("help.found", { count }));
  });
  const element = h("section", { class: "page help" },
    h("h1", {}, t("help.title")),
    notice("warning", h("p", {}, t("help.notMedical")),
      h("p", {}, h("a", { class: "button", href: "tel:112" }, t("help.call")))),
    h("p", {}, t("help.lead"), " ", h("a", { href: "/app/tutorial" }, t("help.tutorial"))),
    h("div", { role: "search" }, search.element),
    none, sections, operator());
  const open = () => openTopic(element);
  addEventListener("hashchange", open, { signal });
  // The frame shows the page and moves the focus after this function has returned.
  if (location.hash) requestAnimationFrame(open);
  return element;
}

/** @param {Topic} topic */
function topic({ name, address }) {
  const texts = (/** @type {string} */ kind) => numbered(`help.${name}.${kind}`);
  const steps = texts("step");
  const answers = texts("answer");
  const questions = texts("question").map((question, index) =>
    h("div", {}, h("dt", {}, question), h("dd", {}, answers[index] ?? "")));
  return h("details", { class: "card help-topic", id: name },
    h("summary", {}, text(`help.${name}.title`)),
    h("p", {}, text(`help.${name}.purpose`)),
    steps.length > 0 && [
      h("h3", {}, t("help.steps")), h("ol", {}, steps.map((step) => h("li", {}, step))),
    ],
    questions.length > 0 && [h("h3", {}, t("help.questions")), h("dl", {}, questions)],
    address && h("p", {}, h("a", { href: address }, t("help.open"))));
}

/** @param {string} key */
function text(key) {
  return hasText(key) ? t(key) : "";
}

/**
 * The texts of a key with the suffixes 1, 2, …
 * @param {string} key
 */
function numbered(key) {
  const found = [];
  for (let index = 1; hasText(`${key}${index}`); index += 1) found.push(text(`${key}${index}`));
  return found;
}

/**
 * Hides the topics that lack a word of the search.
 * @param {HTMLElement[]} sections
 * @param {string} query
 * @returns {number} the number of visible topics
 */
function filter(sections, query) {
  const words = folded(query).split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of sections) {
    let isEmpty = true;
    for (const each of section.querySelectorAll("details")) {
      const content = folded(each.textContent ?? "");
      each.hidden = !words.every((word) => content.includes(word));
      if (!each.hidden) count += 1;
      isEmpty &&= each.hidden;
    }
    section.hidden = isEmpty;
  }
  return count;
}

/**
 * A text without case and accents.
 * @param {string} value
 */
function folded(value) {
  return value.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/**
 * Opens the topic that the address names, such as `/app/help#sos`.
 * @param {HTMLElement} element
 */
function openTopic(element) {
  if (!location.hash) return;
  const found = element.querySelector(`#${CSS.escape(location.hash.slice(1))}`);
  if (!(found instanceof HTMLDetailsElement)) return;
  found.open = true;
  found.scrollIntoView({ block: "start" });
  found.querySelector("summary")?.focus({ preventScroll: true });
}

function operator() {
  const address = operatorContact();
  return h("section", { class: "help-group" },
    h("h2", {}, t("help.operator.title")),
    h("p", {}, t("help.operator.text"), " ", h("a", { href: `mailto:${address}` }, address)),
    h("p", { class: "muted" }, t("help.operator.hint")));
}
