// Sector, phone, payment, services, and the place of a hospital.

import { h, show } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { coordinate, isPhone } from "../../Client/rules.js";
import { checkbox, field, mark, select } from "../../Elements/form.js";

/** @typedef {import("../../Elements/form.js").Field} Field */
/** @typedef {import("../../Client/types").Endpoints["POST /auth/reg/tp"]["body"]} Body */

const payments = /** @type {const} */ (["card", "paypal", "transfer"]);
const services = /** @type {const} */ (["AutomatedSOS", "Track4Run"]);

/**
 * Creates the fields.
 * @param {AbortSignal} signal
 */
export function businessFields(signal) {
  const sector = field({
    name: "sector", label: t("signupCompany.sector"), required: false, autocomplete: "off",
    attributes: { maxlength: 200 },
  });
  const phone = field({
    name: "phone", label: t("field.phone"), type: "tel", autocomplete: "tel", required: false,
    hint: t("field.phoneHint"), attributes: { maxlength: 64 },
  });
  const payment = field({
    name: "payment_method", label: t("signupCompany.payment"), required: false,
    control: select(payments.map((each) => [each, t(`payment.${each}`)]),
      { empty: t("signupPerson.notStated") }),
  });
  const shown = services.map((service) => ({
    service, box: checkbox({ name: `services.${service}`, label: t(`service.${service}`) }),
  }));
  const place = coordinateField(signal);
  const text = (/** @type {Field} */ part) => part.control.value.trim();
  return {
    element: h("fieldset", { class: "optional-group" },
      h("legend", {}, t("signupCompany.business"),
        h("span", { class: "optional muted" }, ` ${t("form.optional")}`)),
      sector.element, phone.element, payment.element,
      h("fieldset", {}, h("legend", { class: "small" }, t("signupCompany.services")),
        shown.map(({ box }) => box.element)),
      place.element),
    values: () => ({
      sector: text(sector) || null, phone: text(phone) || null,
      payment_method: /** @type {NonNullable<Body["payment_method"]>} */ (text(payment)) || null,
      services: shown.filter(({ box }) => box.control.checked).map(({ service }) => service),
      coordinate: coordinate(text(place)),
    }),
    /** @returns {Record<string, string>} */
    check: () => ({
      ...(!text(phone) || isPhone(text(phone)) ? {} : { phone: t("field.phoneWrong") }),
      ...(text(place) && coordinate(text(place)) === null
        ? { coordinate: t("signupCompany.coordinateWrong") } : {}),
    }),
  };
}

/** @param {AbortSignal} signal */
function coordinateField(signal) {
  const made = field({
    name: "coordinate", label: t("signupCompany.coordinate"), required: false, autocomplete: "off",
    hint: t("signupCompany.coordinateHint"), attributes: { inputmode: "text", maxlength: 64 },
  });
  const status = h("p", { class: "hint", role: "status" });
  const button = h("button", { type: "button", class: "secondary", onclick: () => locate() },
    t("signupCompany.locate"));
  const locate = () => {
    button.disabled = true;
    show(status, t("signupCompany.locating"));
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      if (signal.aborted) return;
      button.disabled = false;
      show(status, t("signupCompany.located", { metres: Math.round(coords.accuracy) }));
      mark(made.element, "");
      made.control.value = `${coords.latitude.toFixed(6)},${coords.longitude.toFixed(6)}`;
      made.control.dispatchEvent(new Event("input", { bubbles: true }));
    }, ({ code, PERMISSION_DENIED }) => {
      if (signal.aborted) return;
      button.disabled = false;
      show(status, code === PERMISSION_DENIED ? t("signupCompany.locateDenied")
        : t("signupCompany.locateFailed"));
    }, { enableHighAccuracy: true, timeout: 15_000 });
  };
  const canLocate = "geolocation" in navigator;
  made.element.append(h("p", { class: "actions", hidden: !canLocate }, button), status);
  return made;
}
