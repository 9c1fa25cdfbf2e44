// A request that awaits an answer: accept, accept in part, decline.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { duration, nameOf, t } from "../../Client/language.js";
import { dataTypeChecklist, dataTypeNames } from "../../Elements/dataTypes.js";
import { ask } from "../../Elements/dialog.js";
import { field, form, select } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import {
  companyFacts, companyName, extent, factList, period, runLink, timeLeft, typeList,
} from "./requestFacts.js";
import { canBeRestricted, partialChoice, shorterDurations } from "./terms.js";

/** @typedef {import("./terms.js").Request} Request */
/** @typedef {import("./terms.js").Choice} Choice */

/**
 * Draws a pending request.
 * @param {Request} request
 * @param {(choice: Choice) => Promise<void>} onAnswered called after the API has taken the answer
 * @param {() => Promise<void>} onOutdated called when the request is no longer pending
 */
export function pendingEntry(request, onAnswered, onOutdated) {
  const isCheckIn = request.kind === "check-in";
  const message = h("div");
  const restriction = h("div", { hidden: true });
  const key = newKey();
  /** @type {HTMLButtonElement[]} */
  let buttons = [];

  /** @param {Choice} choice */
  const send = async (choice) => {
    try {
      // The whole answer is sent once under one key; a part may be corrected and sent again.
      const isWhole = choice.dataTypes === undefined && choice.duration === undefined;
      const own = isWhole ? `${key}-${choice.choice}` : newKey();
      await call("POST /req/single/choice", { body: choice, key: own });
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 403) {
        await onOutdated();
        return;
      }
      throw problem;
    }
    await onAnswered(choice);
  };

  /** @param {Choice} choice */
  const answer = async (choice) => {
    for (const button of buttons) button.disabled = true;
    show(message);
    try {
      await send(choice);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, refusal(problem, request, () => void answer(choice)));
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };

  const accept = async () => {
    const isSure = isCheckIn || await ask({
      title: t("followers.acceptTitle", { name: companyName(request) }),
      text: h("p", {}, t(
        request.subscribing ? "followers.acceptFollowing" : "followers.acceptOnce",
        { name: companyName(request), types: dataTypeNames(request.dataTypes) })),
      confirm: t("followers.accept"),
    });
    if (isSure) await answer({ reqID: request.reqID, choice: "accept" });
  };

  const restrict = () => {
    const isOpening = restriction.hidden;
    if (isOpening && !restriction.firstChild) show(restriction, restrictionForm(request, send));
    restriction.hidden = !isOpening;
    toggle.setAttribute("aria-expanded", String(isOpening));
    if (isOpening) restriction.querySelector("input")?.focus();
  };
  const toggle = h("button", {
    type: "button", class: "secondary", "aria-expanded": "false", onclick: restrict,
  }, t("followers.restrict"));

  buttons = [
    h("button", { type: "button", onclick: () => void accept() }, icon("check"),
      t(isCheckIn ? "followers.checkIn" : "followers.accept")),
    h("button", {
      type: "button", class: "secondary",
      onclick: () => void answer({ reqID: request.reqID, choice: "decline" }),
    }, icon("close"), t("followers.decline")),
    ...(canBeRestricted(request) ? [toggle] : []),
  ];
  return h("li", {}, h("article", { class: "card request" },
    isCheckIn ? checkInHead(request) : dataHead(request),
    message, h("p", { class: "actions" }, buttons), restriction));
}

/** @param {Request} request */
function dataHead(request) {
  return [
    h("h3", {}, companyName(request)),
    request.company_description && h("p", {}, request.company_description),
    factList([
      [t("followers.asksFor"), typeList(request.dataTypes)],
      [t("followers.how"), extent(request)],
      [t("followers.period"), period(request)],
      request.expiresAt !== null && [t("followers.answerBy"), timeLeft(request.expiresAt)],
      ...companyFacts(request),
    ]),
  ];
}

/** @param {Request} request */
function checkInHead(request) {
  const sees = request.organiserSees ?? ["full_name", "email"];
  return [
    h("p", {}, h("span", { class: "tag" }, icon("run"), " ", t("followers.checkInTag"))),
    h("h3", {}, t("followers.checkInTitle", { run: request.runName ?? t("followers.run") })),
    h("p", {}, t("followers.checkInText", { name: companyName(request) })),
    factList([
      [t("followers.run"), runLink(request)],
      request.expiresAt !== null && [t("followers.answerBy"), timeLeft(request.expiresAt)],
      [t("followers.organiserSees"), sees.map((each) => nameOf("followers.sees", each)).join(", ")],
      [t("followers.duringRun"), typeList(request.dataTypes)],
      [t("followers.organiser"), companyName(request)],
      ...companyFacts(request),
    ]),
  ];
}

/**
 * @param {Request} request
 * @param {(choice: Choice) => Promise<void>} send
 */
function restrictionForm(request, send) {
  const needsPosition = request.kind === "check-in" && request.dataTypes.includes("position");
  const types = dataTypeChecklist({
    label: t("followers.restrictTypes"), types: request.dataTypes, checked: request.dataTypes,
    hint: needsPosition ? t("followers.positionNeeded") : undefined,
  });
  if (needsPosition) {
    const box = types.element.querySelector("input[value='position']");
    if (box instanceof HTMLInputElement) box.disabled = true;
  }
  const shorter = shorterDurations(request);
  const time = field({
    name: "duration", label: t("followers.restrictTime"), control: select([
      ["0", t("followers.asAsked", { extent: extent(request) })],
      ...shorter.map((each) => /** @type {[string, string]} */ ([String(each), duration(each)])),
    ]),
  });
  return form({
    content: [types.element, shorter.length > 0 && time.element],
    submit: t("followers.acceptPart"),
    check: () => {
      /** @type {Record<string, string>} */
      const errors = {};
      if (types.values().length === 0) errors.dataTypes = t("followers.noTypes");
      return errors;
    },
    send: () => send(partialChoice(request, types.values(), Number(time.control.value) || 0)),
    explain: (problem) => {
      if (isInactive(problem)) return { dataTypes: t("followers.activateFirst") };
      return lacksPosition(problem, request) ? { dataTypes: t("followers.sendPosition") } : null;
    },
  });
}

/**
 * @param {Problem} problem
 * @param {Request} request
 * @param {() => void} retry
 */
function refusal(problem, request, retry) {
  if (isInactive(problem)) {
    return notice("error", h("p", {}, t("followers.activateFirst")),
      h("p", {}, h("a", { href: "/app/settings#status" }, t("followers.toSettings"))));
  }
  if (!lacksPosition(problem, request)) {
    return problemNotice(problem, problem.isTemporary ? retry : undefined);
  }
  return notice("error", h("p", {}, t("followers.sendPosition")),
    h("p", {}, h("a", { href: "/app/data" }, t("followers.toData"))));
}

/**
 * An inactive account accepts no requests for data.
 * @param {Problem} problem
 */
function isInactive(problem) {
  return problem.status === 409 && !problem.isTemporary;
}

/**
 * A check-in needs a stored position, so that the organiser can follow the runner.
 * @param {Problem} problem
 * @param {Request} request
 */
function lacksPosition(problem, request) {
  return request.kind === "check-in" && problem.status === 400
    && (problem.field ?? "").startsWith("dataTypes");
}
