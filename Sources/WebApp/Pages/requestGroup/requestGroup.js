// P32, a request for the statistics of a group.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { nameOf, t } from "../../Client/language.js";
import { go } from "../../Client/router.js";
import { loadDiseases } from "../../Elements/conditions.js";
import { dataTypeChecklist, loadDataTypes } from "../../Elements/dataTypes.js";
import { field, form, select } from "../../Elements/form.js";
import { notice, toast } from "../../Elements/notice.js";
import { occupationName, occupations } from "../../Elements/occupations.js";
import { countryNames } from "../../Elements/placeField.js";
import { requestAddress, requestStyle } from "../../Elements/requests.js";
import { requestPrice, requestTerms } from "../../Elements/requestTerms.js";
import { ageRange } from "./ageRange.js";
import { areaField } from "./area.js";
import { searchList } from "./search.js";
import { diseaseSearch, loadPlaces, meanSearch, placeSearch } from "./searchFields.js";

/** @typedef {import("../../Client/types").Endpoints["POST /req/tp/sendGroup"]} SendGroup */

const draft = "requestGroup";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  const [types, diseases, places, countries] = await Promise.all([
    loadDataTypes(), loadDiseases(signal), loadPlaces(signal), countryNames(signal),
    style("requestGroup.css", import.meta.url), requestStyle(),
  ]);
  const numeric = types.filter(({ kind }) => kind === "number").map(({ dataType }) => dataType);
  const age = ageRange();
  const sex = choice("sex", t("requestGroup.sex"), named("searchSex", ["F", "M"]));
  const nationality = choice("nationality", t("condition.nationality"), countries);
  const occupation = choice("occupation", t("condition.occupation"),
    occupations.map((each) => [each, occupationName(each)]));
  const known = { ...places, countries };
  const residence = placeSearch("residence", t("condition.residence"), known, signal);
  const birth = placeSearch("birth", t("condition.birth"), known, signal);
  const sick = diseaseSearch(diseases);
  const area = areaField(signal);
  const means = meanSearch(numeric, meansInDraft());
  const asked = dataTypeChecklist({
    label: t("requestGroup.types"), hint: t("requestGroup.typesHint"), types: numeric,
  });
  const groupBy = choice("groupBy", t("requestGroup.groupBy"),
    named("groupBy", ["ageBand", "sex", "region"]), t("requestGroup.noBreakdown"));
  const terms = requestTerms({
    from: t("requestGroup.fromHint"), to: t("requestGroup.toHint"),
    subscribe: t("requestGroup.subscribe"),
  });
  const price = requestPrice(signal);
  const outcome = h("div", { tabindex: -1 });

  const search = () => searchList({
    ...age.values(), sex: sex.control.value, nationality: nationality.control.value,
    occupation: occupation.control.value, residence: residence.value(), birth: birth.value(),
    diseases: sick.values(), area: area.value(), means: means.values(),
  });
  /** @returns {SendGroup["body"]} */
  const body = () => ({
    dataTypes: asked.values(), searchParams: search().parameters.map(({ text }) => text),
    groupBy: /** @type {SendGroup["body"]["groupBy"]} */ (groupBy.control.value || undefined),
    ...terms.terms(),
  });
  /** @returns {Record<string, string>} */
  const check = () => ({
    ...Object.fromEntries(Object.entries(search().errors).map(([name, key]) => [name, t(key)])),
    ...(asked.values().length > 0 ? {} : { dataTypes: t("terms.typesMissing") }),
    ...terms.check(),
  });
  // A key of its own, because a refused search may be repeated unchanged, with later data.
  let key = newKey();
  const send = async () => {
    show(outcome);
    const request = { ...body(), reqID: key };
    if (!(await price.agree(request))) return false;
    const answer = await count(request, outcome, signal);
    if (!answer) return false;
    key = newKey();
    if (answer.status === "refused") {
      show(outcome, refusal(answer.reason));
      outcome.focus();
      return false;
    }
    toast(t(answer.status === "approved" ? "requestGroup.approved" : "requestGroup.due"));
    await go(requestAddress(answer.reqID));
    return true;
  };
  const update = () => {
    terms.update();
    price.update(Object.keys(check()).length === 0 ? body() : null);
  };
  const element = form({
    content: [
      h("fieldset", { class: "search-part" }, h("legend", {}, t("requestGroup.who")),
        h("p", { class: "hint" }, t("requestGroup.whoHint")),
        age.element, h("div", { class: "cards search-fields" },
          sex.element, nationality.element, occupation.element,
          residence.element, birth.element)),
      sick.element, area.element, means.element, asked.element, groupBy.element, terms.element,
      price.element, outcome,
    ],
    submit: t("requestGroup.submit"), send, check, draft,
    explain: (problem) => explain(problem, search().parameters),
  });
  element.addEventListener("input", () => {
    key = newKey();
    update();
  });
  for (const part of [age, residence, birth, sick, area, means]) part.update();
  update();
  return h("section", { class: "page requests" },
    h("p", {}, h("a", { href: "/app/research" }, t("action.back"))),
    h("h1", {}, t("requestGroup.title")),
    h("p", {}, t("requestGroup.lead")), element);
}

/**
 * Sends the request and shows that people are being counted; null if the reader cancelled.
 * @param {SendGroup["body"]} body
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 * @returns {Promise<SendGroup["answer"] | null>}
 */
async function count(body, place, signal) {
  const cancelling = new AbortController();
  const leave = () => cancelling.abort();
  signal.addEventListener("abort", leave);
  show(place, h("div", { class: "row", role: "status" },
    h("span", {}, t("requestGroup.counting")), h("progress", { "aria-hidden": "true" }),
    h("button", { type: "button", class: "secondary", onclick: leave }, t("action.cancel"))));
  try {
    const answer = await call("POST /req/tp/sendGroup", { body, signal: cancelling.signal });
    show(place);
    return answer;
  } catch (problem) {
    show(place);
    if (!cancelling.signal.aborted) throw problem;
    // The service completes a count that has begun.
    if (!signal.aborted) show(place, notice("info", t("requestGroup.cancelled")));
    return null;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/**
 * The reason of a refusal. The answer contains no number, so none is shown.
 * @param {"too few people" | "no data" | undefined} reason
 */
function refusal(reason) {
  const isEmpty = reason === "no data";
  return notice("warning",
    h("h2", {}, t("requestGroup.refused")),
    h("p", {}, t(isEmpty ? "requestGroup.noData" : "requestGroup.tooFew")),
    h("p", {}, t(isEmpty ? "requestGroup.noDataHint" : "requestGroup.loosen")));
}

/**
 * @param {Problem} problem
 * @param {{field: string}[]} parameters
 * @returns {Record<string, string> | null}
 */
function explain(problem, parameters) {
  const index = /^searchParams\[(\d+)\]/.exec(problem.field ?? "")?.[1];
  const name = index === undefined ? undefined : parameters[Number(index)]?.field;
  if (name !== undefined) return { [name]: problem.detail };
  if (problem.field === "searchParams") return { "": problem.detail };
  const isWaiting = problem.status === 429 && problem.detail.includes("group counts");
  return isWaiting ? { "": t("requestGroup.waiting") } : null;
}

/**
 * @param {string} prefix
 * @param {string[]} values
 * @returns {[string, string][]}
 */
function named(prefix, values) {
  return values.map((value) => [value, nameOf(prefix, value)]);
}

/**
 * @param {string} name
 * @param {string} label
 * @param {[value: string, text: string][]} options
 * @param {string} [empty]
 */
function choice(name, label, options, empty = t("requestGroup.any")) {
  return field({ name, label, required: false, control: select(options, { empty }) });
}

/** The number of conditions on means in the kept draft. */
function meansInDraft() {
  const kept = sessionStorage.getItem(`trackme.draft.${draft}`);
  const names = kept ? Object.keys(JSON.parse(kept)) : [];
  return names.filter((name) => /^mean\d+\.type$/.test(name)).length;
}
