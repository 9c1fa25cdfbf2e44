// Importing an export of another application: upload with progress, then the report.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { number, t } from "../../Client/language.js";
import { guard } from "../../Client/router.js";
import { currentAccount } from "../../Client/session.js";
import { bytesText } from "../../Client/units.js";
import { wait } from "../../Client/work.js";
import { dataTable } from "../../Elements/chart.js";
import { ask } from "../../Elements/dialog.js";
import { field, form, select } from "../../Elements/form.js";
import { announce, notice, problemNotice } from "../../Elements/notice.js";
import { percent } from "./entry.js";
import { formatOf, uploadFile } from "./transfer.js";

/** @typedef {import("../../Client/types").Endpoints["GET /data/import"]["answer"]} Import */
/** @typedef {import("./transfer.js").Format} Format */

/** @type {Format[]} */
const formats = ["apple-health", "health-auto-export", "gpx"];
const bytesMax = 4 * 1024 ** 3;
const firstPause = 500;
const longestPause = 5_000;

/**
 * @param {URLSearchParams} _query
 * @param {AbortSignal} signal
 */
export function importPart(_query, signal) {
  const file = h("input", { type: "file", accept: ".zip,.xml,.json,.gpx" });
  const fileField = field({
    name: "file", label: t("data.file"), control: file, hint: t("data.fileHint"),
  });
  const formatField = field({
    name: "format", label: t("data.format"),
    control: select(formats.map((each) => [each, t(`data.format.${each}`)]),
      { empty: t("data.chooseFormat") }),
  });
  const place = h("div");
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    const format = chosen && formatOf(chosen.name);
    if (format) formatField.control.value = format;
  });

  const send = async () => {
    const chosen = file.files?.[0];
    const format = formats.find((each) => each === formatField.control.value);
    if (!chosen || !format) return;
    const importID = await upload(chosen, format, place, signal);
    if (importID === null) return;
    rememberImport(importID);
    file.value = "";
    void report(importID, place, signal);
  };
  const known = rememberedImport();
  if (known) void report(known, place, signal);
  return h("section", {},
    h("h2", {}, t("health.import")),
    h("p", {}, t("data.importText")),
    form({
      content: [fileField.element, formatField.element], submit: t("data.import"), send,
      check: () => fileErrors(file.files?.[0], formatField.control.value),
      explain: (problem) => (problem.status === 409 ? { "": t("data.importRunning") } : null),
    }), place);
}

/**
 * @param {File | undefined} file
 * @param {string} format
 * @returns {Record<string, string>}
 */
function fileErrors(file, format) {
  /** @type {Record<string, string>} */
  const errors = {};
  if (!file || file.size === 0) errors.file = t("data.fileMissing");
  else if (file.size > bytesMax) errors.file = t("data.fileTooLarge");
  if (!format) errors.format = t("data.formatMissing");
  return errors;
}

/**
 * Uploads a file, with its progress and a button to cancel. Leaving the page asks first.
 * @param {File} file
 * @param {Format} format
 * @param {Element} place
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>} null if it was cancelled
 */
async function upload(file, format, place, signal) {
  const cancel = new AbortController();
  signal.addEventListener("abort", () => cancel.abort());
  const done = new AbortController();
  guard(() => ask({
    title: t("data.leaveTitle"), text: t("data.leaveText"), confirm: t("data.leave"),
  }), done.signal);
  addEventListener("beforeunload", (event) => event.preventDefault(), { signal: done.signal });
  const bar = progressBar(t("data.uploading"));
  show(place, h("div", { class: "card" }, bar.element,
    h("button", { type: "button", class: "secondary", onclick: () => cancel.abort() },
      t("action.cancel"))));
  try {
    bar.set(0, file.size);
    const importID = await uploadFile(file, format, bar.set, cancel.signal);
    return importID;
  } catch (problem) {
    if (signal.aborted) return null;
    show(place, cancel.signal.aborted && notice("info", t("data.cancelled")));
    if (cancel.signal.aborted) return null;
    throw problem;
  } finally {
    done.abort();
  }
}

/**
 * A bar with the amount and the percentage. Screen readers hear every tenth of it.
 * @param {string} label
 */
export function progressBar(label) {
  const bar = h("progress", { max: 100, "aria-label": label });
  const text = h("p", { class: "number" });
  let announced = 0;
  return {
    element: h("div", {}, h("p", {}, h("strong", {}, label)), bar, text),
    /** @type {import("./transfer.js").OnProgress} */
    set: (part, whole) => {
      if (whole === null) {
        bar.removeAttribute("value");
        show(text, bytesText(part));
        return;
      }
      const share = percent(part, whole);
      bar.value = share;
      const share100 = number(share / 100, { style: "percent" });
      show(text, t("data.progress", {
        part: bytesText(part), whole: bytesText(whole), percent: share100,
      }));
      if (share >= announced + 10) {
        announced = share;
        announce(`${label} ${share100}`);
      }
    },
  };
}

/**
 * Follows an import until it is complete; without a connection it tries again.
 * @param {string} importID
 * @param {Element} place
 * @param {AbortSignal} signal
 */
async function report(importID, place, signal) {
  const bar = progressBar(t("data.reading"));
  const count = h("p", { class: "number" });
  const message = h("div");
  show(place, h("div", { class: "card" }, bar.element, count, message));
  let pause = firstPause;
  while (!signal.aborted) {
    try {
      const state = await call("GET /data/import", { query: { importID }, signal });
      show(message);
      if (state.state !== "running") {
        forgetImport();
        show(place, result(state));
        announce(t(state.state === "done" ? "data.importDone" : "data.importFailed"));
        return;
      }
      bar.set(state.bytesRead, state.bytesTotal);
      show(count, t("data.samplesRead", { count: state.samples }));
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status === 404) {
        forgetImport();
        show(place);
        return;
      }
      show(message, problemNotice(problem));
      if (!problem.isTemporary) return;
    }
    await wait(pause, signal);
    pause = Math.min(pause * 1.5, longestPause);
  }
}

/** @param {Import} state */
function result(state) {
  const rows = /** @type {const} */ (["samples", "stored", "duplicates", "disabled", "paused",
    "dropped"]).filter((name) => name === "samples" || name === "stored" || state[name] > 0)
    .map((name) => [t(`data.result.${name}`), number(state[name])]);
  const skipped = Object.entries(state.skipped).sort((left, right) => right[1] - left[1]);
  const skippedCount = skipped.reduce((sum, [, count]) => sum + count, 0);
  const { error } = state;
  return h("div", { class: "card" },
    state.state === "done" ? notice("success", t("data.importDone"))
      : notice("error", h("p", {}, t("data.importFailed")), error && h("p", {}, error.detail),
        error && error.line > 0
          && h("p", {}, t("data.fault", { line: error.line, column: error.column }))),
    dataTable({ head: [t("data.result.what"), t("data.result.count")], rows }, t("data.report")),
    state.dropped > 0 && notice("warning", t("data.dropped", { count: state.dropped })),
    skipped.length > 0 && h("details", {},
      h("summary", {}, t("data.skipped", { count: skippedCount })),
      dataTable({
        head: [t("data.skippedType"), t("data.result.count")],
        rows: skipped.map(([type, count]) => [type, number(count)]),
      }, t("data.skippedHead"))),
    state.stored > 0 && h("p", {}, h("a", { class: "button", href: "/app/health" },
      t("health.title"))));
}

/** The import that is followed again after a reload, for this account. */
function importKey() {
  return `trackme.import.${currentAccount()?.email ?? ""}`;
}

/** @param {string} importID */
function rememberImport(importID) {
  localStorage.setItem(importKey(), importID);
}

function rememberedImport() {
  return localStorage.getItem(importKey());
}

function forgetImport() {
  localStorage.removeItem(importKey());
}
