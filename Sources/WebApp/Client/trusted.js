// The only policy of Trusted Types. Scripts come from our own assets or are the service worker.

const assets = new URL("../", import.meta.url);

/**
 * The full address of one of our scripts.
 * @param {string} address absolute, or relative to the page
 * @param {URL} [base] the root of the assets
 * @returns {string}
 * @throws {TypeError} for every other address
 */
export function ownScript(address, base = assets) {
  const url = new URL(address, base);
  const isAsset = url.pathname.startsWith(base.pathname) && url.pathname.endsWith(".js");
  const isWorker = url.pathname === "/worker.js";
  if (url.origin !== base.origin || !(isAsset || isWorker)) {
    throw new TypeError(`${url.href} is not a script of TrackMe`);
  }
  return url.href;
}

const rules = { createScriptURL: (/** @type {string} */ address) => ownScript(address) };
const policy = typeof window === "undefined"
  ? undefined : window.trustedTypes?.createPolicy("trackme", rules);

/**
 * An address that may be assigned where scripts are loaded.
 * @param {string} address
 * @returns {string}
 */
export function scriptAddress(address) {
  return policy ? policy.createScriptURL(address) : ownScript(address);
}

/** @type {Map<string, Promise<void>>} */
const loads = new Map();

/**
 * Loads a classic script once, for libraries that cannot be modules. After a failure the next call
 * tries again.
 * @param {string} address relative to the root of the assets
 * @returns {Promise<void>} rejected if the script cannot be loaded
 */
export function loadScript(address) {
  const known = loads.get(address);
  if (known) return known;
  const load = new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
    const element = document.createElement("script");
    element.onload = () => resolve();
    element.onerror = () => {
      loads.delete(address);
      element.remove();
      reject(new Error(`${address} could not be loaded`));
    };
    element.src = scriptAddress(address);
    document.head.append(element);
  });
  loads.set(address, load);
  return load;
}
