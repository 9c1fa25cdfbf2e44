// Downloads that show their progress and can be cancelled.

import { Problem, request } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { icon } from "./icon.js";
import { announce, notice, problemNotice } from "./notice.js";

/** @typedef {import("../Client/api.js").EndpointName} EndpointName */

/**
 * A button that downloads the answer of an endpoint as a file.
 * @template {EndpointName} Name
 * @param {object} options
 * @param {Name} options.endpoint
 * @param {import("../Client/api.js").Options<Name>} [options.options] query or path of the call
 * @param {string} options.text of the button
 * @param {string} options.file the name of the file where the answer has none
 * @param {AbortSignal} options.signal ends the download when the reader leaves the page
 */
export function downloadButton({ endpoint, options, text, file, signal }) {
  const status = h("div", { class: "download" });
  const start = async () => {
    const cancelling = new AbortController();
    const cancel = () => cancelling.abort();
    signal.addEventListener("abort", cancel, { once: true });
    const amount = h("span", { class: "number" });
    button.disabled = true;
    show(status, h("p", { class: "row" },
      h("progress", { "aria-label": t("download.running") }), amount,
      h("button", { type: "button", class: "secondary", onclick: cancel }, t("action.cancel"))));
    announce(t("download.running"));
    try {
      const response = await request(endpoint, { ...options, signal: cancelling.signal });
      const name = attachmentName(response.headers.get("content-disposition")) ?? file;
      const parts = await read(response, (bytes) => show(amount, byteText(bytes)));
      save(new Blob(parts, { type: response.headers.get("content-type") ?? "" }), name);
      show(status, notice("success", h("p", {}, t("download.done", { name }))));
    } catch (problem) {
      if (cancelling.signal.aborted) {
        show(status, notice("info", h("p", {}, t("download.cancelled"))));
        return;
      }
      // A TypeError is a connection that breaks in the middle of the body.
      const refusal = problem instanceof TypeError ? new Problem(0, {}) : problem;
      if (!(refusal instanceof Problem)) throw refusal;
      show(status, problemNotice(refusal, () => void start()));
    } finally {
      button.disabled = false;
      signal.removeEventListener("abort", cancel);
    }
  };
  const button = h("button", { type: "button", class: "secondary", onclick: () => void start() },
    icon("download"), text);
  return h("div", {}, h("p", { class: "actions" }, button), status);
}

/**
 * @param {Response} response
 * @param {(bytes: number) => void} onProgress
 */
async function read(response, onProgress) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const reader = response.body?.getReader();
  let bytes = 0;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    parts.push(next.value);
    bytes += next.value.length;
    onProgress(bytes);
  }
  return parts;
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
  const href = URL.createObjectURL(blob);
  const link = h("a", { href, download: name });
  link.click();
  // The browser has taken the file over once the click was handled.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * An amount of bytes in the reader's language.
 * @param {number} bytes
 */
function byteText(bytes) {
  return bytes < 1_000_000
    ? number(bytes / 1000, { style: "unit", unit: "kilobyte", maximumFractionDigits: 0 })
    : number(bytes / 1_000_000, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
}

/**
 * The file name of a `Content-Disposition` (RFC 6266); null without one. Path separators and
 * control characters are replaced, so that the server's text cannot name a folder.
 * @param {string | null} header
 * @returns {string | null}
 */
export function attachmentName(header) {
  const extended = /filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(header ?? "")?.[1];
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? "");
  let name = plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2];
  try {
    if (extended) name = decodeURIComponent(extended);
  } catch {
    // A malformed extended name: the plain one is used.
  }
  const safe = name?.replace(/[\u0000-\u001f\u007f/\\]/g, "_").replace(/^\.+/, "").trim();
  return safe || null;
}
