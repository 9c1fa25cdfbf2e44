// Requirements: UI-10 (the errors of a drawn course).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

/** An element with children, attributes and events that bubble. */
class Element extends EventTarget {
  parent = null;
  children = [];
  attributes = new Map();
  classList = { toggle() {} };

  appendChild(child) {
    this.children.push(child);
    child.parent = this;
  }
  replaceChildren() {
    this.children = [];
  }
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
  hasAttribute(name) {
    return this.attributes.has(name);
  }
  querySelectorAll() {
    return [];
  }
  querySelector() {
    return null;
  }
  closest() {
    return null;
  }
  removeAttribute() {}
  focus() {}
  append() {}
  get firstElementChild() {
    return this.children.find((child) => child instanceof Element) ?? null;
  }
  get text() {
    return this.children.map((child) => child.text).join("");
  }
  dispatchEvent(event) {
    const target = event.target ?? this;
    for (let each = this; each; each = event.bubbles ? each.parent : null) {
      const copy = new Event(event.type, { cancelable: true });
      Object.defineProperty(copy, "target", { value: target });
      EventTarget.prototype.dispatchEvent.call(each, copy);
    }
    return true;
  }
}
Object.assign(globalThis, {
  Element, HTMLInputElement: class {}, Node: Object, CSS: { escape: (text) => text },
  document: {
    body: new Element(), addEventListener() {},
    createElement: () => new Element(), createTextNode: (text) => ({ text }),
  },
});
const { h } = await import("../../Sources/WebApp/Client/dom.js");
const { CourseEditor } = await import("../../Sources/WebApp/Elements/courseEditor.js");
const { refusalOf } = await import("../../Sources/WebApp/Elements/courseFaults.js");
const { form } = await import("../../Sources/WebApp/Elements/form.js");

/** The summary of a form whose submission was refused. */
function refusedForm(content) {
  const element = form({
    content, submit: "Send", send: async () => {}, check: () => ({ "": "The course is wrong." }),
  });
  element.dispatchEvent(new Event("submit"));
  const [summary] = element.children;
  assert.equal(summary.text, "The course is wrong.");
  return summary;
}

test("a change of the course removes the errors of the course before", () => {
  const part = h("div", { "data-part": "course" });
  const summary = refusedForm(part);
  let undone = 0;
  const undo = () => {
    undone += 1;
  };
  const editor = Object.assign(Object.create(CourseEditor.prototype), {
    element: part, history: { undo, present: { points: [], laps: 1 } }, options: {},
    message: h("div"), faults: h("div"), draw() {}, nextCheck() {},
  });
  editor.step(-1);
  assert.equal(undone, 1);
  assert.equal(summary.text, "");
});

test("typing into a control keeps the summary, which names the other errors", () => {
  const control = h("input");
  const summary = refusedForm(control);
  control.dispatchEvent(new Event("input", { bubbles: true }));
  assert.equal(summary.text, "The course is wrong.");
});

test("a refused course names each of its reasons once", () => {
  const legs = [0];
  const faults = ["leg too long", "along another run", "along another run"]
    .map((fault) => ({ fault, detail: "", legs }));
  assert.equal(refusalOf(faults), "course.invalidText course.fault.leg course.fault.along");
  assert.equal(refusalOf([{ fault: "new", detail: "Not yet known.", legs }]),
    "course.invalidText Not yet known.");
});
