// Requirements: UI-14 (the first texts of a visit).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] } });

/**
 * Starts a visit.
 * @param {string} folder that the document names
 * @param {(file: string) => Response} answer throws without a connection
 */
async function visit(folder, answer) {
  const asked = [];
  globalThis.document = { querySelector: () => ({ getAttribute: () => folder }) };
  globalThis.fetch = async (address) => {
    if (address === "/auth/me") return new Response("{}", { status: 401 });
    const file = String(address).split("/Text/")[1];
    asked.push(file);
    return answer(file);
  };
  const path = "../../Sources/WebApp/Client/start.js";
  const { firstTexts } = await import(`${path}?${Math.random()}`);
  const texts = await (await firstTexts.response).json();
  return { asked, texts, isComplete: firstTexts.isComplete };
}

const text = (file) => Response.json({ file });

test("the texts are those of the document's page; a stored document has all", async () => {
  assert.deepEqual(await visit("health/", text), {
    asked: ["health/en.json"], texts: { file: "health/en.json" }, isComplete: false,
  });
  assert.deepEqual(await visit("", text), {
    asked: ["en.json"], texts: { file: "en.json" }, isComplete: true,
  });
});

test("without the texts of the page all texts are used, which the browser may have", async () => {
  const cutOff = (file) => {
    if (file.includes("/")) throw new TypeError("network");
    return text(file);
  };
  const restarting = (file) => file.includes("/") ? new Response("", { status: 502 }) : text(file);
  for (const answer of [cutOff, restarting]) {
    const { asked, texts } = await visit("health/", answer);
    assert.deepEqual(asked, ["health/en.json", "en.json"]);
    assert.deepEqual(texts, { file: "en.json" });
  }
});
