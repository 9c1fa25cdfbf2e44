// The list of all runners beside the live map, with a filter by name and by status.

import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { countStatuses } from "../../Client/livePicture.js";
import { emptyState } from "../../Elements/notice.js";
import { statusName } from "../../Elements/runFormat.js";
import { RunnerTable } from "../../Elements/runnerTable.js";

/** @typedef {import("../../Client/livePicture.js").LivePicture} LivePicture */
/** @typedef {import("../../Client/livePicture.js").RunState} RunState */

export class RunnerList {
  /**
   * @param {string} runName
   * @param {(number: number) => void} onChoose
   */
  constructor(runName, onChoose) {
    this.table = new RunnerTable({
      caption: t("live.caption", { name: runName }), onChoose: (id) => onChoose(Number(id)),
    });
    /** @type {[LivePicture, Set<number>, RunState] | null} */
    this.last = null;
    const again = () => {
      if (this.last) this.show(...this.last);
    };
    this.text = h("input", { type: "search", id: "live-filter", oninput: again });
    this.status = h("select", { id: "live-status", onchange: again });
    this.counts = "";
    this.state = h("div");
    this.controls = h("div", { class: "field-row" },
      h("div", { class: "field" }, h("label", { for: "live-filter" }, t("live.filter")), this.text),
      h("div", { class: "field" }, h("label", { for: "live-status" }, t("live.status")),
        this.status));
    this.element = h("div", {}, this.controls, this.state, this.table.element);
  }

  /**
   * @param {LivePicture} picture
   * @param {Set<number>} chosen
   * @param {RunState} runState
   */
  show(picture, chosen, runState) {
    this.last = [picture, chosen, runState];
    this.showCounts(picture);
    const text = this.text.value.trim().toLowerCase();
    const status = this.status.value;
    const rows = picture.ranked()
      .filter((runner) => (status === "" || runner.status === status)
        && (text === "" || runner.name.toLowerCase().includes(text)
          || String(runner.number) === text))
      .map((runner) => ({ ...runner, id: String(runner.number) }));
    this.controls.hidden = picture.runners.size === 0;
    this.table.show(rows, new Set([...chosen].map(String)));
    this.table.element.hidden = rows.length === 0;
    const shown = rows.length === 0 ? this.emptyText(picture, runState) : "";
    if (this.state.dataset.shown === shown) return;
    this.state.dataset.shown = shown;
    show(this.state, shown !== "" && emptyState(shown));
  }

  /**
   * Why no runner is listed; empty where the end of the run, told above, is the reason.
   * @param {LivePicture} picture
   * @param {RunState} runState
   */
  emptyText(picture, runState) {
    if (picture.runners.size > 0) return t("live.noneFiltered");
    if (runState === "open") return t("live.noneYet");
    if (picture.isRead) return t("live.none");
    return runState === "ended" ? "" : t("work.loading");
  }

  /**
   * The choice of a status shows its number of runners.
   * @param {LivePicture} picture
   */
  showCounts(picture) {
    const counts = countStatuses(picture.runners.values());
    const key = JSON.stringify(counts);
    // Redrawing an open list would close it.
    if (key === this.counts || document.activeElement === this.status) return;
    this.counts = key;
    const { value } = this.status;
    show(this.status, h("option", { value: "" }, t("live.all", { count: picture.runners.size })),
      counts.map(([status, count]) => h("option", { value: status },
        t("live.statusCount", { status: statusName(status), count }))));
    this.status.value = value;
    if (this.status.value !== value) this.status.value = "";
  }
}
