// Email and password of a new account.

import { h } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { isEmail, passwordFault } from "../Client/rules.js";
import { field } from "./form.js";

/**
 * Creates the fields.
 * @param {{asksEmailTwice?: boolean}} [options]
 */
export function credentials(options = {}) {
  const { asksEmailTwice = false } = options;
  const email = field({
    name: "email", label: t("field.email"), type: "email", autocomplete: "username",
    hint: t("credentials.emailHint"),
  });
  const emailAgain = field({
    name: "emailAgain", label: t("credentials.emailAgain"), type: "email", autocomplete: "off",
  });
  const password = field({
    name: "password", label: t("field.password"), type: "password", autocomplete: "new-password",
    hint: t("credentials.passwordHint"),
  });
  const passwordAgain = field({
    name: "passwordAgain", label: t("credentials.passwordAgain"), type: "password",
    autocomplete: "new-password",
  });
  const values = () => ({ email: email.control.value.trim(), password: password.control.value });

  return {
    element: h("fieldset", {}, h("legend", {}, t("credentials.title")),
      email.element, asksEmailTwice && emailAgain.element, password.element, passwordAgain.element),
    values,
    /** @returns {Record<string, string>} */
    check: () => {
      /** @type {Record<string, string>} */
      const errors = {};
      const again = emailAgain.control.value.trim().toLowerCase();
      const { email: address, password: secret } = values();
      const fault = passwordFault(secret);
      if (!address) errors.email = t("credentials.emailMissing");
      else if (!isEmail(address)) errors.email = t("credentials.emailWrong");
      else if (asksEmailTwice && again !== address.toLowerCase()) {
        errors.emailAgain = t("credentials.emailsDiffer");
      }
      if (fault) errors.password = t(`credentials.password.${fault}`);
      else if (passwordAgain.control.value !== secret) {
        errors.passwordAgain = t("credentials.passwordsDiffer");
      }
      return errors;
    },
  };
}
