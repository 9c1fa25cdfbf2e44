// The options of a runner: the choices of joining, invitations, and leaving.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { ask } from "../../Elements/dialog.js";
import { checkbox, field, form } from "../../Elements/form.js";
import { notice, problemNotice, toast } from "../../Elements/notice.js";
import { choiceFields } from "../../Elements/runnerChoices.js";
import { emailsOf } from "./mainRun.js";

/** @typedef {import("./mainRun.js").MyRun} MyRun */

/** The most addresses that one request may invite. */
const emailsMax = 20;

/**
 * @param {MyRun} run
 * @param {AbortSignal} signal
 * @param {() => void} onChange
 */
export function options(run, signal, onChange) {
  const canInvite = !run.cancelled && run.state !== "ended";
  return h("div", { class: "my-run-options" },
    !run.cancelled && h("details", {},
      h("summary", {}, t("myRun.choices")), choices(run, onChange)),
    canInvite && h("details", {}, h("summary", {}, t("myRun.invite")), invitation(run)),
    h("details", {}, h("summary", {}, t("myRun.leave")), leaving(run, signal)));
}

/**
 * @param {MyRun} run
 * @param {() => void} onChange
 */
function choices(run, onChange) {
  const fields = choiceFields(run);
  return form({
    content: [h("p", { class: "muted" }, t("myRun.choicesText")), ...fields.elements],
    submit: t("action.save"),
    send: async (key) => {
      // Without a name in the form, the number alone is shown.
      await call("POST /t4r/my/settings", {
        key, body: { runID: run.runID, runnerName: "", ...fields.values() },
      });
      toast(t("myRun.choicesSaved"));
      onChange();
    },
  });
}

/** @param {MyRun} run */
function invitation(run) {
  const emails = field({
    name: "emails", label: t("myRun.emails"), hint: t("myRun.emailsHint", { count: emailsMax }),
    control: h("textarea", { rows: 3, spellcheck: "false", autocapitalize: "off" }),
  });
  const done = h("div");
  return h("div", {}, form({
    content: [emails.element], submit: t("myRun.inviteSubmit"), draft: `invite.${run.runID}`,
    check: () => {
      const count = emailsOf(emails.control.value).length;
      if (count === 0) return { emails: t("myRun.emailsMissing") };
      return /** @type {Record<string, string>} */ (
        count > emailsMax ? { emails: t("myRun.emailsTooMany", { count: emailsMax }) } : {});
    },
    send: async (key) => {
      const addresses = emailsOf(emails.control.value);
      show(done);
      await call("POST /t4r/active/invite", { key, body: { runID: run.runID, emails: addresses } });
      emails.control.value = "";
      show(done, notice("success", t("myRun.invited", { count: addresses.length })));
    },
  }), done);
}

/**
 * @param {MyRun} run
 * @param {AbortSignal} signal
 */
function leaving(run, signal) {
  const message = h("div");
  const keep = checkbox({ name: "keepName", label: t("myRun.keepName"), checked: true });
  // Only runners who started have a result to keep.
  const mayHaveResult = run.state !== "open" && run.checkedIn;
  const leave = async () => {
    const agrees = await ask({
      title: t("myRun.leaveTitle", { name: run.runName }),
      text: h("p", {}, t(mayHaveResult ? "myRun.leaveResult" : "myRun.leaveText")),
      confirm: t("myRun.leaveConfirm"), isDestructive: true,
    });
    if (!agrees || signal.aborted) return;
    try {
      const { resultKept } = await call("POST /t4r/active/leave", {
        body: { runID: run.runID, keepName: mayHaveResult && keep.control.checked },
      });
      toast(t(resultKept ? "myRun.leftResult" : "myRun.left"));
      await go("/app/myrun", { replace: true });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    }
  };
  return h("div", {},
    h("p", {}, t(mayHaveResult ? "myRun.leaveResult" : "myRun.leaveText")),
    mayHaveResult && keep.element, message,
    h("button", { type: "button", class: "destructive", onclick: () => void leave() },
      t("myRun.leaveConfirm")));
}
