// Co-organisers of a run: other companies that may change it, invite, and see positions.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { ownRun, stateOf } from "../../Client/ownRuns.js";
import { go } from "../../Client/router.js";
import { currentAccount } from "../../Client/session.js";
import { ask } from "../../Elements/dialog.js";
import { field, form } from "../../Elements/form.js";
import { emptyState, notice, problemNotice, toast } from "../../Elements/notice.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */

/** @type {import("./manageRun.js").Part} */
export function teamPart(run, signal) {
  const list = h("div");
  const draw = (/** @type {string[]} */ names) => show(list, names.length === 0
    ? emptyState(t("team.empty")) : h("ul", {}, names.map((name) => h("li", {}, name))));
  draw(run.coOrganisers);
  const state = stateOf(run);
  const isOver = state === "cancelled" || state === "ended";
  const refresh = async () => draw((await ownRun(run.runID, signal)).coOrganisers);
  return h("div", {}, h("h2", {}, t("manageRun.part.team")), h("p", {}, t("team.meaning")), list,
    isOver ? notice("info", t("team.over"))
      : run.coOrganised ? withdrawal(run)
        : [change(run, true, refresh), run.coOrganisers.length > 0 && change(run, false, refresh)]);
}

/**
 * A form that adds or removes a company by its email; the API lists names only.
 * @param {OwnRun} run
 * @param {boolean} allowed
 * @param {() => Promise<void>} refresh
 */
function change(run, allowed, refresh) {
  const email = field({
    name: "email", label: t("team.email"), type: "email", autocomplete: "off",
    hint: allowed ? t("team.addHint") : t("team.removeHint"),
  });
  const done = h("div");
  return h("section", { class: "panel" }, h("h3", {}, allowed ? t("team.add") : t("team.remove")),
    form({
      content: [email.element], submit: allowed ? t("team.add") : t("team.remove"),
      isDestructive: !allowed,
      check: () => {
        show(done);
        return email.control.value.trim()
          ? /** @type {{}} */ ({}) : { email: t("team.emailMissing") };
      },
      send: async (key) => {
        const address = email.control.value.trim();
        const isSure = allowed || await ask({
          title: t("team.removeTitle"), text: h("p", {}, t("team.removeText", { email: address })),
          confirm: t("team.remove"), isDestructive: true,
        });
        if (!isSure) return;
        await call("POST /t4r/org/coorganiser", {
          body: { runID: run.runID, email: address, allowed }, key,
        });
        email.control.value = "";
        show(done, notice("success", allowed ? t("team.added") : t("team.removed")));
        await refresh();
      },
      explain: (problem) => problem.status === 404 ? { email: t("team.unknown") }
        : problem.status === 409 ? { email: problem.detail || t("team.refused") } : null,
    }), done);
}

/**
 * A co-organiser may end its own part.
 * @param {OwnRun} run
 */
function withdrawal(run) {
  const message = h("div");
  const withdraw = async () => {
    const email = currentAccount()?.email;
    if (!email) return;
    const isSure = await ask({
      title: t("team.withdrawTitle"), confirm: t("team.withdraw"), isDestructive: true,
      text: h("p", {}, t("team.withdrawText", { name: run.runName })),
    });
    if (!isSure) return;
    try {
      await call("POST /t4r/org/coorganiser", {
        body: { runID: run.runID, email, allowed: false },
      });
      toast(t("team.withdrawn"));
      await go("/app/organise/runs");
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    }
  };
  return h("section", { class: "panel" }, h("p", {}, t("team.own")), message,
    h("button", { type: "button", class: "destructive", onclick: () => void withdraw() },
      t("team.withdraw")));
}
