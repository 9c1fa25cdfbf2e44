// Push messages to this browser, which also arrive while no page is open. The service worker shows
// them.

import { call, newKey, Problem } from "./api.js";

/** @typedef {import("./types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /notifications/push"]["answer"]} Stored */
/** @typedef {Stored["subscriptions"][number]["kinds"][number]} NoticeKind */

/**
 * The state of this browser: `blocked` if its user does not permit notifications, `unsupported` if
 * it has none, as Safari on a phone before the page is on the home screen.
 * @typedef {"on" | "off" | "blocked" | "unsupported"} PushState
 */

/** The permission was not given. */
export class NotPermitted extends Error {}

/** The browser reached no push service. */
export class NoPushService extends Error {}

/** The page has no service worker, as under a certificate that the browser does not trust. */
export class NoServiceWorker extends Error {}

/** Whether this browser can receive push messages. */
function isSupported() {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/** The subscription of this browser; null without one. */
async function localSubscription() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return await registration?.pushManager.getSubscription() ?? null;
}

/**
 * The state of this browser for the account that is logged in, and the kinds that it receives.
 * @param {AbortSignal} [signal]
 * @returns {Promise<{state: PushState, kinds: readonly NoticeKind[]}>}
 */
export async function pushState(signal) {
  if (!isSupported()) return { state: "unsupported", kinds: [] };
  if (Notification.permission === "denied") return { state: "blocked", kinds: [] };
  const subscription = await localSubscription();
  if (!subscription) return { state: "off", kinds: [] };
  const stored = storedOne(await call("GET /notifications/push", { signal }), subscription);
  return stored ? { state: "on", kinds: stored.kinds } : { state: "off", kinds: [] };
}

/**
 * Asks for the permission, and sends the notices of these kinds to this browser; all by default.
 * @param {NoticeKind[]} [kinds]
 * @throws {NotPermitted}
 * @throws {NoServiceWorker}
 * @throws {NoPushService}
 */
export async function switchPushOn(kinds) {
  // First, because browsers ask only within the answer to a touch.
  if (await Notification.requestPermission() !== "granted") throw new NotPermitted();
  const { publicKey } = await call("GET /notifications/push");
  await store(await subscribed(publicKey), kinds);
}

/** Ends push messages to this browser. */
export async function switchPushOff() {
  const subscription = await localSubscription();
  if (!subscription) return;
  const stored = storedOne(await call("GET /notifications/push"), subscription);
  if (stored) await remove(stored.subscriptionID);
  await subscription.unsubscribe();
}

/**
 * Ends the subscription in this browser after the account's is over, and removes the notifications
 * that are still shown, so that the next user sees none. Without a connection the push service
 * ends it with the next message.
 */
export async function forgetPush() {
  if (!isSupported()) return;
  const registration = await navigator.serviceWorker.getRegistration("/");
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  for (const shown of await registration?.getNotifications() ?? []) shown.close();
}

/**
 * Renews the subscription of this browser for the session of a newly opened page: its logout ends
 * it. One that the account does not have, because it was removed or belonged to another account,
 * ends in the browser too.
 */
export async function renewPush() {
  if (!isSupported()) return;
  const subscription = await localSubscription();
  if (!subscription) return;
  const answer = await call("GET /notifications/push");
  const stored = storedOne(answer, subscription);
  if (!stored) {
    await forgetPush();
    return;
  }
  if (stored.current && hasKey(subscription, answer.publicKey)) return;
  const renewed = await subscribed(answer.publicKey);
  await store(renewed, [...stored.kinds]);
  if (renewed.endpoint !== stored.endpoint) await remove(stored.subscriptionID);
}

/**
 * Changes the password, which ends the push messages to all browsers, because a thief may have
 * subscribed one, and sends them to this browser again, if it received them.
 * @param {() => Promise<void>} change
 */
export async function keepPushDuring(change) {
  const kept = await keptPush();
  await change();
  if (!kept) return;
  try {
    await store(kept.subscription, kept.kinds);
  } catch (failure) {
    // The settings show that they are off.
    console.warn("store push subscription failed", failure);
  }
}

/** The subscription of this browser with its kinds; null if the account does not have it. */
async function keptPush() {
  if (!isSupported()) return null;
  try {
    const subscription = await localSubscription();
    if (!subscription) return null;
    const stored = storedOne(await call("GET /notifications/push"), subscription);
    return stored ? { subscription, kinds: [...stored.kinds] } : null;
  } catch (failure) {
    console.warn("read push subscription failed", failure);
    return null;
  }
}

/**
 * The entry of a browser among the stored ones.
 * @param {Stored} stored
 * @param {PushSubscription} subscription
 */
function storedOne(stored, subscription) {
  return stored.subscriptions.find(({ endpoint }) => endpoint === subscription.endpoint);
}

/**
 * The browser's subscription for the key of the installation; one for another key is replaced.
 * @param {string} publicKey
 * @throws {NoServiceWorker}
 * @throws {NoPushService}
 */
async function subscribed(publicKey) {
  try {
    // Without a registration no worker would ever be ready.
    if (!await navigator.serviceWorker.getRegistration("/")) throw new NoServiceWorker();
    const registration = await navigator.serviceWorker.ready;
    const known = await registration.pushManager.getSubscription();
    if (known && hasKey(known, publicKey)) return known;
    await known?.unsubscribe();
    return await registration.pushManager.subscribe({
      userVisibleOnly: true, applicationServerKey: publicKey,
    });
  } catch (failure) {
    console.warn("subscribe to push messages failed", failure);
    throw failure instanceof NoServiceWorker ? failure : new NoPushService();
  }
}

/**
 * Whether a subscription belongs to a public key in base64url.
 * @param {{options: {applicationServerKey: ArrayBuffer | null}}} subscription
 * @param {string} publicKey
 */
export function hasKey({ options: { applicationServerKey } }, publicKey) {
  if (!applicationServerKey) return false;
  return base64url(new Uint8Array(applicationServerKey)) === publicKey;
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {PushSubscription} subscription
 * @param {NoticeKind[]} [kinds]
 */
async function store(subscription, kinds) {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (!endpoint || !p256dh || !auth) throw new TypeError("A push subscription has no keys");
  await call("POST /notifications/push", {
    body: { endpoint, p256dh, auth, kinds }, key: newKey(),
  });
}

/** @param {string} subscriptionID */
async function remove(subscriptionID) {
  try {
    await call("DELETE /notifications/push/{subscriptionID}", { path: { subscriptionID } });
  } catch (problem) {
    // Its push service has ended it meanwhile.
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
  }
}
