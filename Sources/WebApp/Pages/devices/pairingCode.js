// The six digits that a device shows.

/**
 * The digits of a typed or pasted code, without spaces and hyphens between them.
 * @param {string} text
 * @returns {string | null} null unless there are exactly six digits
 */
export function pairingCode(text) {
  const code = text.replace(/[\s.\-–]/g, "");
  return /^\d{6}$/.test(code) ? code : null;
}
