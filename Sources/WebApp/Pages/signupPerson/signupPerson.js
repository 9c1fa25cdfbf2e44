// P4, registering as a single user.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { age, ageOfConsent, birthDateFault, isEmail, today } from "../../Client/rules.js";
import { credentials } from "../../Elements/credentials.js";
import { dateField } from "../../Elements/dateField.js";
import { diseaseFields } from "../../Elements/diseases.js";
import { consentFields } from "../../Elements/documents.js";
import { field, form, select } from "../../Elements/form.js";
import { countryNames, placeField } from "../../Elements/placeField.js";
import { goToSent, refusal, register } from "../signup/registered.js";
import { fiscalCodeField } from "./fiscalCodeField.js";
import { optionalFields } from "./optionalFields.js";

/** @typedef {import("../../Client/router.js").PageContext} PageContext */
/** @typedef {import("../../Client/api.js").Problem} Problem */

const draft = "signupPerson";

/** @param {PageContext} context */
export async function page({ signal }) {
  const [countries, { diseases: known }, documents] = await Promise.all([
    countryNames(signal), call("GET /lookup/diseases", { signal }), consentFields("single", signal),
  ]);
  const account = credentials();
  const identity = identityFields(() => account.values().email);
  const residence = placeField({
    name: "residence", title: t("signupPerson.residence"), countries, needsPlace: true, signal,
  });
  const birthPlace = placeField({
    name: "birth_place", title: t("signupPerson.birthPlace"),
    hint: t("signupPerson.birthPlaceHint"), countries, needsPlace: false, signal,
  });
  const more = optionalFields(countries);
  const diseases = diseaseFields(known);

  /** @param {string} key */
  const send = async (key) => {
    const body = {
      ...account.values(), ...identity.values(), ...more.values(), consents: documents.consents(),
      residence: residence.value(), birth_place: birthPlace.value(), diseases: diseases.value(),
    };
    await register((locale, each) => call("POST /auth/reg/single", {
      body: { ...body, ...locale }, key: each,
    }), key);
    await goToSent(body.email, body.parent_email ? "child" : "person");
  };
  const element = form({
    draft, send, submit: t("signup.submit"),
    content: [
      h("p", { class: "muted" }, t("signup.optionalNote")),
      account.element, identity.element, birthPlace.element, residence.element, more.element,
      diseases.element, documents.element,
    ],
    check: () => ({
      ...account.check(), ...identity.check(), ...birthPlace.check(), ...residence.check(),
      ...more.check(), ...diseases.check(), ...documents.check(),
    }),
    explain: (problem) => {
      if (problem.field === "consents") void documents.load().catch(() => {});
      return words(problem);
    },
  });
  // A restored draft sends no events: dependent parts are drawn here.
  for (const part of [identity, residence, birthPlace, diseases]) part.refresh();
  return h("section", { class: "page" },
    h("h1", {}, t("signupPerson.heading")),
    h("p", {}, t("signupPerson.notPerson"), " ",
      h("a", { href: "/app/signup/company" }, t("signupPerson.toCompany"))),
    element);
}

/**
 * @param {Problem} problem
 * @returns {Record<string, string> | null}
 */
function words(problem) {
  const candidates = problem.detail.startsWith("Several municipalities")
    ? problem.detail.replace(/^[^:]*: /, "") : null;
  if (candidates && problem.field) {
    return { [problem.field]: t("place.ambiguous", { places: candidates }) };
  }
  return refusal(problem, {
    password: t("credentials.password.tooCommon"), fc: t("signupPerson.refused.fc"),
    birth_place: t("signupPerson.refused.birthPlace"), residence: t("place.unknown"),
    consents: t("documents.changed"),
  });
}

/**
 * Name, fiscal code, birth date, sex, and under the age of 14 a parent's email.
 * @param {() => string} ownEmail
 */
function identityFields(ownEmail) {
  const name = field({
    name: "full_name", label: t("signupPerson.fullName"), autocomplete: "name",
    attributes: { maxlength: 200 },
  });
  const birthDate = dateField({
    name: "birthdate", label: t("signupPerson.birthDate"), isBirthDate: true,
  });
  const sex = field({
    name: "sex", label: t("signupPerson.sex"), hint: t("signupPerson.sexHint"),
    control: select([["F", t("sex.F")], ["M", t("sex.M")]], { empty: t("signupPerson.choose") }),
    autocomplete: "sex",
  });
  const code = fiscalCodeField({ birthDate: birthDate.value, sex: () => sex.control.value });
  const parent = field({
    name: "parent_email", label: t("signupPerson.parentEmail"), type: "email", autocomplete: "off",
    hint: t("signupPerson.parentHint"),
  });
  const isChild = () => {
    const day = birthDate.value();
    return day !== null && day <= today() && age(day, today()) < ageOfConsent;
  };
  const refresh = () => {
    parent.element.hidden = !isChild();
    code.refresh();
  };
  birthDate.element.addEventListener("input", refresh);
  sex.control.addEventListener("input", code.refresh);
  parent.element.hidden = true;
  const parentEmail = () => parent.control.value.trim();
  return {
    refresh,
    element: h("fieldset", {}, h("legend", {}, t("signupPerson.identity")),
      name.element, code.element, birthDate.element, sex.element, parent.element),
    values: () => ({
      full_name: name.control.value.trim(), fc: code.value(), birthdate: birthDate.value() ?? "",
      sex: /** @type {"F" | "M"} */ (sex.control.value),
      parent_email: isChild() ? parentEmail() : undefined,
    }),
    /** @returns {Record<string, string>} */
    check: () => ({
      ...(name.control.value.trim() ? {} : { full_name: t("signupPerson.fullNameMissing") }),
      ...code.check(), ...birthDateErrors(birthDate),
      ...(sex.control.value ? {} : { sex: t("signupPerson.sexMissing") }),
      ...(isChild() ? parentErrors(parentEmail(), ownEmail()) : {}),
    }),
  };
}

/**
 * @param {ReturnType<typeof dateField>} birthDate
 * @returns {Record<string, string>}
 */
function birthDateErrors(birthDate) {
  if (birthDate.isEmpty()) return { birthdate: t("signupPerson.birthDateMissing") };
  const day = birthDate.value();
  if (day === null) return { birthdate: t("date.wrong") };
  const fault = birthDateFault(day, today());
  return fault ? { birthdate: t(`signupPerson.birthDate.${fault}`) } : {};
}

/**
 * @param {string} email the parent's
 * @param {string} ownEmail
 * @returns {Record<string, string>}
 */
function parentErrors(email, ownEmail) {
  if (!isEmail(email)) return { parent_email: t("signupPerson.parentMissing") };
  const isOwn = email.toLowerCase() === ownEmail.toLowerCase();
  return isOwn ? { parent_email: t("signupPerson.parentSame") } : {};
}
