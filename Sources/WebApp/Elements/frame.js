// The frame of every page: logo, menu with live badges, language, log out, and the page itself.

import { call, Problem } from "../Client/api.js";
import { h, show } from "../Client/dom.js";
import { follow } from "../Client/events.js";
import { dateTime, language, t } from "../Client/language.js";
import { go, mayLeave } from "../Client/router.js";
import { currentAccount, isHospital, logOut, onSessionChange } from "../Client/session.js";
import { icon } from "./icon.js";
import { announce, notice, toast } from "./notice.js";

/** @typedef {import("../Client/router.js").Route} Route */
/** @typedef {import("../Client/language.js").TextKey} TextKey */
/** @typedef {{address: string, text: TextKey, badge?: "pending" | "unread", icon: string}} Tab */

/** @type {Record<string, Tab[]>} */
const tabs = {
  guest: [
    { address: "/app/login", text: "menu.login", icon: "person" },
    { address: "/app/signup", text: "menu.signup", icon: "add" },
    { address: "/app/runs", text: "menu.watch", icon: "run" },
    { address: "/app/help", text: "menu.help", icon: "help" },
  ],
  "single data4help": [
    { address: "/app/health", text: "menu.health", icon: "heart" },
    { address: "/app/data", text: "menu.data", icon: "chart" },
    { address: "/app/followers", text: "menu.followers", badge: "pending", icon: "people" },
    { address: "/app/settings", text: "menu.settings", icon: "gear" },
    { address: "/app/notifications", text: "menu.notifications", badge: "unread", icon: "bell" },
  ],
  "single track4run": [
    { address: "/app/myrun", text: "menu.myRun", icon: "run" },
    { address: "/app/runs", text: "menu.runs", icon: "map" },
  ],
  "tp data4help": [
    { address: "/app/research", text: "menu.research", icon: "search" },
    { address: "/app/history", text: "menu.history", icon: "list" },
    { address: "/app/settings", text: "menu.settings", icon: "gear" },
    { address: "/app/notifications", text: "menu.notifications", badge: "unread", icon: "bell" },
  ],
  "tp track4run": [
    { address: "/app/organise", text: "menu.newRun", icon: "add" },
    { address: "/app/organise/runs", text: "menu.myRuns", icon: "list" },
    { address: "/app/runs", text: "menu.runs", icon: "map" },
  ],
};

/** @type {Tab} */
const hospitalTab = { address: "/app/emergencies", text: "menu.emergencies", icon: "alarm" };

const productKey = "trackme.product";
/** A connection that is back sooner, such as after a restart of the gateway, is not mentioned. */
const shortLoss = 3_000;

export class Frame {
  /** @param {{onLanguage: (name: "it" | "en") => Promise<void>}} actions */
  constructor({ onLanguage }) {
    this.onLanguage = onLanguage;
    this.page = h("main", { id: "page", tabindex: -1 });
    this.header = h("header", { class: "frame-header" });
    this.menu = h("nav", { class: "frame-menu" });
    this.footer = h("footer", { class: "frame-footer" });
    this.connection = h("div", { class: "frame-connection", role: "status" });
    this.element = h("div", { class: "frame" },
      this.header, this.menu, this.connection, this.page, this.footer);
    /** @type {Route | null} */
    this.route = null;
    /** @type {Record<string, number>} */
    this.badges = { pending: 0, unread: 0 };
    this.live = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.lossTimer = undefined;
    onSessionChange(() => this.followNotices());
  }

  /**
   * Shows that a page is being loaded; the previous page stays visible.
   * @param {Route} route
   */
  busy(route) {
    this.route = route;
    this.page.setAttribute("aria-busy", "true");
    this.update();
  }

  /**
   * Shows a page.
   * @param {Route | null} route
   * @param {HTMLElement} element
   */
  show(route, element) {
    // `busy` has drawn the rest for a page, but not for the notice of an unknown address.
    const isDrawn = route !== null && route === this.route;
    this.route = route;
    this.page.removeAttribute("aria-busy");
    show(this.page, element);
    if (isDrawn) this.drawMenu();
    else this.update();
  }

  /** Moves the focus to the new page's heading, so that a screen reader announces it. */
  focusPage() {
    const heading = this.page.querySelector("h1");
    if (heading) heading.tabIndex = -1;
    (heading ?? this.page).focus({ preventScroll: true });
  }

  /** The product whose menu is shown: that of the page, or the last one. */
  get product() {
    const product = this.route?.product;
    if (product) sessionStorage.setItem(productKey, product);
    return product ?? sessionStorage.getItem(productKey) ?? "data4help";
  }

  /** Draws header, menu and footer anew. */
  update() {
    const account = currentAccount();
    const { product } = this;
    document.documentElement.dataset.product = account || this.route?.product ? product : "";
    const skip = document.querySelector("a.skip");
    if (skip) {
      skip.textContent = t("frame.skip");
      skip.removeAttribute("hidden");
    }
    show(this.header, this.logo(), account && this.productSwitch(), h("span", { class: "spring" }),
      this.languageSwitch(), account && this.logOutButton());
    this.drawMenu();
    show(this.footer, h("p", {}, t("frame.notMedical")),
      h("p", {}, h("a", { href: "/app/help" }, t("menu.help")), " · ",
        h("a", { href: "/app/documents" }, t("documents.pageTitle")), " · ",
        h("a", { href: "/docs" }, t("frame.api"))));
  }

  /** Draws the menu anew, whose badges and tabs change most often. */
  drawMenu() {
    this.menu.setAttribute("aria-label", t("frame.menu"));
    show(this.menu, h("ul", {}, this.tabs().map((tab) => this.tab(tab))));
  }

  tabs() {
    const account = currentAccount();
    if (!account) return tabs.guest ?? [];
    const own = tabs[`${account.accountType} ${this.product}`] ?? [];
    return isHospital() && this.product === "data4help" ? [...own, hospitalTab] : own;
  }

  /** @param {Tab} tab */
  tab(tab) {
    const count = tab.badge ? this.badges[tab.badge] ?? 0 : 0;
    const isCurrent = location.pathname === tab.address
      || (tab.address !== "/app/organise" && location.pathname.startsWith(`${tab.address}/`));
    return h("li", {}, h("a", { href: tab.address, "aria-current": isCurrent ? "page" : null },
      icon(tab.icon),
      h("span", {}, t(tab.text)),
      count > 0 && h("span", { class: "badge" }, count > 99 ? "99+" : count,
        h("span", { class: "visually-hidden" }, ` ${t("frame.badge")}`))));
  }

  logo() {
    const src = new URL("../Pictures/trackme.svg", import.meta.url).href;
    return h("a", { class: "frame-logo", href: "/app" },
      h("img", { src, alt: "", width: 28, height: 28 }),
      h("span", { class: currentAccount() ? "long" : null }, "TrackMe"));
  }

  productSwitch() {
    const isPerson = currentAccount()?.accountType === "single";
    /** @type {[string, string, string][]} */
    const products = [
      ["data4help", "Data4Help", isPerson ? "/app/health" : "/app/research"],
      ["track4run", "Track4Run", isPerson ? "/app/myrun" : "/app/organise"],
    ];
    return h("div", { class: "segments", role: "group", "aria-label": t("frame.product") },
      products.map(([product, name, address]) => h("a", {
        href: address, "aria-current": this.product === product ? "true" : null,
      }, name)));
  }

  languageSwitch() {
    const other = language() === "it" ? "en" : "it";
    return h("button", {
      type: "button", class: "plain", lang: other,
      onclick: () => void this.onLanguage(other),
    }, h("span", { class: "long" }, other === "it" ? "Italiano" : "English"),
    h("span", { class: "short", "aria-hidden": "true" }, other.toUpperCase()));
  }

  logOutButton() {
    return h("button", {
      type: "button", class: "plain", onclick: () => void this.logOut(),
    }, h("span", { class: "long" }, t("frame.logout")),
    h("span", { class: "short" }, icon("exit")));
  }

  async logOut() {
    // Asked before: after the logout nothing of the account stays on the screen.
    if (!(await mayLeave())) return;
    try {
      await logOut();
      await go("/app/login", { force: true });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      toast(problem.isTemporary ? t("problem.temporary") : problem.detail);
    }
  }

  /** Updates the badges while an account is logged in, and announces alarms on every page. */
  followNotices() {
    this.live.abort();
    this.live = new AbortController();
    const { signal } = this.live;
    this.showConnection(null);
    this.badges = { pending: 0, unread: 0 };
    if (!currentAccount()) return;
    void this.countBadges();
    const count = () => void this.countBadges();
    // A page that answers a request or marks notices as read also changes the numbers.
    addEventListener("trackme-counts", count, { signal });
    // Pages listen to this event: a stream of their own would count towards the limit of ten.
    const changed = (/** @type {unknown} */ detail) => {
      count();
      dispatchEvent(new CustomEvent("trackme-notice", { detail }));
    };
    follow("/events", {
      signal,
      onConnection: (cutOffSince) => {
        this.showConnection(cutOffSince);
        dispatchEvent(new CustomEvent("trackme-connection", { detail: cutOffSince }));
      },
      events: {
        request: changed, answer: changed, ended: changed, room: changed, security: changed,
        run: changed, payment: changed,
        alarm: (alarm) => {
          changed(alarm);
          dispatchEvent(new CustomEvent("trackme-alarm", { detail: alarm }));
        },
      },
    });
  }

  /**
   * Says on every page since when it may be out of date. A page that says so itself hides this.
   * @param {Date | null} cutOffSince null: connected, or without an account
   */
  showConnection(cutOffSince) {
    clearTimeout(this.lossTimer);
    if (cutOffSince === null) {
      show(this.connection);
      return;
    }
    const time = dateTime(cutOffSince, { timeStyle: "medium" });
    this.lossTimer = setTimeout(() => {
      show(this.connection, notice("warning", t("frame.cutOff", { time })));
    }, shortLoss);
  }

  /** Reads the numbers of the badges; on failure the old ones stay. */
  async countBadges() {
    const { signal } = this.live;
    try {
      const account = currentAccount();
      const [notices, requests] = await Promise.all([
        call("GET /notifications", { query: { limit: 1 }, signal }),
        account?.accountType === "single"
          ? call("GET /req/single/list", { query: { limit: 1 }, signal }) : undefined,
      ]);
      const before = this.badges.unread ?? 0;
      this.badges = { unread: notices.unread ?? 0, pending: requests?.pending ?? 0 };
      if ((this.badges.unread ?? 0) > before) announce(t("frame.newNotice"));
      this.drawMenu();
    } catch (problem) {
      if (!(problem instanceof Problem) && !signal.aborted) throw problem;
    }
  }
}
