// Sharing the address of a page, or copying it in browsers without sharing.

import { h } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { icon } from "./icon.js";
import { toast } from "./notice.js";

/**
 * A button that shares an address with the device's dialog, or copies it.
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.address full address
 * @param {string} [options.text] of the button
 */
export function shareButton({ title, address, text = t("share.share") }) {
  const share = async () => {
    if ("share" in navigator) {
      try {
        await navigator.share({ title, url: address });
        return;
      } catch (refusal) {
        // The reader closed the device's dialog.
        if (refusal instanceof DOMException && refusal.name === "AbortError") return;
      }
    }
    await copy(address);
  };
  return h("button", { type: "button", class: "secondary", onclick: () => void share() },
    icon("share"), text);
}

/**
 * Copies a text and confirms it.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("share.copied"));
  } catch {
    toast(t("share.notCopied", { text }));
  }
}
