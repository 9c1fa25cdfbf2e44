// Requirements: NTF-2 (push messages), ACC-6 (a changed password ends them).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  forgetPush, hasKey, keepPushDuring, NoPushService, NoServiceWorker, switchPushOn,
} from "../../Sources/WebApp/Client/push.js";

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

/** A browser with a subscription, and a server that knows some; the calls are recorded. */
function stage(endpoints, status = 200) {
  const endpoint = "https://push.example.net/own";
  const own = { endpoint, toJSON: () => ({ endpoint, keys: { p256dh: "point", auth: "secret" } }) };
  const registration = { pushManager: { getSubscription: async () => own } };
  const value = { serviceWorker: { getRegistration: async () => registration } };
  Object.defineProperty(globalThis, "navigator", { value, configurable: true });
  globalThis.window = { PushManager: {}, Notification: {} };
  const calls = [];
  globalThis.fetch = async (address, { method, body }) => {
    calls.push(body === undefined ? method : [method, address, JSON.parse(body)]);
    if (method !== "GET") return Response.json({ subscriptionID: "2" }, { status });
    const subscriptions = endpoints.map((each) => ({ endpoint: each, kinds: ["alarm"] }));
    return Response.json({ publicKey: "", subscriptions });
  };
  return { endpoint, calls, change: async () => void calls.push("changed") };
}

test("after a new password this browser is subscribed again, with its kinds", async () => {
  const { endpoint, calls, change } = stage(["https://push.example.net/own", "https://thief/"]);
  await keepPushDuring(change);
  const body = { endpoint, p256dh: "point", auth: "secret", kinds: ["alarm"] };
  assert.deepEqual(calls, ["GET", "changed", ["POST", "/notifications/push", body]]);
});

test("a browser that received no push messages receives none after a new password", async () => {
  const { calls, change } = stage(["https://thief/"]);
  await keepPushDuring(change);
  assert.deepEqual(calls, ["GET", "changed"]);
});

test("a refused password stores nothing, and a failed subscription fails no change", async () => {
  const own = ["https://push.example.net/own"];
  const refused = stage(own);
  const refuse = async () => { throw new TypeError("wrong password"); };
  await assert.rejects(keepPushDuring(refuse), TypeError);
  assert.deepEqual(refused.calls, ["GET"]);
  const failed = stage(own, 503);
  await keepPushDuring(failed.change);
  assert.equal(failed.calls.length, 3);
});

/** A browser that permits notifications, with a registration of the service worker or none. */
function permitted(registration) {
  const { calls } = stage([]);
  const serviceWorker = { getRegistration: async () => registration, ready: registration };
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
  globalThis.Notification = { requestPermission: async () => "granted" };
  return calls;
}

test("without a service worker the switch names it, and not the push service", async (context) => {
  context.mock.method(console, "warn", () => {});
  const calls = permitted(undefined);
  await assert.rejects(switchPushOn(), NoServiceWorker);
  assert.deepEqual(calls, ["GET"]);
});

test("a push service that the browser does not reach is another failure", async (context) => {
  const warn = context.mock.method(console, "warn", () => {});
  const cause = new Error("no connection");
  const subscribe = async () => { throw cause; };
  const calls = permitted({ pushManager: { getSubscription: async () => null, subscribe } });
  await assert.rejects(switchPushOn(), NoPushService);
  assert.deepEqual(warn.mock.calls.map((each) => each.arguments.at(-1)), [cause]);
  assert.deepEqual(calls, ["GET"]);
});
