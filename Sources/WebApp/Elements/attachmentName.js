// The name of a downloaded file.

/**
 * The file name of a `Content-Disposition` (RFC 6266); null without one. Path separators and
 * characters of control are replaced: a server's text names no folder.
 * @param {string | null} header
 * @returns {string | null}
 */
export function attachmentName(header) {
  const extended = /filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(header ?? "")?.[1];
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? "");
  let name = plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2];
  try {
    if (extended) name = decodeURIComponent(extended);
  } catch {
    // A malformed extended name: the plain one counts.
  }
  const safe = name?.replace(/[\u0000-\u001f\u007f/\\]/g, "_").replace(/^\.+/, "").trim();
  return safe || null;
}
