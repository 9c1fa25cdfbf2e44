// P31, a request to a single person.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { duration, t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { dataTypeChecklist, loadDataTypes } from "../../Elements/dataTypes.js";
import { field, form } from "../../Elements/form.js";
import { toast } from "../../Elements/notice.js";
import { addressee } from "../../Elements/requestBody.js";
import { requestAddress, requestStyle } from "../../Elements/requests.js";
import { requestPrice, requestTerms } from "../../Elements/requestTerms.js";

/** @typedef {import("../../Client/types").Endpoints["POST /req/tp/sendSingle"]["body"]} Body */
/** @typedef {import("../../Client/api.js").Problem} Problem */

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  await Promise.all([loadDataTypes(), requestStyle()]);
  const person = field({
    name: "person", label: t("requestPerson.person"), hint: t("requestPerson.personHint"),
    value: query.get("person") ?? "", autocomplete: "off",
    attributes: { spellcheck: "false", autocapitalize: "none" },
  });
  const types = dataTypeChecklist({
    label: t("requestPerson.types"), hint: t("requestPerson.typesHint"),
  });
  const terms = requestTerms({
    from: t("requestPerson.fromHint"), to: t("requestPerson.toHint"),
    subscribe: t("requestPerson.subscribe"),
  });
  const price = requestPrice(signal);

  /** @returns {Body} */
  const body = () => ({
    ...addressee(person.control.value), dataTypes: types.values(), ...terms.terms(),
  });
  const check = () => ({
    ...(addressee(person.control.value) ? {} : { person: t("requestPerson.personWrong") }),
    ...(types.values().length > 0 ? {} : { dataTypes: t("terms.typesMissing") }),
    ...terms.check(),
  });
  const send = async (/** @type {string} */ key) => {
    const terms = body();
    if (!(await price.agree(terms))) return false;
    const answer = await call("POST /req/tp/sendSingle", {
      body: { ...terms, reqID: key }, signal,
    });
    toast(t("requestPerson.sent"));
    await go(requestAddress(answer.reqID));
    return true;
  };
  const update = () => {
    terms.update();
    price.update(Object.keys(check()).length === 0 ? body() : null);
  };
  const element = form({
    content: [person.element, types.element, terms.element, price.element],
    submit: t("requestPerson.submit"), send, check, explain, draft: "requestPerson",
  });
  element.addEventListener("input", update);
  update();
  return h("section", { class: "page requests" },
    h("p", {}, h("a", { href: "/app/research" }, t("action.back"))),
    h("h1", {}, t("requestPerson.title")),
    h("p", {}, t("requestPerson.lead")), element);
}

/**
 * @param {Problem} problem
 * @returns {Record<string, string> | null}
 */
function explain(problem) {
  if (problem.field === "email" || problem.field === "fc") return { person: problem.detail };
  // An unknown person and missing data have the same answer, so that neither is disclosed.
  if (problem.status === 401) return { person: t("requestPerson.unknown") };
  const { status, retryAfter } = problem;
  // A rate limit lasts seconds; unanswered requests block new ones for days.
  if (status !== 429 || retryAfter === null || retryAfter < 300) return null;
  return { person: t("requestPerson.tooMany", { length: duration(retryAfter) }) };
}
