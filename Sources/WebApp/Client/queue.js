// Values that were entered by hand without a connection: kept on the device, sent later, once.

import { call, Problem } from "./api.js";
import { currentAccount, onSessionChange } from "./session.js";

/** @typedef {import("./types").Endpoints["POST /data/upload"]} Upload */
/**
 * A waiting upload. The key makes a repetition harmless if an answer was lost.
 * @typedef {object} WaitingUpload
 * @property {string} key
 * @property {Upload["body"]} body
 * @property {string} enteredAt
 * @property {string} [refusal] why TrackMe refused it; it is not sent again
 */

const entriesMax = 1_000;
const firstPause = 30_000;
const longestPause = 600_000;

/** The waiting uploads of one account at a time. */
export class UploadQueue {
  /**
   * @param {object} surroundings
   * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} surroundings.storage
   * @param {() => string | null} surroundings.account the email of the account that is logged in
   * @param {(upload: WaitingUpload) => Promise<unknown>} surroundings.send
   * @param {<T>(work: () => Promise<T>) => Promise<T | null>} [surroundings.alone] runs the work
   *   unless another tab runs it
   */
  constructor({ storage, account, send, alone = (work) => work() }) {
    this.storage = storage;
    this.account = account;
    this.send = send;
    this.alone = alone;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  /** The waiting uploads of the account, the oldest first. */
  get entries() {
    const name = this.storageKey;
    const text = name && this.storage.getItem(name);
    return text ? /** @type {WaitingUpload[]} */ (JSON.parse(text)) : [];
  }

  get storageKey() {
    const account = this.account();
    return account && `trackme.queue.${account}`;
  }

  /**
   * Keeps an upload.
   * @param {Upload["body"]} body
   * @param {string} key that of the attempt that failed, in case it arrived
   * @param {Date} now
   * @returns {boolean} false if there is no room
   */
  add(body, key, now) {
    const entries = this.entries;
    if (this.storageKey === null || entries.length >= entriesMax) return false;
    if (entries.some((entry) => entry.key === key)) return true;
    return this.store([...entries, { key, body, enteredAt: now.toISOString() }]);
  }

  /**
   * Forgets an upload.
   * @param {string} key
   */
  remove(key) {
    this.store(this.entries.filter((entry) => entry.key !== key));
  }

  /**
   * @param {WaitingUpload[]} entries
   * @returns {boolean} false if the browser has no room
   */
  store(entries) {
    const name = this.storageKey;
    if (name === null) return false;
    try {
      if (entries.length === 0) this.storage.removeItem(name);
      else this.storage.setItem(name, JSON.stringify(entries));
    } catch {
      return false;
    }
    for (const listener of this.listeners) listener();
    return true;
  }

  /**
   * Sends the waiting uploads, the oldest first, up to the first one that may succeed later.
   * @returns {Promise<{sent: number, isDone: boolean}>} isDone: no upload is left to send
   */
  async flush() {
    const outcome = await this.alone(async () => {
      let sent = 0;
      const name = this.storageKey;
      for (const entry of this.entries.filter((each) => each.refusal === undefined)) {
        // Another account may have logged in meanwhile: these values do not belong to it.
        if (this.storageKey !== name) return { sent, isDone: false };
        try {
          await this.send(entry);
        } catch (problem) {
          if (!(problem instanceof Problem)) throw problem;
          if (staysWaiting(problem)) return { sent, isDone: false };
          const refusal = problem.detail || problem.error;
          this.store(this.entries.map((each) =>
            each.key === entry.key ? { ...each, refusal } : each));
          continue;
        }
        this.remove(entry.key);
        sent += 1;
      }
      return { sent, isDone: true };
    });
    return outcome ?? { sent: 0, isDone: false };
  }
}

/**
 * Whether an upload may succeed later without a change: there was no connection, the service was
 * busy, the session is over, or the first attempt is still being answered.
 * @param {Problem} problem
 */
export function staysWaiting(problem) {
  return problem.isTemporary || problem.status >= 500 || [401, 403, 409].includes(problem.status);
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T | null>}
 */
async function alone(work) {
  if (!("locks" in navigator)) return work();
  return navigator.locks.request("trackme.queue", { ifAvailable: true }, (lock) =>
    lock ? work() : null);
}

/** The queue of the pages. */
export const queue = new UploadQueue({
  storage: {
    getItem: (name) => localStorage.getItem(name),
    setItem: (name, text) => localStorage.setItem(name, text),
    removeItem: (name) => localStorage.removeItem(name),
  },
  account: () => {
    const account = currentAccount();
    return account?.accountType === "single" ? account.email : null;
  },
  send: ({ key, body }) => call("POST /data/upload", { body, key }),
  alone,
});

/**
 * Calls a function after each change of the queue, in any tab, until the signal is aborted.
 * @param {() => void} listener
 * @param {AbortSignal} signal
 */
export function onQueueChange(listener, signal) {
  queue.listeners.add(listener);
  signal.addEventListener("abort", () => queue.listeners.delete(listener));
  addEventListener("storage", (event) => {
    if (event.key === queue.storageKey) listener();
  }, { signal });
}

/** Sends the waiting uploads now, when online again, after a login, and at growing intervals. */
export function startQueue() {
  let pause = firstPause;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const attempt = async () => {
    clearTimeout(timer);
    const { isDone } = await queue.flush();
    clearTimeout(timer);
    timer = undefined;
    if (isDone) return;
    timer = setTimeout(() => void attempt(), pause);
    pause = Math.min(pause * 2, longestPause);
  };
  const anew = () => {
    pause = firstPause;
    void attempt();
  };
  addEventListener("online", anew);
  onSessionChange(anew);
  queue.listeners.add(() => {
    if (timer === undefined && queue.entries.some((entry) => entry.refusal === undefined)) {
      timer = setTimeout(anew, firstPause);
    }
  });
  anew();
}
