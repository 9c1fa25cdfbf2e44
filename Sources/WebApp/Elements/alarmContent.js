// The words of the emergency's page: one sentence, few facts, at most two actions.

import { h } from "../Client/dom.js";
import { dateTime, t } from "../Client/language.js";
import { criticalReadings, exactTime, outcomeName, ruleName } from "./emergency.js";

/** @typedef {import("./alarmState.js").Shown} Shown */
/** @typedef {import("./alarmState.js").Alarm} Alarm */
/** @typedef {import("../Client/dom.js").Child} Child */
/**
 * @typedef {"abort" | "falseAlarm" | "confirmFalseAlarm" | "keep" | "hide" | "close" | "112"
 * } Action
 */
/**
 * @typedef {object} Situation
 * @property {Shown} shown
 * @property {boolean} isSending an answer of the person is being sent
 * @property {boolean} asksFalseAlarm
 * @property {boolean} isWaiting the window is over, and nothing has confirmed the emergency
 */
/** @typedef {{action: Action, text: string}} Button the first one is the main one */

/**
 * @param {Situation} situation
 * @returns {{title: string, text: string, details: Child[], buttons: Button[]}}
 */
export function alarmWords(situation) {
  const { shown, asksFalseAlarm } = situation;
  if (asksFalseAlarm && shown.mode === "called") {
    return {
      title: t("alarm.falseTitle"), text: t("alarm.falseText"), details: [],
      buttons: [{ action: "confirmFalseAlarm", text: t("alarm.falseConfirm") },
        { action: "keep", text: t("action.back") }],
    };
  }
  switch (shown.mode) {
    case "warning": return warning(situation);
    case "called": return called(shown.alarms, situation.isSending);
    default: return over(shown.alarms[0]);
  }
}

/** @type {Button} */
const help = { action: "112", text: "" };

/** @param {Situation} situation */
function warning(situation) {
  return {
    ...warningText(situation),
    details: situation.shown.alarms.map((alarm) => [measured(alarm), positionDoubt(alarm)]),
    buttons: [{ action: /** @type {Action} */ ("abort"), text: t("alarm.abort") }, help],
  };
}

/**
 * Title and text of emergencies before a call: those of the most urgent stage.
 * @param {Pick<Situation, "shown" | "isSending" | "isWaiting">} situation
 */
export function warningText({ shown, isSending, isWaiting }) {
  const isConfirmed = shown.alarms.some(({ stage }) => stage === "confirmed");
  const isAsked = !isConfirmed && shown.alarms.some(({ stage }) => stage === "asked");
  const title = isSending ? t("alarm.aborting") : isAsked ? t("alarm.asked") : t("alarm.warning");
  const isDrill = shown.alarms.every(({ drill }) => drill);
  const text = isDrill ? t("alarm.drillText") : isAsked ? t("alarm.askedText")
    : isConfirmed ? t("alarm.confirmedText")
      : isWaiting ? t("alarm.waitingText") : t("alarm.suspectedText");
  return { title, text };
}

/**
 * The measured values.
 * @param {Alarm} alarm
 */
function measured({ rule, episode }) {
  const readings = criticalReadings(episode?.readings ?? []);
  return h("div", { class: "alarm-measured" },
    h("p", { class: "alarm-rule" }, ruleName(rule)),
    readings.length > 0
      && h("ul", { class: "plain-list" }, readings.map((text) => h("li", {}, text))));
}

/**
 * Tells that helpers get an old position or none.
 * @param {Alarm} alarm
 */
function positionDoubt({ episode }) {
  if (!episode || (episode.position && !episode.position.stale)) return null;
  return h("p", {}, episode.position
    ? t("alarm.oldPosition", { time: exactTime(episode.position.time) }) : t("alarm.noPosition"));
}

/**
 * @param {Alarm[]} alarms
 * @param {boolean} isSending
 */
function called(alarms, isSending) {
  const isTaken = alarms.some(({ stage }) => stage === "acknowledged");
  const title = isSending ? t("alarm.reporting") : isTaken ? t("alarm.taken") : t("alarm.called");
  /** @type {Button[]} */
  const buttons = isTaken
    ? [{ action: "hide", text: t("alarm.hide") }, { action: "falseAlarm", text: t("alarm.false") }]
    : [help, { action: "falseAlarm", text: t("alarm.false") }];
  return {
    title, text: isTaken ? t("alarm.takenText") : t("alarm.calledText"),
    details: [alarms.map((alarm) => [measured(alarm), positionDoubt(alarm)]), calls(alarms)],
    buttons,
  };
}

/**
 * The calls, newest first.
 * @param {Alarm[]} alarms
 */
function calls(alarms) {
  const all = alarms.flatMap(({ episode }) => episode?.calls ?? [])
    .filter(({ allClear }) => !allClear)
    .sort((left, right) => Date.parse(right.calledAt) - Date.parse(left.calledAt)).slice(0, 6);
  if (all.length === 0) return null;
  return h("ul", { class: "alarm-calls" }, all.map((entry) => h("li", {},
    t("alarm.callLine", {
      who: entry.hospital ?? entry.contact ?? t("alarm.emergencyNumber"),
      time: dateTime(entry.calledAt, { timeStyle: "medium" }),
    }),
    entry.acknowledgedAt ? ` ${t("alarm.callTaken")}` : "")));
}

/** @param {Alarm | undefined} alarm */
function over(alarm) {
  if (!alarm) return { title: "", text: "", details: [], buttons: [] };
  /** @type {Button} */
  const close = { action: "close", text: t("action.close") };
  const isUnanswered = alarm.stage === "unanswered";
  /** @type {Partial<Record<Alarm["stage"], [string, string]>>} */
  const words = {
    aborted: [t("alarm.aborted"), t("alarm.abortedText")],
    withdrawn: [t("alarm.withdrawn"), t("alarm.withdrawnText")],
    "false alarm": [t("alarm.falseOver"), t("alarm.falseOverText")],
    "drill over": [t("alarm.drillOver"), t("alarm.drillOverText")],
    unanswered: [t("alarm.unanswered"), t("alarm.unansweredText")],
  };
  const [title, text] = words[alarm.stage] ?? [t("alarm.closed"), alarm.outcome
    ? t("alarm.closedText", { outcome: outcomeName(alarm.outcome) }) : t("alarm.closedPlain")];
  return {
    title, text,
    details: [alarm.quietUntil !== null
      && h("p", {}, t("alarm.quiet", { time: exactTime(alarm.quietUntil) }))],
    buttons: isUnanswered ? [help, close] : [close, help],
  };
}
