// P41, the organiser's runs, newest on top.

import { call } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { stateOf } from "../../Client/ownRuns.js";
import { keepInAddress } from "../../Client/router.js";
import { field } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { emptyState } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { stateTag } from "../../Elements/runState.js";

/** @typedef {import("../../Client/ownRuns.js").OwnRun} OwnRun */
/** @typedef {"past" | "present" | "future"} When */

const times = /** @type {const} */ (["", "future", "present", "past"]);
/** Milliseconds without typing before the list is searched. */
const typingPause = 400;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  await style("../../Elements/organise.css", import.meta.url);
  const place = h("div");
  const search = field({
    name: "name", label: t("myRuns.search"), type: "search", required: false,
    value: query.get("name") ?? "", attributes: { maxlength: 200 },
  });
  /** @type {"" | When} */
  let when = times.find((each) => each === query.get("when")) ?? "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {AbortController} */
  let shown = new AbortController();
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    shown.abort();
  });

  const read = () => {
    shown.abort();
    shown = new AbortController();
    const name = search.control.value.trim();
    show(place, runList(shown.signal, name, when));
    const parameters = new URLSearchParams({ ...(name && { name }), ...(when && { when }) });
    // A reload, and the way back from a run, show the same search.
    keepInAddress(parameters, signal);
  };
  search.control.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(read, typingPause);
  });
  const filter = h("div", { class: "segments", role: "group", "aria-label": t("myRuns.when") },
    times.map((each) => h("button", {
      type: "button", "aria-pressed": String(each === when),
      onclick: (/** @type {Event} */ event) => {
        when = each;
        for (const button of filter.children) {
          button.setAttribute("aria-pressed", String(button === event.currentTarget));
        }
        read();
      },
    }, t(each === "" ? "myRuns.all" : `myRuns.${each}`))));
  const searching = h("form", {
    role: "search", class: "search-row",
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      clearTimeout(timer);
      read();
    },
  }, search.element, h("div", { class: "field" }, filter));
  read();
  return h("section", { class: "page" },
    h("h1", {}, t("myRuns.title")),
    h("p", { class: "actions" },
      h("a", { class: "button", href: "/app/organise" }, icon("add"), t("menu.newRun"))),
    searching, place);
}

/**
 * @param {AbortSignal} signal
 * @param {string} name
 * @param {"" | When} when
 */
function runList(signal, name, when) {
  const isSearch = name !== "" || when !== "";
  return pagedList({
    signal, label: t("myRuns.title"), key: (/** @type {OwnRun} */ { runID }) => String(runID),
    load: async (cursor) => {
      const { runs, next } = await call("GET /t4r/org/list", {
        query: { name: name || undefined, when: when || undefined, limit: 20, cursor }, signal,
      });
      return { items: runs, next };
    },
    entry, empty: () => isSearch ? emptyState(t("myRuns.noneFound"))
      : emptyState(t("myRuns.empty"),
        h("a", { class: "button", href: "/app/organise" }, t("menu.newRun"))),
  }).element;
}

/** @param {OwnRun} run */
function entry(run) {
  const address = `/app/organise/runs/${run.runID}`;
  const state = stateOf(run);
  const name = h("span", { class: "visually-hidden" }, ` ${run.runName}`);
  return h("li", {}, h("article", { class: "card run-entry" },
    h("div", { class: "row" },
      h("h2", {}, h("a", { href: address }, run.runName)), stateTag(state),
      run.coOrganised && h("span", { class: "tag" }, t("myRuns.coOrganised"))),
    h("p", { class: "muted" }, h("time", { datetime: run.startTime }, dateTime(run.startTime)),
      run.place && ` · ${run.place}`),
    h("p", {}, t("myRuns.enrolled", { count: run.enrolled, max: run.participants })),
    run.coOrganisers.length > 0
      && h("p", { class: "small" }, t("myRuns.with", { names: run.coOrganisers.join(", ") })),
    h("p", { class: "actions" },
      state === "draft" && h("a", { class: "button", href: `${address}?part=course` },
        icon("map"), t("manageRun.addCourse"), name.cloneNode(true)),
      state === "live" && h("a", { class: "button", href: `${address}/live` },
        icon("watch"), t("board.open"), name.cloneNode(true)),
      h("a", { class: "button secondary", href: address },
        t("myRuns.manage"), name.cloneNode(true)),
      run.code && !run.cancelled && h("a", { class: "button secondary", href: `${address}/code` },
        icon("qr"), t("manageRun.code"), name.cloneNode(true)))));
}
