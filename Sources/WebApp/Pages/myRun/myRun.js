// P20, the runs of a runner: the live or next one in detail, and all others as a list.

import { call } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { emptyState } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { stateTag } from "../../Elements/runCard.js";
import { spanText } from "../../Elements/runFormat.js";
import { RunDetail } from "./detail.js";
import { mainRun } from "./mainRun.js";

/** @typedef {import("./mainRun.js").MyRun} MyRun */

/** Enough to find the live and the next run; the list begins with the newest starts. */
const firstRuns = 100;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  const [{ runs }] = await Promise.all([
    call("GET /t4r/my/list", { query: { limit: firstRuns }, signal }),
    style("../../Elements/runs.css", import.meta.url), style("myRun.css", import.meta.url),
  ]);
  const run = mainRun(runs, query.get("run"));
  const find = h("a", { class: "button", href: "/app/runs" }, t("myRun.find"));
  if (!run) {
    return h("section", { class: "page" }, h("h1", {}, t("myRun.title")),
      emptyState(t("myRun.none"), find));
  }
  const list = allRuns(run.runID, signal);
  const detail = new RunDetail(run, signal, () => void list.refresh());
  /** Reads the run anew after a notice: it may have changed, or opened its check-in. */
  const refresh = () => {
    void list.refresh();
    detail.refresh();
  };
  addEventListener("trackme-notice", refresh, { signal });
  await detail.load();
  return h("section", { class: "page" },
    h("h1", {}, t("myRun.title")),
    detail.element,
    h("h2", {}, t("myRun.all")), list.element,
    h("p", { class: "actions" }, find));
}

/**
 * @param {number} shown
 * @param {AbortSignal} signal
 */
function allRuns(shown, signal) {
  return pagedList({
    signal, label: t("myRun.all"),
    load: async (cursor) => {
      const { runs, next } = await call("GET /t4r/my/list", { query: { limit: 20, cursor },
        signal });
      return { items: runs, next };
    },
    key: ({ runID }) => String(runID),
    entry: (/** @type {MyRun} */ run) => row(run, run.runID === shown),
    empty: () => emptyState(t("myRun.none")),
  });
}

/**
 * @param {MyRun} run
 * @param {boolean} isShown
 */
function row(run, isShown) {
  const element = h("li", { class: "my-run-row" });
  show(element,
    h("p", { class: "row" }, stateTag({ state: run.state, cancelled: run.cancelled }),
      h("a", { href: `/app/myrun?run=${run.runID}`, "aria-current": isShown ? "true" : null },
        run.runName),
      run.checkedIn && h("span", { class: "tag tag-positive" }, t("myRun.checkedInTag"))),
    h("p", { class: "muted small" }, [spanText(run.startTime, run.endTime), run.place,
      t("myRun.number", { number: String(run.number) })].filter(Boolean).join(" · ")));
  return element;
}
