// The rules of the VAT number of an Italian company (P.IVA, DPR 633/1972), as the server applies
// them.

/**
 * Why a text is not a P.IVA: it ends too early, is not eleven digits, has no company number, names
 * an office that never existed, or ends with a digit other than the check digit.
 * @typedef {"incomplete" | "malformed" | "noSuchNumber" | "noSuchOffice" | "wrongCheckDigit"
 *   } VATNumberError
 */

const offices = [120, 121, 888, 999];

/** The number of digits of a P.IVA. */
export const vatNumberLength = 11;

/**
 * A P.IVA without separators and without the prefix `IT`.
 * @param {string} text
 */
export function compactVATNumber(text) {
  return text.replace(/[ .:-]/g, "").toUpperCase().replace(/^IT/, "");
}

/**
 * The fault of a P.IVA, which may have the prefix `IT`, spaces, hyphens, colons and dots; null for
 * a correct one.
 * @param {string} text
 * @returns {VATNumberError | null}
 */
export function vatNumberFault(text) {
  const written = compactVATNumber(text);
  // `I` alone is the beginning of the prefix.
  if (!/^\d*$/.test(written) && written !== "I") return "malformed";
  if (written.length > vatNumberLength) return "malformed";
  if (written.length < vatNumberLength) return "incomplete";
  if (written.startsWith("0000000")) return "noSuchNumber";
  const office = Number(written.slice(7, 10));
  if (!(office >= 1 && office <= 100) && !offices.includes(office)) return "noSuchOffice";
  return checkDigit(written) === Number(written.charAt(10)) ? null : "wrongCheckDigit";
}

/**
 * The Luhn check digit of the first ten digits.
 * @param {string} digits
 */
export function checkDigit(digits) {
  let sum = 0;
  for (let index = 0; index < 10; index += 1) {
    const doubled = Number(digits.charAt(index)) * 2;
    if (index % 2 === 0) sum += Number(digits.charAt(index));
    else sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return (10 - sum % 10) % 10;
}
