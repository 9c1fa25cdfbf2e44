// One call of the board: person, place, readings and the hospital's actions.

import { h, show } from "../../Client/dom.js";
import { date, hasText, nameOf, relative, t } from "../../Client/language.js";
import { ask } from "../../Elements/dialog.js";
import {
  criticalReadings, exactTime, outcomeName, positionText, readingTable, ruleName, sexName,
} from "../../Elements/emergency.js";

/** @typedef {import("./callBoard.js").Entry} Entry */
/** @typedef {import("../../Client/types").Endpoints["POST /sos/outcome"]["body"]} OutcomeBody */
/** @typedef {OutcomeBody["outcome"]} Outcome */
/**
 * @typedef {object} Actions
 * @property {string} problem a refusal, or empty
 * @property {boolean} isSending
 * @property {() => void} takeOn
 * @property {(outcome: Outcome) => void} report
 */

/** @type {Outcome[]} */
const outcomes = ["helped", "handed over", "nobody found", "false alarm"];

/**
 * @param {Entry} entry
 * @param {Actions} actions
 */
export function callCard(entry, actions) {
  const { call } = entry;
  const critical = criticalReadings(call.readings);
  const age = h("p", { class: "call-position" });
  const since = h("p", { class: "muted" });
  const drawAges = () => {
    show(age, positionText(call.position, Date.now()));
    show(since, t("emergencies.calledAt", {
      time: exactTime(call.calledAt), age: relative(call.calledAt),
    }));
  };
  drawAges();
  return h("article", { class: `card call call-${entry.place}`, "ontrackme-age": drawAges },
    h("h3", { tabindex: -1 }, ruleName(call.rule)),
    since,
    person(call.person),
    critical.length > 0 && h("ul", { class: "call-critical" },
      critical.map((text) => h("li", {}, text))),
    h("p", {}, h("strong", {}, t("emergencies.position"))), age,
    h("p", {}, call.call > 1
      ? t("emergencies.callNumber", { count: call.call - 1 }) : t("emergencies.firstCall")),
    actions.problem && h("p", { class: "notice notice-error", role: "alert" }, actions.problem),
    entry.place === "incoming" ? takeOn(actions) : report(actions),
    h("details", {}, h("summary", {}, t("emergency.readings")), readingTable(call.readings)));
}

/** @param {Entry["call"]["person"]} given */
function person({ full_name, birthdate, sex, phone }) {
  const age = birthdate ? Date.now() - Date.parse(birthdate) : 0;
  const years = Math.floor(age / 31_556_952_000);
  return h("dl", { class: "call-person" },
    h("dt", {}, t("emergencies.person")), h("dd", {}, h("strong", {}, full_name)),
    birthdate && [h("dt", {}, t("emergencies.birthdate")),
      h("dd", {}, t("emergencies.birthdateAge", { date: date(birthdate), count: years }))],
    sex && [h("dt", {}, t("emergencies.sex")), h("dd", {}, sexName(sex))],
    h("dt", {}, t("emergencies.phone")), h("dd", {}, phone
      ? h("a", { class: "call-phone", href: `tel:${phone.replace(/[^+\d]/g, "")}` }, phone)
      : t("emergencies.noPhone")));
}

/** @param {Actions} actions */
function takeOn({ isSending, takeOn: press }) {
  return h("p", { class: "actions" }, h("button", {
    type: "button", class: "call-take", disabled: isSending, onclick: press,
  }, isSending ? t("emergencies.sending") : t("emergencies.takeOn")));
}

/** @param {Actions} actions */
function report({ isSending, report: send }) {
  return h("fieldset", { class: "call-outcome" },
    h("legend", {}, t("emergencies.outcome")),
    outcomes.map((outcome) => h("button", {
      type: "button", class: "secondary", disabled: isSending,
      onclick: () => void confirm(outcome, send),
    }, outcomeName(outcome))));
}

/**
 * @param {Outcome} outcome
 * @param {(outcome: Outcome) => void} send
 */
async function confirm(outcome, send) {
  const isSure = await ask({
    title: t("emergencies.outcomeTitle", { outcome: outcomeName(outcome) }),
    text: h("p", {}, t("emergencies.outcomeText")), confirm: t("emergencies.outcomeConfirm"),
  });
  if (isSure) send(outcome);
}

/**
 * A row of a past call.
 * @param {Entry} entry
 */
export function pastRow({ call, end }) {
  return h("tr", {},
    h("td", {}, exactTime(call.calledAt)),
    h("td", {}, call.person.full_name),
    h("td", {}, ruleName(call.rule)),
    h("td", {}, endText(end)));
}

/** @param {string} end a reason, an outcome or a stage of the API */
function endText(end) {
  const word = end.replaceAll(" ", "_");
  for (const prefix of ["emergencies.reason", "sosOutcome", "sosStage"]) {
    if (hasText(`${prefix}.${word}`)) return nameOf(prefix, word);
  }
  return end;
}
