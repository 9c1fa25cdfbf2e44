// The rules of an Italian fiscal code (codice fiscale, DM 23-12-1976), as the server applies them.

/**
 * @typedef {object} FiscalCode
 * @property {string} text the sixteen characters, in upper case
 * @property {"F" | "M"} sex
 * @property {number} yearOfCentury 0–99
 * @property {number} month 1–12
 * @property {number} day 1–31
 * @property {string} birthPlace the cadastral code with its digits decoded, such as `H501`; `Z` and
 *   three digits are a foreign country
 */
/**
 * Why a text is not a fiscal code: it ends too early, has a wrong character, ends with another
 * letter than the check letter, or contains a birth date that exists in no century.
 * @typedef {"incomplete" | "malformed" | "wrongCheckLetter" | "noSuchDay"} FiscalCodeError
 */

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const months = "ABCDEHLMPRST";
/** The letters that replace the digits 0 to 9 in omocodia. */
const omocodia = "LMNPQRSTUV";
/** The positions, from 0, that contain digits. */
const digitPositions = [6, 7, 9, 10, 12, 13, 14];
/** The value of a character at an odd position; a digit has that of the letter with its number. */
const oddValues = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

/** The number of characters of a fiscal code. */
export const fiscalCodeLength = 16;

/**
 * A fiscal code without separators, in upper case.
 * @param {string} text
 */
export function compactFiscalCode(text) {
  return text.replace(/[ .-]/g, "").toUpperCase();
}

/**
 * Parses a fiscal code in any case, with spaces, dots or hyphens between its parts.
 * @param {string} text
 * @returns {FiscalCode | FiscalCodeError}
 */
export function parseFiscalCode(text) {
  const written = compactFiscalCode(text);
  if (written.length > fiscalCodeLength || ![...written].every(hasRightKind)) return "malformed";
  if (written.length < fiscalCodeLength) return "incomplete";
  if (checkLetter(written) !== written[15]) return "wrongCheckLetter";
  const month = months.indexOf(written.charAt(8)) + 1;
  const yearOfCentury = number(written, 6, 8);
  const dayNumber = number(written, 9, 11);
  const day = dayNumber > 40 ? dayNumber - 40 : dayNumber;
  // Years 00 to 99 of any century: 29 February exists where the number is a multiple of four.
  if (day < 1 || day > new Date(Date.UTC(2000 + yearOfCentury, month, 0)).getUTCDate()) {
    return "noSuchDay";
  }
  const place = String(number(written, 12, 15)).padStart(3, "0");
  return {
    text: written, sex: dayNumber > 40 ? "F" : "M", yearOfCentury, month, day,
    birthPlace: written.charAt(11) + place,
  };
}

/**
 * Whether a code matches a birth date, except for the century.
 * @param {FiscalCode} code
 * @param {string} birthDate `YYYY-MM-DD`
 */
export function agreesWithBirthDate(code, birthDate) {
  const [year, month, day] = birthDate.split("-").map(Number);
  return (year ?? 0) % 100 === code.yearOfCentury && month === code.month && day === code.day;
}

/**
 * The check letter of the first fifteen characters as written.
 * @param {string} written
 */
export function checkLetter(written) {
  let sum = 0;
  for (let index = 0; index < 15; index += 1) {
    const character = written.charAt(index);
    const value = isDigit(character) ? Number(character) : letters.indexOf(character);
    sum += index % 2 === 0 ? oddValues[value] ?? 0 : value;
  }
  return letters.charAt(sum % 26);
}

/**
 * @param {string} character
 * @param {number} index
 */
function hasRightKind(character, index) {
  if (digitPositions.includes(index)) return isDigit(character) || omocodia.includes(character);
  return index === 8 ? months.includes(character) : letters.includes(character);
}

/** @param {string} character */
function isDigit(character) {
  return character >= "0" && character <= "9";
}

/**
 * The number at some positions, with omocodia reversed.
 * @param {string} written
 * @param {number} from
 * @param {number} to
 */
function number(written, from, to) {
  return [...written.slice(from, to)].reduce(
    (value, each) => value * 10 + (isDigit(each) ? Number(each) : omocodia.indexOf(each)), 0);
}
