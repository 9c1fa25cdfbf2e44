// P40, a new run in three steps: basic info, details, course. Nothing is stored at TrackMe before
// the last step, so the page can be left at any time.

import { emptyCourse } from "../../Client/course.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { forgetDraft, hasDraft, keepCourse, keptCourse } from "../../Client/newRunDraft.js";
import { go } from "../../Client/router.js";
import { CourseEditor } from "../../Elements/courseEditor.js";
import { refusalOf } from "../../Elements/courseFaults.js";
import { ask } from "../../Elements/dialog.js";
import { form, mark } from "../../Elements/form.js";
import { notice } from "../../Elements/notice.js";
import { basicNames, runFields } from "../../Elements/runFields.js";
import { pictureField } from "../../Elements/runPicture.js";
import { Publication } from "./publication.js";
import { published } from "./published.js";

/** @typedef {import("../../Client/api.js").Problem} Problem */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await style("../../Elements/organise.css", import.meta.url);
  return new NewRun(signal).element;
}

class NewRun {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.fields = runFields();
    this.picture = pictureField();
    this.publication = new Publication(signal);
    this.editor = new CourseEditor({
      signal, course: keptCourse() ?? emptyCourse, onChange: keepCourse,
      about: () => {
        const startTime = this.fields.start();
        return { ...this.publication.about, ...(startTime ? { startTime } : {}) };
      },
    });
    this.steps = h("ol", { class: "steps" });
    this.forms = [this.basics(), this.details(), this.course()];
    this.reached = 0;
    this.element = h("section", { class: "page" }, h("h1", {}, t("newRun.title")),
      h("p", {}, t("newRun.lead")),
      hasDraft() && h("p", {}, t("newRun.draft"), " ", h("button", {
        type: "button", class: "plain", onclick: () => void this.discard(),
      }, t("newRun.discard"))),
      h("nav", { "aria-label": t("newRun.steps") }, this.steps), this.forms);
    this.open(0, false);
  }

  basics() {
    return form({
      content: [heading(t("newRun.basics")), this.fields.basics, this.picture.element],
      submit: t("newRun.next"), draft: "newRun.basics",
      check: () => this.faults(true), send: () => this.next(1),
    });
  }

  details() {
    return form({
      content: [heading(t("newRun.details")), this.fields.details],
      submit: t("newRun.next"), draft: "newRun.details",
      check: () => this.faults(false), send: () => this.next(2),
    });
  }

  course() {
    return form({
      content: [heading(t("newRun.course")), this.editor.element,
        notice("info", t("newRun.publishHint"))],
      submit: t("newRun.create"), send: () => this.create(),
      explain: (problem) => this.explain(problem),
      check: () => {
        const { checked } = this.editor;
        if (this.editor.course.points.length < 2) return { "": t("newRun.noCourse") };
        if (checked && !checked.valid) return { "": refusalOf(checked.faults) };
        // Time has passed since the first steps, so the start may be in the past.
        const faults = this.fields.check();
        return this.openFaults(faults);
      },
    });
  }

  /** @param {boolean} isBasic @returns {Record<string, string>} */
  faults(isBasic) {
    return Object.fromEntries(Object.entries(this.fields.check())
      .filter(([name]) => basicNames.includes(name) === isBasic));
  }

  /**
   * Opens the next step. `form` drops the draft of a form that was sent, but the run is not created
   * yet, so the draft is written again.
   * @param {number} step
   */
  async next(step) {
    this.open(step, true);
    const sent = this.forms[step - 1];
    setTimeout(() => sent?.dispatchEvent(new Event("input")));
  }

  /**
   * @param {number} step
   * @param {boolean} takesFocus
   */
  open(step, takesFocus) {
    this.reached = Math.max(this.reached, step);
    const names = [t("newRun.basics"), t("newRun.details"), t("newRun.course")];
    show(this.steps, names.map((name, index) => h("li", {}, h("button", {
      type: "button", "aria-current": index === step ? "step" : null,
      disabled: index > this.reached, onclick: () => this.open(index, true),
    }, name))));
    this.forms.forEach((each, index) => {
      each.hidden = index !== step;
    });
    // The day of the run may have changed, and with it the other runs on the same course.
    if (step === 2) this.editor.recheck();
    if (takesFocus) this.forms[step]?.querySelector("h2")?.focus();
  }

  /**
   * Opens the step of the first fault and marks it; the step also shows the texts.
   * @param {Record<string, string>} faults
   * @returns {Record<string, string>}
   */
  openFaults(faults) {
    const name = Object.keys(faults)[0];
    if (name === undefined) return {};
    this.open(basicNames.includes(name) ? 0 : 1, false);
    // The form of the step finds the same faults and moves the focus to them.
    for (const [field, text] of Object.entries(faults)) this.markField(field, text);
    return { "": Object.values(faults).join(" ") };
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  markField(name, text) {
    const part = this.element.querySelector(`[data-field="${CSS.escape(name)}"]`);
    if (!part) return;
    mark(part, text);
    const control = part.querySelector("input, textarea");
    if (control instanceof HTMLElement) control.focus();
  }

  /** Starts over, after a confirmation. */
  async discard() {
    const isSure = await ask({
      title: t("newRun.discardTitle"), text: h("p", {}, t("newRun.discardText")),
      confirm: t("newRun.discard"), isDestructive: true,
    });
    if (!isSure) return;
    forgetDraft();
    await go("/app/organise", { replace: true });
  }

  async create() {
    const code = await this.publication.publish({
      info: this.fields.info(), picture: this.picture.file(), course: this.editor.course,
    });
    const { runID, pictureProblem } = this.publication;
    forgetDraft();
    const done = published({
      runID, code, runName: this.fields.info().runName, pictureProblem, signal: this.signal,
    });
    this.element.replaceChildren(...done);
    scrollTo(0, 0);
    const heading = this.element.querySelector("h1");
    heading?.focus();
  }

  /**
   * Texts for a refusal (UC11). The course and all typed values stay.
   * @param {Problem} problem
   * @returns {Record<string, string> | null}
   */
  explain(problem) {
    if (problem.status === 401 && problem.error === "Invalid path") {
      this.editor.recheck();
      return { "": t("newRun.invalidPath", { reason: problem.detail }) };
    }
    if (problem.status === 409) return { "": t("newRun.fiveRuns", { reason: problem.detail }) };
    if (problem.status === 429 && problem.retryAfter === null) return { "": problem.detail };
    const name = problem.field ?? "";
    const part = name && this.element.querySelector(`[data-field="${CSS.escape(name)}"]`);
    return part ? this.openFaults({ [name]: problem.detail || problem.error }) : null;
  }
}

/**
 * The heading of a step, which takes the focus when the step opens.
 * @param {string} text
 */
function heading(text) {
  return h("h2", { tabindex: -1 }, text);
}
