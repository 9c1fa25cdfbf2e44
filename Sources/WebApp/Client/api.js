// Calls of the public API. The session is a cookie that scripts cannot read.

/** @typedef {import("./types").Endpoints} Endpoints */
/** @typedef {keyof Endpoints} EndpointName */

/** A refusal of the API (`application/problem+json`). */
export class Problem extends Error {
  /**
   * @param {number} status 0: the request did not reach TrackMe
   * @param {{error?: string, detail?: string, field?: string}} document
   * @param {number | null} [retryAfter] seconds
   */
  constructor(status, document, retryAfter = null) {
    super(document.detail ?? document.error ?? `status ${status}`);
    this.status = status;
    this.error = document.error ?? "";
    this.detail = document.detail ?? "";
    /** The path of the field at fault, such as `values[3]`. */
    this.field = document.field ?? null;
    this.retryAfter = retryAfter;
  }

  /**
   * Whether the same request may succeed later. A conflict with a time to wait means that the first
   * one with its key is still running.
   */
  get isTemporary() {
    const isRunning = this.status === 409 && this.retryAfter !== null;
    return isOutage(this) || this.status === 429 || isRunning;
  }
}

/**
 * Whether TrackMe was not reached or could not work, whatever was asked of it.
 * @param {Pick<Problem, "status">} problem
 */
export function isOutage({ status }) {
  return status === 0 || status >= 502;
}

/** The longest time after which a page repeats a request by itself, in milliseconds. */
const repetitionMax = 120_000;
const firstPause = 2_000;
const longestPause = 30_000;
/** Requests in a row that were not answered or were refused for a moment. */
let failures = 0;

/**
 * The time after which a page repeats a request by itself, in milliseconds: that of the API, else
 * one that grows with the failures in a row.
 * @param {Problem} problem
 * @returns {number | null} null: the reader decides when to try again
 */
export function repetitionPause({ isTemporary, status, retryAfter }) {
  if (!isTemporary || (status === 429 && retryAfter === null)) return null;
  const growing = Math.min(firstPause * 2 ** Math.max(0, failures - 1), longestPause);
  const pause = Math.max((retryAfter ?? 0) * 1_000, growing);
  return pause <= repetitionMax ? pause : null;
}

/** @type {Set<() => void>} */
const sessionListeners = new Set();

/**
 * Adds a function that is called when the API no longer accepts the session.
 * @param {() => void} listener
 */
export function onSessionEnd(listener) {
  sessionListeners.add(listener);
}

/**
 * Options of a call. `key` makes a repetition of a POST harmless: the same key, the same effect.
 * @template {EndpointName} Name
 * @typedef {object} Options
 * @property {Endpoints[Name]["query"]} [query]
 * @property {Endpoints[Name]["body"]} [body]
 * @property {Record<string, string | number>} [path] values of `{name}` in the path
 * @property {string} [key]
 * @property {AbortSignal} [signal]
 * @property {number} [limit] milliseconds, instead of a signal: a longer request ends like one that
 *   did not reach TrackMe
 */

/**
 * Calls an endpoint.
 * @template {EndpointName} Name
 * @param {Name} name method and path, such as `GET /data/stats`
 * @param {Options<Name>} [options]
 * @returns {Promise<Endpoints[Name]["answer"]>}
 */
export async function call(name, options = {}) {
  const response = await request(name, options);
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("json")) return undefined;
  try {
    return await response.json();
  } catch (cause) {
    if (options.limit === undefined || !(cause instanceof DOMException)) throw cause;
    throw new Problem(0, {});
  }
}

/**
 * Calls an endpoint and returns its response unread, for downloads.
 * @template {EndpointName} Name
 * @param {Name} name
 * @param {Options<Name>} [options]
 * @returns {Promise<Response>}
 */
export async function request(name, options = {}) {
  const { query, body, path, key, signal, limit } = options;
  const [method, template] = /** @type {[string, string]} */ (name.split(" "));
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (key) headers["idempotency-key"] = key;
  let response;
  try {
    response = await fetch(address(template, path ?? {}, query ?? {}), {
      method, headers, credentials: "same-origin",
      signal: limit === undefined ? signal : timeLimit(limit),
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    failures += 1;
    throw new Problem(0, {});
  }
  if (!response.ok) throw await refusal(response, template);
  failures = 0;
  return response;
}

/**
 * A signal that is aborted after a time.
 * @param {number} milliseconds
 */
function timeLimit(milliseconds) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), milliseconds);
  return controller.signal;
}

/**
 * The address of an endpoint with its parameters; parameters without a value are left out.
 * @param {string} template
 * @param {Record<string, string | number>} path
 * @param {object} query
 */
export function address(template, path, query) {
  const filled = template.replace(
    /\{(\w+)\}/g, (_, part) => encodeURIComponent(String(path[part])));
  const parameters = new URLSearchParams();
  for (const [parameter, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    parameters.set(parameter, String(value));
  }
  const text = parameters.toString();
  return text ? `${filled}?${text}` : filled;
}

/**
 * @param {Response} response
 * @param {string} template
 */
async function refusal(response, template) {
  const document = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  const problem = new Problem(response.status, document, retryAfter);
  failures = problem.isTemporary ? failures + 1 : 0;
  if (await isSessionOver(problem, template)) for (const listener of sessionListeners) listener();
  return problem;
}

/**
 * The reading of the session that is in progress.
 * @type {Promise<boolean> | null}
 */
let reading = null;

/**
 * Whether a refusal means that the session is over. The API says `Wrong token` for it, except at
 * the endpoints whose refusal the design document fixes: there a wrong password and a person who is
 * unknown look the same, so the session is read, once for refusals at the same time.
 * @param {Problem} problem
 * @param {string} template
 */
async function isSessionOver({ status, error }, template) {
  if (template === "/auth/login" || (status !== 401 && status !== 403)) return false;
  if (status === 401 && error === "Wrong token") return true;
  reading ??= isSessionUnknown().finally(() => {
    reading = null;
  });
  return reading;
}

/** Whether the API does not know the session. */
async function isSessionUnknown() {
  try {
    const { status: answer } = await fetch("/auth/me", {
      headers: { accept: "application/json" }, credentials: "same-origin",
    });
    return answer === 401;
  } catch {
    // Without a connection nothing is known of the session, and the caller shows the refusal.
    return false;
  }
}

/** A key for a POST that may be repeated: one for each action of the user. */
export function newKey() {
  return crypto.randomUUID();
}
