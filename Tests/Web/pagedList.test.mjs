// Requirements: UI-8, UI-16 (a list that is read page by page while events reload it).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

/** An element with children and events, as far as a list needs them. */
class Node extends EventTarget {
  children = [];

  appendChild(child) {
    this.children.push(child);
  }
  insertBefore(child, before) {
    this.children = this.children.filter((each) => each !== child);
    const place = before === null ? this.children.length : this.children.indexOf(before);
    this.children.splice(place, 0, child);
    child.remove = () => {
      this.children = this.children.filter((each) => each !== child);
    };
  }
  replaceChildren() {
    this.children = [];
  }
  setAttribute() {}
  removeAttribute() {}
  focus() {}
  append() {}
  get text() {
    return this.own ?? this.children.map((child) => child.text).join(" ");
  }
}
Object.assign(globalThis, {
  Node,
  document: {
    body: new Node(), createElement: () => new Node(),
    createTextNode: (text) => Object.assign(new Node(), { own: text }),
  },
});
const { h } = await import("../../Sources/WebApp/Client/dom.js");
const { inTurn } = await import("../../Sources/WebApp/Elements/inTurn.js");
const { pagedList } = await import("../../Sources/WebApp/Elements/pagedList.js");

/** A list of numbers over two pages, whose reads the test answers one by one. */
function numbers(first) {
  const reads = [];
  const pages = { first };
  const list = pagedList({
    load: (cursor) => new Promise((resolve) => {
      reads.push(() => resolve(cursor === undefined
        ? { items: pages.first, next: "2" } : { items: [2, 1] }));
    }),
    key: String, entry: (item) => h("li", {}, item), empty: () => h("p"),
    signal: new AbortController().signal,
  });
  const [items, state] = list.element.children;
  return {
    ...list, pages,
    shown: () => items.text,
    more: () => state.children[0].children[0].dispatchEvent(new Event("click")),
    /** Answers all reads in the order in which they come. */
    async answer() {
      for (let round = 0; round < 20; round += 1) {
        await new Promise(setImmediate);
        reads.shift()?.();
      }
    },
  };
}

test("a reload during the reading of the next page keeps both", async () => {
  const list = numbers([4, 3]);
  await list.answer();
  assert.equal(list.shown(), "4 3");
  list.more();
  list.pages.first = [5, 4, 3];
  void list.refresh();
  await list.answer();
  assert.equal(list.shown(), "5 4 3 2 1");
});

test("the next page during a reload keeps both", async () => {
  const list = numbers([4, 3]);
  await list.answer();
  list.pages.first = [5, 4, 3];
  void list.refresh();
  list.more();
  list.more();
  await list.answer();
  assert.equal(list.shown(), "5 4 3 2 1");
});

test("work in turn runs once while it waits, and after work that failed", async () => {
  const turn = inTurn();
  const done = [];
  const work = async () => {
    done.push("work");
  };
  const failing = turn(async () => {
    done.push("failing");
    throw new Error("no");
  });
  assert.equal(turn(work), turn(work));
  await assert.rejects(failing);
  await turn(work);
  assert.deepEqual(done, ["failing", "work", "work"]);
});
