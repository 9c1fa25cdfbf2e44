// The text of a document in the reader's language. Without DOM.

/** @typedef {import("../Client/types").Endpoints["GET /auth/documents"]["answer"]} Answer */
/** @typedef {Answer["documents"][number]} LegalDocument */
/** @typedef {LegalDocument & {language?: "it" | "en"}} ReadDocument */

/**
 * The document with title and text in a language; unchanged where it has no such translation, since
 * the language of its text is then unknown.
 * @param {LegalDocument} document
 * @param {"it" | "en"} language
 * @returns {ReadDocument}
 */
export function inLanguage(document, language) {
  const found = document.translations.find((each) => each.language === language);
  return found ? { ...document, ...found } : document;
}
