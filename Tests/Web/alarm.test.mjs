// Requirements: SOS-2, SOS-4, UI-13, UI-19.
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { useLanguage } from "./texts.mjs";
import {
  AlarmState, isBeforeCall, isOver, secondsLeft,
} from "../../Sources/WebApp/Elements/alarmState.js";

const { warningText } = await import("../../Sources/WebApp/Elements/alarmContent.js");
const { t } = await import("../../Sources/WebApp/Client/language.js");

const begin = Date.parse("2026-03-01T10:00:00Z");
const event = (fields) => ({
  episodeID: "a", stage: "suspected", rule: "heartRateLow", drill: false,
  abortUntil: "2026-03-01T10:00:05Z", ...fields,
});
const episode = (fields) => ({
  ...event({}), suspectedAt: "2026-03-01T10:00:00Z", readings: [], position: null, calls: [],
  ...fields,
});

test("an emergency is shown from its warning to its end", () => {
  const state = new AlarmState();
  assert.equal(state.shown.mode, "none");
  assert.ok(state.takeEvent(event({})));
  assert.equal(state.shown.mode, "warning");
  assert.equal(state.deadlineAt(begin), "2026-03-01T10:00:05Z");
  assert.ok(state.takeEvent(event({ stage: "confirmed", abortUntil: "2026-03-01T10:00:07Z" })));
  assert.equal(state.deadlineAt(begin), "2026-03-01T10:00:07Z");
  assert.ok(state.takeEvent(event({ stage: "dispatched", abortUntil: undefined })));
  assert.equal(state.shown.mode, "called");
  assert.equal(state.deadlineAt(begin), null);
  assert.ok(state.takeEvent(event({ stage: "closed", outcome: "helped" })));
  assert.equal(state.shown.mode, "over");
  assert.equal(state.shown.alarms[0].outcome, "helped");
  state.close();
  assert.equal(state.shown.mode, "none");
});

test("a late event restores neither an earlier stage nor an end that was closed", () => {
  const state = new AlarmState();
  state.takeEvent(event({ stage: "dispatched" }));
  assert.equal(state.takeEvent(event({})), false);
  state.takeHistory([episode({ stage: "confirmed" })]);
  assert.equal(state.shown.mode, "called");
  state.takeEvent(event({ stage: "false alarm" }));
  state.close();
  assert.equal(state.takeEvent(event({ stage: "dispatched" })), false);
  state.takeHistory([episode({ stage: "false alarm" })]);
  assert.equal(state.shown.mode, "none");
});

test("the question's time to answer wins over the window that has passed", () => {
  const state = new AlarmState();
  state.takeHistory([episode({ stage: "asked" })]);
  const asked = { stage: "asked", abortUntil: undefined, answerBy: "2026-03-01T10:00:40Z" };
  state.takeEvent(event(asked));
  assert.equal(state.deadlineAt(begin), "2026-03-01T10:00:40Z");
  state.takeHistory([episode({ stage: "asked" })]);
  assert.equal(state.deadlineAt(begin), "2026-03-01T10:00:40Z");
});

test("a window that is over calls no help for an emergency that nothing has confirmed", () => {
  const state = new AlarmState();
  state.takeEvent(event({}));
  assert.equal(state.deadlineAt(begin + 4_999), "2026-03-01T10:00:05Z");
  assert.equal(state.deadlineAt(begin + 5_000), null);
  state.takeEvent(event({ episodeID: "b", abortUntil: "2026-03-01T10:00:09Z" }));
  assert.equal(state.deadlineAt(begin + 5_000), "2026-03-01T10:00:09Z");
  state.takeEvent(event({ episodeID: "b", stage: "asked", answerBy: "2026-03-01T10:00:40Z" }));
  // The words are about the question, and so is the countdown.
  state.takeEvent(event({ episodeID: "c", abortUntil: "2026-03-01T10:00:12Z" }));
  assert.equal(state.deadlineAt(begin + 5_000), "2026-03-01T10:00:40Z");
  // Confirmed later, it calls for help at once.
  state.takeEvent(event({ stage: "confirmed", abortUntil: "2026-03-01T10:00:08Z" }));
  assert.equal(state.deadlineAt(begin + 8_100), "2026-03-01T10:00:08Z");
});

test("of several emergencies the most urgent ones are shown, with the earliest deadline", () => {
  const state = new AlarmState();
  state.takeEvent(event({ episodeID: "b", stage: "acknowledged" }));
  state.takeEvent(event({ abortUntil: "2026-03-01T10:00:09Z" }));
  state.takeEvent(event({ episodeID: "c", rule: "fall", abortUntil: "2026-03-01T10:00:08.5Z" }));
  assert.deepEqual(state.shown.alarms.map(({ episodeID }) => episodeID), ["a", "c"]);
  assert.equal(state.deadlineAt(begin), "2026-03-01T10:00:08.5Z");
});

test("the words are those of the most urgent emergency, and of what it waits for", async () => {
  await useLanguage("en");
  const text = (isWaiting, ...stages) => {
    const state = new AlarmState();
    stages.forEach((stage, index) => state.takeEvent(event({ episodeID: String(index), stage })));
    return warningText({ shown: state.shown, isSending: false, isWaiting }).text;
  };
  assert.equal(text(false, "suspected"), t("alarm.suspectedText"));
  assert.equal(text(true, "suspected"), t("alarm.waitingText"));
  assert.equal(text(false, "suspected", "asked"), t("alarm.askedText"));
  assert.equal(text(false, "asked", "confirmed", "suspected"), t("alarm.confirmedText"));
});

test("past emergencies do not open the page, and damaged events change nothing", () => {
  const state = new AlarmState();
  state.takeHistory(["closed", "withdrawn", "aborted", "false alarm", "drill over", "unanswered"]
    .map((stage, index) => episode({ stage, episodeID: String(index) })));
  for (const data of [undefined, null, {}, { stage: "silent" }, event({ stage: "unknown" })]) {
    assert.equal(state.takeEvent(data), false);
  }
  assert.equal(state.shown.mode, "none");
});

test("the memory is bounded", () => {
  const state = new AlarmState();
  for (let index = 0; index < 200; index += 1) {
    state.takeEvent(event({ episodeID: String(index) }));
    state.takeEvent(event({ episodeID: String(index), stage: "aborted" }));
  }
  assert.ok(state.alarms.size <= 21);
});

test("stages before a call can be aborted, the last ones are over", () => {
  assert.ok(["suspected", "asked", "confirmed"].every(isBeforeCall));
  assert.ok(!isBeforeCall("dispatched") && !isOver("acknowledged") && isOver("closed"));
});

test("seconds are counted up to the last one", () => {
  assert.equal(secondsLeft("2026-03-01T10:00:05Z", begin), 5);
  assert.equal(secondsLeft("2026-03-01T10:00:05Z", begin + 4_001), 1);
  assert.equal(secondsLeft("2026-03-01T10:00:05Z", begin + 9_000), 0);
});
