// The calls of the last 30 days, newest first.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, nameOf, t } from "../../Client/language.js";
import { problemNotice } from "../../Elements/notice.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /req/tp/callback/log"]["answer"]["calls"][number]} Call */

const pageSize = 25;

/**
 * The log; `load` reloads its first page.
 * @param {AbortSignal} signal
 */
export function callbackLog(signal) {
  const rows = h("tbody");
  const end = h("div", { role: "status" }, t("programs.loading"));
  const table = h("div", { class: "scroll-x", hidden: true }, h("table", {},
    h("caption", { class: "visually-hidden" }, t("log.title")),
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, t("log.time")), h("th", { scope: "col" }, t("log.event")),
      h("th", { scope: "col" }, t("log.outcome")), h("th", { scope: "col" }, t("log.next")))),
    rows));

  /** @param {string} [cursor] */
  const load = async (cursor) => {
    end.setAttribute("aria-busy", "true");
    try {
      const { calls, next } = await call("GET /req/tp/callback/log", {
        query: { limit: pageSize, cursor }, signal,
      });
      if (cursor === undefined) show(rows);
      rows.append(...calls.map(row));
      table.hidden = rows.children.length === 0;
      const more = () => void load(next);
      show(end, table.hidden && h("p", { class: "muted" }, t("log.empty")),
        next && h("p", { class: "actions" },
          h("button", { type: "button", class: "secondary", onclick: more }, t("action.more"))));
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(end, problemNotice(problem, () => void load(cursor)));
    } finally {
      end.removeAttribute("aria-busy");
    }
  };

  void load();
  const again = h("button", { type: "button", class: "plain", onclick: () => void load() },
    t("log.refresh"));
  return {
    load: () => load(),
    element: h("div", {}, h("div", { class: "row" }, h("h3", {}, t("log.title")), again),
      table, end),
  };
}

/** @param {Call} each */
function row({ id, time, delivered, status, error, nextAttemptAt }) {
  const outcome = error ? nameOf("callback.error", error) : "";
  return h("tr", {},
    h("th", { scope: "row" }, dateTime(time, { dateStyle: "short", timeStyle: "medium" })),
    h("td", {}, id === "test" ? t("callback.test") : h("code", {}, id)),
    h("td", {},
      h("span", { class: `tag ${delivered ? "tag-positive" : "tag-negative"}` },
        t(delivered ? "log.delivered" : "log.failed")),
      outcome && ` ${outcome}`,
      status !== null && ` ${t("callback.answered", { status: String(status) })}`),
    h("td", {}, nextAttemptAt ? dateTime(nextAttemptAt) : "–"));
}
