// The API keys of a company's programs.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { dateTime, relative, t } from "../../Client/language.js";
import { fill } from "../../Client/work.js";
import { ask } from "../../Elements/dialog.js";
import { field, form } from "../../Elements/form.js";
import { emptyState, toast } from "../../Elements/notice.js";
import { busy } from "../../Elements/requestActions.js";
import { showSecret } from "./secret.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /auth/keys"]["answer"]["keys"][number]} Key */

/**
 * The section of keys.
 * @param {AbortSignal} signal
 */
export function keysSection(signal) {
  const list = h("div", {}, t("programs.loading"));
  const secret = h("div");
  const failure = h("div");

  const load = () => fill(list, signal, async () => {
    const { keys } = await call("GET /auth/keys", { signal });
    return keys.length === 0 ? emptyState(t("keys.empty")) : table(keys);
  });

  /** @param {Key[]} keys */
  const table = (keys) => h("div", { class: "scroll-x" }, h("table", {},
    h("caption", { class: "visually-hidden" }, t("keys.title")),
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, t("keys.name")), h("th", { scope: "col" }, t("keys.made")),
      h("th", { scope: "col" }, t("keys.used")),
      h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, t("keys.revoke"))))),
    h("tbody", {}, keys.map((key) => h("tr", {},
      h("th", { scope: "row" }, key.name), h("td", {}, dateTime(key.createdAt)),
      h("td", {}, key.lastUsedAt === null ? t("keys.never") : relative(key.lastUsedAt)),
      h("td", {}, h("button", {
        type: "button", class: "destructive",
        "aria-label": t("keys.revokeNamed", { name: key.name }),
        onclick: () => void busy(failure, () => revoke(key)),
      }, t("keys.revoke"))))))));

  /** @param {Key} key */
  const revoke = async (key) => {
    const isSure = await ask({
      title: t("keys.revokeNamed", { name: key.name }), text: h("p", {}, t("keys.revokeText")),
      confirm: t("keys.revoke"), isDestructive: true,
    });
    if (!isSure) return;
    await call("DELETE /auth/keys/{keyID}", { path: { keyID: key.keyID } });
    toast(t("keys.revoked"));
    await load();
  };

  const name = field({
    name: "name", label: t("keys.newName"), hint: t("keys.newHint"), autocomplete: "off",
    attributes: { maxlength: 100 },
  });
  const send = async () => {
    const made = await call("POST /auth/keys", { body: { name: name.control.value.trim() } });
    showSecret(secret, { title: t("keys.new"), text: t("keys.newText"), secret: made.key });
    name.control.value = "";
    await load();
  };
  void load();
  return h("section", {},
    h("h2", {}, t("keys.title")),
    h("p", {}, t("keys.lead"), " ", h("a", { href: "/docs" }, t("frame.api"))),
    h("div", {}, failure, list), secret,
    h("h3", {}, t("keys.add")),
    form({
      content: [name.element], submit: t("keys.make"), send,
      /** @returns {Record<string, string>} */
      check: () => (name.control.value.trim() ? {} : { name: t("keys.nameMissing") }),
      explain: (problem) => (problem.status === 409 ? { "": t("keys.full") } : null),
    }));
}
