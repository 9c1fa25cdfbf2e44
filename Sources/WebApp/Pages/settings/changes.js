// Values that the settings derive from answers and drafts. Without DOM.

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /auth/documents"]["answer"]["documents"][number]} LegalDocument */
/** @typedef {Endpoints["GET /auth/consents"]["answer"]["consents"][number]} Consent */
/** @typedef {Endpoints["POST /notifications/mail"]["body"]["kinds"][number]} NoticeKind */

/**
 * The names of the fields in a draft that a form has kept.
 * @param {string} draft
 * @param {Pick<Storage, "getItem">} [storage]
 * @returns {string[]}
 */
export function draftNames(draft, storage = sessionStorage) {
  const kept = storage.getItem(`trackme.draft.${draft}`);
  return kept ? Object.keys(JSON.parse(kept)) : [];
}

/**
 * The published documents that an account has not consented to in their newest version.
 * @param {readonly LegalDocument[]} documents
 * @param {readonly Consent[]} consents
 * @param {"single" | "tp"} accountType
 * @returns {LegalDocument[]}
 */
export function newDocuments(documents, consents, accountType) {
  return documents.filter(({ document, version, accountTypes }) =>
    accountTypes.includes(accountType)
    && !consents.some((each) => each.document === document && each.version === version));
}

/**
 * The kinds of notices that an account receives; those of security are always mailed.
 * @param {"single" | "tp"} accountType
 * @returns {NoticeKind[]}
 */
export function mailKinds(accountType) {
  return accountType === "tp"
    ? ["answer", "ended", "run", "security"]
    : ["request", "ended", "room", "run", "alarm", "security"];
}

/**
 * The kinds to store: the chosen ones, and unchanged those that the page does not offer.
 * @param {readonly NoticeKind[]} before
 * @param {readonly NoticeKind[]} offered
 * @param {readonly NoticeKind[]} chosen
 * @returns {NoticeKind[]}
 */
export function storedMailKinds(before, offered, chosen) {
  return [...chosen, ...before.filter((kind) => !offered.includes(kind))];
}

/**
 * Whether an entered place in Italy is the one of the profile: without a province a name may be
 * that of several municipalities.
 * @param {{name?: string, province?: string, country?: string}} place
 * @returns {{country: string, text: string}} the country's code and the text of the field
 */
export function placeText({ name, province, country }) {
  if (!name) return { country: "IT", text: "" };
  if (country === undefined || country === "IT") {
    return { country: "IT", text: province ? `${name} (${province})` : name };
  }
  return { country, text: name };
}

/**
 * Centimetres of a height in metres, without the error of binary fractions.
 * @param {number} metres
 */
export function centimetres(metres) {
  return Math.round(metres * 1000) / 10;
}
