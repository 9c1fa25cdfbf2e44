// Checking in: accepting the organiser's request on the day of the run.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, nameOf, t } from "../../Client/language.js";
import { dataTypeChecklist, dataTypeNames, loadDataTypes } from "../../Elements/dataTypes.js";
import { form } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemNotice } from "../../Elements/notice.js";

/** @typedef {import("./mainRun.js").MyRun} MyRun */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /req/single/list"]["answer"]["requests"][number]} CheckInRequest */

/**
 * Shows the state of the check-in and the next step.
 * @param {HTMLElement} place
 * @param {MyRun} run
 * @param {MyRun["state"]} state
 * @param {AbortSignal} signal
 * @param {() => void} onChange
 */
export async function checkIn(place, run, state, signal, onChange) {
  if (state === "ended" || run.cancelled) {
    show(place);
    return;
  }
  if (run.checkedIn) {
    show(place, done(state));
    return;
  }
  if (state === "live") {
    show(place, notice("warning", t("checkIn.missed")));
    return;
  }
  try {
    const request = await checkInRequest(run.runID, signal);
    if (request) await loadDataTypes();
    if (signal.aborted) return;
    // Track4Run learns of the answer some moments after Data4Help has stored it.
    if (request?.status === "accepted") {
      show(place, done(state));
      return;
    }
    if (request?.status === "declined") {
      show(place, notice("warning", h("p", {}, t("checkIn.declined")),
        h("p", {}, h("a", { href: "/app/runs" }, t("myRun.find")))));
      return;
    }
    // A form in use must not be replaced because of an unrelated notice.
    if (request && place.dataset.request === request.reqID) return;
    place.dataset.request = request?.reqID ?? "";
    show(place, request ? openCheckIn(run, request, onChange) : notice("info", t("checkIn.later")));
  } catch (problem) {
    if (signal.aborted) return;
    if (!(problem instanceof Problem)) throw problem;
    show(place, problemNotice(problem, () => void checkIn(place, run, state, signal, onChange)));
  }
}

/** @param {MyRun["state"]} state */
function done(state) {
  return h("p", { class: "my-run-checked" }, icon("check"),
    t(state === "live" ? "checkIn.doneLive" : "checkIn.done"));
}

/**
 * The organiser's request for a run, if it is pending or was answered.
 * @param {number} runID
 * @param {AbortSignal} signal
 * @returns {Promise<CheckInRequest | null>}
 */
async function checkInRequest(runID, signal) {
  /** @type {string | undefined} */
  let cursor;
  do {
    const { requests, next } = await call("GET /req/single/list", {
      query: { status: "pending,accepted,declined", limit: 100, cursor }, signal,
    });
    const own = requests.find((request) => request.kind === "check-in" && request.runID === runID);
    if (own) return own;
    cursor = next;
  } while (cursor !== undefined);
  return null;
}

/**
 * @param {MyRun} run
 * @param {CheckInRequest} request
 * @param {() => void} onChange
 */
function openCheckIn(run, request, onChange) {
  const others = request.dataTypes.filter((type) => type !== "position");
  const types = dataTypeChecklist({
    label: t("checkIn.share"), hint: t("checkIn.shareHint"), types: others, checked: others,
  });
  const sees = (request.organiserSees ?? []).map((each) => nameOf("checkIn.sees", each));
  const details = others.length > 0
    && h("details", {}, h("summary", {}, t("checkIn.choose")), types.element);
  return h("section", { class: "my-run-check" },
    h("h3", {}, t("checkIn.title")),
    h("p", {}, t("checkIn.text", { organiser: request.company_name })),
    h("p", {}, t("checkIn.types", { types: dataTypeNames(request.dataTypes) })),
    sees.length > 0 && h("p", {}, t("checkIn.organiserSees", { what: sees.join(", ") })),
    h("p", { class: "muted" },
      t("checkIn.until", { time: dateTime(request.expiresAt ?? run.startTime) })),
    form({
      content: [details], submit: t("checkIn.submit"),
      explain: (problem) => (/needs the position/.test(problem.detail)
        ? { "": t("checkIn.noPosition") } : problem.status === 404
          ? { "": t("checkIn.gone") } : null),
      send: async (key) => {
        const chosen = others.length > 0 ? types.values() : [];
        const isPart = chosen.length < others.length;
        await call("POST /req/single/choice", {
          key,
          body: {
            reqID: request.reqID, choice: "accept",
            ...(isPart ? { dataTypes: ["position", ...chosen] } : {}),
          },
        });
        dispatchEvent(new Event("trackme-counts"));
        onChange();
      },
    }));
}
