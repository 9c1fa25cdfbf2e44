// Requirements: ACC-7 (the session is that of the cookie, which all tabs share).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { currentAccount, home, isAmong, isHospital, loadSession } = await import(
  "../../Sources/WebApp/Client/session.js");

const account = (email) => ({ accountType: "single", email, full_name: "Ada", registeredAt: "" });
const ada = account("ada@example.org");
const eva = account("eva@example.org");

/** Answers each request in the order of the calls, when the test says so. */
function server() {
  const waiting = [];
  globalThis.fetch = () => new Promise((resolve) => waiting.push(resolve));
  return {
    waiting,
    answer: (number, document) => waiting[number](
      document ? Response.json(document) : new Response("{}", { status: 503 })),
  };
}

test("an answer from before a later reading changes nothing", async () => {
  const { answer } = server();
  const first = loadSession();
  const second = loadSession();
  answer(1, eva);
  await second;
  answer(0, ada);
  await first;
  assert.equal(currentAccount().email, "eva@example.org");
});

test("a reading that a login in another tab overtakes ends with its account", async () => {
  const { answer } = server();
  const first = loadSession();
  const second = loadSession();
  setTimeout(() => answer(1, ada));
  // Its own request hangs.
  assert.equal((await first).email, "ada@example.org");
  answer(0);
  assert.equal((await second).email, "ada@example.org");
});

test("without an answer a tab follows the account that another tab has stored", async () => {
  const { answer, waiting } = server();
  const known = loadSession();
  answer(0, ada);
  await known;
  const same = loadSession();
  answer(1);
  assert.equal((await same).email, "ada@example.org");
  localStorage.setItem("trackme.account", JSON.stringify(eva));
  const other = loadSession();
  answer(2);
  assert.equal((await other).email, "eva@example.org");
  localStorage.removeItem("trackme.account");
  const none = loadSession();
  answer(3);
  assert.equal(await none, null);
  assert.equal(waiting.length, 4);
});

test("a company is a hospital if its account says so, also without an answer", async () => {
  const { answer } = server();
  const company = { accountType: "tp", email: "c@example.org", registeredAt: "" };
  const results = [];
  for (const [number, document] of [
    { ...company, hospital: false }, { ...company, hospital: true }, undefined, company, ada,
  ].entries()) {
    const known = loadSession();
    answer(number, document);
    await known;
    results.push(isHospital());
  }
  assert.deepEqual(results, [false, true, true, false, false]);
});

test("pages are for everybody, for any account, for people or for companies", async () => {
  const { answer } = server();
  const company = { accountType: "tp", email: "c@example.org", registeredAt: "" };
  const results = [];
  for (const [number, document] of [ada, company].entries()) {
    const known = loadSession();
    answer(number, document);
    await known;
    const readers = ["everybody", "account", "person", "company"];
    results.push([home(), readers.filter((each) => isAmong(each))]);
  }
  assert.deepEqual(results, [
    ["/app/health", ["everybody", "account", "person"]],
    ["/app/research", ["everybody", "account", "company"]],
  ]);
});
