// Changing a run's info and picture, and cancelling it.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { stateOf } from "../../Client/ownRuns.js";
import { go } from "../../Client/router.js";
import { changesOf } from "../../Client/runChanges.js";
import { ask } from "../../Elements/dialog.js";
import { form } from "../../Elements/form.js";
import { emptyState, notice, problemNotice, toast } from "../../Elements/notice.js";
import { runFields } from "../../Elements/runFields.js";
import { pictureField, sendPicture } from "../../Elements/runPicture.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */

/** @type {import("./manageRun.js").Part} */
export async function editPart(run, signal) {
  const state = stateOf(run);
  const isAhead = state === "open" || state === "draft";
  return h("div", {}, h("h2", {}, t("manageRun.part.edit")),
    isAhead ? await editForm(run, signal)
      : notice("info", run.cancelled ? t("manageRun.cancelledText") : t("manageRun.begun")),
    state !== "cancelled" && state !== "ended" && cancelPanel(run));
}

/**
 * The text of the run's clauses; null if the API does not return it, such as before publication.
 * @param {OwnRun} run
 * @param {AbortSignal} signal
 */
async function clausesOf(run, signal) {
  if (run.clausesVersion === undefined) return "";
  try {
    return (await call("GET /t4r/active/clauses", { query: { runID: run.runID }, signal })).text;
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 404) return null;
    throw problem;
  }
}

/**
 * @param {OwnRun} run
 * @param {AbortSignal} signal
 */
async function editForm(run, signal) {
  const clauses = await clausesOf(run, signal);
  const fields = runFields({ ...run, clauses: clauses ?? "" });
  let before = fields.info();
  const done = h("div");
  const send = async (/** @type {string} */ key) => {
    show(done);
    const changes = changesOf(before, fields.info(), clauses !== null);
    if (Object.keys(changes).length === 0) {
      show(done, notice("info", t("manageRun.nothingChanged")));
      return;
    }
    if (run.enrolled > 0) {
      const isSure = await ask({
        title: t("manageRun.changeTitle"), confirm: t("action.save"),
        text: h("p", {}, t("manageRun.changeText", { count: run.enrolled })),
      });
      if (!isSure) return;
    }
    const { removed } = await call("POST /t4r/org/update", {
      body: { ...changes, runID: run.runID }, key,
    });
    before = fields.info();
    show(done, notice("success", h("p", {}, t("manageRun.saved")),
      removed > 0 && h("p", {}, t("manageRun.removedRunners", { count: removed }))));
  };
  return h("div", {}, clauses === null && notice("info", t("manageRun.clausesHidden")),
    form({
      content: [fields.basics, fields.details], submit: t("action.save"), check: fields.check, send,
      explain: (problem) => problem.status === 409
        ? { "": t("manageRun.refused", { reason: problem.detail }) } : null,
    }), done);
}

/** @param {OwnRun} run */
function cancelPanel(run) {
  const message = h("div");
  const key = newKey();
  const cancel = async () => {
    const isSure = await ask({
      title: t("manageRun.cancelTitle", { name: run.runName }), isDestructive: true,
      confirm: t("manageRun.cancelConfirm"),
      text: [h("p", {}, t("manageRun.cancelWhen", { time: dateTime(run.startTime) })),
        h("p", {}, t("manageRun.cancelText", { count: run.enrolled }))],
    });
    if (!isSure) return;
    show(message);
    try {
      await call("POST /t4r/org/cancel", { body: { runID: run.runID }, key });
      toast(t("manageRun.cancelled"));
      await go(`/app/organise/runs/${run.runID}`, { replace: true });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    }
  };
  return h("section", { class: "panel" }, h("h2", {}, t("manageRun.cancel")),
    h("p", {}, t("manageRun.cancelHint")), message,
    h("button", { type: "button", class: "destructive", onclick: () => void cancel() },
      t("manageRun.cancel")));
}

/** @type {import("./manageRun.js").Part} */
export async function picturePart(run, signal) {
  if (run.cancelled) {
    return h("div", {}, h("h2", {}, t("runPicture.label")),
      emptyState(t("manageRun.cancelledText")));
  }
  const { code } = run;
  const shown = code && await call("GET /t4r/run/{code}", { path: { code }, signal });
  // The API's address may name another origin, from which the pages load no pictures.
  const present = shown && shown.picture
    ? `/t4r/run/${encodeURIComponent(shown.code)}/picture` : undefined;
  const done = h("div");
  const place = h("div");
  let picture = pictureField({ present, required: true });
  show(place, picture.element);
  return h("div", {}, h("h2", {}, t("runPicture.label")),
    form({
      content: [place], submit: t("runPicture.send"),
      check: () => {
        show(done);
        return picture.file() ? /** @type {{}} */ ({}) : { picture: t("runPicture.choose") };
      },
      send: async () => {
        const file = picture.file();
        if (!file) return;
        await sendPicture(run.runID, file, signal);
        // The address stays the same; its parameter makes the browser read the new picture.
        picture = pictureField({
          required: true,
          present: code && `/t4r/run/${encodeURIComponent(code)}/picture?new=${Date.now()}`,
        });
        show(place, picture.element);
        show(done, notice("success", t("runPicture.sent")));
      },
      explain: (problem) => problem.status === 400 || problem.status === 413
        || problem.status === 415 ? { picture: problem.detail || t("runPicture.type") } : null,
    }), done);
}
