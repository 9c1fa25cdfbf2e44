import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { useLanguage } from "./texts.mjs";

const { t } = await import("../../Sources/WebApp/Client/language.js");
const { tooFewText } = await import("../../Sources/WebApp/Pages/health/comparison.js");
const { boxPlaces } = await import("../../Sources/WebApp/Pages/health/boxPlot.js");
const { sosState } = await import("../../Sources/WebApp/Pages/health/sosCard.js");
const { dayBefore, inTileOrder, isUnfinished, markOf, pointTime, pointValue }
  = await import("../../Sources/WebApp/Pages/health/values.js");
const { figureText } = await import("../../Sources/WebApp/Pages/health/statistics.js");
const { sparklineCorners } = await import("../../Sources/WebApp/Elements/sparkline.js");
const { dataTypeGroups, dataTypeName, dataTypeNames, useDataTypes }
  = await import("../../Sources/WebApp/Elements/dataTypes.js");

const type = (dataType, it, en, addsUp = false) =>
  ({ dataType, names: { it, en }, unit: "", kind: "number", addsUp, loinc: [] });
useDataTypes([
  type("weight", "Peso", "Weight"), type("steps", "Passi", "Steps", true),
  type("heartRate", "Frequenza cardiaca", "Heart rate"), type("newType", "Nuovo", "New"),
]);

test("types are grouped, and an unknown type is among those of the body", () => {
  const groups = dataTypeGroups().map(({ group, types }) =>
    [group, types.map((each) => each.dataType)]);
  assert.deepEqual(groups, [
    ["heart", ["heartRate"]], ["activity", ["steps"]], ["body", ["weight", "newType"]],
  ]);
  assert.deepEqual(dataTypeGroups(["steps"]).map(({ group }) => group), ["activity"]);
});

test("types have names in the reader's language, in the order of the groups", async () => {
  await useLanguage("it");
  assert.equal(dataTypeName("heartRate"), "Frequenza cardiaca");
  assert.equal(dataTypeNames(["weight", "heartRate"]), "Frequenza cardiaca e Peso");
  await useLanguage("en");
  assert.equal(dataTypeName("steps"), "Steps");
  assert.equal(dataTypeName("unknown"), "unknown");
});

test("an hour, day, week or month grows until it has ended", () => {
  const time = new Date(2026, 9, 1).toISOString();
  const ends = {
    hour: new Date(2026, 9, 1, 1), day: new Date(2026, 9, 2), week: new Date(2026, 9, 8),
    month: new Date(2026, 10, 1),
  };
  for (const [granularity, end] of Object.entries(ends)) {
    assert.ok(isUnfinished({ time }, granularity, new Date(end.getTime() - 1)), granularity);
    assert.ok(!isUnfinished({ time }, granularity, end), granularity);
  }
});

test("pulse, steps, speed and sleep are the first tiles", () => {
  const order = ["bodyTemperature", "heartRate", "steps", "sleepHours", "speed", "weight"];
  const sorted = inTileOrder(order.map((parameter) => ({ parameter })), order);
  assert.deepEqual(sorted.map((each) => each.parameter),
    ["heartRate", "steps", "speed", "sleepHours", "bodyTemperature", "weight"]);
});

test("a point of a type that adds up is the sum, of others the mean", () => {
  const point = { time: "2026-01-01T00:00:00Z", mean: 10, count: 3 };
  assert.equal(pointValue("steps", point), 30);
  assert.equal(pointValue("weight", point), 10);
});

test("the mark agrees with the number that is shown", () => {
  const pulse = { from: 51, to: 90 };
  assert.equal(markOf("heartRate", 50.4, pulse), "below");
  assert.equal(markOf("heartRate", 50.6, pulse), "within");
  assert.equal(markOf("heartRate", 90.4, pulse), "within");
  assert.equal(markOf("heartRate", 90.6, pulse), "above");
  assert.equal(markOf("bodyTemperature", 38.04, { from: 36.1, to: 38 }), "within");
  assert.equal(markOf("bodyTemperature", 38.06, { from: 36.1, to: 38 }), "above");
  assert.equal(markOf("bloodPressureSystolic", 60, { from: null, to: 139 }), "within");
});

test("a day of the API is that day in the zones of its readers", () => {
  // Midnight in Rome, in winter.
  const time = pointTime("2026-01-09T23:00:00Z", "day");
  for (const timeZone of ["Europe/Rome", "Europe/London", "America/New_York", "Asia/Tokyo"]) {
    const day = new Intl.DateTimeFormat("en", { day: "numeric", timeZone }).format(time);
    assert.equal(day, "10", timeZone);
  }
  assert.equal(pointTime("2026-01-09T23:00:00Z", "hour"), Date.UTC(2026, 0, 9, 23));
  assert.equal(dayBefore(1), "1970-01-01T00:00:00.000Z");
});

test("figures have people's units, and a dash where one sample is too few", async () => {
  await useLanguage("en");
  const statistics = { parameter: "height", mean: 1.8123, variance: 0.0004, stddev: null };
  assert.equal(figureText(statistics, "mean"), "181.23");
  assert.equal(figureText(statistics, "variance"), "4");
  assert.equal(figureText(statistics, "stddev"), "–");
});

test("the box of equal values lies in the middle", () => {
  const places = boxPlaces({ min: 5, p5: 5, p25: 5, median: 5, p75: 5, p95: 5, max: 5 });
  assert.deepEqual(new Set(Object.values(places)), new Set([100]));
  const spread = boxPlaces({ min: 0, p5: 1, p25: 2, median: 5, p75: 8, p95: 9, max: 10 });
  assert.deepEqual([spread.min, spread.median, spread.max], [4, 100, 196]);
});

test("missing comparisons are one sentence with all their types", async () => {
  await useLanguage("en");
  const comparison = (type, others) => ({ type, ageBand: "40-49", others });
  const [few, enough] = [null, { mean: 70, people: 1200, releasedAt: "2026-01-10T00:00:00Z" }];
  assert.equal(tooFewText([comparison("heartRate", enough)]), "");
  assert.equal(
    tooFewText([comparison("weight", few), comparison("heartRate", few), comparison("steps", few)]),
    t("health.others.tooFewOf", { ageBand: "40–49", types: "Heart rate, Steps, and Weight" }));
});

test("a small plot fills its picture, with high values on top", () => {
  const points = [{ time: 0, value: 1 }, { time: 5, value: 3 }, { time: 10, value: 2 }];
  const corners = sparklineCorners(points);
  assert.deepEqual(corners, [[3, 29], [60, 3], [117, 16]]);
  assert.deepEqual(sparklineCorners([{ time: 0, value: 1 }]), [[60, 16]]);
  assert.deepEqual(sparklineCorners([]), []);
});

test("AutomatedSOS is on, paused or off", () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(sosState({ enabled: false, pausedUntil: "2026-01-02T00:00:00Z" }, now), "off");
  assert.equal(sosState({ enabled: true, pausedUntil: "2026-01-02T00:00:00Z" }, now), "paused");
  assert.equal(sosState({ enabled: true, pausedUntil: "2025-01-02T00:00:00Z" }, now), "on");
  assert.equal(sosState({ enabled: true, pausedUntil: null }, now), "on");
});
