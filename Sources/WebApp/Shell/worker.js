// The service worker: keeps the files of one version of the pages, so that they open without a
// connection, and shows push messages. It never stores a response of the API: health data stays out
// of the browser's storage, and a page never receives an outdated answer.
//
// A new version installs beside the old one and takes over when no page of the old one is open, so
// an open page can load its files until it is closed.

/**
 * A push message. The address is a path of TrackMe; messages of one tag replace each other. An
 * urgent one stays on the screen, and alerts again when it replaces another.
 * @typedef {object} PushMessage
 * @property {string} title
 * @property {string} [text]
 * @property {string} [address]
 * @property {string} [tag]
 * @property {boolean} [urgent]
 */
/**
 * What this file reads of the answer of `GET /notifications/push`.
 * @typedef {object} PushAnswer
 * @property {string} publicKey
 * @property {{subscriptionID: string, endpoint: string, kinds: string[], current: boolean}[]
 * } subscriptions
 */
/**
 * Absent in the declarations of TypeScript 4.8.
 * @typedef {ExtendableEvent & {
 *   oldSubscription?: PushSubscription | null, newSubscription?: PushSubscription | null
 * }} PushSubscriptionChangeEvent
 */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

// The server replaces both words in braces everywhere: by the path of this version's files,
// and by the paths to store from the start. The libraries are not among them, because few pages
// need them.
const root = "{assets}";
const files = "{files}".split(" ");

const cachePrefix = "trackme:";
const cacheName = cachePrefix + root;
const home = "/app";
// An address of no page: its document names the texts of all pages.
const shell = `${home}/offline`;

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(removeOtherVersions()));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin) return;
  if (pathname.startsWith(`${root}/`)) event.respondWith(asset(event));
  else if (request.mode === "navigate" && isPage(pathname)) event.respondWith(page(request));
});

worker.addEventListener("push", (event) => event.waitUntil(notify(event.data)));
worker.addEventListener("pushsubscriptionchange", (event) => {
  const change = /** @type {PushSubscriptionChangeEvent} */ (event);
  change.waitUntil(renewPush(change.oldSubscription ?? null, change.newSubscription ?? null));
});
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(ownAddress(event.notification.data)));
});

/**
 * Stores the document and the files of this version, all or nothing.
 * @throws {Error} if a file is missing or the document is of a different version: the browser tries
 *   again at the next load of a page
 */
async function install() {
  const response = await fetch(shell, { cache: "no-cache", credentials: "omit" });
  const text = response.ok ? await response.clone().text() : "";
  if (!text.includes(`"${root}/`)) throw new Error("The document is of a different version.");
  const cache = await caches.open(cacheName);
  await cache.addAll(files);
  await cache.put(shell, response);
}

async function removeOtherVersions() {
  for (const name of await caches.keys()) {
    if (name.startsWith(cachePrefix) && name !== cacheName) await caches.delete(name);
  }
}

/**
 * Whether a path belongs to the pages; only the server answers other paths.
 * @param {string} path
 */
function isPage(path) {
  return path === "/" || path === home || path.startsWith(`${home}/`);
}

/**
 * A page: the server's document, which may be newer, otherwise the stored one.
 * @param {Request} request
 */
async function page(request) {
  try {
    return await fetch(request);
  } catch (failure) {
    const stored = await lookUp(shell);
    if (stored) return stored;
    throw failure;
  }
}

/**
 * A file of this version: stored, otherwise from the server and stored. Its path contains a hash,
 * so it never changes.
 * @param {FetchEvent} event
 */
async function asset(event) {
  const stored = await lookUp(event.request);
  if (stored) return stored;
  const response = await fetch(event.request);
  if (response.status === 200) event.waitUntil(store(event.request, response.clone()));
  return response;
}

/**
 * `Vary` names Accept-Encoding only, which the browser decodes before storing.
 * @param {RequestInfo} request
 */
async function lookUp(request) {
  const cache = await caches.open(cacheName);
  return cache.match(request, { ignoreVary: true });
}

/**
 * Stores a file. Without free storage it is loaded again the next time.
 * @param {Request} request
 * @param {Response} response
 */
async function store(request, response) {
  try {
    const cache = await caches.open(cacheName);
    await cache.put(request, response);
  } catch (failure) {
    console.warn("store file of the pages failed", failure);
  }
}

/**
 * Shows a push message. Browsers demand a notification for each message, so one that cannot be read
 * is shown as a hint to open the list of notices.
 * @param {PushMessageData | null} data
 */
async function notify(data) {
  const message = read(data) ?? { title: "TrackMe", address: "/app/notifications" };
  await worker.registration.showNotification(message.title, {
    body: message.text, tag: message.tag, data: ownAddress(message.address),
    icon: `${root}/Pictures/trackme.svg`,
    requireInteraction: message.urgent === true,
    renotify: message.urgent === true && message.tag !== undefined,
  });
}

/**
 * Stores the subscription with which the push service has replaced another. Without a session, and
 * for an account that had none in this browser, it is not stored, and the next page that is opened
 * ends it.
 * @param {PushSubscription | null} before null in browsers that do not name it: then the one that
 *   this session has stored
 * @param {PushSubscription | null} after null if the browser leaves it to this file to subscribe
 */
async function renewPush(before, after) {
  const address = "/notifications/push";
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) return;
  const answer = /** @type {PushAnswer} */ (await response.json());
  const stored = answer.subscriptions.find(({ endpoint, current }) =>
    before ? endpoint === before.endpoint : current);
  if (!stored) return;
  const renewed = after ?? await worker.registration.pushManager.subscribe({
    userVisibleOnly: true, applicationServerKey: answer.publicKey,
  });
  const { endpoint, keys } = renewed.toJSON();
  const body = { endpoint, p256dh: keys?.p256dh, auth: keys?.auth, kinds: stored.kinds };
  const kept = await fetch(address, {
    method: "POST", credentials: "same-origin", body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  if (!kept.ok || stored.endpoint === endpoint) return;
  await fetch(`${address}/${stored.subscriptionID}`, {
    method: "DELETE", credentials: "same-origin",
  });
}

/**
 * @param {PushMessageData | null} data
 * @returns {PushMessage | null}
 */
function read(data) {
  try {
    const message = data?.json();
    return typeof message?.title === "string" ? message : null;
  } catch {
    return null;
  }
}

/**
 * The full address on this origin; the start page for any other address.
 * @param {unknown} address
 */
function ownAddress(address) {
  const { origin } = worker.location;
  const start = `${origin}${home}`;
  if (typeof address !== "string") return start;
  try {
    const url = new URL(address, origin);
    return url.origin === origin ? url.href : start;
  } catch {
    return start;
  }
}

/**
 * Shows the page of an address in the window that has it open, otherwise in a new one. Windows with
 * other pages are unchanged, because a form there may be half filled in.
 * @param {string} address
 */
async function open(address) {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = windows.find((window) => window.url === address);
  await (shown ? shown.focus() : worker.clients.openWindow(address));
}
