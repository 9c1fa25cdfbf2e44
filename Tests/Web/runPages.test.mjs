// Requirements: UI-9, UI-11, RUN-4, RUN-7, RUN-10 (pages of runs).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { runNameOf } from "../../Sources/WebApp/Client/runCode.js";
import { runCountdown } from "../../Sources/WebApp/Elements/runCountdown.js";
import {
  clock, countdownParts, liveTitle, spanText,
} from "../../Sources/WebApp/Elements/runFormat.js";
import { areFinal } from "../../Sources/WebApp/Elements/runState.js";
import { foundBy, isSame, questionOf, readSought } from "../../Sources/WebApp/Pages/live/sought.js";
import { emailsOf, mainRun } from "../../Sources/WebApp/Pages/myRun/mainRun.js";
import { addressQuery, filtersOf, isFiltered,
  queryOf } from "../../Sources/WebApp/Pages/runs/filters.js";
import { nextFirst } from "../../Sources/WebApp/Pages/runs/order.js";
import { useLanguage } from "./texts.mjs";

test("codes are read from what people type and from QR codes", () => {
  for (const text of ["DEMO2026", " demo 2026 ", "demo-2026", "https://t.example/r/DEMO2026",
    "https://t.example/r/demo2026?runner=4#n4", "/app/runs/DEMO2026/live"]) {
    assert.deepEqual(runNameOf(text), { code: "DEMO2026" }, text);
  }
  assert.deepEqual(runNameOf("412"), { runID: 412 });
  assert.deepEqual(runNameOf("#412"), { runID: 412 });
  assert.deepEqual(runNameOf("23456789"), { code: "23456789" });
  for (const text of ["", "0", "abc", "https://example.org/", "https://t.example/r/%",
    "ABCDEFGHI"]) {
    assert.equal(runNameOf(text), null, text);
  }
});

test("the page of the runners of an ended run is not titled as live", () => {
  const titles = ["open", "live", "ended"].map(liveTitle);
  assert.equal(titles[0], titles[1]);
  assert.notEqual(titles[1], titles[2]);
});

test("placings are final once late positions no longer count", () => {
  const end = Date.parse("2026-07-05T09:30:00Z");
  assert.deepEqual([-1, 0, 29, 59, 60, 660].map((seconds) => areFinal(end, end + seconds * 1_000)),
    [false, false, false, false, true, true]);
});

test("clocks and countdowns", () => {
  assert.deepEqual([0, 42.4, 725, 3725, -5].map(clock), ["0:00", "0:42", "12:05", "1:02:05",
    "0:00"]);
  assert.deepEqual(countdownParts(90_061_000), { days: 1, hours: 1, minutes: 1, seconds: 1 });
  assert.deepEqual(countdownParts(-1), { days: 0, hours: 0, minutes: 0, seconds: 0 });
  assert.equal(countdownParts(500).seconds, 1);
});

test("the times of a run name the time zone that they are in", async () => {
  process.env.TZ = "Europe/Rome";
  await useLanguage("en");
  assert.equal(spanText("2026-07-05T07:00:00Z", "2026-07-05T09:30:00Z"),
    "5 Jul 2026, 09:00 – 11:30 (CEST)");
  assert.equal(spanText("2026-12-31T22:00:00Z", "2026-12-31T23:30:00Z"),
    "31 Dec 2026, 23:00 – 1 Jan 2027, 00:30 (CET)");
});

test("searches find their runners and no others's", () => {
  const runners = [
    { number: 4, runnerName: "Anna", status: "running" },
    { number: 5, runnerName: "ANNA", status: "running" },
    { runnerName: "anna@example.org", status: "running" },
    { runnerName: "Anna", status: "paused" },
  ];
  const numbers = (sought) => foundBy(sought, runners).map(({ number }) => number);
  assert.deepEqual(numbers({ kind: "name", term: " anna " }), [4, 5]);
  assert.deepEqual(numbers({ kind: "number", term: "Anna", number: 5 }), [5]);
  assert.deepEqual(numbers({ kind: "email", term: "Anna@Example.org" }), [undefined]);
  assert.equal(foundBy({ kind: "fullName", term: "Anna" }, runners)[0].status, "paused");
  assert.deepEqual(questionOf({ kind: "number", term: "Anna", number: 5 }), { name: "Anna" });
  assert.deepEqual(questionOf({ kind: "fc", term: "X" }), { fc: "X" });
  assert.ok(isSame({ kind: "email", term: "A@b.it" }, { kind: "email", term: "a@b.it" }));
  assert.ok(!isSame({ kind: "number", term: "a", number: 1 }, { kind: "number", term: "a",
    number: 2 }));
});

test("kept searches are read, everything else is ignored", () => {
  const kept = [{ kind: "name", term: "Anna" }, { kind: "number", term: "7", number: 7 }];
  assert.deepEqual(readSought(JSON.stringify([...kept, { kind: "number", term: "7" }, 3, null,
    { kind: "phone", term: "1" }, { kind: "name", term: "" }])), kept);
  for (const text of [null, "", "{", "{}", "7"]) assert.deepEqual(readSought(text), []);
});

test("the live run comes first, then the next, then the last", () => {
  const run = (runID, state, startTime, more = {}) =>
    ({ runID, state, startTime, cancelled: false, checkedIn: false, ...more });
  const ended = [run(1, "ended", "2026-01-01T08:00:00Z"), run(2, "ended", "2026-02-01T08:00:00Z")];
  const open = [run(3, "open", "2026-09-01T08:00:00Z"), run(4, "open", "2026-08-01T08:00:00Z")];
  const live = run(5, "live", "2026-05-01T08:00:00Z", { checkedIn: true });
  const missed = run(6, "live", "2026-05-01T08:00:00Z");
  const cancelled = run(7, "open", "2026-06-01T08:00:00Z", { cancelled: true });
  assert.equal(mainRun([...open, ...ended, live], null).runID, 5);
  assert.equal(mainRun([cancelled, ...open, missed, ...ended], null).runID, 4);
  assert.equal(mainRun([missed, ...ended], null).runID, 6);
  assert.equal(mainRun(ended, null).runID, 2);
  assert.equal(mainRun([cancelled], null).runID, 7);
  assert.equal(mainRun([...open, live], "3").runID, 3);
  assert.equal(mainRun([], "3"), null);
});

test("emails of an invitation are each sent once", () => {
  assert.deepEqual(emailsOf("a@b.it, c@d.it;\nA@B.it  e@f.it\n"), ["a@b.it", "c@d.it", "e@f.it"]);
  assert.deepEqual(emailsOf(" ,; "), []);
});

test("filters survive in the address", () => {
  const filters = { name: "Parco & co", place: "", state: "live", near: "45.478,9.227",
    radius: 5000 };
  assert.deepEqual(filtersOf(new URLSearchParams(`${addressQuery(filters)}`)), filters);
  assert.deepEqual(queryOf({ ...filters, near: "" }).radius, undefined);
  const wrong = filtersOf(new URLSearchParams("state=x&near=a,b&radius=7"));
  assert.deepEqual(wrong, { name: "", place: "", state: "", near: "", radius: 10000 });
  assert.equal(`${addressQuery(wrong)}`, "");
  assert.equal(isFiltered(wrong), false);
});

test("a countdown ends once, and one that the page has replaced ends nothing", ({ mock }) => {
  const timers = new Set();
  let now = 0;
  let ends = 0;
  mock.method(Date, "now", () => now);
  mock.method(globalThis, "setInterval", (tick) => {
    timers.add(tick);
    return tick;
  });
  mock.method(globalThis, "clearInterval", (tick) => timers.delete(tick));
  const wait = (seconds) => {
    for (let second = 0; second < seconds; second++) {
      now += 1_000;
      for (const tick of timers) tick();
    }
  };
  const begin = () => {
    const element = runCountdown({
      until: new Date(now + 10_000).toISOString(), label: "begins",
      signal: new AbortController().signal, onEnd: () => ends++,
    });
    wait(1);
    element.isConnected = true;
    return element;
  };
  begin();
  wait(8);
  assert.equal(ends, 0);
  wait(20);
  assert.equal(ends, 1);
  const replaced = begin();
  wait(2);
  replaced.isConnected = false;
  wait(20);
  assert.equal(ends, 1);
  assert.equal(timers.size, 0);
});

test("the next run comes first, before runs that have started", () => {
  const run = (state, startTime) => ({ state, startTime });
  const later = run("open", "2026-12-07T09:00:00.000Z");
  const next = run("open", "2026-12-06T09:00:00.000Z");
  const live = run("live", "2026-12-05T09:00:00.000Z");
  const ended = run("ended", "2026-12-01T09:00:00.000Z");
  assert.deepEqual(nextFirst([later, next, live, ended], false), [next, later, live, ended]);
  assert.deepEqual(nextFirst([later, next], true), [next, later]);
  assert.deepEqual(nextFirst([], true), []);
});

test("runs keep their order while the next one may be on a further page", () => {
  const run = (startTime) => ({ state: "open", startTime });
  const page = [run("2026-12-07T09:00:00.000Z"), run("2026-12-06T09:00:00.000Z")];
  assert.deepEqual(nextFirst(page, false), page);
});
