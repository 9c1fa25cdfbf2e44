// The rules of fields that a page checks before sending, as the server applies them. A form that
// passes may still be refused for reasons that only the server knows.

/** The whole years under which a registration needs a parent's confirmation. */
export const ageOfConsent = 14;
const ageMax = 130;

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const email = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`);

/**
 * Whether a text is an email address: a local part without quotes, and a host of two labels or
 * more.
 * @param {string} text
 */
export function isEmail(text) {
  return text.length <= 254 && email.test(text) && /[A-Za-z][^.@]*$/.test(text);
}

/**
 * Whether a text is a telephone number: 5 to 15 digits, with a leading `+` if international.
 * @param {string} text
 */
export function isPhone(text) {
  return text.length <= 64 && /^[ .\-/()]*\+?[\d .\-/()]*$/.test(text)
    && /^\d{5,15}$/.test(text.replace(/\D/g, ""));
}

/**
 * The fault of a new password, null for none. The server also refuses common passwords.
 * @param {string} text
 * @returns {"missing" | "tooShort" | "tooLong" | null}
 */
export function passwordFault(text) {
  const { length } = [...text];
  if (length === 0) return "missing";
  if (length < 8) return "tooShort";
  return length > 128 ? "tooLong" : null;
}

/**
 * The number of a text with a point or a comma; null for anything else.
 * @param {string} text
 */
export function decimal(text) {
  const plain = text.trim().replace(",", ".");
  return /^\d+(\.\d*)?$|^\.\d+$/.test(plain) ? Number(plain) : null;
}

/**
 * A height in metres, typed in centimetres (`181`) or metres (`1,81`); null outside of
 * 20 cm to 2.80 m.
 * @param {string} text
 */
export function metres(text) {
  const value = decimal(text);
  if (value === null) return null;
  const height = value <= 2.8 ? value : Math.round(value * 10) / 1000;
  return height >= 0.2 && height <= 2.8 ? height : null;
}

/**
 * `YYYY-MM-DD` of a day; null if the day does not exist.
 * @param {number} year
 * @param {number} month 1–12
 * @param {number} day
 */
export function calendarDay(year, month, day) {
  if (![year, month, day].every(Number.isInteger) || year < 1000 || year > 9999) return null;
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) {
    return null;
  }
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}`;
}

/**
 * `YYYY-MM-DD` of the reader's present day.
 * @param {Date} [now]
 */
export function today(now = new Date()) {
  return calendarDay(now.getFullYear(), now.getMonth() + 1, now.getDate()) ?? "";
}

/**
 * Whole years completed on a day. For a birth on 29 February the year completes on 1 March in
 * common years. Negative before birth.
 * @param {string} birthDate `YYYY-MM-DD`
 * @param {string} day `YYYY-MM-DD`
 */
export function age(birthDate, day) {
  const years = Number(day.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return day.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/**
 * The fault of a living person's birth date, null for none.
 * @param {string} birthDate `YYYY-MM-DD`
 * @param {string} day the present day
 * @returns {"inFuture" | "tooLongAgo" | null}
 */
export function birthDateFault(birthDate, day) {
  if (birthDate > day) return "inFuture";
  return age(birthDate, day) > ageMax ? "tooLongAgo" : null;
}

/**
 * A position as the API takes it, `lat,lon` in decimal degrees; null for anything else.
 * @param {string} text
 */
export function coordinate(text) {
  const found = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text);
  if (!found) return null;
  const [latitude, longitude] = [Number(found[1]), Number(found[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? `${found[1]},${found[2]}` : null;
}
