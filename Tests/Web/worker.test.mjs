// Requirements: NTF-2 (push messages in the service worker).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const origin = "https://trackme.example";
const source = (await readFile(
  new URL("../../Sources/WebApp/Shell/worker.js", import.meta.url), "utf8"))
  .replaceAll("{assets}", "/assets/0f3a").replaceAll("{files}", "/assets/0f3a/a.js");

/** A service worker with a recorded browser; `answers` are those of the API by method and path. */
function worker(answers = {}) {
  const listeners = {};
  const seen = { shown: [], opened: [], focused: [], calls: [], subscribed: [] };
  const subscription = (endpoint) => ({
    endpoint, toJSON: () => ({ endpoint, keys: { p256dh: "point", auth: "secret" } }),
  });
  const self = {
    addEventListener: (name, listener) => { listeners[name] = listener; },
    location: new URL(`${origin}/worker.js`),
    registration: {
      showNotification: async (title, options) => void seen.shown.push({ title, ...options }),
      pushManager: {
        subscribe: async (options) => {
          seen.subscribed.push(options);
          return subscription("https://push.example.net/new");
        },
      },
    },
    clients: {
      matchAll: async () => [
        { url: `${origin}/app/sos`, focus: async () => void seen.focused.push("/app/sos") },
      ],
      openWindow: async (address) => void seen.opened.push(address),
    },
  };
  const fetch = async (path, { method = "GET", body } = {}) => {
    seen.calls.push([method, path, body && JSON.parse(body)]);
    const answer = answers[`${method} ${path}`];
    return answer ? Response.json(answer) : new Response(null, { status: 401 });
  };
  new Function("self", "fetch", "caches", source)(self, fetch, {});
  const dispatch = async (name, event) => {
    const work = [];
    listeners[name]({ waitUntil: (promise) => work.push(promise), ...event });
    await Promise.all(work);
  };
  return { dispatch, seen, subscription };
}

const push = (text) => ({ data: { json: () => JSON.parse(text) } });

test("an urgent message stays, and alerts again when it replaces another", async () => {
  const { dispatch, seen } = worker();
  await dispatch("push", push(JSON.stringify({
    title: "AutomatedSOS", text: "Emergency: you can abort it.", address: "/app/sos",
    tag: "emergency:1", urgent: true,
  })));
  const [shown] = seen.shown;
  assert.equal(shown.title, "AutomatedSOS");
  assert.equal(shown.body, "Emergency: you can abort it.");
  assert.equal(shown.data, `${origin}/app/sos`);
  assert.deepEqual(
    [shown.tag, shown.requireInteraction, shown.renotify], ["emergency:1", true, true]);
});

test("another message replaces one of its tag silently", async () => {
  const { dispatch, seen } = worker();
  await dispatch("push", push(JSON.stringify({ title: "Track4Run", tag: "notice:1" })));
  assert.deepEqual([seen.shown[0].requireInteraction, seen.shown[0].renotify], [false, false]);
});

test("a message that cannot be read leads to the list, and a foreign address to the start",
  async () => {
    const { dispatch, seen } = worker();
    await dispatch("push", push("no document"));
    await dispatch("push", { data: null });
    await dispatch("push", push(JSON.stringify({ title: "A", address: "https://evil.example/" })));
    assert.deepEqual(seen.shown.map(({ data }) => data), [
      `${origin}/app/notifications`, `${origin}/app/notifications`, `${origin}/app`,
    ]);
  });

test("a click opens the address on this origin, in the window that has it", async () => {
  const { dispatch, seen } = worker();
  let closed = 0;
  for (const data of ["/app/sos", "/app/followers", "https://evil.example/"]) {
    const notification = { data, close: () => { closed += 1; } };
    await dispatch("notificationclick", { notification });
  }
  assert.equal(closed, 3);
  assert.deepEqual(seen.focused, ["/app/sos"]);
  assert.deepEqual(seen.opened, [`${origin}/app/followers`, `${origin}/app`]);
});

test("a replaced subscription is stored with its kinds, and the former one is removed",
  async () => {
    const path = "/notifications/push";
    const { dispatch, seen, subscription } = worker({
      [`GET ${path}`]: {
        publicKey: "key",
        subscriptions: [
          { subscriptionID: "1", endpoint: "https://push.example.net/old", kinds: ["alarm"] },
        ],
      },
      [`POST ${path}`]: { subscriptionID: "2" },
      [`DELETE ${path}/1`]: { message: "Action successful" },
    });
    const oldSubscription = subscription("https://push.example.net/old");
    await dispatch("pushsubscriptionchange", { oldSubscription, newSubscription: null });
    assert.deepEqual(seen.subscribed, [{ userVisibleOnly: true, applicationServerKey: "key" }]);
    assert.deepEqual(seen.calls.slice(1), [
      ["POST", path, {
        endpoint: "https://push.example.net/new", p256dh: "point", auth: "secret",
        kinds: ["alarm"],
      }],
      ["DELETE", `${path}/1`, undefined],
    ]);
  });

test("a subscription that the account does not have, or without a session, is not renewed",
  async () => {
    const path = "/notifications/push";
    const foreign = worker({ [`GET ${path}`]: { publicKey: "key", subscriptions: [] } });
    const loggedOut = worker();
    for (const { dispatch, seen, subscription } of [foreign, loggedOut]) {
      const oldSubscription = subscription("https://push.example.net/old");
      await dispatch("pushsubscriptionchange", { oldSubscription, newSubscription: null });
      assert.deepEqual(seen.calls, [["GET", path, undefined]]);
      assert.deepEqual(seen.subscribed, []);
    }
  });

test("without the former subscription, that of this session is renewed with its kinds",
  async () => {
    const path = "/notifications/push";
    const old = "https://push.example.net/old";
    for (const current of [true, false]) {
      const { dispatch, seen } = worker({
        [`GET ${path}`]: {
          publicKey: "key",
          subscriptions: [{ subscriptionID: "1", endpoint: old, kinds: ["alarm"], current }],
        },
        [`POST ${path}`]: { subscriptionID: "2" },
        [`DELETE ${path}/1`]: { message: "Action successful" },
      });
      await dispatch("pushsubscriptionchange", { oldSubscription: null, newSubscription: null });
      const sent = seen.calls.filter(([method]) => method === "POST");
      assert.deepEqual(sent.map(([, , { kinds }]) => kinds), current ? [["alarm"]] : []);
    }
  });
