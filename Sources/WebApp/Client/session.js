// The account that is logged in. Its token is in a cookie that scripts cannot read.

import { call, onSessionEnd, Problem } from "./api.js";

/** @typedef {import("./types").Endpoints["GET /auth/me"]["answer"]} Account */

/** @type {Account | null} */
let account = null;
/** The number of readings, logins and logouts: an answer from before the last one is outdated. */
let changes = 0;
/**
 * The last reading that has begun, and what ends it with a later one.
 * @type {{change: number, endWith: (reading: Promise<Account | null>) => void}}
 */
let latest = { change: 0, endWith: () => {} };
/** @type {Set<(account: Account | null, isLost: boolean) => void>} */
const listeners = new Set();
const channel = new BroadcastChannel("trackme.session");
const accountKey = "trackme.account";

channel.addEventListener("message", ({ data }) => {
  // Another tab logged in or out: the cookie is shared, so this tab follows.
  const isLost = data === "lost";
  void loadSession().then(() => listeners.forEach((listener) => listener(account, isLost)));
});

onSessionEnd(() => {
  if (account === null) return;
  change(null, true);
});

/** The account that is logged in, or null. */
export function currentAccount() {
  return account;
}

/** Whether a person is logged in. */
export function isPerson() {
  return account?.accountType === "single";
}

/**
 * Whether a company that may answer emergencies is logged in, as of the last reading of the
 * account. The others are refused by the endpoints of hospitals.
 */
export function isHospital() {
  return account?.hospital === true;
}

/** The first page of the account: a company's requests, or a person's health. */
export function home() {
  return account?.accountType === "tp" ? "/app/research" : "/app/health";
}

/**
 * Whether the account that is logged in is among the readers of a page.
 * @param {import("./router.js").Reader} readers
 */
export function isAmong(readers) {
  switch (readers) {
    case "everybody": return true;
    case "account": return account !== null;
    case "person": return isPerson();
    case "company": return account?.accountType === "tp";
  }
}

/**
 * Adds a function that is called with the account after each login and logout, in any tab, and
 * with whether the session ended without a logout: it expired, or another login replaced it.
 * @param {(account: Account | null, isLost: boolean) => void} listener
 */
export function onSessionChange(listener) {
  listeners.add(listener);
}

/**
 * Reads the account of the cookie. Without a connection the last known account stays. A reading
 * that a later one overtakes ends with that one, whatever becomes of its own request.
 * @returns {Promise<Account | null>}
 */
export function loadSession() {
  changes += 1;
  const change = changes;
  const overtaken = latest;
  /** @type {Promise<Account | null>} */
  const reading = new Promise((resolve, reject) => {
    latest = { change, endWith: resolve };
    read(change).then((found) => {
      if (latest.change === change) resolve(found);
    }, reject);
  });
  overtaken.endWith(reading);
  return reading;
}

/** @param {number} change */
async function read(change) {
  /** @type {Account | null} */
  let found;
  try {
    found = await call("GET /auth/me");
  } catch (problem) {
    const isTemporary = problem instanceof Problem && problem.isTemporary;
    found = isTemporary ? rememberedAccount() : null;
  }
  if (changes === change) {
    account = found;
    remember();
  }
  return account;
}

/**
 * The account that the last tab knew, so that a reload without a connection does not log out, and
 * a tab never stays with an account that another tab has replaced.
 */
function rememberedAccount() {
  const text = localStorage.getItem(accountKey);
  const remembered = text ? /** @type {Account} */ (JSON.parse(text)) : null;
  // This tab knows more of the same account.
  return remembered !== null && remembered.email === account?.email ? account : remembered;
}

function remember() {
  if (account === null) localStorage.removeItem(accountKey);
  else {
    const { accountType, email, full_name, company_name, hospital, registeredAt } = account;
    const kept = { accountType, email, full_name, company_name, hospital, registeredAt };
    localStorage.setItem(accountKey, JSON.stringify(kept));
  }
}

/**
 * Logs in. `replace` ends the account's other session.
 * @param {string} email
 * @param {string} password
 * @param {boolean} replace
 */
export async function logIn(email, password, replace) {
  await call("POST /auth/login", { body: { email, password, replace, cookie: true } });
  account = await call("GET /auth/me");
  change(account);
}

/**
 * Logs out in all tabs, and ends push messages to this browser. A session that is already over
 * counts as logged out.
 */
export async function logOut() {
  try {
    await call("POST /auth/logout");
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 401) throw problem;
  }
  change(null);
  try {
    const { forgetPush } = await import("./push.js");
    await forgetPush();
  } catch (failure) {
    // The push service ends the subscription with the next message.
    console.warn("end push subscription failed", failure);
  }
}

/**
 * Deletes what this browser keeps for an account that was deleted: values that wait to be sent, and
 * the number of its last import.
 * @param {string} email
 */
export function forgetStored(email) {
  for (const name of ["queue", "import"]) localStorage.removeItem(`trackme.${name}.${email}`);
}

/**
 * @param {Account | null} next
 * @param {boolean} [isLost]
 */
function change(next, isLost = false) {
  changes += 1;
  account = next;
  remember();
  channel.postMessage(isLost ? "lost" : "changed");
  for (const listener of listeners) listener(next, isLost);
}
