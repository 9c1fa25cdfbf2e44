// Requirements: ACC-7 (drafts belong to one reader).
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetDrafts, keepDraftsOf } from "../../Sources/WebApp/Client/drafts.js";

/** A tab's storage with these entries. */
function store(entries) {
  const items = new Map(Object.entries(entries));
  return {
    items,
    get length() { return items.size; },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, text) => void items.set(name, text),
    removeItem: (name) => void items.delete(name),
  };
}

const drafts = { "trackme.draft.settings.single": "{}", "trackme.draft.newRun.course": "45,9" };

test("the drafts of a reader stay through the end of a session", () => {
  const storage = store({ ...drafts, "trackme.draftReader": "ada@example.org" });
  keepDraftsOf("", storage);
  keepDraftsOf("ada@example.org", storage);
  assert.equal(storage.items.size, 3);
});

test("another reader finds no drafts, nor does one after a visitor", () => {
  for (const former of [{ "trackme.draftReader": "ada@example.org" }, {}]) {
    const storage = store({ ...drafts, ...former, "trackme.product": "data4help" });
    keepDraftsOf("eva@example.org", storage);
    assert.deepEqual([...storage.items], [
      ["trackme.product", "data4help"], ["trackme.draftReader", "eva@example.org"],
    ]);
  }
});

test("a logout forgets all drafts, also for the same reader", () => {
  const storage = store({ ...drafts, "trackme.draftReader": "ada@example.org" });
  forgetDrafts(storage);
  assert.equal(storage.items.size, 0);
});
