// Requirements: RUN-10, UI-10 (inviting to a run by mail).
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf } from "../../Sources/WebApp/Client/addresses.js";

test("addresses are read from pasted lists, each once, and others are named", () => {
  assert.deepEqual(addressesOf("a@x.it, b@x.it;c@x.it\nd@x.it  A@x.it\r\n"), {
    addresses: ["A@x.it", "b@x.it", "c@x.it", "d@x.it"], wrong: [],
  });
  assert.deepEqual(addressesOf("Anna Rossi <anna@x.it>\n\"R\" <r@sub.x.it>").addresses,
    ["anna@x.it", "r@sub.x.it"]);
  assert.deepEqual(addressesOf("anna, b@x, c@x.it."),
    { addresses: [], wrong: ["anna", "b@x", "c@x.it."] });
  assert.deepEqual(addressesOf("  "), { addresses: [], wrong: [] });
});
