import assert from "node:assert/strict";
import { test } from "node:test";
import {
  granularityOf, periodOf, timespanFrom, timespanInto,
} from "../../Sources/WebApp/Elements/timespan.js";
import { tickFormat, timeTicks } from "../../Sources/WebApp/Elements/timeTicks.js";

const now = new Date(2026, 6, 15, 10, 30);
const value = (span, first = "", last = "") => ({ span, first, last });

test("a day is the last 24 hours, longer periods begin at midnight", () => {
  const dayAgo = new Date(2026, 6, 14, 10, 30).toISOString();
  assert.deepEqual(periodOf(value("day"), now), { from: dayAgo });
  assert.deepEqual(periodOf(value("week"), now), { from: new Date(2026, 6, 9).toISOString() });
  assert.deepEqual(periodOf(value("month"), now), { from: new Date(2026, 5, 16).toISOString() });
  assert.deepEqual(periodOf(value("year"), now), { from: new Date(2025, 6, 15).toISOString() });
  assert.deepEqual(periodOf(value("all"), now), {});
});

test("a custom period includes its last day", () => {
  assert.deepEqual(periodOf(value("custom", "2026-07-01", "2026-07-01"), now), {
    from: new Date(2026, 6, 1).toISOString(), to: new Date(2026, 6, 2).toISOString(),
  });
});

test("a custom period without a day or in wrong order is not one", () => {
  assert.equal(periodOf(value("custom", "2026-07-02", "2026-07-01"), now), null);
  assert.equal(periodOf(value("custom", "", "2026-07-01"), now), null);
});

test("each span has a granularity with 10 to 100 points", () => {
  const spans = { day: "hour", week: "day", month: "day", year: "week", all: "month" };
  for (const [span, expected] of Object.entries(spans)) {
    assert.equal(granularityOf(periodOf(value(span), now), now), expected, span);
  }
});

test("a choice survives the address", () => {
  const query = new URLSearchParams("type=steps");
  timespanInto(value("custom", "2026-01-01", "2026-02-01"), query);
  assert.deepEqual(timespanFrom(query, now), value("custom", "2026-01-01", "2026-02-01"));
  timespanInto(value("week"), query);
  assert.equal(query.toString(), "type=steps&span=week");
  assert.equal(timespanFrom(new URLSearchParams("span=nonsense"), now).span, "month");
});

test("marks of a time axis lie on the calendar and are few", () => {
  const day = 86_400_000;
  for (const days of [0.1, 1, 3, 7, 30, 90, 400, 4_000, 40_000]) {
    const from = now.getTime() - days * day;
    const ticks = timeTicks(from, now.getTime(), 6);
    assert.ok(ticks.length <= 8, `${days} days: ${ticks.length}`);
    assert.ok(days < 0.5 || ticks.length >= 1, `${days} days: ${ticks.length}`);
    for (const tick of ticks) {
      assert.ok(tick >= from && tick <= now.getTime());
      const time = new Date(tick);
      assert.equal(time.getMinutes(), 0);
      if (days > 3) assert.equal(time.getHours(), 0);
      if (days >= 400) assert.equal(time.getDate(), 1);
    }
  }
});

test("marks show hours, days, months or years", () => {
  const to = now.getTime();
  assert.ok("minute" in tickFormat(to - 86_400_000, to, 6));
  assert.ok("day" in tickFormat(to - 20 * 86_400_000, to, 6));
  assert.ok("month" in tickFormat(to - 365 * 86_400_000, to, 6));
  assert.deepEqual(tickFormat(to - 9_000 * 86_400_000, to, 6), { year: "numeric" });
});
