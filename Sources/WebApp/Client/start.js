// The first request of a visit. The document runs this module by itself, so that the texts arrive
// beside the modules and not after them.

import { preferredLanguage, requestTexts } from "./languageChoice.js";

const name = preferredLanguage();
// The document names the texts of its page; one that the service worker stored has all pages.
const meta = document.querySelector('meta[name="trackme-texts"]');
const folder = meta?.getAttribute("content") ?? "";
const response = requestTexts(name, folder);
// The first page reports a failure, once its modules are there.
response.catch(() => {});

/** The language of the visit, and its texts: all, or those of the document's page. */
export const firstTexts = { name, response, isComplete: folder === "" };
