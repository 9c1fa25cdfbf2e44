// The actions of a company for a sent request: download, mail, pay, end.

import { call, Problem } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { ask } from "./dialog.js";
import { downloadButton } from "./download.js";
import { field, select } from "./form.js";
import { icon } from "./icon.js";
import { notice, problemNotice, toast } from "./notice.js";
import { canEnd, hasData, money, requestTitle } from "./requests.js";

/** @typedef {import("./requests.js").SentRequest} SentRequest */
/** @typedef {"csv" | "ndjson" | "fhir" | "json"} Format */

/**
 * The actions that the state of a request allows; null if there are none.
 * @param {SentRequest} request
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {() => void} options.onChange called after the state has changed
 * @returns {HTMLElement | null}
 */
export function requestActions(request, { signal, onChange }) {
  const place = h("div");
  const groups = [
    hasData(request) && files(request, place, signal),
    request.status === "payment due" && payButton(request, place),
    canEnd(request) && endButton(request, place, onChange),
  ].filter((part) => part !== false);
  return groups.length === 0 ? null : h("div", {}, h("div", { class: "actions" }, groups), place);
}

/**
 * @param {SentRequest} request
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
function files(request, place, signal) {
  /** @type {[Format, string][]} */
  const all = [
    ["csv", "CSV"], ["ndjson", "NDJSON"], ["fhir", t("files.fhir")], ["json", "JSON"],
  ];
  const formats = request.kind === "single"
    ? all : all.filter(([format]) => format === "csv" || format === "json");
  const format = field({ name: "format", label: t("files.format"), control: select(formats) });
  const chosen = () => /** @type {Format} */ (format.control.value);
  const { reqID } = request;
  const downloading = h("div");
  const update = () => show(downloading, downloadButton({
    endpoint: "GET /req/tp/data", options: { query: { reqID, format: chosen() } },
    text: t("files.download"), signal,
    file: `${reqID}.${chosen() === "fhir" ? "fhir.json" : chosen()}`,
  }));
  format.control.addEventListener("change", update);
  update();
  const mail = () => void busy(place, async () => {
    const { sentAs } = await call("POST /req/tp/mail", { body: { reqID, format: chosen() } });
    show(place, notice("success",
      t(sentAs === "link" ? "files.mailedLink" : "files.mailedFile")));
  });
  return [
    format.element, downloading,
    h("button", { type: "button", class: "secondary", onclick: mail }, t("files.mail")),
  ];
}

/**
 * @param {SentRequest} request
 * @param {HTMLElement} place
 */
function payButton(request, place) {
  return h("button", {
    type: "button", onclick: () => void busy(place, () => pay(request.reqID)),
  }, icon("card"), t("pay.button", { amount: money(request.amountDue, request.currency) }));
}

/**
 * Opens the broker's page for a request that is due.
 * @param {string} reqID
 */
export async function pay(reqID) {
  const { checkoutURL } = await call("POST /req/tp/pay", { body: { reqID } });
  location.assign(checkoutURL);
}

/**
 * @param {SentRequest} request
 * @param {HTMLElement} place
 * @param {() => void} onChange
 */
function endButton(request, place, onChange) {
  const subscribes = request.subscribing;
  const end = async () => {
    const isSure = await ask({
      title: t(subscribes ? "end.title" : "end.titleOnce"),
      text: [h("p", {}, requestTitle(request)),
        h("p", {}, t(request.kind === "group" ? "end.textGroup" : "end.text"))],
      confirm: t(subscribes ? "end.confirm" : "end.confirmOnce"), isDestructive: true,
    });
    if (!isSure) return;
    await call("POST /req/tp/end", { body: { reqID: request.reqID } });
    toast(t("end.done"));
    onChange();
  };
  return h("button", {
    type: "button", class: "destructive", onclick: () => void busy(place, end),
  }, t(subscribes ? "end.confirm" : "end.confirmOnce"));
}

/**
 * Runs an action and shows a refusal; the buttons are disabled meanwhile.
 * @param {HTMLElement} place
 * @param {() => Promise<void>} work
 */
export async function busy(place, work) {
  const buttons = [...(place.parentElement?.querySelectorAll("button") ?? [])];
  for (const button of buttons) button.disabled = true;
  show(place);
  try {
    await work();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    show(place, problemNotice(problem));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}
