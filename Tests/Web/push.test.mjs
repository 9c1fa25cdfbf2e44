// Requirements: NTF-2 (push messages).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetPush, hasKey } from "../../Sources/WebApp/Client/push.js";

const bytes = Uint8Array.from([4, 251, 255, 191, 0]);
const subscription = (applicationServerKey) => ({ options: { applicationServerKey } });

test("a subscription belongs to the key that it was made with", () => {
  assert.equal(hasKey(subscription(bytes.buffer), "BPv_vwA"), true);
});

test("a subscription of another key, or of none, is replaced", () => {
  assert.equal(hasKey(subscription(bytes.buffer), "BPv_vwB"), false);
  assert.equal(hasKey(subscription(bytes.buffer), "BPv/vwA="), false);
  assert.equal(hasKey(subscription(null), "BPv_vwA"), false);
});

test("after the end of a session the subscription ends, and no notification stays", async () => {
  const done = [];
  const registration = {
    getNotifications: async () => [{ close: () => done.push("closed") }],
    pushManager: {
      getSubscription: async () => ({ unsubscribe: async () => done.push("ended") }),
    },
  };
  const value = { serviceWorker: { getRegistration: async () => registration } };
  Object.defineProperty(globalThis, "navigator", { value, configurable: true });
  globalThis.window = { PushManager: {}, Notification: {} };
  await forgetPush();
  assert.deepEqual(done, ["ended", "closed"]);
});
