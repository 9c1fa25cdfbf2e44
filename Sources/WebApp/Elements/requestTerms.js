// The common part of both kinds of request: period, subscription, and the price before sending.

import { call, Problem } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { t } from "../Client/language.js";
import { ask } from "./dialog.js";
import { checkbox, field, requireField, select } from "./form.js";
import { problemText } from "./notice.js";
import { needsDuration, termsOf } from "./requestBody.js";
import { money } from "./requests.js";

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /req/tp/price"]["body"]} PriceBody */

/**
 * The fields for the period and the subscription.
 * @param {object} hints
 * @param {string} hints.from
 * @param {string} hints.to
 * @param {string} hints.subscribe the effect of a subscription
 */
export function requestTerms(hints) {
  const from = field({
    name: "from", label: t("terms.from"), type: "date", required: false, hint: hints.from,
  });
  const to = field({
    name: "to", label: t("terms.to"), type: "date", required: false, hint: hints.to,
  });
  const subscribing = checkbox({ name: "subscribing", label: hints.subscribe });
  const count = field({
    name: "duration", label: t("terms.duration"), hint: t("terms.durationHint"),
    attributes: { inputmode: "numeric" }, autocomplete: "off", required: false,
  });
  const unit = field({
    name: "unit", label: t("terms.unit"), value: "month",
    control: select([
      ["day", t("terms.days")], ["week", t("terms.weeks")],
      ["month", t("terms.months")], ["year", t("terms.years")],
    ]),
  });
  const length = h("div", { class: "field-row" }, count.element, unit.element);
  const element = h("div", {},
    h("fieldset", {}, h("legend", {}, t("terms.period")),
      h("div", { class: "field-row" }, from.element, to.element)),
    h("fieldset", {}, h("legend", {}, t("terms.subscription")), subscribing.element, length));

  const typed = () => ({
    from: from.control.value, to: to.control.value, subscribing: subscribing.control.checked,
    count: count.control.value, unit: unit.control.value,
  });
  const read = () => termsOf(typed(), new Date());

  /** Shows the length of a subscription only where there is one. */
  const update = () => {
    length.hidden = !subscribing.control.checked;
    const isNeeded = needsDuration(typed(), new Date());
    requireField(count, isNeeded, t(isNeeded ? "terms.durationNeeded" : "terms.durationHint"));
  };
  update();
  return {
    element, update,
    terms: () => read().terms,
    /** @returns {Record<string, string>} */
    check: () => Object.fromEntries(
      Object.entries(read().errors).map(([name, key]) => [name, t(key)])),
  };
}


/**
 * The price of a request: shown while the form is filled in, and read again before sending.
 * @param {AbortSignal} signal
 */
export function requestPrice(signal) {
  const text = h("p", { class: "number", role: "status" }, t("price.unknown"));
  const element = h("div", { class: "card price" }, h("h2", {}, t("price.title")), text);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let last = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));

  /** @param {PriceBody} body */
  const read = async (body) => {
    last += 1;
    const turn = last;
    try {
      const price = await call("POST /req/tp/price", { body, signal });
      if (turn === last) show(text, priceText(price));
    } catch (problem) {
      if (signal.aborted || turn !== last) return;
      if (!(problem instanceof Problem)) throw problem;
      show(text, problem.isTemporary ? problemText(problem) : t("price.unknown"));
    }
  };

  return {
    element,
    /**
     * Shows the price of a body after a pause in typing; null: the form is not complete.
     * @param {PriceBody | null} body
     */
    update(body) {
      clearTimeout(timer);
      last += 1;
      if (body === null) show(text, t("price.unknown"));
      else timer = setTimeout(() => void read(body), 500);
    },
    /**
     * Whether the request may be sent: without a price at once, otherwise after a question.
     * @param {PriceBody} body
     * @returns {Promise<boolean>}
     * @throws {Problem} if the request would be refused
     */
    async agree(body) {
      clearTimeout(timer);
      last += 1;
      const price = await call("POST /req/tp/price", { body, signal });
      show(text, priceText(price));
      if (price.amountDue === 0) return true;
      return ask({
        title: t("price.askTitle"), text: h("p", {}, priceText(price)), confirm: t("price.agree"),
      });
    },
  };
}

/** @param {Endpoints["POST /req/tp/price"]["answer"]} price */
function priceText({ kind, amountDue, currency }) {
  if (amountDue === 0) return t("price.free");
  const amount = money(amountDue, currency);
  return t(kind === "group" ? "price.group" : "price.single", { amount });
}
