// P22, a run to join or to watch. Invitations and QR codes lead here.

import { call } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { dateTime, number, t } from "../../Client/language.js";
import { icon } from "../../Elements/icon.js";
import { pictureAddress, runAddress, stateTag } from "../../Elements/runCard.js";
import { runCountdown } from "../../Elements/runCountdown.js";
import { missingRun, readRun } from "../../Elements/runMissing.js";
import { distanceText, spanText } from "../../Elements/runFormat.js";
import { pathList, runMap } from "../../Elements/runMap.js";
import { copy, shareButton } from "../../Elements/share.js";
import { joinSection } from "./join.js";

/** @typedef {import("../../Elements/runMissing.js").Run} Run */
/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /t4r/active/spec"]["answer"]} Specification */

export { prepareMap as prepare } from "../../Elements/map.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, signal }) {
  const [run] = await Promise.all([
    readRun(parameters.code ?? "", signal),
    style("../../Elements/runs.css", import.meta.url), style("run.css", import.meta.url),
  ]);
  if (!run) return missingRun();
  const specification = await call("POST /t4r/active/spec", { body: { runID: run.runID }, signal });
  document.title = `${run.runName} – TrackMe`;
  const element = h("section", { class: "page run" });
  draw(element, run, specification, signal);
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {Run} run
 * @param {Specification} specification
 * @param {AbortSignal} signal
 */
function draw(element, run, specification, signal) {
  const picture = pictureAddress(run);
  const map = h("div");
  const tag = h("span");
  const about = h("div");
  /** @param {number} enrolled */
  const showEnrolled = (enrolled) => {
    show(tag, stateTag({ ...run, enrolled }));
    show(about, facts({ ...run, enrolled }, specification));
  };
  showEnrolled(run.enrolled);
  const address = new URL(`/r/${encodeURIComponent(run.code)}`, location.origin).href;
  show(element,
    h("div", { class: "run-title" }, h("h1", {}, run.runName), tag),
    picture && h("img", {
      class: "run-picture", src: picture, alt: t("run.picture", { name: run.runName }),
    }),
    run.description && h("p", { class: "run-description" }, run.description),
    timing(run, signal),
    h("p", { class: "actions" }, watchLink(run),
      shareButton({ title: run.runName, address })),
    h("div", { class: "run-columns" },
      h("div", {}, h("h2", {}, t("run.facts")), about),
      h("div", { id: "join" }, joinSection(run, {
        signal, onJoin: () => showEnrolled(run.enrolled + 1),
      }))),
    h("h2", {}, t("run.course")), map, pathList(specification.path, specification.length),
    codeSection(run, address));
  void runMap(map, {
    path: specification.path, label: t("run.mapLabel", { name: run.runName }), signal,
  });
}

/** @param {Run} run */
function watchLink({ state, code }) {
  if (state === "ended") {
    return [h("a", { class: "button", href: runAddress(code, "/placings") }, icon("list"),
      t("run.results")),
      h("a", { class: "button secondary", href: runAddress(code, "/live") }, icon("map"),
        t("run.lastPositions"))];
  }
  return h("a", { class: "button", href: runAddress(code, "/live") }, icon("watch"),
    t(state === "live" ? "run.watchLive" : "run.spectate"));
}

/**
 * @param {Run} run
 * @param {AbortSignal} signal
 */
function timing(run, signal) {
  if (run.state === "ended") return null;
  const [until, label] = run.state === "live"
    ? [run.endTime, t("run.endsIn")] : [run.startTime, t("run.startsIn")];
  return runCountdown({ until, label, signal });
}

/**
 * @param {Run} run
 * @param {Specification} specification
 */
function facts(run, specification) {
  /** @type {[string, string | undefined][]} */
  const rows = [
    [t("run.organiser"), run.organiser],
    [t("run.place"), run.place],
    [t("run.times"), spanText(run.startTime, run.endTime)],
    [t("run.enrolUntil"), dateTime(run.enrolUntil)],
    [t("run.length"), distanceText(specification.length)],
    [t("run.enrolled"), t("run.enrolledOf", { count: run.enrolled, total: run.participants })],
    [t("run.watching"), number(specification.watching)],
    [t("run.number"), String(run.runID)],
  ];
  return h("dl", { class: "facts" }, rows.filter(([, value]) => value)
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/**
 * @param {Run} run
 * @param {string} address
 */
function codeSection(run, address) {
  const picture = `/t4r/run/${encodeURIComponent(run.code)}/qr.svg`;
  return h("section", { class: "card run-code" },
    h("div", {}, h("h2", {}, t("run.code")),
      h("p", { class: "run-code-text" }, run.code),
      h("p", { class: "muted" }, t("run.codeText")),
      h("p", { class: "actions" },
        h("button", { type: "button", class: "secondary", onclick: () => void copy(address) },
          icon("copy"), t("run.copyLink")),
        h("a", { class: "button secondary", href: picture, download: `${run.code}.svg` },
          icon("download"), t("run.saveQR")))),
    h("img", { class: "run-qr", src: picture, alt: t("run.qr", { name: run.runName }) }));
}
