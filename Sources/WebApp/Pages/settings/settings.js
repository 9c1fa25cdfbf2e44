// P16 and P37, My Settings: the profile with an edit for each value, and the rest of the account.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { language, t } from "../../Client/language.js";
import { keepPushDuring } from "../../Client/push.js";
import { currentAccount } from "../../Client/session.js";
import { loadDataTypes } from "../../Elements/dataTypes.js";
import { inLanguage } from "../../Elements/documentLanguage.js";
import { downloadButton } from "../../Elements/download.js";
import { problemNotice, toast } from "../../Elements/notice.js";
import { countryNames } from "../../Elements/placeField.js";
import { pushSwitch } from "../../Elements/pushSwitch.js";
import { typeChoices } from "../../Elements/typeChoices.js";
import { deletionPart, mailForm, sessionPart } from "./accountParts.js";
import { mailKinds, newDocuments } from "./changes.js";
import { consentItem, consentRecord } from "./consents.js";
import { settingsForm } from "./items.js";
import { loadPerson, personGroups } from "./person.js";
import { statusPart } from "./status.js";

/** @typedef {import("../../Client/dom.js").Child} Child */
/**
 * @typedef {"status" | "types" | "consents" | "push" | "mail" | "session" | "export"
 *   | "delete"} Part
 */

/** @type {Part[]} */
const personNames = ["status", "types"];
/** @type {Part[]} */
const commonNames = ["consents", "push", "mail", "session", "export", "delete"];

export function prepare() {
  void styles();
}

function styles() {
  return style("settings.css", import.meta.url);
}

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  const accountType = currentAccount()?.accountType ?? "single";
  const heading = h("h1", { tabindex: -1 }, t("settings.title"));
  const [profile, mail, ownParts] = await Promise.all([
    profilePart(accountType, heading, signal),
    call("GET /notifications", { query: { limit: 1 }, signal }),
    accountType === "tp" ? [] : personParts(signal),
    styles(),
  ]);
  const shown = accountType === "tp" ? commonNames : [...personNames, ...commonNames];
  // The frame shows the page after this function; an address may name a part of it.
  if (location.hash) requestAnimationFrame(() => openPart(location.hash.slice(1)));
  return h("section", { class: "page settings" }, heading,
    partLinks(shown), profile.form, ownParts,
    part("consents", profile.record),
    part("push", h("p", {}, t("push.text")), pushSwitch(signal, mailKinds(accountType))),
    part("mail", mailForm(mail.mail, accountType)),
    part("session", sessionPart(accountType)),
    part("export",
      h("p", {}, t("settings.exportText")),
      downloadButton({
        endpoint: "GET /auth/export", text: t("settings.download"), file: "trackme.zip", signal,
      })),
    part("delete", deletionPart(accountType)));
}

/** @param {string} id */
function openPart(id) {
  const part = document.getElementById(id);
  part?.scrollIntoView();
  part?.focus({ preventScroll: true });
}

/**
 * The profile and the record of consents. After a change both are reloaded; the other parts of
 * the page keep their choices.
 * @param {"single" | "tp"} accountType
 * @param {HTMLElement} heading takes the focus after a change
 * @param {AbortSignal} signal
 */
async function profilePart(accountType, heading, signal) {
  const form = h("div");
  const record = h("div");
  const draw = async () => {
    const [{ documents }, { consents }, groups] = await Promise.all([
      call("GET /auth/documents", { signal }), call("GET /auth/consents", { signal }),
      profileGroups(accountType, signal),
    ]);
    const own = documents.filter((each) => each.accountTypes.includes(accountType))
      .map((each) => inLanguage(each, language()));
    const fresh = newDocuments(own, consents, accountType);
    const consentGroup = { title: t("settings.newDocuments"), items: [consentItem(fresh)] };
    show(record, consentRecord(consents, own, fresh));
    show(form, settingsForm({
      groups: fresh.length > 0 ? [consentGroup, ...groups] : groups,
      draft: `settings.${accountType}`, save, saved, signal,
    }));
  };
  /** @type {Parameters<typeof settingsForm>[0]["save"]} */
  const save = async (body, key) => {
    const change = async () => {
      await (accountType === "tp" ? call("POST /settings/tp/info", { body, key })
        : call("POST /settings/single/info", { body, key }));
    };
    await ("newPassword" in body ? keepPushDuring(change) : change());
  };
  const saved = async () => {
    toast(t("settings.saved"));
    try {
      await draw();
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(form, problemNotice(problem, () => void saved()));
    }
    heading.focus();
  };
  await draw();
  return { form, record };
}

/**
 * @param {"single" | "tp"} accountType
 * @param {AbortSignal} signal
 */
async function profileGroups(accountType, signal) {
  if (accountType === "tp") {
    const { companyGroups, loadCompany } = await import("./company.js");
    return companyGroups(await loadCompany(signal), signal);
  }
  const [profile, countries, { diseases }] = await Promise.all([
    loadPerson(signal), countryNames(signal), call("GET /lookup/diseases", { signal }),
  ]);
  return personGroups(profile, { countries, diseases }, signal);
}

/**
 * The settings of persons only: visibility to requests, and the data types.
 * @param {AbortSignal} signal
 */
async function personParts(signal) {
  const [{ active }, imported, { devices }] = await Promise.all([
    loadPerson(signal), call("GET /settings/single/data", { signal }),
    call("GET /devices", { signal }), loadDataTypes(),
  ]);
  return [
    part("status", statusPart(active)),
    part("types", h("p", {}, h("a", { href: "/app/devices" }, t("settings.toDevices"))),
      typeChoices(imported, devices, signal)),
  ];
}

/**
 * @param {Part} name
 * @param {...Child} content
 */
function part(name, ...content) {
  return h("section", { class: "settings-part" },
    h("h2", { id: name, tabindex: -1 }, t(`settings.part.${name}`)), content);
}

/** @param {Part[]} names */
function partLinks(names) {
  return h("nav", { "aria-label": t("settings.parts") }, h("ul", { class: "plain-list row" },
    names.map((name) => h("li", {}, h("a", { href: `#${name}` }, t(`settings.part.${name}`))))));
}
