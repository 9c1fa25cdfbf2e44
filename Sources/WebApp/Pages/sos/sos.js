// P17, AutomatedSOS: switching it on in three steps, its settings, and the history.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { loadDataTypes } from "../../Elements/dataTypes.js";
import { problemNotice } from "../../Elements/notice.js";
import { contactsPart } from "./contacts.js";
import { enabling } from "./enabling.js";
import { historyPart } from "./history.js";
import { statePart } from "./monitoring.js";
import { thresholdsPart } from "./thresholds.js";

/** @typedef {import("../../Client/types").Endpoints["GET /sos/settings"]["answer"]} Settings */
/**
 * The common context of the parts of the page.
 * @typedef {object} Shared
 * @property {Settings} settings
 * @property {AbortSignal} signal
 * @property {() => Promise<void>} reload reloads the settings and redraws the page
 */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  const [settings] = await Promise.all([
    call("GET /sos/settings", { signal }), loadDataTypes(),
    style("sos.css", import.meta.url),
  ]);
  const content = h("div");
  /** @param {Settings} now */
  const draw = (now) => {
    const shared = { settings: now, signal, reload };
    if (now.enabled) show(content, on(shared));
    else show(content, enabling(shared, () => void finish()));
  };
  const reload = async () => {
    try {
      draw(await call("GET /sos/settings", { signal }));
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(content, problemNotice(problem, () => void reload()));
    }
  };
  const finish = async () => {
    await reload();
    const heading = content.querySelector("h2");
    if (heading instanceof HTMLElement) {
      heading.tabIndex = -1;
      heading.focus();
    }
  };
  draw(settings);
  return h("section", { class: "page sos" },
    h("h1", {}, t("sos.title")),
    h("p", {}, t("sos.lead")),
    content,
    historyPart(signal));
}

/** @param {Shared} shared */
function on(shared) {
  return [statePart(shared), contactsPart(shared), thresholdsPart(shared)];
}
