// Requirements: UI-7, UI-8 (requests and their data).
import assert from "node:assert/strict";
import { test } from "node:test";
import { t } from "../../Sources/WebApp/Client/language.js";
import {
  conditionText, hasMeanCondition, parts,
} from "../../Sources/WebApp/Elements/conditions.js";
import { useDataTypes } from "../../Sources/WebApp/Elements/dataTypes.js";
import * as body from "../../Sources/WebApp/Elements/requestBody.js";
import { plot, Samples } from "../../Sources/WebApp/Pages/requestData/samples.js";
import * as search from "../../Sources/WebApp/Pages/requestGroup/search.js";
import { useLanguage } from "./texts.mjs";

const now = new Date(2026, 4, 20, 15, 30);
const typed = { from: "", to: "", subscribing: false, count: "", unit: "month" };

test("a person is named by an email or a fiscal code, and by nothing else", () => {
  assert.deepEqual(body.addressee(" anna@example.org "), { email: "anna@example.org" });
  assert.deepEqual(body.addressee("rssmra85t10a562s"), { fc: "RSSMRA85T10A562S" });
  assert.deepEqual(body.addressee("RSS MRA 85T10 A562S"), { fc: "RSSMRA85T10A562S" });
  const wrongCode = "RSSMRA85T10A562A";
  for (const text of ["", "anna", "a@b@c", "RSSMRA85T10A562", "RSSMRA85T10A562SX", wrongCode]) {
    assert.equal(body.addressee(text), null, text);
  }
});

test("a period covers its last day, and a missing bound stays open", () => {
  assert.deepEqual(body.termsOf(typed, now), { terms: { subscribing: false }, errors: {} });
  const { terms, errors } = body.termsOf({ ...typed, from: "2026-05-01", to: "2026-05-19" }, now);
  assert.deepEqual(errors, {});
  assert.equal(terms.from, new Date(2026, 4, 1).toISOString());
  assert.equal(terms.to, new Date(2026, 4, 20).toISOString());
});

test("a day that is also the first one is a period, an earlier last day is not one", () => {
  assert.deepEqual(
    body.termsOf({ ...typed, from: "2026-05-01", to: "2026-05-01" }, now).errors, {});
  assert.deepEqual(
    body.termsOf({ ...typed, from: "2026-05-02", to: "2026-05-01" }, now).errors,
    { from: "terms.periodEmpty" });
});

test("without a subscription the present day ends now, and a later day is refused", () => {
  const today = body.termsOf({ ...typed, to: "2026-05-20" }, now);
  assert.deepEqual(today.errors, {});
  assert.ok(Date.parse(today.terms.to ?? "") <= now.getTime());
  assert.deepEqual(body.termsOf({ ...typed, to: "2026-05-21" }, now).errors,
    { to: "terms.futureNeedsSubscription" });
  assert.deepEqual(body.termsOf({ ...typed, from: "2026-05-21" }, now).errors,
    { from: "terms.futureNeedsSubscription" });
});

test("a subscription needs a length or an end in the future", () => {
  const subscribing = { ...typed, subscribing: true };
  assert.deepEqual(body.termsOf(subscribing, now).errors, { duration: "terms.durationMissing" });
  assert.deepEqual(body.termsOf({ ...subscribing, to: "2026-06-30" }, now).errors, {});
  assert.deepEqual(body.termsOf({ ...subscribing, count: "3" }, now).terms,
    { subscribing: true, duration: 7_776_000 });
  assert.deepEqual(body.termsOf({ ...subscribing, count: "x" }, now).errors,
    { duration: "terms.durationWrong" });
});

test("the length of a subscription is needed while no last day ends it", () => {
  const subscribing = { to: "", subscribing: true };
  assert.equal(body.needsDuration(subscribing, now), true);
  assert.equal(body.needsDuration({ ...subscribing, to: "2026-05-19" }, now), true);
  assert.equal(body.needsDuration({ ...subscribing, to: "2026-05-20" }, now), false);
  assert.equal(body.needsDuration({ to: "", subscribing: false }, now), false);
});

test("a length is a whole number of units, ten years at most", () => {
  assert.equal(body.durationSeconds("10", "year"), 315_360_000);
  for (const [count, unit] of [["11", "year"], ["0", "day"], ["-1", "day"], ["1.5", "day"],
    ["1", "hour"], ["", "day"]]) {
    assert.equal(body.durationSeconds(count, unit), null, `${count} ${unit}`);
  }
});

/** @type {import("../../Sources/WebApp/Pages/requestGroup/search.js").Search} */
const all = {
  ageFrom: 0, ageTo: search.ageMax, sex: "", nationality: "", occupation: "",
  residence: { level: "", value: "" }, birth: { level: "", value: "" }, diseases: [], area: null,
  means: [],
};

test("a search without a condition is refused before it is sent", () => {
  assert.deepEqual(search.searchList(all),
    { parameters: [], errors: { "": "requestGroup.searchMissing" } });
});

test("each condition is written as the API takes it, with the field it comes from", () => {
  const { parameters, errors } = search.searchList({
    ...all, ageFrom: 25, ageTo: 40, sex: "F", nationality: "IT", occupation: "student",
    residence: { level: "municipality", value: " Milano (MI) " },
    birth: { level: "region", value: "Lombardia" }, diseases: ["diabetes", "asthma"],
    area: { latitude: "45,4642", longitude: "9.19", kilometres: "5" },
    means: [{ type: "heartRate", least: "", most: "100", min: 20, max: 250 },
      { type: "", least: "3", most: "", min: 0, max: 0 }],
  });
  assert.deepEqual(errors, {});
  assert.deepEqual(parameters, [
    { text: "age>=25", field: "age" }, { text: "age<=40", field: "age" },
    { text: "sex=F", field: "sex" }, { text: "nationality=IT", field: "nationality" },
    { text: "residence.municipality=Milano (MI)", field: "residence" },
    { text: "birth.region=Lombardia", field: "birth" },
    { text: "occupation=student", field: "occupation" },
    { text: "disease=diabetes", field: "diseases" },
    { text: "disease=asthma", field: "diseases" },
    { text: "area=45.4642,9.1900,5000", field: "area" },
    { text: "heartRate<=100", field: "mean0" },
  ]);
});

test("a missing place, a missing bound and a circle that is too small are errors", () => {
  const mean = { type: "heartRate", least: "", most: "", min: 20, max: 250 };
  const { errors } = search.searchList({
    ...all, residence: { level: "province", value: "" },
    area: { latitude: "45", longitude: "9", kilometres: "4.9" },
    means: [mean, { ...mean, least: "63" }],
  });
  assert.deepEqual(errors, {
    residence: "requestGroup.placeMissing", area: "requestGroup.areaWrong",
    mean0: "requestGroup.meanMissing", mean1: "requestGroup.meanWrong",
  });
});

test("an area is a point of the Earth with a radius from 5 to 500 km", () => {
  const area = (latitude, longitude, kilometres) =>
    search.areaText({ latitude, longitude, kilometres });
  assert.equal(area("-90", "180", "500"), "-90.0000,180.0000,500000");
  for (const [north, east, radius] of [["90.1", "0", "5"], ["0", "180.1", "5"],
    ["0", "0", "500.1"], ["", "0", "5"], ["0", "x", "5"]]) {
    assert.equal(area(north, east, radius), null, `${north} ${east} ${radius}`);
  }
});

test("bounds of means have the steps that the API contract names", () => {
  // docs/api.md, "Search parameters".
  assert.equal(search.boundStep(20, 250), 5);
  assert.equal(search.boundStep(40, 300), 10);
  assert.equal(search.boundStep(0.5, 500), 10);
  assert.equal(search.boundStep(25, 45), 0.5);
  assert.equal(search.boundStep(0.2, 2.8), 0.1);
  assert.equal(search.boundStep(0, 100), 2);
  assert.equal(search.boundStep(0, 50), 1);
  assert.deepEqual(search.boundRange(0.2, 2.8), { step: 0.1, first: 0.2, last: 2.8 });
  assert.deepEqual(search.boundRange(0.5, 500), { step: 10, first: 10, last: 500 });
});

test("every multiple of a step in the range is a bound", () => {
  for (const [min, max] of [[25, 45], [0.2, 2.8], [20, 250]]) {
    const { step, first, last } = search.boundRange(min, max);
    for (let bound = first; bound <= last + step / 2; bound += step) {
      const least = String(Number(bound.toFixed(6)));
      const mean = { type: "weight", least, most: "", min, max };
      const { errors } = search.searchList({ ...all, means: [mean] });
      assert.deepEqual(errors, {}, least);
    }
  }
});

test("a condition on a mean has the unit of the pages, not that of the API", async () => {
  useDataTypes([{
    dataType: "heartRate", unit: "BPM", loinc: "8867-4", min: 20, max: 250, cumulative: false,
    names: { it: "frequenza cardiaca", en: "heart rate" },
  }]);
  for (const [language, type] of [["it", "frequenza cardiaca"], ["en", "heart rate"]]) {
    await useLanguage(language);
    assert.match(conditionText("heartRate>=70"), new RegExp(`${type}.* 70\u00a0bpm$`, "i"));
  }
});

test("an occupation has the words of the profile in a condition", async () => {
  for (const language of ["it", "en"]) {
    await useLanguage(language);
    assert.equal(conditionText("occupation=employed"),
      `${t("condition.occupation")}: ${t("occupation.employed")}`);
  }
});

test("a condition is split into its parts, another text stays as it is", () => {
  assert.deepEqual(parts("age>=25"), { name: "age", operator: ">=", value: "25" });
  assert.deepEqual(parts("residence.province = MI"),
    { name: "residence.province", operator: "=", value: "MI" });
  assert.equal(parts("nothing"), null);
  assert.equal(conditionText("nothing"), "nothing");
});

test("a condition on a mean concerns its type alone", () => {
  const conditions = ["age>=25", "heartRate >= 70"];
  assert.equal(hasMeanCondition(conditions, "heartRate"), true);
  assert.equal(hasMeanCondition(conditions, "weight"), false);
  assert.equal(hasMeanCondition([], "heartRate"), false);
});

const sample = (seq, minute, value, dataType = "heartRate") => ({
  seq, dataType, value, unit: "BPM", device: null,
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
});

test("a sample from the page and from the stream is kept once", () => {
  const samples = new Samples();
  assert.equal(samples.add([sample(1, 0, 60), sample(2, 1, 61)]), 2);
  const warm = sample(4, 0, 36.6, "bodyTemperature");
  assert.equal(samples.add([sample(2, 1, 61), sample(3, 2, 62), warm]), 2);
  assert.equal(samples.count, 4);
  assert.deepEqual(samples.types(), ["heartRate", "bodyTemperature"]);
  assert.deepEqual(samples.of("heartRate").map(({ seq }) => seq), [3, 2, 1]);
});

test("what a person deletes leaves the list, the end of the period excluded", () => {
  const samples = new Samples();
  samples.add([0, 1, 2, 3].map((minute) => sample(minute + 1, minute, 60)));
  samples.of("heartRate");
  const [first, end] = [sample(0, 1, 0).timestamp, sample(0, 3, 0).timestamp];
  assert.equal(samples.erase(["heartRate"], first, end), 2);
  assert.deepEqual(samples.of("heartRate").map(({ seq }) => seq), [4, 1]);
  assert.equal(samples.erase(["weight"], null, null), 0);
  assert.equal(samples.erase(["heartRate"], null, undefined), 2);
  assert.equal(samples.count, 0);
});

test("a chart shows few values one by one, and many by mean, lowest and highest", () => {
  const few = plot([sample(2, 1, 61), sample(1, 0, 60), sample(3, 2, "sinus", "ecg")]);
  assert.deepEqual(few.points.map(({ value }) => value), [60, 61]);
  assert.equal(few.band, undefined);
  const many = Array.from({ length: 1000 },
    (_, index) => sample(index, index, index % 2 ? 80 : 60));
  const { points, band = [], count } = plot(many, 100);
  assert.equal(count, 1000);
  assert.ok(points.length <= 100 && points.length > 90, String(points.length));
  assert.equal(band.length, points.length);
  assert.ok(points.every(({ value }) => value > 60 && value < 80));
  assert.ok(band.every(({ low, high }) => low === 60 && high === 80));
  const times = points.map(({ time }) => time);
  assert.deepEqual(times, [...times].sort((left, right) => left - right));
});

test("many values of the same moment are one point", () => {
  const { points } = plot(Array.from({ length: 50 }, (_, index) => sample(index, 0, index)), 10);
  assert.deepEqual(points.map(({ value }) => value), [24.5]);
});
