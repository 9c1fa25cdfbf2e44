// The data that runners shared, as files.

import { address } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { stateOf } from "../../Client/ownRuns.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, notice } from "../../Elements/notice.js";

const formats = /** @type {const} */ (["csv", "ndjson", "gpx"]);

/** @type {import("./manageRun.js").Part} */
export function downloadPart(run) {
  const state = stateOf(run);
  const hasData = state === "live" || state === "ended" || state === "cancelled";
  return h("div", {}, h("h2", {}, t("manageRun.part.download")),
    h("p", {}, run.coOrganised ? t("runDownload.coText") : t("runDownload.text")),
    notice("info", t("runDownload.recorded")),
    hasData ? h("ul", { class: "cards" }, formats.map((format) => h("li", {},
      h("div", { class: "card" }, h("h3", {}, t(`runDownload.${format}`)),
        h("p", {}, t(`runDownload.${format}Text`)),
        // A link lets the browser write a large file to the disk while it arrives.
        h("a", {
          class: "button", download: "", href: address("/t4r/org/download", {}, {
            runID: run.runID, format,
          }),
        }, icon("download"), t("runDownload.download"))))))
      : emptyState(t("runDownload.early")));
}
