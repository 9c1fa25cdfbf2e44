// A place of a profile: an Italian municipality with suggestions, or a country with a free text.

import { call } from "../Client/api.js";
import { h } from "../Client/dom.js";
import { compare, language, t } from "../Client/language.js";
import { field, select } from "./form.js";
import { lookup } from "./lookup.js";

/** @typedef {import("../Client/types").Endpoints["GET /lookup/countries"]["answer"]} Countries */

/**
 * The countries by their names in the reader's language.
 * @param {AbortSignal} signal
 * @returns {Promise<[code: string, name: string][]>}
 */
export async function countryNames(signal) {
  /** @type {Countries} */
  const { countries } = await call("GET /lookup/countries", { signal });
  return countries
    .map(({ code, names }) => /** @type {[string, string]} */ ([code, names[language()]]))
    .sort(([, left], [, right]) => compare(left, right));
}

/**
 * The municipalities that begin with a text, each as the API takes it: name and province.
 * @param {string} text
 * @param {AbortSignal} signal
 */
export async function findMunicipalities(text, signal) {
  const { municipalities } = await call("GET /lookup/municipalities", {
    query: { query: text }, signal,
  });
  return municipalities.map(({ name, otherName, province, region }) => ({
    text: `${name} (${province})`, detail: [otherName, region].filter(Boolean).join(", "),
  }));
}

/**
 * Creates the fields. `refresh` shows the one for the country after a draft was restored.
 * @param {object} options
 * @param {string} options.name `residence` or `birth_place`
 * @param {string} options.title
 * @param {string} [options.hint] of the municipality
 * @param {[code: string, name: string][]} options.countries
 * @param {boolean} options.needsPlace whether a country alone is not enough
 * @param {AbortSignal} options.signal
 */
export function placeField({ name, title, hint, countries, needsPlace, signal }) {
  const country = field({
    name: `${name}.country`, label: t("place.country"), required: false,
    control: select(countries),
  });
  const municipality = lookup({
    name, label: t("place.municipality"), hint: hint ?? t("place.municipalityHint"),
    required: false, search: findMunicipalities, signal,
  });
  const abroad = field({
    name: `${name}.place`, label: t("place.place"), required: false, attributes: { maxlength: 200 },
  });
  country.control.value = "IT";
  const isItaly = () => country.control.value === "IT";
  const refresh = () => {
    municipality.element.hidden = !isItaly();
    abroad.element.hidden = isItaly();
    // The visible field takes the errors of the place.
    const [shown, other] = isItaly() ? [municipality, abroad] : [abroad, municipality];
    shown.element.dataset.field = name;
    other.element.removeAttribute("data-field");
  };
  country.control.addEventListener("change", refresh);
  refresh();

  /** @returns {string | {country: string, place: string} | null} */
  const value = () => {
    const place = (isItaly() ? municipality : abroad).control.value.trim();
    if (isItaly()) return place || null;
    return place ? { country: country.control.value, place } : country.control.value;
  };
  return {
    element: h("fieldset", { class: "optional-group" },
      h("legend", {}, title, h("span", { class: "optional muted" }, ` ${t("form.optional")}`)),
      country.element, municipality.element, abroad.element),
    value, refresh,
    /** @returns {Record<string, string>} */
    check: () => (needsPlace && !isItaly() && typeof value() === "string"
      ? { [name]: t("place.missing") } : {}),
  };
}
