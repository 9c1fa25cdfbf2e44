// The state of AutomatedSOS, pauses, language of calls, drill, and switching it off.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { dataTypeNames } from "../../Elements/dataTypes.js";
import { ask } from "../../Elements/dialog.js";
import { field, select } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemNotice, toast } from "../../Elements/notice.js";
import { isSoundUnlocked, onSoundChange, testSound, unlockSound } from "../../Elements/siren.js";

/** @typedef {import("./sos.js").Shared} Shared */

/** @param {Shared} shared */
export function statePart(shared) {
  const { settings } = shared;
  const isPaused = isLater(settings.pausedUntil);
  const result = h("div");
  return h("section", { class: "card sos-state", "aria-labelledby": "sos-state" },
    h("h2", { id: "sos-state" }, icon(isPaused ? "pause" : "heart"), " ",
      isPaused ? t("sos.paused", { time: dateTime(settings.pausedUntil ?? "") }) : t("sos.on")),
    h("p", {}, t("sos.times", { confirm: settings.confirmSeconds, abort: settings.abortSeconds })),
    missingNotice(settings.missing),
    soundState(shared.signal),
    result,
    isPaused ? resumeButton(shared, result) : pauseForm(shared, result),
    languageForm(shared, result),
    h("p", { class: "actions" }, drillButton(shared, result), offButton(shared, result)));
}

/** @param {string | null} time */
function isLater(time) {
  return time !== null && Date.parse(time) > Date.now();
}

/**
 * The data types without a device (SOS-11); empty if every type has one.
 * @param {string[]} missing data types
 */
export function missingNotice(missing) {
  if (missing.length === 0) return null;
  return notice("warning",
    h("p", {}, t("sos.missing", { types: dataTypeNames(missing) })),
    h("p", {}, h("a", { href: "/app/devices" }, t("sos.pair"))));
}

/**
 * The sound of the alarm, with a test.
 * @param {AbortSignal} signal
 */
function soundState(signal) {
  const text = h("p", { role: "status" });
  const draw = () => show(text, isSoundUnlocked() ? t("sos.soundOn") : t("sos.soundOff"));
  draw();
  onSoundChange(draw, signal);
  return h("div", { class: "row" }, text,
    h("button", {
      type: "button", class: "secondary", onclick: () => void testSound("siren"),
    }, t("sos.testSound")));
}

/**
 * Sends a request and shows a refusal in the page.
 * @param {HTMLElement} result
 * @param {AbortSignal} signal
 * @param {() => Promise<unknown>} send
 * @returns {Promise<boolean>} whether it was accepted
 */
async function attempt(result, signal, send) {
  show(result);
  try {
    await send();
    return true;
  } catch (problem) {
    if (signal.aborted) return false;
    if (!(problem instanceof Problem)) throw problem;
    show(result, problemNotice(problem, problem.isTemporary
      ? () => void attempt(result, signal, send) : undefined));
    return false;
  }
}

/**
 * @param {Shared} shared
 * @param {HTMLElement} result
 */
function resumeButton({ signal, reload }, result) {
  const key = newKey();
  const resume = async () => {
    await call("POST /sos/pause", { body: { until: null }, key, signal });
    toast(t("sos.resumed"));
    await reload();
  };
  return h("button", {
    type: "button", class: "sos-button", onclick: () => void attempt(result, signal, resume),
  }, t("sos.resume"));
}

/**
 * @param {Shared} shared
 * @param {HTMLElement} result
 */
function pauseForm({ signal, reload }, result) {
  const hours = field({
    name: "pause", label: t("sos.pauseFor"), hint: t("sos.pauseHint"),
    control: select([1, 2, 4, 8, 24, 72, 168].map((count) => [
      String(count), count < 24 ? t("sos.hours", { count }) : t("sos.days", { count: count / 24 }),
    ])),
  });
  const pause = async () => {
    const end = new Date(Date.now() + Number(hours.control.value) * 3_600_000).toISOString();
    await call("POST /sos/pause", { body: { until: end }, key: newKey(), signal });
    toast(t("sos.pausedNow", { time: dateTime(end) }));
    await reload();
  };
  return h("div", { class: "sos-line" }, hours.element,
    h("button", {
      type: "button", class: "secondary", onclick: () => void attempt(result, signal, pause),
    }, t("sos.pause")));
}

/**
 * @param {Shared} shared
 * @param {HTMLElement} result
 */
function languageForm({ settings, signal, reload }, result) {
  const speech = field({
    name: "language", label: t("sos.callLanguage"), hint: t("sos.callLanguageHint"),
    control: select([["it", "Italiano"], ["en", "English"]]), value: settings.language,
  });
  const change = async () => {
    const chosen = speech.control.value === "en" ? "en" : "it";
    await call("POST /sos/enable", {
      body: { callPermission: true, language: chosen }, key: newKey(), signal,
    });
    toast(t("sos.languageSaved"));
    await reload();
  };
  return h("div", { class: "sos-line" }, speech.element,
    h("button", {
      type: "button", class: "secondary", onclick: () => void attempt(result, signal, change),
    }, t("action.save")));
}

/**
 * @param {Shared} shared
 * @param {HTMLElement} result
 */
function drillButton({ signal }, result) {
  const drill = async () => {
    const { episodeID } = await call("POST /sos/drill", { key: newKey(), signal });
    // The page of the emergency also opens while the stream is disconnected.
    const data = { episodeID, stage: "suspected", rule: "drill", drill: true };
    dispatchEvent(new CustomEvent("trackme-alarm", { detail: { data } }));
  };
  const press = () => {
    void unlockSound();
    void attempt(result, signal, drill);
  };
  return h("button", { type: "button", class: "sos-button", onclick: press }, t("sos.drill"));
}

/**
 * @param {Shared} shared
 * @param {HTMLElement} result
 */
function offButton({ signal, reload }, result) {
  const key = newKey();
  const off = async () => {
    await call("POST /sos/disable", { key, signal });
    toast(t("sos.isOff"));
    await reload();
  };
  const press = async () => {
    const isSure = await ask({
      title: t("sos.offTitle"), text: h("p", {}, t("sos.offText")), confirm: t("sos.off"),
      isDestructive: true,
    });
    if (isSure) await attempt(result, signal, off);
  };
  return h("button", {
    type: "button", class: "sos-button destructive", onclick: () => void press(),
  }, t("sos.off"));
}
