// The callback of a company: address, state, secret, test, sending again, log.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, nameOf, number, t } from "../../Client/language.js";
import { fill } from "../../Client/work.js";
import { ask } from "../../Elements/dialog.js";
import { field, form, select } from "../../Elements/form.js";
import { emptyState, notice, toast } from "../../Elements/notice.js";
import { busy } from "../../Elements/requestActions.js";
import { callbackLog } from "./callbackLog.js";
import { showSecret } from "./secret.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /req/tp/callback"]["answer"]} Callback */

/**
 * The section of the callback.
 * @param {AbortSignal} signal
 */
export function callbackSection(signal) {
  const state = h("div", {}, t("programs.loading"));
  const secret = h("div");
  // Outside of the state, which is redrawn after each action.
  const result = h("div");
  const log = callbackLog(signal);

  const none = () => [emptyState(t("callback.empty")), addressForm(null)];
  const load = () => fill(state, signal, async () => {
    // Without a callback its state is a refusal, which browsers print as a fault of the page.
    const known = await call("GET /req/tp/callback/log", { query: { limit: 1 }, signal });
    if (!known.registered) return none();
    try {
      return registered(await call("GET /req/tp/callback", { signal }));
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
      // Removed in the meantime.
      return none();
    }
  });
  const changed = async () => {
    await load();
    await log.load();
  };

  /** @param {string | null} present the address that the new one replaces */
  const addressForm = (present) => {
    const url = field({
      name: "url", label: t("callback.address"), hint: t("callback.addressHint"), type: "url",
      value: present ?? "", autocomplete: "off", attributes: { maxlength: 500 },
    });
    const send = async () => {
      const answer = await call("POST /req/tp/callback", {
        body: { url: url.control.value.trim() },
      });
      showSecret(secret, {
        title: t("callback.secret"), text: t("callback.secretText"), secret: answer.secret,
      });
      await changed();
    };
    return form({
      content: [url.element], send,
      submit: t(present === null ? "callback.register" : "callback.replace"),
      /** @returns {Record<string, string>} */
      check: () => (/^https?:\/\/\S+$/.test(url.control.value.trim())
        ? {} : { url: t("callback.addressWrong") }),
    });
  };

  /** @param {Callback} callback */
  const registered = (callback) => [
    facts(callback), actions(secret, result, changed),
    h("details", {}, h("summary", {}, t("callback.resendTitle")),
      resendForm(callback, changed)),
    h("details", {}, h("summary", {}, t("callback.change")), h("p", {}, t("callback.changeText")),
      addressForm(callback.url)),
  ];

  void load();
  return h("section", {},
    h("h2", {}, t("callback.title")), h("p", {}, t("callback.lead")), secret,
    h("div", {}, state, result), log.element);
}

/** @param {Callback} callback */
function facts(callback) {
  const { url, active, reason, acknowledged, failedAttempts } = callback;
  const { nextAttemptAt, previousUntil } = callback;
  return h("div", {},
    !active && notice("error", h("p", {}, t("callback.off"),
      reason && ` ${nameOf("callback.reason", reason)}`), h("p", {}, t("callback.offText"))),
    h("dl", { class: "facts" },
      fact(t("callback.address"), h("code", {}, url)),
      fact(t("callback.state"), h("span", {
        class: `tag ${active ? "tag-positive" : "tag-negative"}`,
      }, t(active ? "callback.active" : "callback.inactive"))),
      fact(t("callback.acknowledged"), number(acknowledged, { useGrouping: false })),
      failedAttempts > 0 && fact(t("callback.failed"), number(failedAttempts)),
      active && nextAttemptAt && fact(t("callback.next"), dateTime(nextAttemptAt)),
      previousUntil && fact(t("callback.previousUntil"), dateTime(previousUntil))));
}

/**
 * @param {string} name
 * @param {import("../../Client/dom.js").Child} value
 */
function fact(name, value) {
  return [h("dt", {}, name), h("dd", {}, value)];
}

/**
 * @param {HTMLElement} secretPlace
 * @param {HTMLElement} place for results and refusals
 * @param {() => Promise<void>} onChange
 */
function actions(secretPlace, place, onChange) {
  const test = async () => {
    const { delivered, status, error } = await call("POST /req/tp/callback/test");
    const text = error ? nameOf("callback.error", error) : "";
    show(place, notice(delivered ? "success" : "error",
      delivered ? t("callback.testDone") : t("callback.testFailed", { reason: text }),
      status !== undefined && ` ${t("callback.answered", { status: String(status) })}`));
    await onChange();
  };
  const overlap = field({
    name: "overlap", label: t("callback.overlap"), hint: t("callback.overlapHint"),
    control: select([
      ["86400", t("callback.overlap.day")], ["604800", t("callback.overlap.week")],
      ["3600", t("callback.overlap.hour")], ["0", t("callback.overlap.none")],
    ]),
  });
  const rotate = async () => {
    const isSure = await ask({
      title: t("callback.rotate"), confirm: t("callback.rotate"),
      text: [h("p", {}, t("callback.rotateText")), overlap.element], isDestructive: true,
    });
    if (!isSure) return;
    const answer = await call("POST /req/tp/callback/secret", {
      body: { overlap: Number(overlap.control.value) },
    });
    await onChange();
    showSecret(secretPlace, {
      title: t("callback.secret"), secret: answer.secret,
      text: answer.previousUntil
        ? t("callback.rotatedUntil", { time: dateTime(answer.previousUntil) })
        : t("callback.rotatedNow"),
    });
  };
  const remove = async () => {
    const isSure = await ask({
      title: t("callback.remove"), text: h("p", {}, t("callback.removeText")),
      confirm: t("callback.remove"), isDestructive: true,
    });
    if (!isSure) return;
    await call("DELETE /req/tp/callback");
    toast(t("callback.removed"));
    await onChange();
  };
  const button = (/** @type {string} */ text, /** @type {() => Promise<void>} */ work,
    look = "secondary") =>
    h("button", { type: "button", class: look, onclick: () => void busy(place, work) }, text);
  return h("div", { class: "actions" },
    button(t("callback.test"), test), button(t("callback.rotate"), rotate),
    button(t("callback.remove"), remove, "destructive"));
}

/**
 * @param {Callback} callback
 * @param {() => Promise<void>} onChange
 */
function resendForm({ acknowledged }, onChange) {
  const since = field({
    name: "since", label: t("callback.since"), value: String(acknowledged),
    hint: t("callback.sinceHint"), attributes: { inputmode: "numeric" }, autocomplete: "off",
  });
  const send = async () => {
    const answer = await call("POST /req/tp/callback/resend", {
      body: { since: Number(since.control.value) },
    });
    toast(t("callback.resent", { number: String(answer.acknowledged) }));
    await onChange();
  };
  return form({
    content: [since.element], submit: t("callback.resend"), send,
    /** @returns {Record<string, string>} */
    check: () => (/^\d{1,15}$/.test(since.control.value.trim())
      ? {} : { since: t("callback.sinceWrong") }),
  });
}
