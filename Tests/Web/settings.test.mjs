// What settings, devices, trusted companies and lists derive from answers and typed texts.

import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { attachmentName } from "../../Sources/WebApp/Elements/download.js";
import { inLanguage } from "../../Sources/WebApp/Elements/documentLanguage.js";
import { appended, renewed } from "../../Sources/WebApp/Elements/pagedListMerge.js";
import {
  assignments, storedChoices, switchedTypes, withoutSource,
} from "../../Sources/WebApp/Elements/typeChanges.js";
import { pairingCode } from "../../Sources/WebApp/Pages/devices/pairingCode.js";
import {
  centimetres, draftNames, mailKinds, newDocuments, placeText, storedMailKinds,
} from "../../Sources/WebApp/Pages/settings/changes.js";
import { companyQuery } from "../../Sources/WebApp/Pages/trusted/companyQuery.js";

const document = {
  document: "privacy", version: "2", title: "Privacy", text: "", publishedAt: "",
  accountTypes: ["single", "tp"], translations: [],
};

test("A document is new until its newest version has consent", () => {
  const old = [{ document: "privacy", version: "1", givenAt: "" }];
  assert.deepEqual(newDocuments([document], old, "single"), [document]);
  const given = [...old, { document: "privacy", version: "2", givenAt: "" }];
  assert.deepEqual(newDocuments([document], given, "single"), []);
});

test("A document for companies is not new to a person", () => {
  const liability = { ...document, document: "liability", accountTypes: ["tp"] };
  assert.deepEqual(newDocuments([liability], [], "single"), []);
  assert.deepEqual(newDocuments([liability], [], "tp"), [liability]);
});

test("A document is read in the language of the page, where it has a text in it", () => {
  const english = { language: "en", title: "Privacy policy", text: "Who" };
  const translated = { ...document, title: "Informativa", translations: [english] };
  assert.deepEqual(inLanguage(translated, "en"), { ...translated, ...english });
  assert.equal(inLanguage(translated, "it"), translated);
  assert.equal(inLanguage(document, "en").language, undefined);
});

test("Kinds of mails that a page does not offer stay as they are", () => {
  const kinds = storedMailKinds(["answer", "request", "run"], mailKinds("single"), ["alarm"]);
  assert.deepEqual(kinds, ["alarm", "answer"]);
});

test("A place in Italy is written with its province, a place abroad with its country", () => {
  assert.deepEqual(
    placeText({ name: "Pavia", province: "PV", country: "IT" }),
    { country: "IT", text: "Pavia (PV)" });
  assert.deepEqual(placeText({ name: "Bern", country: "CH" }), { country: "CH", text: "Bern" });
  assert.deepEqual(placeText({}), { country: "IT", text: "" });
});

test("A height of the API is shown in centimetres without fractions of binary numbers", () => {
  assert.equal(centimetres(1.81), 181);
  assert.equal(centimetres(1.755), 175.5);
});

test("The names in a draft are those of its fields", () => {
  const storage = { getItem: () => JSON.stringify({ height: "181", "birthdate.day": "1" }) };
  assert.deepEqual(draftNames("x", storage), ["height", "birthdate.day"]);
  assert.deepEqual(draftNames("x", { getItem: () => null }), []);
});

test("Only changed types and devices are sent", () => {
  const stored = storedChoices(
    { types: ["steps", "weight"], enabled: [true, false] },
    [{ deviceID: "7", assignedTypes: ["steps"] }]);
  assert.deepEqual(stored, [
    { type: "steps", isOn: true, device: "7" }, { type: "weight", isOn: false, device: "any" },
  ]);
  assert.equal(switchedTypes(stored, stored), null);
  assert.deepEqual(assignments(stored, stored), []);
  const wanted = [
    { type: "steps", isOn: false, device: "any" }, { type: "weight", isOn: false, device: "any" },
  ];
  assert.deepEqual(switchedTypes(stored, wanted), { types: ["steps"], enabled: [false] });
  assert.deepEqual(assignments(stored, wanted), [{ type: "steps", deviceID: "any" }]);
});

test("A type that is switched on without a device has nothing to import", () => {
  const switched = { types: ["steps", "weight", "glucose"], enabled: [true, true, false] };
  assert.deepEqual(withoutSource(switched, [{ types: ["steps"] }]), ["weight"]);
  assert.deepEqual(withoutSource(null, []), []);
});

test("A pairing code has six digits, with spaces and hyphens between them", () => {
  assert.equal(pairingCode(" 123 456 "), "123456");
  assert.equal(pairingCode("123-456"), "123456");
  assert.equal(pairingCode("12345"), null);
  assert.equal(pairingCode("1234567"), null);
  assert.equal(pairingCode("12345a"), null);
});

test("A company is named by P.IVA, email or words of its name", () => {
  assert.deepEqual(companyQuery("IT 12345670157", false), { kind: "piva", piva: "12345670157" });
  assert.deepEqual(companyQuery("a@b.it", false), { kind: "email", email: "a@b.it" });
  assert.deepEqual(companyQuery(" Acme  Lab ", false), { kind: "name", query: "Acme Lab" });
  assert.deepEqual(companyQuery("3M", false), { kind: "short" });
  assert.deepEqual(companyQuery("3M", true), { kind: "name", query: "3M" });
  assert.deepEqual(companyQuery("--", true), { kind: "short" });
});

const key = (/** @type {number} */ item) => String(item);

test("The next page of a list follows without items that are shown already", () => {
  assert.deepEqual(appended([9, 8, 7], [7, 6], key), [9, 8, 7, 6]);
});

test("The first page of a list adds new items and removes deleted ones", () => {
  assert.deepEqual(renewed([9, 8, 7, 6, 5], [10, 9, 7], key), [10, 9, 7, 6, 5]);
  assert.equal(renewed([3, 2], [9, 8], key), null);
  assert.equal(renewed([], [9], key), null);
});

test("The name of a download names no folder", () => {
  assert.equal(attachmentName('attachment; filename="trackme.zip"'), "trackme.zip");
  assert.equal(attachmentName("attachment; filename*=UTF-8''caff%C3%A8.zip"), "caffè.zip");
  assert.equal(attachmentName('attachment; filename="../../etc/passwd"'), "_.._etc_passwd");
  assert.equal(attachmentName("attachment; filename*=UTF-8''%ZZ; filename=\"a.zip\""), "a.zip");
  assert.equal(attachmentName("attachment"), null);
  assert.equal(attachmentName(null), null);
});
