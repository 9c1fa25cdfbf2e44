// Requirements: NFR-8 (pages), trusted types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownScript } from "../../Sources/WebApp/Client/trusted.js";

const base = new URL("https://trackme.example/assets/0f3a/");

test("scripts of the assets and the service worker are allowed", () => {
  const leaflet = "https://trackme.example/assets/0f3a/vendor/leaflet.js";
  assert.equal(ownScript("vendor/leaflet.js", base), leaflet);
  assert.equal(ownScript("/worker.js", base), "https://trackme.example/worker.js");
});

test("every other address is refused", () => {
  for (const address of [
    "https://evil.example/assets/0f3a/vendor/leaflet.js", "//evil.example/worker.js",
    "data:text/javascript,alert(1)", "javascript:alert(1)//.js",
    "blob:https://trackme.example/1.js",
    "../other.js", "/login.js", "vendor/leaflet.css", "http://trackme.example/worker.js",
  ]) {
    assert.throws(() => ownScript(address, base), TypeError, address);
  }
});
