// Loads the texts of a language in tests, without a browser.

import { readdir, readFile } from "node:fs/promises";
import { loadLanguage } from "../../Sources/WebApp/Client/language.js";

const folder = new URL("../../Sources/WebApp/Text/", import.meta.url);

/**
 * Uses the texts of a language, with those of the parts that are not merged yet.
 * @param {"it" | "en"} name
 */
export async function useLanguage(name) {
  const texts = JSON.parse(await readFile(new URL(`${name}.json`, folder), "utf8"));
  const parts = await readdir(new URL("parts/", folder)).catch(() => []);
  for (const part of parts.filter((each) => each.endsWith(`.${name}.json`))) {
    const text = await readFile(new URL(`parts/${part}`, folder), "utf8");
    Object.assign(texts, JSON.parse(text));
  }
  const { fetch, document } = globalThis;
  globalThis.fetch = async () => Response.json(texts);
  globalThis.document = { documentElement: {} };
  await loadLanguage(name);
  Object.assign(globalThis, { fetch, document });
}
