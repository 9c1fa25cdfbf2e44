// P21, finding a run: by code or number, by QR code, by name, place and state, and near the reader.

import { call } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { keepInAddress } from "../../Client/router.js";
import { emptyState } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { runCard } from "../../Elements/runCard.js";
import { codeSearch } from "./codeSearch.js";
import { addressQuery, filtersOf, isFiltered, queryOf } from "./filters.js";
import { near } from "./near.js";
import { nextFirst } from "./order.js";
import { startsMap } from "./startsMap.js";

/** @typedef {import("../../Elements/runCard.js").ListedRun} ListedRun */
/** @typedef {import("./filters.js").Filters} Filters */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  await Promise.all([
    style("../../Elements/runs.css", import.meta.url), style("runs.css", import.meta.url),
  ]);
  let filters = filtersOf(query);
  const results = h("div", { class: "runs-results" });
  const states = h("div", { class: "segments", role: "group", "aria-label": t("runs.state") });
  let search = new AbortController();
  signal.addEventListener("abort", () => search.abort(), { once: true });

  /** @param {Partial<Filters>} change */
  const filter = (change) => {
    filters = { ...filters, ...change };
    // The filters are in the address: the search can be shared, and survives the back button.
    keepInAddress(addressQuery(filters), signal);
    drawStates();
    list();
  };
  const drawStates = () => show(states, /** @type {Filters["state"][]} */ (["", "open", "live",
    "ended"])
    .map((state) => h("button", {
      type: "button", "aria-pressed": String(filters.state === state),
      onclick: () => {
        filter({ state });
        const pressed = states.querySelector('[aria-pressed="true"]');
        if (pressed instanceof HTMLElement) pressed.focus();
      },
    }, state === "" ? t("runs.allStates") : t(`runs.filter.${state}`))));

  const list = () => {
    search.abort();
    search = new AbortController();
    const own = search.signal;
    const used = filters;
    const map = startsMap(own);
    const { element } = pagedList({
      signal: own, label: t("runs.list"),
      load: async (cursor) => {
        const { run, next } = await call("GET /t4r/active/list", {
          query: { ...queryOf(used), limit: 20, cursor }, signal: own,
        });
        const isFirst = cursor === undefined;
        map.add(run, isFirst);
        return { items: isFirst ? nextFirst(run, next === undefined) : run, next };
      },
      key: ({ runID }) => String(runID),
      entry: (/** @type {ListedRun} */ run) => h("li", {}, runCard(run)),
      empty: () => nothing(used, () => {
        name.value = place.value = "";
        nearby.clear();
        filter({ name: "", place: "", near: "", state: "" });
      }),
    });
    show(results, map.element, element);
  };

  const name = h("input", { type: "search", id: "runs-name", value: filters.name, maxlength: 200 });
  const place = h("input", { type: "search", id: "runs-place", value: filters.place,
    maxlength: 200 });
  const nearby = near(filters, signal, (change) => filter(change));
  const searchForm = h("form", {
    role: "search", class: "runs-search",
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      filter({ name: name.value.trim(), place: place.value.trim() });
    },
  },
  h("div", { class: "field-row" },
    h("div", { class: "field" }, h("label", { for: "runs-name" }, t("runs.name")), name),
    h("div", { class: "field" }, h("label", { for: "runs-place" }, t("runs.place")), place)),
  h("div", { class: "actions" }, h("button", { type: "submit" }, t("runs.search")),
    nearby.element));

  drawStates();
  list();
  return h("section", { class: "page runs" },
    h("h1", {}, t("runs.title")),
    h("p", {}, t("runs.lead")),
    codeSearch(signal),
    h("h2", {}, t("runs.find")), searchForm,
    h("p", {}, states), results);
}

/**
 * @param {Filters} filters
 * @param {() => void} clear
 */
function nothing(filters, clear) {
  if (!isFiltered(filters)) return emptyState(t("runs.none"));
  return emptyState(filters.near ? t("runs.noneNear") : t("runs.noneFound"),
    h("button", { type: "button", class: "secondary", onclick: clear }, t("runs.clear")));
}
