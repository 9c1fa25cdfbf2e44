import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { useDataTypes } from "../../Sources/WebApp/Elements/dataTypes.js";
import { useLanguage } from "./texts.mjs";

const { entryUpload, entryValue, percent, uploadTexts }
  = await import("../../Sources/WebApp/Pages/data/entry.js");
const { formatOf, mediaTypeOf } = await import("../../Sources/WebApp/Pages/data/transfer.js");
const { codeName } = await import("../../Sources/WebApp/Pages/health/values.js");
const { positionOf, scaleLength, trackCorners }
  = await import("../../Sources/WebApp/Pages/data/track.js");

const height = { dataType: "height", kind: "number", min: 0.2, max: 2.8 };
const systolic = { dataType: "bloodPressureSystolic", kind: "number", min: 40, max: 300 };
const diastolic = { dataType: "bloodPressureDiastolic", kind: "number", min: 20, max: 200 };
const position = { dataType: "position", kind: "position" };
const now = new Date(2026, 0, 10, 12, 0);
const time = "2026-01-10T11:59";

test("a typed value is sent in the API's unit", () => {
  const upload = entryUpload([{ type: height, text: "181" }], time, now);
  assert.deepEqual(upload, {
    body: {
      dataTypes: ["height"], values: [1.81],
      timestamp: [new Date(2026, 0, 10, 11, 59).toISOString()],
    },
  });
});

test("an implausible value is refused with its range in people's unit", async () => {
  await useLanguage("en");
  const range = { error: "From 20 to 280\u00a0cm." };
  assert.deepEqual(entryValue({ type: height, text: "1.81" }), range);
  assert.deepEqual(entryValue({ type: height, text: "20" }), { value: 0.2 });
  assert.deepEqual(entryValue({ type: height, text: "280" }), { value: 2.8 });
  assert.ok("error" in entryValue({ type: height, text: "280.1" }));
  assert.ok("error" in entryValue({ type: height, text: "tall" }));
  assert.ok("error" in entryValue({ type: height, text: " " }));
});

test("both pressures are one upload, and the diastolic one is below", () => {
  const typed = (high, low) => [{ type: systolic, text: high }, { type: diastolic, text: low }];
  assert.deepEqual(entryUpload(typed("120", "80"), time, now).body?.values, [120, 80]);
  assert.deepEqual(entryUpload(typed("120", ""), time, now).body?.values, [120]);
  assert.deepEqual(Object.keys(entryUpload(typed("80", "80"), time, now).errors ?? {}), ["second"]);
  const swapped = [{ type: diastolic, text: "80" }, { type: systolic, text: "120" }];
  assert.deepEqual(entryUpload(swapped, time, now).body?.values, [80, 120]);
});

test("values that were sent are named with type, unit and time", async () => {
  await useLanguage("en");
  useDataTypes([{
    dataType: "height", unit: "m", loinc: "8302-2", min: 0.2, max: 2.8, cumulative: false,
    names: { it: "statura", en: "height" },
  }]);
  const [text] = uploadTexts(
    { dataTypes: ["height"], values: [1.81], timestamp: [new Date(2026, 0, 10).toISOString()] });
  assert.match(text, /^height: 181\u00a0cm \(.*2026.*\)$/i);
  const [code] = uploadTexts(
    { dataTypes: ["ecg"], values: ["sinus"], timestamp: [new Date(2026, 0, 10).toISOString()] });
  assert.ok(code.includes(codeName("ecg", "sinus")), code);
});

test("a time is from 1900 on and not in the future", () => {
  const errors = (text) => Object.keys(
    entryUpload([{ type: height, text: "181" }], text, now).errors ?? {});
  assert.deepEqual(errors("2026-01-10T12:04"), []);
  assert.deepEqual(errors("2026-01-10T12:05"), ["time"]);
  assert.deepEqual(errors("1899-12-30T12:00"), ["time"]);
  assert.deepEqual(errors(""), ["time"]);
});

test("a position is two numbers within the globe", () => {
  const point = { value: "45.4642,9.19" };
  assert.deepEqual(entryValue({ type: position, text: "45.4642, 9.19" }), point);
  for (const wrong of ["91,0", "0,181", "45.4642", "a,b", "1,2,3"]) {
    assert.ok("error" in entryValue({ type: position, text: wrong }), wrong);
  }
});

test("the format of a file is found by its name where that is certain", () => {
  assert.equal(formatOf("Morning.GPX"), "gpx");
  assert.equal(formatOf("HealthAutoExport-2026.json"), "health-auto-export");
  assert.equal(formatOf("export.xml"), "apple-health");
  assert.equal(formatOf("export.zip"), "apple-health");
  assert.equal(formatOf("tracks.zip"), null);
  assert.equal(mediaTypeOf("a.json"), "application/json");
  assert.equal(mediaTypeOf("a"), "application/octet-stream");
});

test("progress is at most 100 percent", () => {
  assert.equal(percent(0, 0), 0);
  assert.equal(percent(999, 1000), 99);
  assert.equal(percent(1200, 1000), 100);
});

test("a path keeps its proportions, north up", () => {
  const { corners, metresPerUnit } = trackCorners([
    { latitude: 45, longitude: 9 }, { latitude: 45.01, longitude: 9 },
  ]);
  assert.deepEqual(corners, [[160, 304], [160, 16]]);
  assert.ok(Math.abs(metresPerUnit - 1111.95 / 288) < 0.01);
  assert.deepEqual(trackCorners([{ latitude: 45, longitude: 9 }]).corners, [[160, 160]]);
});

test("a path across the date line stays short", () => {
  const { metresPerUnit } = trackCorners([
    { latitude: 0, longitude: 179.99 }, { latitude: 0, longitude: -179.99 },
  ]);
  assert.ok(metresPerUnit * 288 < 3_000);
});

test("the scale is a round length of at most a third of the picture", () => {
  for (const metresPerUnit of [0.03, 1, 3.86, 700]) {
    const length = scaleLength(metresPerUnit);
    assert.ok(length <= (metresPerUnit * 320) / 3 && length > (metresPerUnit * 320) / 9);
    assert.match(String(length), /^(0\.)?0*[125]0*$/);
  }
});

test("a point without coordinates has no position", () => {
  assert.equal(positionOf({ time: "", value: "indoor" }), null);
  const found = positionOf({ time: "", value: "45.5,9.25" });
  assert.deepEqual(found, { latitude: 45.5, longitude: 9.25 });
});
