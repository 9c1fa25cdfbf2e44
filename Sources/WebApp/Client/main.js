// The start of the pages: language, session, frame, then the page of the address.

import { h, show } from "./dom.js";
import { forgetDrafts, keepDraftsOf } from "./drafts.js";
import { chooseLanguage, completeTexts, loadLanguage, t } from "./language.js";
import { go, match, startRouter } from "./router.js";
import { startQueue } from "./queue.js";
import { currentAccount, home, isAmong, isPerson, onSessionChange } from "./session.js";
import { firstSession, firstTexts } from "./start.js";
import { Problem } from "./api.js";
import { scriptAddress } from "./trusted.js";
import { dropTyped, keepTyped, retype, takeTyped, typedValues } from "./typedValues.js";
import { closeQuestions } from "../Elements/dialog.js";
import { Frame } from "../Elements/frame.js";
import { problemNotice } from "../Elements/notice.js";

/** @typedef {import("./router.js").Route} Route */

const frame = new Frame({
  onLanguage: async (name) => {
    await chooseLanguage(name);
    await render({ keepsPlace: true });
  },
});
let leaving = new AbortController();
/** The page of the document, whose texts are loaded first. */
const first = match(location.pathname);

/** The address of the present page and its reader, whose session may end. */
let shown = { address: "", reader: "" };
/** The reader for whom the present page, or the next one, is drawn. */
let reader = "";

/** @param {{keepsPlace?: boolean}} [options] */
async function render(options = {}) {
  const { keepsPlace = false } = options;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const scroll = scrollY;
  const typed = keepsPlace ? typedValues(frame.page, { withSecrets: true }) : null;
  const found = match(location.pathname);
  if (!found) {
    frame.show(null, notFound());
    return;
  }
  reader = currentAccount()?.email ?? "";
  if (!isAmong(found.route.reader)) {
    if (currentAccount()) frame.show(null, wrongAccount(found.route));
    else await go(loginAddress(), { replace: true });
    return;
  }
  document.title = `${t(found.route.title)} – TrackMe`;
  const query = new URLSearchParams(location.search);
  frame.busy(found.route);
  /** @type {HTMLElement} */
  let element;
  try {
    const [module] = await Promise.all([
      found.route.load(), found.route === first?.route || completeTexts(),
    ]);
    if (signal.aborted) return;
    module.prepare?.(query);
    element = await module.page({ parameters: found.parameters, query, signal });
  } catch (problem) {
    if (signal.aborted) return;
    const retry = () => void render();
    element = problemNotice(problem instanceof Problem ? problem : new Problem(0, {}), retry);
    if (!(problem instanceof Problem)) console.error(problem);
  }
  if (signal.aborted) return;
  frame.show(found.route, element);
  shown = { address: location.pathname + location.search, reader };
  retype(frame.page, typed ?? takeTyped(shown.reader, shown.address));
  scrollTo(0, keepsPlace ? scroll : 0);
  if (!keepsPlace) frame.focusPage();
}

/** Loads the emergency's page with the session: only persons have emergencies. */
async function watchForAlarms() {
  if (!isPerson()) return;
  try {
    const { startAlarm } = await import("../Elements/alarm.js");
    startAlarm();
  } catch {
    setTimeout(() => void watchForAlarms(), 5_000);
  }
}

/** Registers the service worker, which needs a certificate that the browser trusts. */
async function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(scriptAddress("/worker.js"));
  } catch (failure) {
    // Only push messages and the page without a connection depend on it.
    console.warn("register service worker failed", failure);
  }
}

/** Renews the push messages to this browser with each session, if it may receive any. */
async function keepPush() {
  if (!currentAccount() || globalThis.Notification?.permission !== "granted") return;
  try {
    const { renewPush } = await import("./push.js");
    await renewPush();
  } catch (failure) {
    // The next page that is opened tries again.
    console.warn("renew push subscription failed", failure);
  }
}

/** The address of the login that returns to the present page. */
function loginAddress() {
  return `/app/login?next=${encodeURIComponent(location.pathname + location.search)}`;
}

function notFound() {
  return h("section", { class: "page" },
    h("h1", {}, t("notFound.title")),
    h("p", {}, t("notFound.text")),
    h("p", {}, h("a", { href: "/app" }, t("notFound.home"))));
}

/**
 * Shown instead of a page for the other kind of account: its readers, and a link to the start page.
 * @param {Route} route
 */
function wrongAccount({ reader: readers, title }) {
  const text = readers === "person" ? "wrongAccount.person" : "wrongAccount.company";
  document.title = `${t(title)} – TrackMe`;
  return h("section", { class: "page" },
    h("h1", {}, t(title)),
    h("p", {}, t(text, { email: reader })),
    h("p", {}, h("a", { href: home() }, t("wrongAccount.home"))));
}

onSessionChange((account, isLost) => {
  if (account) keepDraftsOf(account.email);
  else if (!isLost) {
    dropTyped();
    forgetDrafts();
  }
  const address = location.pathname + location.search;
  const isOpen = match(location.pathname)?.route.reader === "everybody";
  // Nothing of an account stays on the screen after its session, whatever keeps the reader there.
  if (account === null && !isOpen) {
    closeQuestions();
    if (isLost) keepTyped(frame.page, shown.reader, shown.address);
    void go(`${loginAddress()}${isLost ? "&ended" : ""}`, { force: true });
  } else if (reader !== "" && reader !== account?.email && (account !== null || !isLost)) {
    closeQuestions();
    void go(address, { replace: true, force: true });
  } else frame.update();
});

// A reload keeps what was typed; any other way to the page begins anew.
const [visit] = performance.getEntriesByType("navigation");
if (visit instanceof PerformanceNavigationTiming && visit.type !== "reload") dropTyped();
addEventListener("pagehide", () => keepTyped(frame.page, shown.reader, shown.address));

// The module of the page and what it needs are fetched beside texts and session. Only the page
// waits for them, and `render` reports a failure.
first?.route.load()
  .then(({ prepare }) => prepare?.(new URLSearchParams(location.search)))
  .catch(() => {});
await Promise.all([loadLanguage(firstTexts.name, firstTexts), firstSession]);
keepDraftsOf(currentAccount()?.email ?? "");
// The frame was created before the session was known.
frame.followNotices();
show(document.querySelector("#frame") ?? document.body, frame.element);
startRouter(() => void render());
onSessionChange(() => void watchForAlarms());
onSessionChange(() => void keepPush());
// Alarms do not wait for a page.
void watchForAlarms();
startQueue();
void keepPush();
await render();
// Its files would delay those of the page.
void registerWorker();

