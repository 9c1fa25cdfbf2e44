// The cases of Tests/DomainTests/AccountTests.swift, so that pages and server agree.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compactVATNumber, vatNumberFault } from "../../Sources/WebApp/Client/vatNumber.js";

test("a valid P.IVA is accepted", () => {
  for (const text of ["00743110157", "07643520567", "12345670157"]) {
    assert.equal(vatNumberFault(text), null, text);
  }
});

test("the prefix IT and separators are ignored", () => {
  for (const text of ["IT 007-431.101:57", "it00743110157"]) {
    assert.equal(vatNumberFault(text), null, text);
    assert.equal(compactVATNumber(text), "00743110157");
  }
});

test("each fault of a P.IVA has its own error", () => {
  assert.equal(vatNumberFault("00000000000"), "noSuchNumber");
  assert.equal(vatNumberFault("00743110158"), "wrongCheckDigit");
  assert.equal(vatNumberFault("00743110007"), "noSuchOffice");
  assert.equal(vatNumberFault("00743111017"), "noSuchOffice");
  for (const text of ["007431101577", "0074311O157", "FR00743110157", "ITIT743110157"]) {
    assert.equal(vatNumberFault(text), "malformed", text);
  }
});

test("the beginning of a P.IVA is incomplete, not wrong", () => {
  for (const text of ["", "I", "it", "IT0", "0074311015"]) {
    assert.equal(vatNumberFault(text), "incomplete", text);
  }
});

test("the offices of a P.IVA are 001 to 100, 120, 121, 888 and 999", () => {
  const accepted = [];
  for (let office = 0; office < 1000; office += 1) {
    const head = `1234567${String(office).padStart(3, "0")}`;
    if ([..."0123456789"].some((digit) => vatNumberFault(head + digit) === null)) {
      accepted.push(office);
    }
  }
  const first = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.deepEqual(accepted, [...first, 120, 121, 888, 999]);
});
