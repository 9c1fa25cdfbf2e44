// Numbers, code and participants of a run.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { dateTime, number, t } from "../../Client/language.js";
import { stateOf } from "../../Client/ownRuns.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, notice } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { shareCard } from "../../Elements/runShare.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/org/participants"]["answer"]} Participants */
/** @typedef {Participants["participants"][number]} Participant */

/** @type {import("./manageRun.js").Part} */
export function overviewPart(run, signal) {
  const address = `/app/organise/runs/${run.runID}`;
  const state = stateOf(run);
  const isListed = run.code !== undefined && !run.cancelled;
  return h("div", {},
    state === "draft" && notice("warning", h("p", {}, t("manageRun.draft")),
      h("p", {}, h("a", { class: "button", href: `${address}?part=course` },
        t("manageRun.addCourse")))),
    state === "cancelled" && notice("warning", t("manageRun.cancelledText")),
    facts(run),
    isListed && h("p", { class: "actions" },
      h("a", { class: "button", href: `${address}/live` }, icon("watch"), t("board.open")),
      h("a", { class: "button secondary", href: `${address}/code` },
        icon("print"), t("manageRun.code")),
      h("a", { class: "button secondary", href: `/app/runs/${run.code}` }, t("newRun.view"))),
    run.description && h("p", { class: "run-description" }, run.description),
    isListed && run.code && h("section", { class: "panel" }, h("h2", {}, t("manageRun.shareTitle")),
      shareCard({ code: run.code, runName: run.runName })),
    h("section", { class: "panel" }, h("h2", {}, t("participants.title")),
      h("p", { class: "hint muted" },
        run.coOrganised ? t("participants.coHint") : t("participants.hint")),
      participantList(run, signal)));
}

/** @param {OwnRun} run */
function facts(run) {
  const { enrolled: count, participants: max } = run;
  /** @type {[string, string][]} */
  const entries = [
    [t("manageRun.enrolled"), t("manageRun.enrolledOf", { count, max })],
    [t("runField.startTime"), dateTime(run.startTime)],
    [t("runField.endTime"), dateTime(run.endTime)],
    [t("runField.enrolUntil"), dateTime(run.enrolUntil)],
    [t("runField.place"), run.place ?? "–"],
    [t("manageRun.clauses"), run.clausesVersion === undefined ? t("manageRun.noClauses")
      : t("manageRun.clausesVersion", { version: number(run.clausesVersion) })],
    [t("manageRun.part.team"), run.coOrganisers.join(", ") || "–"],
  ];
  return h("dl", { class: "run-facts" },
    entries.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/**
 * @param {OwnRun} run
 * @param {AbortSignal} signal
 */
function participantList(run, signal) {
  return pagedList({
    signal, label: t("participants.title"),
    key: (/** @type {Participant} */ { number: runner }) => String(runner),
    load: async (cursor) => {
      const { participants, next } = await call("GET /t4r/org/participants", {
        query: { runID: run.runID, cursor }, signal,
      });
      return { items: participants, next };
    },
    entry: (participant) => entry(participant, Date.parse(run.startTime) > Date.now()),
    empty: () => emptyState(
      run.published ? t("participants.empty") : t("participants.unpublished")),
  }).element;
}

/**
 * @param {Participant} participant
 * @param {boolean} isAhead whether the start is in the future
 */
function entry(participant, isAhead) {
  const { number: runner, runnerName, full_name: fullName, email, joinedAt } = participant;
  const tag = participant.removed
    ? h("span", { class: "tag tag-negative" }, t("participants.removed"))
    : participant.checkedIn
      ? h("span", { class: "tag tag-positive" }, t("participants.checkedIn"))
      : h("span", { class: isAhead ? "tag tag-warning" : "tag" }, t("participants.notYet"));
  return h("li", {}, h("article", { class: "card run-entry" },
    h("div", { class: "row" }, h("h3", {}, t("participants.name", {
      number: String(runner), name: runnerName ?? t("participants.noName"),
    })), tag),
    (fullName || email) && h("p", {}, fullName, fullName && email && " · ",
      email && h("a", { href: `mailto:${encodeURIComponent(email)}` }, email)),
    h("p", { class: "small muted" }, t("participants.joined", { time: dateTime(joinedAt) }),
      participant.clausesAcceptedAt && ` · ${t("participants.clauses", {
        version: String(participant.clausesVersion ?? ""),
        time: dateTime(participant.clausesAcceptedAt),
      })}`)));
}
