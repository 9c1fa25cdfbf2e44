// The cases of Tests/DomainTests/FiscalCodeTests.swift, so that pages and server agree.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  agreesWithBirthDate, checkLetter, parseFiscalCode,
} from "../../Sources/WebApp/Client/fiscalCode.js";

const valid = [
  "RSSMRA80A01H501U", "BNCLRA92D55F205E", "RSSMRA80A41H501Y", "XXXTST90A01Z129L",
  "RSSMRA00B29H501Y",
];
const omocodia = [
  "RSSMRA80A01H50MM", "RSSMRA80A01H5L1F", "RSSMRA80A01HR01P", "RSSMRA80A01H5LMX",
  "RSSMRA80A0MH501M", "RSSMRAULALMHRLMD",
];
const impossibleDates = [
  "RSSMRA80A72H501G", "RSSMRA80A00H501V", "RSSMRA80A32H501C", "RSSMRA80A81H501C",
  "RSSMRA81B29H501R",
];

/** @param {string} text */
function parsed(text) {
  const code = parseFiscalCode(text);
  assert.equal(typeof code, "object", `${text}: ${code}`);
  return code;
}

test("a valid fiscal code is accepted as written", () => {
  for (const text of valid) assert.equal(parsed(text).text, text);
});

test("a fiscal code with omocodia is accepted as written", () => {
  for (const text of omocodia) {
    const code = parsed(text);
    assert.equal(code.text, text);
    assert.equal(code.birthPlace, "H501");
    assert.equal(code.sex, "M");
    assert.ok(agreesWithBirthDate(code, "1980-01-01"));
  }
});

test("all 128 subsets of omocodia are accepted and decode the same", () => {
  const places = [6, 7, 9, 10, 12, 13, 14];
  for (let subset = 0; subset < 128; subset += 1) {
    const characters = [..."RSSMRA80A01H501"];
    places.forEach((place, bit) => {
      if (subset & (1 << bit)) characters[place] = "LMNPQRSTUV"[Number(characters[place])];
    });
    const head = characters.join("");
    const accepted = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
      .map((letter) => parseFiscalCode(head + letter))
      .filter((code) => typeof code === "object");
    assert.equal(accepted.length, 1);
    assert.ok(agreesWithBirthDate(accepted[0], "1980-01-01"));
    assert.equal(accepted[0].text, head + checkLetter(head));
  }
});

test("a birth date that exists in no century is rejected", () => {
  for (const text of impossibleDates) assert.equal(parseFiscalCode(text), "noSuchDay", text);
});

test("other lengths and characters are rejected", () => {
  const malformed = [
    "RSSMRA80A01H501UU", "RSSMRA80F01H501G", "RSSMRA80A01H501é", "1SSMRA80A01H501U",
    "RSSMRAA0A01H501U", "RSSMRA80A01H5011", "RSSMRA80A01H501\u0000", "RSSMRA80A01H50AU",
  ];
  for (const text of malformed) assert.equal(parseFiscalCode(text), "malformed", text);
});

test("the beginning of a fiscal code is incomplete, not wrong", () => {
  for (let length = 0; length < 16; length += 1) {
    assert.equal(parseFiscalCode("RSSMRA80A01H501U".slice(0, length)), "incomplete");
  }
});

test("each of the 25 other check letters is rejected", () => {
  for (const letter of "ABCDEFGHIJKLMNOPQRSTVWXYZ") {
    assert.equal(parseFiscalCode(`RSSMRA80A01H501${letter}`), "wrongCheckLetter");
  }
});

test("case and separators are ignored", () => {
  assert.equal(parsed("rss mra 80a01-h501.u").text, "RSSMRA80A01H501U");
});

test("a code matches its birth date in any century", () => {
  const code = parsed("BNCLRA92D55F205E");
  assert.equal(code.sex, "F");
  assert.equal(code.birthPlace, "F205");
  for (const day of ["1992-04-15", "1892-04-15"]) assert.ok(agreesWithBirthDate(code, day));
  for (const day of ["1992-04-16", "1992-05-15", "1993-04-15"]) {
    assert.ok(!agreesWithBirthDate(code, day));
  }
});
