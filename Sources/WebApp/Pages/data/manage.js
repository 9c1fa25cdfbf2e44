// Storage: used space, pause of the collection, deletion, and the archive of all data.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { date, dateTime, number, t } from "../../Client/language.js";
import { bytesText, fromLocalInput, localInput, startOfDay } from "../../Client/units.js";
import { fill } from "../../Client/work.js";
import { dataType, dataTypeName, dataTypeSelect } from "../../Elements/dataTypes.js";
import { ask } from "../../Elements/dialog.js";
import { field, form } from "../../Elements/form.js";
import { notice, problemNotice } from "../../Elements/notice.js";
import { percent } from "./entry.js";
import { progressBar } from "./import.js";
import { downloadArchive } from "./transfer.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {import("../../Elements/dataTypes.js").DataTypeName} DataTypeName */
/** @typedef {{type?: DataTypeName, from?: string, to?: string}} Deletion */

const dayLength = 86_400_000;
/** @type {Record<string, string>} */
const noErrors = {};

/**
 * @param {URLSearchParams} _query
 * @param {AbortSignal} signal
 */
export function managePart(_query, signal) {
  const room = h("div");
  const loadRoom = () => fill(room, signal, async () =>
    roomUsed(await call("GET /data/quota", { signal })));
  void loadRoom();
  return h("div", { class: "manage" },
    h("section", {}, h("h2", {}, t("data.room")), room),
    h("section", {}, h("h2", {}, t("data.pauseTitle")), pausePart(signal)),
    h("section", {}, h("h2", {}, t("data.archive")), archivePart(signal)),
    h("section", {}, h("h2", {}, t("data.delete")), deletePart(signal, () => void loadRoom())));
}

/** @param {Endpoints["GET /data/quota"]["answer"]} quota */
function roomUsed({ bytesUsed, bytesMax, oldest }) {
  const share = percent(bytesUsed, bytesMax);
  return h("div", {},
    h("progress", { max: 100, value: share, "aria-label": t("data.room") }),
    h("p", { class: "number" }, t("data.roomUsed", {
      used: bytesText(bytesUsed), max: bytesText(bytesMax),
      percent: number(share / 100, { style: "percent" }),
    })),
    h("p", {}, oldest === null ? t("data.nothingStored") : t("data.oldest", {
      time: dateTime(oldest),
    })),
    share >= 90 && notice("warning", t("data.roomFull")),
    h("p", { class: "small muted" }, t("data.roomHint")));
}

/** @param {AbortSignal} signal */
function pausePart(signal) {
  const place = h("div");
  const until = field({
    name: "until", label: t("data.pauseUntil"), type: "datetime-local",
    value: localInput(new Date(Date.now() + dayLength)), hint: t("data.pauseHint"),
    attributes: { max: localInput(new Date(Date.now() + 366 * dayLength)) },
  });
  const load = () => fill(place, signal, async () => {
    const { pausedUntil } = await call("GET /settings/single/data", { signal });
    return pausedUntil !== null && Date.parse(pausedUntil) > Date.now()
      ? paused(pausedUntil, load) : h("p", {}, t("data.notPaused"));
  });
  void load();
  return h("div", {}, place, form({
    content: [until.element], submit: t("data.pause"),
    check: () => {
      const time = fromLocalInput(until.control.value);
      const isFuture = time !== null && Date.parse(time) > Date.now();
      return isFuture ? noErrors : { until: t("data.pauseWrong") };
    },
    send: async (key) => {
      await call("POST /data/pause", {
        body: { until: fromLocalInput(until.control.value) }, key,
      });
      await load();
    },
  }));
}

/**
 * @param {string} until
 * @param {() => Promise<void>} changed
 */
function paused(until, changed) {
  const message = h("div");
  const resume = async () => {
    try {
      await call("POST /data/pause", { body: { until: null }, key: newKey() });
      await changed();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    }
  };
  return h("div", {},
    notice("warning", h("p", {}, t("data.pausedUntil", { until: dateTime(until) })),
      h("button", { type: "button", onclick: () => void resume() }, t("data.resume"))), message);
}

/** @param {AbortSignal} signal */
function archivePart(signal) {
  const place = h("div");
  const button = h("button", { type: "button", onclick: () => void download() },
    t("data.download"));
  const download = async () => {
    const cancel = new AbortController();
    signal.addEventListener("abort", () => cancel.abort());
    const bar = progressBar(t("data.downloading"));
    bar.set(0, null);
    button.disabled = true;
    show(place, h("div", { class: "card" }, bar.element,
      h("button", { type: "button", class: "secondary", onclick: () => cancel.abort() },
        t("action.cancel"))));
    try {
      const { archive, name } = await downloadArchive(bar.set, cancel.signal);
      save(archive, name);
      show(place, notice("success", t("data.downloaded", { name, size: bytesText(archive.size) })));
    } catch (problem) {
      if (signal.aborted) return;
      if (cancel.signal.aborted) show(place, notice("info", t("data.downloadCancelled")));
      else if (problem instanceof Problem) {
        show(place, problemNotice(problem, () => void download()));
      } else throw problem;
    } finally {
      button.disabled = false;
    }
  };
  return h("div", {}, h("p", {}, t("data.archiveText")), h("p", {}, button), place);
}

/**
 * Lets the browser store a file.
 * @param {Blob} file
 * @param {string} name
 */
function save(file, name) {
  const href = URL.createObjectURL(file);
  const link = h("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the address after the click; a minute is far beyond that.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} onDeleted
 */
function deletePart(signal, onDeleted) {
  const type = field({
    name: "type", label: t("data.deleteType"), required: false,
    control: dataTypeSelect({ empty: t("data.allTypes") }),
  });
  const first = field({ name: "from", label: t("data.deleteFrom"), type: "date", required: false });
  const last = field({ name: "to", label: t("data.deleteTo"), type: "date", required: false });
  const result = h("div", { role: "status" });
  /** @returns {Deletion} */
  const chosen = () => ({
    type: dataType(type.control.value)?.dataType,
    from: startOfDay(first.control.value) ?? undefined,
    to: startOfDay(last.control.value, 1) ?? undefined,
  });
  const send = async () => {
    show(result);
    const deletion = chosen();
    const what = deletionText(deletion, first.control.value, last.control.value);
    if (!await isConfirmed(deletion, what, signal)) return;
    const { deleted, bytesFreed } = await call("DELETE /data", { query: deletion });
    show(result, notice("success", t("data.deleted", {
      count: deleted, size: bytesText(bytesFreed),
    })));
    onDeleted();
  };
  return h("div", {}, h("p", {}, t("data.deleteText")), form({
    content: [type.element, h("div", { class: "field-row" }, first.element, last.element)],
    submit: t("data.deleteNext"), send, isDestructive: true,
    check: () => {
      const { from, to } = chosen();
      return from && to && from >= to ? { to: t("timespan.wrong") } : noErrors;
    },
  }), result);
}

/**
 * The effect of a deletion, in words.
 * @param {Deletion} deletion
 * @param {string} first
 * @param {string} last
 */
function deletionText({ type }, first, last) {
  const what = type ? dataTypeName(type) : t("data.everyType");
  if (first && last) return t("data.ofPeriod", { what, from: date(first), to: date(last) });
  if (first) return t("data.ofFrom", { what, from: date(first) });
  return last ? t("data.ofUntil", { what, to: date(last) }) : t("data.ofAll", { what });
}

/**
 * Asks twice, because a deletion is final: first with its effect, then for confirmation.
 * @param {Deletion} deletion
 * @param {string} what
 * @param {AbortSignal} signal
 */
async function isConfirmed({ type, from, to }, what, signal) {
  const { dataTypes } = await call("GET /data/stats", { query: { types: type, from, to }, signal });
  const count = dataTypes.reduce((sum, each) => sum + each.count, 0);
  const isSure = await ask({
    title: t("data.deleteTitle"), isDestructive: true, confirm: t("data.deleteConfirm"),
    text: [
      h("p", {}, h("strong", {}, what)), count > 0 && h("p", {}, t("data.deleteCount", { count })),
      h("p", {}, t("data.deleteCopies")),
    ],
  });
  return isSure && await ask({
    title: t("data.deleteAgain"), isDestructive: true, confirm: t("data.deleteFinally"),
    text: [h("p", {}, h("strong", {}, what)), h("p", {}, t("data.noWayBack"))],
  });
}
