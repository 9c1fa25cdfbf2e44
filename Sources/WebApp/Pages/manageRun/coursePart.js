// Drawing the course of a run, or changing it before the start.

import { call, newKey, Problem } from "../../Client/api.js";
import { emptyCourse, folded, pathOf } from "../../Client/course.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { forgetDraft, keptRun } from "../../Client/newRunDraft.js";
import { stateOf } from "../../Client/ownRuns.js";
import { go, guard } from "../../Client/router.js";
import { CourseEditor } from "../../Elements/courseEditor.js";
import { refusalOf } from "../../Elements/courseFaults.js";
import { ask } from "../../Elements/dialog.js";
import { form } from "../../Elements/form.js";
import { notice, toast } from "../../Elements/notice.js";
import { pointOf } from "../../Elements/mapMath.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */

/** @type {import("./manageRun.js").Part} */
export async function coursePart(run, signal) {
  const state = stateOf(run);
  if (state === "cancelled" || state === "live" || state === "ended") {
    return h("div", {}, h("h2", {}, t("manageRun.part.course")),
      notice("info", run.cancelled ? t("manageRun.cancelledText") : t("manageRun.begun")));
  }
  let isChanged = false;
  const course = await presentCourse(run, signal);
  const editor = new CourseEditor({
    signal, course, about: () => ({ runID: run.runID }),
    onChange: () => {
      isChanged = true;
    },
  });
  guard(() => !isChanged || ask({
    title: t("manageRun.leaveTitle"), text: h("p", {}, t("manageRun.leaveText")),
    confirm: t("manageRun.leave"), isDestructive: true,
  }), signal);
  const done = h("div");
  let [sent, key] = ["", ""];
  const send = async () => {
    show(done);
    if (run.published && run.enrolled > 0) {
      const isSure = await ask({
        title: t("manageRun.changeTitle"), confirm: t("manageRun.saveCourse"),
        text: h("p", {}, t("manageRun.changeText", { count: run.enrolled })),
      });
      if (!isSure) return;
    }
    const path = pathOf(editor.course);
    // The same course keeps its key, so that a repetition after a lost answer sends no mail twice.
    if (JSON.stringify(path) !== sent) [sent, key] = [JSON.stringify(path), newKey()];
    try {
      await call("POST /t4r/org/path", { body: { runID: run.runID, path }, key });
    } catch (problem) {
      // After a refusal the same course is a new attempt, because another run may be cancelled.
      if (problem instanceof Problem && !problem.isTemporary) sent = "";
      throw problem;
    }
    isChanged = false;
    // The page of a new run would otherwise continue with this one.
    if (keptRun() === run.runID) forgetDraft();
    if (run.published) {
      show(done, notice("success", t("manageRun.courseSaved")));
      return;
    }
    toast(t("newRun.published"));
    await go(`/app/organise/runs/${run.runID}`);
  };
  return h("div", {}, h("h2", {}, t("manageRun.part.course")),
    form({
      content: [editor.element], send,
      submit: run.published ? t("manageRun.saveCourse") : t("newRun.create"),
      check: () => editor.course.points.length < 2 ? { "": t("newRun.noCourse") }
        : editor.checked && !editor.checked.valid ? { "": refusalOf(editor.checked.faults) }
          : /** @type {{}} */ ({}),
      explain: (problem) => explain(problem, editor),
    }), done);
}

/**
 * @param {Problem} problem
 * @param {CourseEditor} editor
 * @returns {Record<string, string> | null}
 */
function explain(problem, editor) {
  if (problem.status === 401 && problem.error === "Invalid path") {
    editor.recheck();
    return { "": t("newRun.invalidPath", { reason: problem.detail }) };
  }
  if (problem.status === 409) return { "": t("manageRun.refused", { reason: problem.detail }) };
  return null;
}

/**
 * The published course; an empty one before publication.
 * @param {OwnRun} run
 * @param {AbortSignal} signal
 */
async function presentCourse(run, signal) {
  if (!run.published) return emptyCourse;
  const { path } = await call("POST /t4r/active/spec", { body: { runID: run.runID }, signal });
  return folded(path.flatMap(({ coordinate }) => pointOf(coordinate) ?? []));
}
