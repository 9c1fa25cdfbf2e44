// A run in a list: picture, name, place, times and actions.

import { h } from "../Client/dom.js";
import { relative, t } from "../Client/language.js";
import { icon } from "./icon.js";
import { spanText, stateName } from "./runFormat.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/active/list"]["answer"]["run"][number]} ListedRun */

/**
 * The state of a run as a tag. Full and closed runs are still `open` to the API.
 * @param {object} run
 * @param {"open" | "live" | "ended"} run.state
 * @param {boolean} [run.cancelled]
 * @param {number} [run.enrolled]
 * @param {number} [run.participants]
 * @param {string} [run.enrolUntil]
 */
export function stateTag({ state, cancelled = false, enrolled, participants, enrolUntil }) {
  if (cancelled) return h("span", { class: "tag tag-negative" }, t("runState.cancelled"));
  if (state === "live") return h("span", { class: "tag tag-positive" }, stateName("live"));
  if (state === "ended") return h("span", { class: "tag" }, stateName("ended"));
  if (participants !== undefined && (enrolled ?? 0) >= participants) {
    return h("span", { class: "tag tag-warning" }, t("runState.full"));
  }
  if (enrolUntil !== undefined && Date.parse(enrolUntil) <= Date.now()) {
    return h("span", { class: "tag tag-warning" }, t("runState.closed"));
  }
  return h("span", { class: "tag tag-positive" }, stateName("open"));
}

/**
 * The address of a run's picture on this site; null without a picture. The API's own address may
 * name another host, from which pages load nothing.
 * @param {{code: string, picture?: string}} run
 */
export function pictureAddress({ code, picture }) {
  return picture ? `/t4r/run/${encodeURIComponent(code)}/picture` : null;
}

/**
 * The page of a run.
 * @param {string} code
 * @param {"" | "/live" | "/placings"} [part]
 */
export function runAddress(code, part = "") {
  return `/app/runs/${encodeURIComponent(code)}${part}`;
}

/**
 * A run of the public list as a card; the whole card is one link.
 * @param {ListedRun} run
 */
export function runCard(run) {
  const left = Math.max(0, run.participants - run.enrolled);
  const address = pictureAddress(run);
  const part = run.state === "live" ? "/live" : run.state === "ended" ? "/placings" : "";
  return h("article", { class: "card run-card" },
    address ? h("img", { class: "run-card-picture", src: address, alt: "", loading: "lazy" })
      : h("div", { class: "run-card-picture run-card-none" }, icon("run")),
    h("div", { class: "run-card-text" },
      h("p", { class: "row run-card-head" }, stateTag(run),
        h("span", { class: "muted small" }, run.state === "open" && relative(run.startTime))),
      h("h3", {}, h("a", { href: runAddress(run.code) }, run.runName)),
      h("p", { class: "muted" }, [run.organiser, run.place].filter(Boolean).join(" · ")),
      h("p", {}, spanText(run.startTime, run.endTime)),
      h("p", { class: "small" }, run.state === "open"
        ? left > 0 ? t("runCard.left", { count: left, total: run.participants })
          : t("runCard.full", { total: run.participants })
        : t("runCard.enrolled", { count: run.enrolled })),
      part !== "" && h("p", { class: "run-card-actions" },
        h("a", { href: runAddress(run.code, part) },
        t(part === "/live" ? "runCard.watch" : "runCard.results")))));
}
