// Requirements: UI-10 (where the map of a course begins).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { likelyPlace } = await import("../../Sources/WebApp/Elements/coursePlace.js");

const { signal } = new AbortController();
const device = { lat: 45.4642, lon: 9.19 };

/** A browser whose position is shared, refused, or asked for. */
function browse(state, isFound = true) {
  globalThis.navigator = {
    permissions: { query: async () => ({ state }) },
    geolocation: {
      getCurrentPosition: (found, failed) => (isFound
        ? found({ coords: { latitude: device.lat, longitude: device.lon } }) : failed({ code: 2 })),
    },
  };
}

/** The company's profile as the API answers it. */
function answer(profile, status = 200) {
  globalThis.fetch = async () => Response.json(profile, { status });
}

test("an empty course begins at the company", async () => {
  browse("granted");
  answer({ coordinate: "41.9028,12.4964" });
  assert.deepEqual(await likelyPlace(signal), { lat: 41.9028, lon: 12.4964 });
});

test("without the company's place it begins at a device that shares its position", async () => {
  browse("granted");
  answer({});
  assert.deepEqual(await likelyPlace(signal), device);
  answer({ error: "Unavailable" }, 503);
  assert.deepEqual(await likelyPlace(signal), device);
});

test("no question is asked, and an unknown position is none", async () => {
  answer({});
  for (const state of ["prompt", "denied"]) {
    browse(state);
    assert.equal(await likelyPlace(signal), null);
  }
  browse("granted", false);
  assert.equal(await likelyPlace(signal), null);
  globalThis.navigator = {};
  assert.equal(await likelyPlace(signal), null);
});
