// Requirements: NFR-8, UI-14 (texts of one page first, and the language that was chosen last).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { asSentence, chooseLanguage, completeTexts, language, loadLanguage, t } =
  await import("../../Sources/WebApp/Client/language.js");

/** Requests that are not answered yet. */
let waiting = [];
globalThis.document = { documentElement: {} };
globalThis.fetch = (address) => new Promise((resolve) => {
  const file = String(address).split("/Text/")[1];
  waiting.push({ file, answer: () => resolve(Response.json({ key: file })) });
});

/** Answers the request for a file, and lets the pages take it. */
async function answer(file) {
  const index = waiting.findIndex((each) => each.file === file);
  assert.notEqual(index, -1, `${file} of ${waiting.map((each) => each.file)}`);
  waiting.splice(index, 1)[0].answer();
  await new Promise((resolve) => setImmediate(resolve));
}

/** A visit that begins with the Italian texts of one page. */
async function begin() {
  waiting = [];
  const response = Promise.resolve(Response.json({ key: "health/it.json" }));
  await loadLanguage("it", { response, isComplete: false });
  assert.equal(t("key"), "health/it.json");
}

test("another page loads all texts, once", async () => {
  await begin();
  const page = completeTexts();
  await answer("it.json");
  await page;
  assert.equal(t("key"), "it.json");
  await completeTexts();
  assert.deepEqual(waiting, []);
});

test("the language chosen last stays, in whatever order the texts arrive", async () => {
  for (const order of [["it.json", "en.json"], ["en.json", "it.json"]]) {
    await begin();
    const work = [completeTexts(), chooseLanguage("en")];
    for (const file of order) await answer(file);
    while (waiting.length > 0) await answer("en.json");
    await Promise.all(work);
    assert.equal(language(), "en");
    assert.equal(t("key"), "en.json");
    assert.equal(document.documentElement.lang, "en");
  }
});

test("texts that cannot be loaded leave those of the page, and are requested again", async () => {
  await begin();
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response("", { status: 502 });
  await assert.rejects(completeTexts());
  assert.equal(t("key"), "health/it.json");
  globalThis.fetch = fetch;
  const page = completeTexts();
  await answer("it.json");
  await page;
  assert.equal(t("key"), "it.json");
});

test("a text before another one ends once", () => {
  for (const text of ["Are you well?", "Aborting…", "No call was made."]) {
    assert.equal(asSentence(text), text);
  }
  assert.equal(asSentence("Alarm"), "Alarm.");
});
