// What the operator has set for the pages, from the head of the document.

/** @param {string} name */
function setting(name) {
  return document.querySelector(`meta[name="trackme-${name}"]`)?.getAttribute("content") ?? "";
}

/** The mail address of the operator; by default that which sends the mails of TrackMe. */
export function operatorContact() {
  return setting("contact") || `trackme@${location.hostname}`;
}

/** The note on the rights in map tiles; empty if the operator has no tile server. */
export function tilesAttribution() {
  return setting("tiles");
}
