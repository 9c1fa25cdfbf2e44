// Switching AutomatedSOS on: explanation, permission for calls, contacts.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { language, t } from "../../Client/language.js";
import { field, select } from "../../Elements/form.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { unlockSound } from "../../Elements/siren.js";
import { contactsForm } from "./contacts.js";
import { missingNotice } from "./monitoring.js";

/** @typedef {import("./sos.js").Shared} Shared */

/**
 * @param {Shared} shared
 * @param {() => void} onDone called after the last step
 */
export function enabling({ settings, signal }, onDone) {
  const box = h("section", { class: "card sos-steps" });
  const key = newKey();
  const speech = field({
    name: "language", label: t("sos.callLanguage"), hint: t("sos.callLanguageHint"),
    control: select([["it", "Italiano"], ["en", "English"]]),
    value: settings.permittedAt === null ? language() : settings.language,
  });

  /**
   * @param {1 | 2 | 3} number
   * @param {import("../../Client/language.js").TextKey} title
   * @param {...import("../../Client/dom.js").Child} content
   */
  const step = (number, title, ...content) => {
    const heading = h("h2", { tabindex: -1 }, t(title));
    const isFirst = box.childElementCount === 0;
    show(box, h("p", { class: "muted" }, t("sos.step", { number })), heading, content);
    if (!isFirst) heading.focus();
  };
  /**
   * @param {string} text
   * @param {() => void} press
   * @param {string | null} [kind]
   */
  const button = (text, press, kind = null) => h("button", {
    type: "button", class: kind ? `sos-button ${kind}` : "sos-button", onclick: press,
  }, text);

  const explain = () => step(1, "sos.stepWhat",
    h("ul", {}, h("li", {}, t("sos.what1")), h("li", {}, t("sos.what2", {
      seconds: settings.abortSeconds,
    })), h("li", {}, t("sos.what3"))),
    notice("warning",
      h("p", {}, h("strong", {}, t("sos.notMedical"))), h("p", {}, t("sos.limits"))),
    missingNotice(settings.missing),
    h("p", { class: "actions" }, button(t("sos.continue"), () => permit())));

  /** @param {...import("../../Client/dom.js").Child} messages */
  const permit = (...messages) => step(2, "sos.stepPermission",
    h("p", {}, t("sos.permissionText")),
    speech.element,
    messages,
    h("p", { class: "actions" },
      button(t("sos.permit"), () => void enable()),
      button(t("sos.refuse"), refuse, "secondary"),
      button(t("action.back"), explain, "plain")));

  const refuse = () => permit(notice("info", t("sos.staysOff")));

  const enable = async () => {
    // This touch is the gesture that browsers ask for before a page may sound.
    void unlockSound();
    try {
      const answer = await call("POST /sos/enable", {
        body: { callPermission: true, language: speech.control.value === "en" ? "en" : "it" },
        key, signal,
      });
      contacts(answer.missing ?? []);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      permit(problemNotice(problem, () => void enable()));
    }
  };

  /** @param {string[]} missing */
  const contacts = (missing) => step(3, "sos.stepContacts",
    notice("success", t("sos.isOn")),
    missingNotice(missing),
    h("p", {}, t("sos.contactsText")),
    contactsForm(settings.contacts ?? [], signal, () => onDone()),
    h("p", { class: "actions" }, button(t("sos.finish"), onDone, "secondary")));

  explain();
  return box;
}
