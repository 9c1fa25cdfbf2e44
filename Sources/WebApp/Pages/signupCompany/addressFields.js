// Legal and billing address: three fields each, one text each to the API.

import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { checkbox, field } from "../../Elements/form.js";

const lengthMax = 200;

/** Creates the fields of both addresses. */
export function addressFields() {
  const legal = address("legal_address", "");
  const billing = address("billing_address", "billing ");
  const same = checkbox({
    name: "sameAsLegal", label: t("signupCompany.sameAsLegal"), checked: true,
  });
  const refresh = () => {
    billing.element.hidden = same.control.checked;
  };
  same.control.addEventListener("change", refresh);
  refresh();
  const values = () => ({
    legal_address: legal.value() || null,
    billing_address: (same.control.checked ? legal : billing).value() || null,
  });
  const optional = () => h("span", { class: "optional muted" }, ` ${t("form.optional")}`);
  return {
    refresh, values,
    element: h("div", {},
      h("fieldset", { class: "optional-group" },
        h("legend", {}, t("signupCompany.legalAddress"), optional()), legal.element),
      h("fieldset", { class: "optional-group" },
        h("legend", {}, t("signupCompany.billingAddress"), optional()),
        same.element, billing.element)),
    check: () => ({ ...legal.check(), ...(same.control.checked ? {} : billing.check()) }),
  };
}

/**
 * @param {string} name
 * @param {string} purpose prefix of the `autocomplete` values
 */
function address(name, purpose) {
  const street = field({
    name, label: t("field.address"), autocomplete: `${purpose}street-address`, required: false,
  });
  const zip = field({
    name: `${name}.zip`, label: t("field.zip"), autocomplete: `${purpose}postal-code`,
    required: false, attributes: { maxlength: 16 },
  });
  const city = field({
    name: `${name}.city`, label: t("field.city"), autocomplete: `${purpose}address-level2`,
    required: false,
  });
  const value = () => {
    const place = [zip, city].map(({ control }) => control.value.trim()).filter(Boolean).join(" ");
    return [street.control.value.trim(), place].filter(Boolean).join(", ");
  };
  return {
    value,
    element: h("div", {},
      street.element, h("div", { class: "field-row" }, zip.element, city.element)),
    /** @returns {Record<string, string>} */
    check: () => ([...value()].length > lengthMax ? { [name]: t("field.addressLong") } : {}),
  };
}
