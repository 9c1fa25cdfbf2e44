// The cases of Tests/DomainTests for the fields that a page checks before sending.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  age, birthDateFault, calendarDay, coordinate, decimal, isEmail, isPhone, metres, passwordFault,
} from "../../Sources/WebApp/Client/rules.js";

test("email addresses are dot-atoms at a host of two labels or more", () => {
  const right = [
    "a@b.it", "mario.rossi+track@posta.example.org", "o'neil@example.ie", "x_y@xn--4ca.it",
    `${"a".repeat(64)}@example.org`, "a@1.2b",
  ];
  const wrong = [
    "", "a", "a@b", "@b.it", "a@", "a..b@c.it", ".a@c.it", "a.@c.it", "a b@c.it", "a@-b.it",
    "a@b-.it", "a@b..it", "a@1.2", "\"a\"@b.it", "a@[1.2.3.4]", "é@b.it", "a@b.it\n",
    `${"a".repeat(65)}@example.org`,
  ];
  for (const text of right) assert.ok(isEmail(text), text);
  for (const text of wrong) assert.ok(!isEmail(text), text);
});

test("telephone numbers have 5 to 15 digits", () => {
  for (const text of ["+39 (02) 123-45.67", "12345", "123456789012345"]) {
    assert.ok(isPhone(text), text);
  }
  for (const text of ["", "1234", "1234567890123456", "12345x", "39+02123", "++3902123"]) {
    assert.ok(!isPhone(text), text);
  }
});

test("a password has 8 to 128 characters", () => {
  assert.equal(passwordFault(""), "missing");
  assert.equal(passwordFault("1234567"), "tooShort");
  assert.equal(passwordFault("😀".repeat(8)), null);
  assert.equal(passwordFault("x".repeat(128)), null);
  assert.equal(passwordFault("x".repeat(129)), "tooLong");
});

test("numbers take a point or a comma, heights centimetres or metres", () => {
  assert.equal(decimal(" 72,5 "), 72.5);
  assert.equal(decimal("1.2.3"), null);
  assert.equal(decimal("1e3"), null);
  assert.equal(metres("181"), 1.81);
  assert.equal(metres("1,81"), 1.81);
  assert.equal(metres("20"), 0.2);
  assert.equal(metres("280"), 2.8);
  for (const text of ["", "0.1", "19", "281", "tall"]) assert.equal(metres(text), null, text);
});

test("a day that does not exist has no calendar day", () => {
  assert.equal(calendarDay(2000, 2, 29), "2000-02-29");
  assert.equal(calendarDay(1900, 2, 29), null);
  assert.equal(calendarDay(1980, 13, 1), null);
  assert.equal(calendarDay(80, 1, 1), null);
  assert.equal(calendarDay(1980, 1, NaN), null);
});

test("an age counts completed years", () => {
  assert.equal(age("2010-05-02", "2024-05-01"), 13);
  assert.equal(age("2010-05-02", "2024-05-02"), 14);
  assert.equal(age("2012-02-29", "2026-02-28"), 13);
  assert.equal(age("2012-02-29", "2026-03-01"), 14);
  assert.equal(birthDateFault("2024-05-02", "2024-05-01"), "inFuture");
  assert.equal(birthDateFault("1894-05-01", "2024-05-01"), null);
  assert.equal(birthDateFault("1893-05-01", "2024-05-01"), "tooLongAgo");
});

test("a coordinate is latitude and longitude in decimal degrees", () => {
  assert.equal(coordinate("45.4781,9.2273"), "45.4781,9.2273");
  assert.equal(coordinate(" 45.4781, 9.2273 "), "45.4781,9.2273");
  assert.equal(coordinate("-33.9 151.2"), "-33.9,151.2");
  for (const text of ["", "45", "91,0", "0,181", "a,b"]) assert.equal(coordinate(text), null, text);
});
