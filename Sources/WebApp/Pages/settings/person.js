// P16, the profile of a person.

import { call } from "../../Client/api.js";
import { date, language, number, t } from "../../Client/language.js";
import { birthDateFault, decimal, isPhone, metres, today } from "../../Client/rules.js";
import { dateField } from "../../Elements/dateField.js";
import { diseaseFields } from "../../Elements/diseases.js";
import { occupationName, occupations } from "../../Elements/occupations.js";
import { placeField } from "../../Elements/placeField.js";
import { centimetres, placeText } from "./changes.js";
import {
  choiceEditor, languageEditor, passwordEditor, textEditor, timeZoneEditor,
} from "./editors.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /settings/single"]["answer"]} Profile */
/** @typedef {Endpoints["GET /lookup/diseases"]["answer"]["diseases"]} Diseases */
/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Editor} Editor */
/** @typedef {[code: string, name: string][]} Countries */

const weightMin = 0.5;
const weightMax = 500;

/**
 * Reads the profile.
 * @param {AbortSignal} signal
 */
export function loadPerson(signal) {
  return call("GET /settings/single", { signal });
}

/**
 * The settings of a person, by group.
 * @param {Profile} profile
 * @param {{countries: Countries, diseases: Diseases}} names
 * @param {AbortSignal} signal
 * @returns {import("./items.js").Group[]}
 */
export function personGroups(profile, names, signal) {
  return [
    { title: t("settings.you"), items: identityItems(profile, names.countries, signal) },
    { title: t("settings.contact"), items: contactItems(profile, names.countries, signal) },
    { title: t("settings.health"), items: healthItems(profile, names.diseases) },
    { title: t("settings.account"), items: accountItems(profile, "single") },
  ];
}

/**
 * @param {Profile} profile
 * @param {Countries} countries
 * @param {AbortSignal} signal
 * @returns {(Item | false)[]}
 */
function identityItems(profile, countries, signal) {
  return [
    {
      name: "full_name", label: t("settings.fullName"), shown: profile.full_name,
      edit: () => textEditor({
        name: "full_name", label: t("settings.fullName"), value: profile.full_name, required: true,
        autocomplete: "name", attributes: { maxlength: 200 }, missing: t("settings.nameMissing"),
      }),
    },
    {
      name: "fc", label: t("settings.fiscalCode"), shown: profile.fc,
      fixed: t("settings.identifies"),
    },
    {
      name: "birthdate", label: t("settings.birthDate"), shown: date(profile.birthdate),
      edit: () => birthDateEditor(profile.birthdate),
    },
    {
      name: "sex", label: t("settings.sex"), shown: t(`settings.sex.${profile.sex}`),
      edit: () => choiceEditor({
        name: "sex", label: t("settings.sex"), value: profile.sex, required: true,
        hint: t("settings.agrees"),
        options: [["F", t("settings.sex.F")], ["M", t("settings.sex.M")]],
      }),
    },
    placeItem("birth_place", t("settings.birthPlace"), {
      name: profile.birth_place, province: profile.birth_province, country: profile.birth_country,
    }, countries, signal),
    {
      name: "nationality", label: t("settings.nationality"),
      shown: countryName(profile.nationality, countries),
      edit: () => choiceEditor({
        name: "nationality", label: t("settings.nationality"), value: profile.nationality,
        options: countries,
      }),
    },
    {
      name: "occupation", label: t("settings.occupation"),
      shown: profile.occupation ? occupationName(profile.occupation) : "",
      edit: () => choiceEditor({
        name: "occupation", label: t("settings.occupation"), value: profile.occupation,
        options: occupations.map((each) => [each, occupationName(each)]),
      }),
    },
  ];
}

/**
 * @param {Profile} profile
 * @param {Countries} countries
 * @param {AbortSignal} signal
 * @returns {(Item | false)[]}
 */
function contactItems(profile, countries, signal) {
  return [
    {
      name: "email", label: t("field.email"), shown: profile.email, fixed: t("settings.identifies"),
    },
    profile.parent_email !== undefined && {
      name: "parent_email", label: t("settings.parentEmail"), shown: profile.parent_email,
      fixed: t("settings.parentEmailFixed"),
    },
    placeItem("residence", t("settings.residence"), {
      name: profile.residence, province: profile.residence_province,
      country: profile.residence_country,
    }, countries, signal),
    {
      name: "address", label: t("settings.address"), shown: profile.address,
      edit: () => textEditor({
        name: "address", label: t("settings.address"), value: profile.address,
        autocomplete: "street-address", attributes: { maxlength: 200 },
      }),
    },
    phoneItem(profile.phone),
  ];
}

/**
 * @param {Profile} profile
 * @param {Diseases} diseases
 * @returns {Item[]}
 */
function healthItems(profile, diseases) {
  const { height, weight } = profile;
  return [
    {
      name: "height", label: t("settings.height"),
      shown: height === undefined ? "" : unit(centimetres(height), "centimeter"),
      edit: () => textEditor({
        name: "height", label: t("settings.heightCentimetres"), parse: metres,
        value: height === undefined ? "" : typed(centimetres(height)),
        attributes: { inputmode: "decimal", maxlength: 8 }, wrong: t("settings.heightWrong"),
      }),
    },
    {
      name: "weight", label: t("settings.weight"),
      shown: weight === undefined ? "" : unit(weight, "kilogram"),
      edit: () => textEditor({
        name: "weight", label: t("settings.weightKilograms"), parse: kilograms,
        value: weight === undefined ? "" : typed(weight),
        attributes: { inputmode: "decimal", maxlength: 8 }, wrong: t("settings.weightWrong"),
      }),
    },
    {
      name: "diseases", label: t("settings.diseases"), shown: diseaseNames(profile, diseases),
      edit: () => diseaseFields(diseases, profile.diseases.map(({ code, drugs = [] }) => ({
        code,
        drugs: drugs.map(({ name, dosesPerDay }) => ({ name, doses: typed(dosesPerDay) })),
      }))),
    },
  ];
}

/**
 * Password, language and time zone, which both kinds of account have.
 * @param {{language: string, time_zone: string}} profile
 * @param {"single" | "tp"} accountType
 * @returns {Item[]}
 */
export function accountItems(profile, accountType) {
  return [
    {
      name: "newPassword", label: t("field.password"), shown: "••••••••",
      edit: () => passwordEditor(accountType), body: (value) => value,
    },
    {
      name: "language", label: t("settings.language"),
      shown: profile.language === "it" ? "Italiano" : "English",
      edit: () => languageEditor(profile.language),
    },
    {
      name: "time_zone", label: t("settings.timeZone"),
      shown: profile.time_zone.replaceAll("_", " "),
      edit: () => timeZoneEditor(profile.time_zone),
    },
  ];
}

/**
 * @param {string | undefined} phone
 * @returns {Item}
 */
export function phoneItem(phone) {
  return {
    name: "phone", label: t("settings.phone"), shown: phone,
    edit: () => textEditor({
      name: "phone", label: t("settings.phone"), value: phone, type: "tel", autocomplete: "tel",
      hint: t("settings.phoneHint"), attributes: { maxlength: 64 },
      parse: (text) => (isPhone(text) ? text : null), wrong: t("settings.phoneWrong"),
    }),
  };
}

/**
 * @param {string} value
 * @returns {Editor}
 */
function birthDateEditor(value) {
  const made = dateField({
    name: "birthdate", label: t("settings.birthDate"), hint: t("settings.agrees"),
    isBirthDate: true, value,
  });
  return {
    element: made.element, value: () => made.value(),
    /** @returns {Record<string, string>} */
    check: () => {
      const day = made.value();
      return day !== null && birthDateFault(day, today()) === null
        ? {} : { birthdate: t("settings.birthDateWrong") };
    },
  };
}

/**
 * @param {"birth_place" | "residence"} name
 * @param {string} label
 * @param {{name?: string, province?: string, country?: string}} place
 * @param {Countries} countries
 * @param {AbortSignal} signal
 * @returns {Item}
 */
function placeItem(name, label, place, countries, signal) {
  const { country, text } = placeText(place);
  const countryText = country === "IT" ? "" : countryName(country, countries);
  return {
    name, label,
    shown: [...new Set([text, countryText])].filter(Boolean).join(", "),
    edit: () => {
      const made = placeField({
        name, title: label, countries, signal, needsPlace: name === "residence",
        hint: name === "birth_place" ? t("settings.agreesPlace") : undefined,
      });
      for (const control of made.element.querySelectorAll("input, select")) {
        if (control instanceof HTMLSelectElement) control.value = country;
        else if (control instanceof HTMLInputElement) {
          const isAbroad = control.name === `${name}.place`;
          if (isAbroad === (country !== "IT")) control.value = text;
        }
      }
      made.refresh();
      return made;
    },
  };
}

/**
 * @param {string | undefined} code
 * @param {Countries} countries
 */
function countryName(code, countries) {
  return countries.find(([each]) => each === code)?.[1] ?? code ?? "";
}

/**
 * @param {Profile} profile
 * @param {Diseases} diseases
 */
function diseaseNames(profile, diseases) {
  return profile.diseases.map(({ code, drugs = [] }) => {
    const name = diseases.find((each) => each.code === code)?.names[language()] ?? code;
    const taken = drugs.map((drug) =>
      t("settings.drug", { name: drug.name, doses: drug.dosesPerDay }));
    return taken.length > 0 ? `${name} (${taken.join("; ")})` : name;
  }).join(", ");
}

/** @param {string} text */
function kilograms(text) {
  const value = decimal(text);
  return value !== null && value >= weightMin && value <= weightMax ? value : null;
}

/**
 * @param {number} value
 * @param {string} name
 */
function unit(value, name) {
  return number(value, { style: "unit", unit: name, maximumFractionDigits: 1 });
}

/**
 * A number as the reader types it.
 * @param {number} value
 */
function typed(value) {
  return number(value, { useGrouping: false, maximumFractionDigits: 2 });
}
