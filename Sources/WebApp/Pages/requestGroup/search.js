// The search parameters of a group request, composed from the typed values. Without DOM.

/** @typedef {import("../../Client/language.js").TextKey} TextKey */
/** @typedef {"municipality" | "province" | "region" | "country"} PlaceLevel */
/** @typedef {{level: "" | PlaceLevel, value: string}} PlaceChoice */
/** @typedef {{latitude: string, longitude: string, kilometres: string}} Circle */
/** @typedef {{type: string, least: string, most: string, min: number, max: number}} MeanChoice */

/**
 * @typedef {object} Search
 * @property {number} ageFrom
 * @property {number} ageTo `ageMax` includes older people
 * @property {string} sex `F`, `M` or empty
 * @property {string} nationality ISO 3166-1 alpha-2, or empty
 * @property {string} occupation
 * @property {PlaceChoice} residence
 * @property {PlaceChoice} birth
 * @property {string[]} diseases all of them must be present
 * @property {Circle | null} area
 * @property {MeanChoice[]} means
 */

/** The end of the slider; it includes all older people. */
export const ageMax = 100;
/** The radii of an area in kilometres. */
export const radii = { min: 5, max: 500 };

/**
 * The search parameters with the field of the form that each comes from, so that a refusal of
 * `searchParams[3]` marks that field.
 * @param {Search} search
 * @returns {{parameters: {text: string, field: string}[], errors: Record<string, TextKey>}}
 */
export function searchList(search) {
  /** @type {{text: string, field: string}[]} */
  const parameters = [];
  /** @type {Record<string, TextKey>} */
  const errors = {};
  const add = (/** @type {string} */ text, /** @type {string} */ field) => {
    parameters.push({ text, field });
  };
  if (search.ageFrom > 0) add(`age>=${search.ageFrom}`, "age");
  if (search.ageTo < ageMax) add(`age<=${search.ageTo}`, "age");
  if (search.sex) add(`sex=${search.sex}`, "sex");
  if (search.nationality) add(`nationality=${search.nationality}`, "nationality");
  for (const place of /** @type {const} */ (["residence", "birth"])) {
    const { level, value } = search[place];
    if (!level) continue;
    if (value.trim() === "") errors[place] = "requestGroup.placeMissing";
    else add(`${place}.${level}=${value.trim()}`, place);
  }
  if (search.occupation) add(`occupation=${search.occupation}`, "occupation");
  for (const disease of search.diseases) add(`disease=${disease}`, "diseases");
  if (search.area) {
    const area = areaText(search.area);
    if (area === null) errors.area = "requestGroup.areaWrong";
    else add(`area=${area}`, "area");
  }
  search.means.forEach((mean, index) => addMean(mean, `mean${index}`, add, errors));
  if (parameters.length === 0 && Object.keys(errors).length === 0) {
    errors[""] = "requestGroup.searchMissing";
  }
  return { parameters, errors };
}

/**
 * @param {MeanChoice} mean
 * @param {string} field
 * @param {(text: string, field: string) => void} add
 * @param {Record<string, TextKey>} errors
 */
function addMean(mean, field, add, errors) {
  if (!mean.type) return;
  const bounds = [mean.least, mean.most].map((text) => text.trim());
  if (bounds.every((text) => text === "")) errors[field] = "requestGroup.meanMissing";
  for (const [index, text] of bounds.entries()) {
    if (text === "") continue;
    if (!isBound(text, mean.min, mean.max)) errors[field] = "requestGroup.meanWrong";
    else add(`${mean.type}${index === 0 ? ">=" : "<="}${text.replace(",", ".")}`, field);
  }
}

/**
 * An area as the API writes it; null unless it is a point of the Earth with an allowed radius.
 * @param {Circle} circle
 */
export function areaText({ latitude, longitude, kilometres }) {
  const [north, east, radius] = [latitude, longitude, kilometres].map(decimal);
  if (north === undefined || east === undefined || radius === undefined) return null;
  const isRight = Math.abs(north) <= 90 && Math.abs(east) <= 180
    && radius >= radii.min && radius <= radii.max;
  return isRight ? `${north.toFixed(4)},${east.toFixed(4)},${Math.round(radius * 1000)}` : null;
}

/**
 * A number as people type it, with a point or a comma; NaN for anything else, so that every
 * comparison with it fails.
 * @param {string} text
 */
export function decimal(text) {
  const plain = text.trim().replace(",", ".");
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

/**
 * The step of the bounds for means of a type: a fiftieth of the plausible range, rounded up to 2, 5
 * or 10 times a power of ten, as `SearchParameter.steps` of the service computes it.
 * @param {number} min
 * @param {number} max
 */
export function boundStep(min, max) {
  let scaled = (max - min) / 50;
  let exponent = 0;
  while (scaled > 10 && exponent < 30) {
    scaled /= 10;
    exponent += 1;
  }
  while (scaled <= 1 && exponent > -30) {
    scaled *= 10;
    exponent -= 1;
  }
  const digit = scaled <= 2 ? 2 : scaled <= 5 ? 5 : 10;
  return Number(`${digit}e${exponent}`);
}

/**
 * The lowest and the highest bound: multiples of the step in the range.
 * @param {number} min
 * @param {number} max
 */
export function boundRange(min, max) {
  const step = boundStep(min, max);
  const round = (/** @type {number} */ count) => Number((count * step).toPrecision(12));
  // 2.8 / 0.1 is a little less than 28.
  const tolerance = 1e-9;
  return {
    step, first: round(Math.ceil(min / step - tolerance)),
    last: round(Math.floor(max / step + tolerance)),
  };
}

/**
 * @param {string} text
 * @param {number} min
 * @param {number} max
 */
function isBound(text, min, max) {
  const value = decimal(text);
  const { step } = boundRange(min, max);
  const count = value / step;
  return value >= min && value <= max && Math.abs(count - Math.round(count)) < 1e-9;
}
