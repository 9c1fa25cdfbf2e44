import assert from "node:assert/strict";
import { test } from "node:test";
import { number } from "../../Sources/WebApp/Client/language.js";
import {
  bytesText, fromLocalInput, localInput, parseNumber, startOfDay, toAPI, toPeople, unitOfAPI,
  valueText, withUnit,
} from "../../Sources/WebApp/Client/units.js";
import { useLanguage } from "./texts.mjs";

test("height is typed in cm and sent in m", () => {
  assert.equal(toAPI("height", 181), 1.81);
  assert.equal(toPeople("height", 1.81), 181);
});

test("speed and distance are shown in km/h and km", async () => {
  await useLanguage("en");
  assert.equal(valueText("speed", 2.5), "9\u00a0km/h");
  assert.equal(valueText("walkingRunningDistance", 12_345), "12.35\u00a0km");
});

test("a unit of the API is written as on the other pages", async () => {
  for (const language of ["it", "en"]) {
    await useLanguage(language);
    assert.equal(unitOfAPI("BPM"), "bpm");
    assert.equal(unitOfAPI("mmHg"), "mmHg");
  }
});

test("a percent sign follows its number as in a share", async () => {
  for (const language of ["it", "en"]) {
    await useLanguage(language);
    const share = number(0.971, { style: "percent", maximumFractionDigits: 1 });
    assert.equal(withUnit(number(97.1), "%"), share);
    assert.equal(withUnit(number(97), "mmHg"), "97\u00a0mmHg");
    assert.equal(withUnit(number(97), ""), "97");
  }
});

test("values carry the unit of the reader's language", async () => {
  await useLanguage("it");
  assert.equal(valueText("steps", 1), "1\u00a0passi");
  assert.equal(valueText("bodyTemperature", 36.55), "36,6\u00a0°C");
  assert.equal(valueText("oxygenSaturation", 97), "97%");
  assert.equal(valueText("weight", 70, { unit: false }), "70");
});

test("hours of sleep are hours and minutes", async () => {
  await useLanguage("en");
  assert.equal(valueText("sleepHours", 7.5), "7 hr 30 min");
});

test("numbers are read with a comma or a point", async () => {
  for (const language of ["it", "en"]) {
    await useLanguage(language);
    assert.equal(parseNumber(" 36,5 "), 36.5);
    assert.equal(parseNumber("36.5"), 36.5);
    assert.equal(parseNumber("1 200"), 1200);
    assert.equal(parseNumber("\u22123"), -3);
    for (const wrong of ["", "abc", "1,2,3", "1e5", "Infinity", "36.5.1", "."]) {
      assert.equal(parseNumber(wrong), null, wrong);
    }
  }
});

test("separators of thousands follow the language", async () => {
  await useLanguage("it");
  assert.equal(parseNumber("1.200"), 1200);
  assert.equal(parseNumber("1.200,5"), 1200.5);
  assert.equal(parseNumber("1,200"), 1.2);
  await useLanguage("en");
  assert.equal(parseNumber("1,200"), 1200);
  assert.equal(parseNumber("1,200.5"), 1200.5);
  assert.equal(parseNumber("1.200"), 1.2);
});

test("sizes are in kB, MB and GB", async () => {
  await useLanguage("en");
  assert.equal(bytesText(0), "0 byte");
  assert.equal(bytesText(9_500), "10 kB");
  assert.equal(bytesText(1_250_000), "1.3 MB");
  assert.equal(bytesText(4e9), "4 GB");
});

test("a local time survives its control", () => {
  const time = new Date(2026, 2, 29, 14, 5);
  assert.equal(localInput(time), "2026-03-29T14:05");
  assert.equal(fromLocalInput("2026-03-29T14:05"), time.toISOString());
  assert.equal(fromLocalInput(""), null);
  assert.equal(fromLocalInput("2026-13-01T00:00"), null);
});

test("a day begins at local midnight, and the next day after a change of the clock too", () => {
  assert.equal(startOfDay("2026-03-29"), new Date(2026, 2, 29).toISOString());
  assert.equal(startOfDay("2026-03-29", 1), new Date(2026, 2, 30).toISOString());
  assert.equal(startOfDay("2026-12-31", 1), new Date(2027, 0, 1).toISOString());
  assert.equal(startOfDay(""), null);
  assert.equal(startOfDay("0026-01-01"), null);
});
