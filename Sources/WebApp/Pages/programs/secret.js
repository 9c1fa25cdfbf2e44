// A secret that is shown once, with a button to copy it.

import { h, identifier, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { announce } from "../../Elements/notice.js";

/**
 * Shows a secret and moves the focus to it. It is removed by the button or with the page.
 * @param {HTMLElement} place
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.text its purpose
 * @param {string} options.secret
 */
export function showSecret(place, { title, text, secret }) {
  const id = identifier();
  const control = h("input", {
    id, type: "text", readonly: true, value: secret, autocomplete: "off", spellcheck: "false",
    class: "secret",
  });
  const copied = h("span", { class: "small" });
  const copy = async () => {
    control.select();
    try {
      await navigator.clipboard.writeText(secret);
      show(copied, t("secret.copied"));
      announce(t("secret.copied"));
    } catch (cause) {
      if (!(cause instanceof DOMException) && !(cause instanceof TypeError)) throw cause;
      // Without permission the selected text can be copied by hand.
      show(copied, t("secret.copyByHand"));
    }
  };
  const heading = h("h3", { tabindex: -1 }, title);
  show(place, h("div", { class: "notice notice-warning" }, heading,
    h("p", {}, text), h("p", {}, h("strong", {}, t("secret.once"))),
    h("label", { class: "visually-hidden", for: id }, title),
    h("div", { class: "with-button" }, control,
      h("button", { type: "button", onclick: () => void copy() }, t("secret.copy"))),
    h("p", { class: "actions" }, h("button", {
      type: "button", class: "secondary", onclick: () => show(place),
    }, t("secret.kept")), copied)));
  heading.focus();
}
