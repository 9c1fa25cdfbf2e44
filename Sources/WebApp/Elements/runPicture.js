// The picture of a run: choosing a file, seeing it, and sending it.

import { address, Problem } from "../Client/api.js";
import { h, identifier, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { notice } from "./notice.js";

/** The largest file that the API takes: 4 MiB. */
const bytesMax = 4 * 1024 * 1024;

/**
 * A field for a picture.
 * @param {{present?: string, required?: boolean}} [options] present: its address
 */
export function pictureField(options = {}) {
  const { present, required = false } = options;
  const preview = h("div", { class: "picture-preview" });
  const message = h("div");
  /** @type {File | null} */
  let chosen = null;
  const input = h("input", { type: "file", accept: "image/jpeg,image/png", name: "picture" });
  const drop = h("button", {
    type: "button", class: "plain", hidden: true,
    onclick: () => {
      choose(null);
      input.value = "";
      input.focus();
    },
  }, t("runPicture.remove"));

  /** @param {File | null} file */
  const choose = (file) => {
    const fault = !file ? "" : !["image/jpeg", "image/png"].includes(file.type)
      ? t("runPicture.type") : file.size > bytesMax ? t("runPicture.large") : "";
    show(message, fault && notice("error", fault));
    chosen = fault ? null : file;
    void draw();
  };
  const draw = async () => {
    drop.hidden = chosen === null;
    if (chosen) {
      const file = chosen;
      const address = await dataAddress(file);
      if (file === chosen) show(preview, h("img", { src: address, alt: t("runPicture.preview") }));
    } else show(preview, present && h("img", { src: present, alt: t("runPicture.now") }));
  };
  input.addEventListener("change", () => choose(input.files?.[0] ?? null));
  void draw();
  const label = h("label", {}, t("runPicture.label"),
    !required && h("span", { class: "optional" }, ` ${t("form.optional")}`));
  input.id = identifier();
  label.htmlFor = input.id;
  return {
    element: h("div", { class: "field", "data-field": "picture" }, label,
      h("p", { class: "hint" }, t("runPicture.hint")), input, drop, message, preview,
      h("p", { class: "error" })),
    /** The chosen file, if it can be sent. */
    file: () => chosen,
  };
}

/**
 * The picture as an address `data:`, which the content security policy allows.
 * @param {File} file
 * @returns {Promise<string>} empty if it cannot be read
 */
function dataAddress(file) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve("");
    reader.readAsDataURL(file);
  });
}

/**
 * Sends the picture of a run.
 * @param {number} runID
 * @param {File} file
 * @param {AbortSignal} signal
 */
export async function sendPicture(runID, file, signal) {
  let response;
  try {
    response = await fetch(address("/t4r/org/picture", {}, { runID }), {
      method: "POST", body: file, signal, credentials: "same-origin",
      headers: { accept: "application/json", "content-type": file.type },
    });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new Problem(0, {});
  }
  if (response.ok) return;
  const seconds = Number(response.headers.get("retry-after")) || null;
  throw new Problem(response.status, await response.json().catch(() => ({})), seconds);
}
