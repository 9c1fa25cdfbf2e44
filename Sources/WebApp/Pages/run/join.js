// Joining a run: name, visibility to others, and the organiser's clauses.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { currentAccount } from "../../Client/session.js";
import { checkbox, form } from "../../Elements/form.js";
import { announce, notice, problemNotice } from "../../Elements/notice.js";
import { choiceFields } from "../../Elements/runnerChoices.js";
import { refusalText, warningText } from "./reasons.js";

/** @typedef {import("./run.js").Run} Run */
/**
 * @typedef {object} JoinOptions
 * @property {AbortSignal} signal
 * @property {() => void} onJoin called after the reader has joined
 */

/**
 * The way to take part, or the reason that joining is not possible.
 * @param {Run} run
 * @param {JoinOptions} options
 * @returns {HTMLElement}
 */
export function joinSection(run, options) {
  const element = h("section", {}, h("h2", {}, t("join.title")));
  const content = h("div");
  element.append(content);
  const account = currentAccount();
  const closed = closedText(run);
  if (account?.accountType === "tp") show(content, h("p", {}, t("join.company")));
  else if (!account) show(content, closed ? notice("info", closed) : guest(run));
  else void member(run, content, closed, options);
  return element;
}

/**
 * The reason that the run can no longer be joined, or null.
 * @param {Run} run
 */
function closedText({ state, enrolled, participants, enrolUntil }) {
  if (state === "ended") return t("join.over");
  if (state === "live") return t("join.begun");
  if (enrolled >= participants) return t("join.full");
  return Date.parse(enrolUntil) <= Date.now() ? t("join.closed") : null;
}

/** @param {Run} run */
function guest({ code }) {
  const next = encodeURIComponent(`/app/runs/${code}`);
  return h("div", {}, h("p", {}, t("join.guest")),
    h("p", { class: "actions" },
      h("a", { class: "button", href: `/app/login?next=${next}` }, t("menu.login")),
      h("a", { class: "button secondary", href: "/app/signup" }, t("menu.signup"))),
    h("p", { class: "muted" }, t("join.guestWatch")));
}

/**
 * The form, or the number of an enrolled runner.
 * @param {Run} run
 * @param {HTMLElement} content
 * @param {string | null} closed
 * @param {JoinOptions} options
 */
async function member(run, content, closed, options) {
  const { signal, onJoin } = options;
  try {
    const number = await ownNumber(run.runID, signal);
    if (signal.aborted) return;
    if (number !== null) {
      show(content, notice("success", h("p", {}, t("join.joined", { number: String(number) })),
        h("p", {}, h("a", { href: `/app/myrun?run=${run.runID}` }, t("join.toMyRun")))));
    } else if (closed) show(content, notice("info", closed));
    else show(content, joinForm(run, content, onJoin));
  } catch (problem) {
    if (signal.aborted) return;
    if (!(problem instanceof Problem)) throw problem;
    show(content, problemNotice(problem, () => void member(run, content, closed, options)));
  }
}

/**
 * The reader's number in a run, or null. The list begins with the newest starts.
 * @param {number} runID
 * @param {AbortSignal} signal
 */
async function ownNumber(runID, signal) {
  /** @type {string | undefined} */
  let cursor;
  do {
    const { runs, next } = await call("GET /t4r/my/list", { query: { limit: 100, cursor },
      signal });
    const own = runs.find((run) => run.runID === runID);
    if (own) return own.number;
    cursor = next;
  } while (cursor !== undefined);
  return null;
}

/**
 * @param {Run} run
 * @param {HTMLElement} content
 * @param {() => void} onJoin
 */
function joinForm(run, content, onJoin) {
  const choices = choiceFields({ showHealth: false, findable: true, findableByName: false });
  const { clausesVersion, clauses } = run;
  const accepts = clausesVersion === undefined ? null
    : checkbox({
      name: "clausesVersion", label: t("join.acceptClauses", { organiser: run.organiser }),
    });
  return form({
    draft: `join.${run.code}`,
    content: [
      h("p", { class: "muted" }, t("join.lead")),
      ...choices.elements,
      accepts && h("div", {
        class: "clauses", tabindex: 0, role: "region", "aria-label": t("join.clauses"),
      }, h("h3", {}, t("join.clauses")),
      (clauses ?? "").split(/\n+/).map((line) => h("p", {}, line))),
      accepts?.element,
    ],
    submit: t("join.submit"),
    check: () => /** @type {Record<string, string>} */ (
      accepts && !accepts.control.checked ? { clausesVersion: t("join.clausesMissing") } : {}),
    explain,
    send: async (key) => {
      const { number, warnings } = await call("POST /t4r/active/join", {
        key, body: { runID: run.runID, ...choices.values(), clausesVersion },
      });
      show(content, joined(run, number, warnings));
      onJoin();
      announce(t("join.joined", { number: String(number) }));
      content.querySelector("h3")?.focus();
    },
  });
}

/**
 * @param {Problem} problem
 * @returns {Record<string, string> | null}
 */
function explain(problem) {
  if (problem.error === "Wrong runID") return { "": refusalText(problem.detail) };
  return problem.field === "clausesVersion" ? { clausesVersion: t("join.clausesChanged") } : null;
}

/**
 * @param {Run} run
 * @param {number} number
 * @param {{warning: string, detail: string}[]} warnings
 */
function joined(run, number, warnings) {
  return h("div", {},
    notice("success", h("h3", { tabindex: -1 }, t("join.joined", { number: String(number) })),
      h("p", {}, t("join.next"))),
    warnings.map((warning) => notice("warning", h("p", {}, warningText(warning)))),
    h("p", { class: "actions" },
      h("a", { class: "button", href: `/app/myrun?run=${run.runID}` }, t("join.toMyRun"))));
}
