// Requirements: UI-3, UI-6, UI-10 (choices in the address of a page).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { keepInAddress } = await import("../../Sources/WebApp/Client/router.js");

/** Opens an address as a link does. */
function open(path, search = "") {
  globalThis.location = { pathname: path, search };
  globalThis.history = {
    replaceState(_state, _title, address) {
      const url = new URL(address, "https://t.example");
      Object.assign(globalThis.location, { pathname: url.pathname, search: url.search });
    },
  };
}

test("a page keeps its choices in the address, and none when all are the usual ones", () => {
  const { signal } = new AbortController();
  open("/app/data", "?part=history");
  keepInAddress(new URLSearchParams({ type: "steps", span: "week" }), signal);
  assert.deepEqual(location, { pathname: "/app/data", search: "?type=steps&span=week" });
  keepInAddress(new URLSearchParams(), signal);
  assert.deepEqual(location, { pathname: "/app/data", search: "" });
});

test("a page that the reader is leaving does not change the address of the next page", () => {
  const leaving = new AbortController();
  open("/app/data", "?part=add");
  leaving.abort();
  keepInAddress(new URLSearchParams({ type: "steps" }), leaving.signal);
  assert.deepEqual(location, { pathname: "/app/data", search: "?part=add" });
});
