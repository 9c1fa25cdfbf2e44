// Codes of runs, as people type them and as QR codes hold them.

/**
 * What a reader typed or scanned to find one run.
 * @typedef {{code: string} | {runID: number}} RunName
 */

/**
 * The code or number in a text: the link of a run's page, a code with spaces or hyphens in either
 * case, or the run's number.
 * @param {string} text
 * @returns {RunName | null} null for a text that holds neither
 */
export function runNameOf(text) {
  const trimmed = text.trim();
  const link = /\/(?:r|app\/runs)\/([^/?#\s]+)/.exec(trimmed);
  if (link) return codeOf(decoded(link[1] ?? ""));
  if (/^#?\d{1,7}$/.test(trimmed) && Number(trimmed.replace("#", "")) > 0) {
    return { runID: Number(trimmed.replace("#", "")) };
  }
  return codeOf(trimmed);
}

/** @param {string} text */
function codeOf(text) {
  const code = text.toUpperCase().replace(/[\s-]/g, "");
  return /^[0-9A-Z]{8}$/.test(code) ? { code } : null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
