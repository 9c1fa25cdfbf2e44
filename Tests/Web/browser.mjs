// The objects of a browser that modules touch while they are loaded, for tests of their functions.

const node = () => ({
  append() {}, setAttribute() {}, addEventListener() {}, appendChild() {}, replaceChildren() {},
});
globalThis.document ??= { body: node(), createElement: node, createTextNode: node };
globalThis.Node ??= class {};
globalThis.localStorage ??= {
  items: new Map(),
  getItem(name) { return this.items.get(name) ?? null; },
  setItem(name, text) { this.items.set(name, text); },
  removeItem(name) { this.items.delete(name); },
};
// Node's channel would keep the test's process from ending.
globalThis.BroadcastChannel = class {
  addEventListener() {}
  postMessage() {}
};
