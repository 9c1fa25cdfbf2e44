// P41, one run of the organiser: numbers, participants, changes, invitations, downloads. Each part
// has an address of its own, so that it can be reloaded and reached by the back button.

import { Problem } from "../../Client/api.js";
import { h, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { ownRun, runNumber, stateOf } from "../../Client/ownRuns.js";
import { emptyState, notice } from "../../Elements/notice.js";
import { inviteForm } from "../../Elements/runShare.js";
import { stateTag } from "../../Elements/runState.js";
import { coursePart } from "./coursePart.js";
import { downloadPart } from "./downloadPart.js";
import { editPart, picturePart } from "./editPart.js";
import { overviewPart } from "./overviewPart.js";
import { teamPart } from "./teamPart.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */
/**
 * A part of the page.
 * @callback Part
 * @param {OwnRun} run
 * @param {AbortSignal} signal
 * @returns {HTMLElement | Promise<HTMLElement>}
 */

const parts = /** @type {const} */ (
  ["overview", "edit", "course", "picture", "invite", "team", "download"]);

/** @type {Record<(typeof parts)[number], Part>} */
const makers = {
  overview: overviewPart, edit: editPart, course: coursePart, picture: picturePart,
  invite: invitePart, team: teamPart, download: downloadPart,
};

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, query, signal }) {
  await style("../../Elements/organise.css", import.meta.url);
  const back = h("p", {}, h("a", { href: "/app/organise/runs" }, t("manageRun.back")));
  /** @type {OwnRun} */
  let run;
  try {
    run = await ownRun(runNumber(parameters.runID), signal);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
    return h("section", { class: "page" }, h("h1", {}, t("manageRun.title")),
      notice("error", t("manageRun.unknown")), back);
  }
  const part = parts.find((each) => each === query.get("part")) ?? "overview";
  const address = `/app/organise/runs/${run.runID}`;
  const content = await makers[part](run, signal);
  return h("section", { class: "page" }, back,
    h("div", { class: "row" }, h("h1", {}, run.runName), stateTag(stateOf(run))),
    h("nav", { class: "segments section-nav", "aria-label": t("manageRun.parts") },
      parts.map((each) => h("a", {
        href: each === "overview" ? address : `${address}?part=${each}`,
        "aria-current": each === part ? "true" : null,
      }, t(`manageRun.part.${each}`)))),
    content);
}

/** @type {Part} */
function invitePart(run) {
  const state = stateOf(run);
  if (state !== "open" && state !== "live") {
    return h("div", {}, h("h2", {}, t("invite.title")), emptyState(
      state === "draft" ? t("invite.unpublished") : t("invite.closed"),
      state === "draft" && h("a", {
        class: "button", href: `/app/organise/runs/${run.runID}?part=course`,
      }, t("manageRun.addCourse"))));
  }
  return h("div", {}, h("h2", {}, t("invite.title")), inviteForm(run.runID));
}
