// The starts of the listed runs on a map. The list does not contain them, so they are read when the
// reader opens the map; the list below has the same content as text.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { createMap } from "../../Elements/map.js";
import { pointOf } from "../../Elements/mapMath.js";
import { notice } from "../../Elements/notice.js";
import { runAddress } from "../../Elements/runCard.js";

/** @typedef {import("../../Elements/runCard.js").ListedRun} ListedRun */

/** How many starts are read at the same time. */
const workers = 4;

/** Starts that were read, by run; a path changes rarely, and a reload reads it again. */
/** @type {Map<number, import("../../Elements/mapMath.js").Point | null>} */
const known = new Map();

/** @param {AbortSignal} signal */
export function startsMap(signal) {
  /** @type {ListedRun[]} */
  let runs = [];
  /** @type {Promise<import("../../Elements/map.js").MapView> | null} */
  let map = null;
  const place = h("div");
  const message = h("div", { role: "status" });
  const element = h("details", { class: "runs-map" },
    h("summary", {}, t("runs.map")), message, place);

  const draw = async () => {
    map ??= createMap(place, {
      signal, label: t("runs.mapLabel"),
      onMarker: (code) => void go(runAddress(code)),
    });
    const view = await map;
    const waiting = runs.filter(({ runID }) => !known.has(runID));
    let failed = 0;
    const work = async () => {
      for (let run = waiting.shift(); run && !signal.aborted; run = waiting.shift()) {
        try {
          const { path } = await call("POST /t4r/active/spec", { body: { runID: run.runID },
            signal });
          known.set(run.runID, pointOf(path[0]?.coordinate));
        } catch (problem) {
          if (signal.aborted) return;
          if (!(problem instanceof Problem)) throw problem;
          failed += 1;
        }
      }
    };
    show(message, waiting.length > 0 && h("p", { class: "muted" }, t("runs.mapLoading")));
    await Promise.all(Array.from({ length: workers }, work));
    if (signal.aborted) return;
    show(message, failed > 0 && notice("warning", t("runs.mapPart", { count: failed })));
    view.keepMarkers(new Set(runs.map(({ code }) => code)));
    for (const { runID, code, runName, state } of runs) {
      const point = known.get(runID);
      if (!point) continue;
      view.setMarker(code, { point, kind: "start", label: runName, isFaded: state === "ended" });
    }
    view.fit();
  };
  const update = () => {
    if (!element.open || signal.aborted) return;
    draw().catch((/** @type {unknown} */ cause) => {
      if (signal.aborted) return;
      map = null;
      console.error(cause);
      show(message, notice("warning", t("runMap.unavailable")));
    });
  };
  element.addEventListener("toggle", update);
  return {
    element,
    /**
     * @param {ListedRun[]} page
     * @param {boolean} isFirst the page begins the list
     */
    add(page, isFirst) {
      runs = isFirst ? page : [...runs, ...page];
      update();
    },
  };
}
