// P18, notifications: newest first, live, each leading to the page that it is about.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { dateTime, language, relative, t } from "../../Client/language.js";
import { currentAccount } from "../../Client/session.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, problemText, toast } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { pushSwitch } from "../../Elements/pushSwitch.js";
import { noticeIcons, noticeTarget } from "./noticeTarget.js";

/** @typedef {import("./noticeTarget.js").Notice} Notice */

/** The largest number of notices that one call reads or marks. */
const callMax = 500;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await style("notifications.css", import.meta.url);
  const accountType = currentAccount()?.accountType ?? "single";
  const summary = h("p", { class: "muted", role: "status" });
  const readAll = h("button", {
    type: "button", class: "secondary", hidden: true, onclick: () => void markAll(),
  }, icon("check"), t("notifications.readAll"));

  const list = pagedList({
    signal, label: t("notifications.title"), key: (/** @type {Notice} */ { id }) => String(id),
    load: async (cursor) => {
      const { items, unread, next } = await call("GET /notifications", {
        query: { language: language(), cursor }, signal,
      });
      show(summary, unread > 0
        ? t("notifications.unread", { count: unread }) : t("notifications.noneUnread"));
      readAll.hidden = unread === 0;
      return { items, next };
    },
    entry: (notice) => entry(notice, accountType),
    empty: () => emptyState(
      t(accountType === "tp" ? "notifications.emptyCompany" : "notifications.empty")),
  });

  const markAll = async () => {
    readAll.disabled = true;
    try {
      await markEveryNotice(signal);
      await list.refresh();
      dispatchEvent(new CustomEvent("trackme-counts"));
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      toast(problemText(problem));
    } finally {
      readAll.disabled = false;
    }
  };

  addEventListener("trackme-notice", () => void list.refresh(), { signal });
  return h("section", { class: "page" },
    h("h1", {}, t("notifications.title")),
    h("div", { class: "row notices-head" }, summary, h("span", { class: "spring" }), readAll),
    pushSwitch(signal),
    list.element,
    h("p", { class: "small" },
      h("a", { href: "/app/settings#mail" }, t("notifications.mailSettings"))));
}

/**
 * @param {Notice} notice
 * @param {"single" | "tp"} accountType
 */
function entry(notice, accountType) {
  const { id, kind, time, read, text } = notice;
  const target = noticeTarget(notice, accountType);
  const open = () => {
    if (!read) void markOpened(id);
  };
  return h("li", {}, h("a", {
    class: `notice-row${read ? "" : " is-unread"}`, href: target, onclick: open,
  },
    icon(noticeIcons[kind]),
    h("span", { class: "notice-content" },
      h("span", { class: "notice-head small" },
        h("span", {}, t(`notifications.kind.${kind}`)),
        !read && h("span", { class: "tag" }, t("notifications.new")),
        h("time", { datetime: time, title: dateTime(time) }, relative(time))),
      h("span", {}, text))));
}

/**
 * Marks a notice as read. The reader's way to its page does not depend on that.
 * @param {number} id
 */
async function markOpened(id) {
  try {
    await call("POST /notifications/read", { body: { ids: [id] } });
    dispatchEvent(new CustomEvent("trackme-counts"));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
  }
}

/**
 * Marks every notice as read, also those on pages that are not shown.
 * @param {AbortSignal} signal
 */
async function markEveryNotice(signal) {
  /** @type {string | undefined} */
  let cursor;
  do {
    const page = await call("GET /notifications", { query: { limit: callMax, cursor }, signal });
    const ids = page.items.filter(({ read }) => !read).map(({ id }) => id);
    if (ids.length > 0) {
      await call("POST /notifications/read", { body: { ids }, key: newKey(), signal });
    }
    cursor = ids.length < page.unread ? page.next : undefined;
  } while (cursor);
}
