// Sharing a run: its code with the QR picture and the link, and invitations by mail.

import { call, newKey, Problem } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { addressesOf } from "../Client/addresses.js";
import { field, form } from "./form.js";
import { icon } from "./icon.js";
import { notice } from "./notice.js";
import { copy, shareButton } from "./share.js";

/**
 * The code in groups that are easy to read aloud and to type.
 * @param {string} code
 */
export function codeText(code) {
  return code.length === 8 ? `${code.slice(0, 4)} ${code.slice(4)}` : code;
}

/**
 * The public page of a run, as in the QR picture.
 * @param {string} code
 */
export function runLink(code) {
  return new URL(`/r/${encodeURIComponent(code)}`, location.origin).href;
}

/**
 * Code, QR picture and link, with buttons to copy and share it.
 * @param {{code: string, runName: string, link?: string}} run
 */
export function shareCard({ code, runName, link = runLink(code) }) {
  const anchor = h("a", { href: link, class: "run-share-link" }, link);
  return h("div", { class: "card run-share" },
    h("img", {
      class: "run-share-qr", src: `/t4r/run/${encodeURIComponent(code)}/qr.svg`,
      alt: t("runShare.qr", { link }), width: 240, height: 240,
    }),
    h("dl", {}, h("dt", {}, t("runShare.code")),
      h("dd", { class: "run-share-code", "aria-label": [...code].join(" ") }, codeText(code)),
      h("dt", {}, t("runShare.link")), h("dd", {}, anchor)),
    h("p", { class: "actions" },
      h("button", { type: "button", class: "secondary", onclick: () => void copy(link) },
        icon("copy"), t("runShare.copy")),
      shareButton({ title: runName, address: link })));
}

/**
 * A form that invites people by mail.
 * @param {number} runID
 */
export function inviteForm(runID) {
  const emails = field({
    name: "emails", label: t("invite.emails"), hint: t("invite.hint"),
    control: h("textarea", { rows: 4, spellcheck: "false", autocomplete: "off" }),
  });
  const done = h("div");
  let key = newKey();
  const element = form({
    content: [emails.element], submit: t("invite.send"),
    check: () => {
      show(done);
      const { addresses, wrong } = addressesOf(emails.control.value);
      const list = wrong.slice(0, 5).join(", ");
      if (wrong.length > 0) return { emails: t("invite.wrong", { list }) };
      if (addresses.length === 0) return { emails: t("invite.none") };
      return addresses.length > 100 ? { emails: t("invite.many") } : /** @type {{}} */ ({});
    },
    send: async () => {
      const { addresses } = addressesOf(emails.control.value);
      await call("POST /t4r/org/invite", { body: { runID, emails: addresses }, key });
      key = newKey();
      emails.control.value = "";
      show(done, notice("success", t("invite.sent", { count: addresses.length })));
    },
    explain: (problem) => inviteFault(problem),
  });
  element.addEventListener("input", () => {
    key = newKey();
  });
  return h("div", {}, element, done);
}

/**
 * @param {Problem} problem
 * @returns {Record<string, string> | null}
 */
function inviteFault(problem) {
  if (problem.status === 409) return { "": t("invite.closed") };
  if (problem.status === 429 && problem.retryAfter === null) return { "": t("invite.tooMany") };
  return null;
}
