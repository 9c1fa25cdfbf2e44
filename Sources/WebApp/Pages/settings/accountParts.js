// The settings of both kinds of account: mails, session, copy of all data, deletion.

import { call, Problem } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { go, mayLeave } from "../../Client/router.js";
import { currentAccount, forgetStored, logOut } from "../../Client/session.js";
import { ask } from "../../Elements/dialog.js";
import { checkbox, field, form } from "../../Elements/form.js";
import { toast } from "../../Elements/notice.js";
import { mailKinds, storedMailKinds } from "./changes.js";
import { isWrongPassword } from "./items.js";

/** @typedef {import("./changes.js").NoticeKind} NoticeKind */
/** @typedef {"single" | "tp"} AccountType */

/** @type {Record<AccountType, import("../../Client/language.js").TextKey[]>} */
const goneTexts = {
  single: [
    "settings.gone.single.data", "settings.gone.single.followers", "settings.gone.single.sos",
    "settings.gone.single.runs", "settings.gone.single.profile",
  ],
  tp: [
    "settings.gone.tp.requests", "settings.gone.tp.runs", "settings.gone.tp.keys",
    "settings.gone.tp.profile",
  ],
};

/** The word that confirms a deletion, the same in every language. */
const deletionWord = "DELETE";

/**
 * The kinds of notices that are mailed.
 * @param {readonly NoticeKind[]} mailed
 * @param {AccountType} accountType
 */
export function mailForm(mailed, accountType) {
  const offered = mailKinds(accountType);
  let stored = mailed;
  const boxes = offered.map((kind) => {
    const isFixed = kind === "security";
    const box = checkbox({
      name: `mail.${kind}`, checked: isFixed || mailed.includes(kind),
      label: [t(`settings.mail.${kind}`),
        isFixed && h("span", { class: "muted" }, ` ${t("settings.mailAlways")}`)],
    });
    box.control.disabled = isFixed;
    return { kind, box };
  });
  return form({
    submit: t("settings.saveMails"),
    content: [
      h("p", {}, t("settings.mailText")),
      h("fieldset", {}, h("legend", { class: "visually-hidden" }, t("settings.mails")),
        boxes.map(({ box }) => box.element)),
    ],
    send: async (key) => {
      const chosen = boxes.filter(({ box }) => box.control.checked).map(({ kind }) => kind);
      const kinds = storedMailKinds(stored, offered, chosen);
      await call("POST /notifications/mail", { body: { kinds }, key });
      stored = kinds;
      toast(t("settings.mailsSaved"));
    },
  });
}

/** @param {AccountType} accountType */
export function sessionPart(accountType) {
  return [
    h("p", {}, t("settings.sessionText")),
    h("p", {}, accountType === "tp"
      ? h("a", { href: "/app/programs" }, t("settings.toPrograms"))
      : h("a", { href: "/app/devices" }, t("settings.toDevices"))),
    form({
      content: [], submit: t("frame.logout"),
      send: async () => {
        if (!(await mayLeave())) return false;
        await logOut();
        await go("/app/login", { force: true });
        return true;
      },
    }),
  ];
}

/**
 * The deletion of the account, with its effect.
 * @param {AccountType} accountType
 */
export function deletionPart(accountType) {
  const isCompany = accountType === "tp";
  const list = () => h("ul", {}, goneTexts[accountType].map((key) => h("li", {}, t(key))));
  const word = field({
    name: "confirm", label: t("settings.deleteWord", { word: deletionWord }), autocomplete: "off",
    attributes: { autocapitalize: "characters", spellcheck: "false", maxlength: 16 },
  });
  const password = field({
    name: "password", label: t("field.password"), type: "password",
    autocomplete: "current-password",
  });
  const element = form({
    content: [password.element, word.element], submit: t("settings.delete"), isDestructive: true,
    check: () => {
      /** @type {Record<string, string>} */
      const errors = {};
      if (!password.control.value) errors.password = t("settings.passwordMissing");
      if (word.control.value.trim() !== deletionWord) {
        errors.confirm = t("settings.deleteWordWrong", { word: deletionWord });
      }
      return errors;
    },
    confirm: () => ask({
      title: t("settings.deleteTitle"), confirm: t("settings.delete"), isDestructive: true,
      text: [h("p", {}, t("settings.deleteText")), list()],
    }),
    send: async () => {
      const email = currentAccount()?.email;
      await call("POST /auth/delete", {
        body: { password: password.control.value, confirm: deletionWord },
      });
      if (email !== undefined) forgetStored(email);
      // The first page needs no session, so its end does not lead to the login.
      await go("/", { replace: true });
      toast(t("settings.deleted"));
      try {
        await logOut();
      } catch (problem) {
        // The account is gone: without a connection the next call finds that its session is over.
        if (!(problem instanceof Problem)) throw problem;
      }
    },
    /** @returns {Record<string, string> | null} */
    explain: (problem) => {
      if (isWrongPassword(problem)) return { password: t("settings.passwordWrong") };
      return problem.status === 409 ? { "": t("settings.deleteRefused") } : null;
    },
  });
  return h("details", { class: "card deletion" },
    h("summary", {}, t("settings.delete")),
    h("p", {}, t("settings.deleteText")), list(),
    !isCompany && h("p", {}, t("settings.deleteOthers")),
    h("p", {}, t("settings.deleteFirst")), element);
}
