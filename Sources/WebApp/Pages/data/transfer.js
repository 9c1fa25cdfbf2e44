// Uploading a file and downloading the archive, with progress.

import { address, Problem, request } from "../../Client/api.js";

/** @typedef {"apple-health" | "health-auto-export" | "gpx"} Format */
/** @typedef {(part: number, whole: number | null) => void} OnProgress bytes */

/** @type {Record<string, string>} */
const mediaTypes = {
  xml: "application/xml", gpx: "application/gpx+xml", json: "application/json",
  zip: "application/zip",
};

/**
 * The ending of a file's name, in lower case.
 * @param {string} name
 */
function ending(name) {
  return name.toLowerCase().split(".").pop() ?? "";
}

/**
 * The format that a file most likely has.
 * @param {string} name
 * @returns {Format | null} null if the name does not tell
 */
export function formatOf(name) {
  const end = ending(name);
  if (end === "gpx") return "gpx";
  if (end === "json") return "health-auto-export";
  return end === "xml" || /(export|esportazione).*\.zip$/i.test(name) ? "apple-health" : null;
}

/**
 * The media type under which a file is sent.
 * @param {string} name
 */
export function mediaTypeOf(name) {
  return mediaTypes[ending(name)] ?? "application/octet-stream";
}

/**
 * Sends an export. `fetch` does not report the progress of an upload, so this uses XMLHttpRequest.
 * @param {File} file
 * @param {Format} format
 * @param {OnProgress} onProgress
 * @param {AbortSignal} signal cancels the upload; nothing of the file is then stored
 * @returns {Promise<string>} the import's identifier
 */
export function uploadFile(file, format, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const upload = new XMLHttpRequest();
    upload.open("POST", address("/data/import", {}, { format }));
    upload.setRequestHeader("content-type", mediaTypeOf(file.name));
    upload.setRequestHeader("accept", "application/json");
    upload.responseType = "text";
    upload.upload.addEventListener("progress", (event) => onProgress(event.loaded, file.size));
    upload.addEventListener("load", () => {
      const answer = parsed(upload.responseText);
      if (upload.status < 300) resolve(String(answer.importID));
      else {
        const seconds = Number(upload.getResponseHeader("retry-after")) || null;
        reject(new Problem(upload.status, answer, seconds));
      }
    });
    upload.addEventListener("error", () => reject(new Problem(0, {})));
    upload.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => upload.abort());
    if (signal.aborted) reject(signal.reason);
    else upload.send(file);
  });
}

/**
 * @param {string} text
 * @returns {Record<string, string>}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Downloads the archive of all data of the account.
 * @param {OnProgress} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<{archive: Blob, name: string}>}
 */
export async function downloadArchive(onProgress, signal) {
  const response = await request("GET /auth/export", { signal });
  const whole = Number(response.headers.get("content-length")) || null;
  const header = response.headers.get("content-disposition") ?? "";
  const name = /filename="([^"]+)"/.exec(header)?.[1] ?? "trackme.zip";
  const reader = response.body?.getReader();
  /** @type {Uint8Array[]} */
  const pieces = [];
  let bytes = 0;
  while (reader) {
    const { done, value } = await read(reader, signal);
    if (done || !value) break;
    pieces.push(value);
    bytes += value.length;
    onProgress(bytes, whole);
  }
  return { archive: new Blob(pieces, { type: "application/zip" }), name };
}

/**
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {AbortSignal} signal
 */
async function read(reader, signal) {
  try {
    return await reader.read();
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new Problem(0, {});
  }
}
