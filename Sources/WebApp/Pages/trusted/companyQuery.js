// The ways to name a company: words of its name, P.IVA or email.

/**
 * @typedef {{kind: "name", query: string} | {kind: "piva", piva: string}
 *   | {kind: "email", email: string} | {kind: "short"}} CompanyQuery
 */

/**
 * Classifies a typed text. The look-up by name needs three letters, or a whole shorter name,
 * which the reader confirms by sending the form.
 * @param {string} text
 * @param {boolean} isSent whether the form was sent, so that a short name counts as whole
 * @returns {CompanyQuery}
 */
export function companyQuery(text, isSent) {
  const query = text.trim().replace(/\s+/g, " ");
  const digits = query.replace(/^IT\s?/i, "").replace(/\s/g, "");
  if (/^\d{11}$/.test(digits)) return { kind: "piva", piva: digits };
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(query)) return { kind: "email", email: query };
  const letters = [...query].filter((each) => /[\p{L}\p{N}]/u.test(each)).length;
  return letters >= 3 || (isSent && letters > 0) ? { kind: "name", query } : { kind: "short" };
}
