// The page after a run was published: code, QR picture, link, invitations.

import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { notice, problemText } from "../../Elements/notice.js";
import { inviteForm, shareCard } from "../../Elements/runShare.js";

/**
 * @param {{runID: number, code: string, runName: string,
 *   pictureProblem: import("../../Client/api.js").Problem | null, signal: AbortSignal}} run
 * @returns {HTMLElement[]}
 */
export function published({ runID, code, runName, pictureProblem }) {
  const manage = `/app/organise/runs/${runID}`;
  return [
    h("h1", { tabindex: -1 }, t("newRun.published")),
    notice("success", t("newRun.publishedText", { name: runName })),
    ...(pictureProblem ? [notice("warning",
      h("p", {}, t("newRun.noPicture", { reason: problemText(pictureProblem) })),
      h("p", {}, h("a", { href: `${manage}?part=picture` }, t("newRun.addPicture"))))] : []),
    shareCard({ code, runName }),
    h("p", { class: "actions" },
      h("a", { class: "button", href: manage }, icon("gear"), t("newRun.manage")),
      h("a", { class: "button secondary", href: `${manage}/code` },
        icon("print"), t("newRun.print")),
      h("a", { class: "button secondary", href: `/app/runs/${code}` },
        icon("watch"), t("newRun.view"))),
    h("section", { class: "panel" }, h("h2", {}, t("invite.title")), inviteForm(runID)),
  ];
}
