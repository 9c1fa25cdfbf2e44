// A run by its code, its number, or the QR code on a poster.

import { call } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { runNameOf } from "../../Client/runCode.js";
import { field, form } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { runAddress } from "../../Elements/runCard.js";
import { canScan, scanner } from "./scan.js";

/** @param {AbortSignal} signal */
export function codeSearch(signal) {
  const code = field({
    name: "code", label: t("runs.code"), hint: t("runs.codeHint"),
    attributes: { autocapitalize: "characters", spellcheck: "false", maxlength: 300 },
    autocomplete: "off",
  });
  const place = h("div");

  /** @param {import("../../Client/runCode.js").RunName} name */
  const find = async (name) => {
    if ("code" in name) {
      const run = await call("GET /t4r/run/{code}", { path: { code: name.code }, signal });
      await go(runAddress(run.code));
    } else {
      const run = await call("POST /t4r/active/spec", { body: { runID: name.runID }, signal });
      await go(runAddress(run.code));
    }
  };
  const send = async () => {
    const name = runNameOf(code.control.value);
    if (name) await find(name);
  };
  const element = form({
    content: [code.element], submit: t("runs.open"), send,
    check: () => /** @type {Record<string, string>} */ (
      runNameOf(code.control.value) ? {} : { code: t("runs.codeWrong") }),
    explain: (problem) => (problem.status === 404 || problem.status === 401
      ? { code: t("runs.codeUnknown") } : null),
  });
  const scan = h("button", { type: "button", class: "secondary", hidden: true }, icon("qr"),
    t("runs.scan"));
  scan.addEventListener("click", () => {
    scan.disabled = true;
    const close = () => {
      show(place);
      scan.disabled = false;
      scan.focus();
    };
    show(place, scanner({
      signal, onClose: close,
      onText: (text) => {
        if (!runNameOf(text)) return false;
        code.control.value = text;
        close();
        element.requestSubmit();
        return true;
      },
    }));
  });
  void canScan().then((can) => {
    scan.hidden = !can;
  });
  return h("div", { class: "card runs-code" }, h("h2", {}, t("runs.haveCode")), element, scan,
    place);
}
