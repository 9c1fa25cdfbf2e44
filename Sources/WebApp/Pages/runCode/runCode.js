// P42, the code and the QR picture of a run, large enough for a poster.

import { call, Problem } from "../../Client/api.js";
import { h, style } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { ownRun, runNumber } from "../../Client/ownRuns.js";
import { icon } from "../../Elements/icon.js";
import { emptyState, notice } from "../../Elements/notice.js";
import { codeText, runLink, shareCard } from "../../Elements/runShare.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ parameters, signal }) {
  await Promise.all([style("../../Elements/organise.css", import.meta.url),
    style("runCode.css", import.meta.url)]);
  const runID = runNumber(parameters.runID);
  const run = await ownRun(runID, signal).catch((problem) => {
    if (problem instanceof Problem && problem.status === 404) return null;
    throw problem;
  });
  const back = h("p", { class: "no-print" }, h("a", { href: run ? `/app/organise/runs/${runID}`
    : "/app/organise/runs" }, t("runCode.back")));
  if (!run) {
    return h("section", { class: "page" }, h("h1", {}, t("runCode.title")),
      notice("error", t("manageRun.unknown")), back);
  }
  if (!run.code || run.cancelled) {
    return h("section", { class: "page" }, h("h1", {}, t("runCode.title")),
      emptyState(run.cancelled ? t("runCode.cancelled") : t("runCode.unpublished"),
        !run.cancelled && h("a", {
          class: "button", href: `/app/organise/runs/${runID}?part=course`,
        }, t("manageRun.addCourse"))), back);
  }
  const { code, runName } = run;
  const link = await call("GET /t4r/run/{code}", { path: { code }, signal })
    .then((shown) => shown.link, (problem) => {
      if (problem instanceof Problem) return runLink(code);
      throw problem;
    });
  return h("section", { class: "page" },
    h("h1", { class: "no-print" }, t("runCode.title")),
    poster({ code, runName, link, place: run.place, startTime: run.startTime }),
    h("p", { class: "actions no-print" },
      h("button", { type: "button", onclick: () => print() }, icon("print"), t("runCode.print")),
      h("a", {
        class: "button secondary", href: `/t4r/run/${code}/qr.svg`, download: `${code}.svg`,
      }, icon("download"), t("runCode.download"))),
    h("div", { class: "no-print" }, h("h2", {}, t("runCode.share")),
      shareCard({ code, runName, link })),
    back);
}

/**
 * The sheet to print.
 * @param {{code: string, runName: string, link: string, place: string | undefined,
 *   startTime: string}} run
 */
function poster({ code, runName, link, place, startTime }) {
  return h("div", { class: "poster" },
    h("p", { class: "poster-name" }, runName),
    h("p", { class: "poster-when" }, dateTime(startTime, { dateStyle: "full", timeStyle: "short" }),
      place && ` · ${place}`),
    h("img", {
      class: "poster-qr", src: `/t4r/run/${encodeURIComponent(code)}/qr.svg`, width: 480,
      height: 480, alt: t("runShare.qr", { link }),
    }),
    h("p", { class: "poster-how" }, t("runCode.how")),
    h("p", { class: "poster-code", "aria-label": [...code].join(" ") }, codeText(code)),
    h("p", { class: "poster-link" }, link));
}
