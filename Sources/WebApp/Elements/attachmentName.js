// The name of a downloaded file.

/**
 * The file name of a `Content-Disposition` (RFC 6266); null without one. Path separators and
 * control characters are replaced, so that the server's text cannot name a folder.
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
    // A malformed extended name: the plain one is used.
  }
  const safe = name?.replace(/[\u0000-\u001f\u007f/\\]/g, "_").replace(/^\.+/, "").trim();
  return safe || null;
}
