// The first requests of a visit. The document runs this module by itself, so that texts and session
// arrive beside the modules and not after them.

import { preferredLanguage, requestTexts } from "./languageChoice.js";

const name = preferredLanguage();
// The document names the texts of its page; one that the service worker stored has all pages.
const meta = document.querySelector('meta[name="trackme-texts"]');
const folder = meta?.getAttribute("content") ?? "";

/** The texts of the page; without them those of all pages, which the service worker stores. */
async function request() {
  try {
    const own = await requestTexts(name, folder);
    if (own.ok) return own;
  } catch {
    // The connection was lost after the document.
  }
  return await requestTexts(name);
}

const response = request();
// `main.js` waits for it too, and reports a failure.
response.catch(() => {});

/** The language of the visit, and its texts: all, or those of the document's page. */
export const firstTexts = { name, response, isComplete: folder === "" };

/** The reading of the session: it needs few modules, and the texts wait for none of them. */
export const firstSession = import("./session.js").then(({ loadSession }) => loadSession());
