// P12, the emergency's page over every other page: warning, countdown, abort, and the end.

import { call, newKey, Problem, request } from "../Client/api.js";
import { h, show, style } from "../Client/dom.js";
import { asSentence, dateTime, t } from "../Client/language.js";
import { ServerClock } from "../Client/serverClock.js";
import { currentAccount, onSessionChange } from "../Client/session.js";
import { isOver, AlarmState, secondsLeft } from "./alarmState.js";
import { alarmWords } from "./alarmContent.js";
import { loadDataTypes } from "./dataTypes.js";
import { callHelp } from "./emergency.js";
import { problemText, toast } from "./notice.js";
import { isSoundUnlocked, onSoundChange, startSound, stopSound } from "./siren.js";

/** How often the emergency is read again while its page is open, in milliseconds. */
const readPause = 5_000;
/** Milliseconds in which touches are ignored, because they were meant for the page below. */
const guardTime = 700;
/** How often an abort that did not arrive is sent again. */
const abortPause = 1_000;
/** Milliseconds after which a request counts as not answered: none may hang in an emergency. */
const requestMax = 8_000;

let isStarted = false;

/** Shows the emergencies of the account that is logged in, from now on. */
export function startAlarm() {
  if (isStarted) return;
  isStarted = true;
  new AlarmPage();
}

/**
 * Browsers refuse vibration and report an error until the page was touched.
 * @param {number[]} pattern milliseconds on and off; empty ends it
 */
function vibrate(pattern) {
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(pattern);
}

class AlarmPage {
  constructor() {
    this.state = new AlarmState();
    this.clock = new ServerClock();
    /** @type {Map<string, string>} the key of a sent abort or false alarm by episode */
    this.sending = new Map();
    /** @type {Date | null} */
    this.cutOffSince = null;
    this.failure = "";
    this.asksFalseAlarm = false;
    /** Whether the window of a suspected emergency is over and nothing has confirmed it. */
    this.isWaiting = false;
    this.isHidden = false;
    this.spoken = "";
    this.openedAt = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticks = undefined;
    this.readAt = 0;
    this.count = 0;
    this.countdown = h("p", { class: "alarm-countdown", role: "timer", "aria-live": "off" });
    this.speech = h("p", { class: "visually-hidden", role: "status", "aria-live": "assertive" });
    this.title = h("h1", { id: "alarm-title", tabindex: -1 });
    this.text = h("p", { id: "alarm-text", class: "alarm-text" });
    this.notices = h("div", { class: "alarm-notices" });
    this.details = h("div", { class: "alarm-details" });
    this.actions = h("div", { class: "alarm-actions" });
    this.drill = h("p", { class: "alarm-drill" });
    this.dialog = h("dialog", {
      class: "alarm", role: "alertdialog", "aria-modal": "true",
      "aria-labelledby": "alarm-title", "aria-describedby": "alarm-text",
    }, h("div", { class: "alarm-body" }, this.drill, this.title, this.countdown, this.text,
      this.actions, this.notices, this.details), this.speech);
    /** The shown buttons, replaced only by different ones: a touch may be in progress. */
    this.buttons = "";
    /** The account whose emergencies are known. */
    this.account = JSON.stringify(currentAccount());
    this.banner = h("button", {
      type: "button", class: "alarm-banner", hidden: true, onclick: () => this.reveal(),
    });
    this.listen();
    void style("alarm.css", import.meta.url);
    document.body.append(this.dialog, this.banner);
    void this.read();
    void this.learnNames();
  }

  /** Without the names of data types the page shows those of the API. */
  async learnNames() {
    try {
      await loadDataTypes();
      this.update();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
    }
  }

  listen() {
    addEventListener("trackme-alarm", (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      this.clock.learnEvent(detail?.time, Date.now());
      if (detail?.data?.stage === "silent") toast(detail.text || t("alarm.silent"));
      if (!this.state.takeEvent(detail?.data)) return;
      this.isHidden = false;
      this.update();
      void this.read();
    });
    addEventListener("trackme-connection", (event) => {
      this.cutOffSince = /** @type {CustomEvent} */ (event).detail;
      this.update();
      // Events during the disconnection may be missing.
      if (this.cutOffSince === null) void this.read();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.state.alarms.size > 0) void this.read();
    });
    onSessionChange((account) => this.change(account));
    onSoundChange(() => this.update(), new AbortController().signal);
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (this.state.shown.mode === "over") this.close();
      else if (this.state.shown.mode === "called") this.hide();
    });
    // Browsers close a dialog at the second Escape even if the page prevents the first.
    this.dialog.addEventListener("close", () => {
      if (this.state.shown.mode !== "none" && !this.isHidden) this.update();
    });
  }

  /** @param {import("../Client/session.js").Account | null} account */
  change(account) {
    const next = JSON.stringify(account);
    if (next === this.account) return;
    this.account = next;
    const { mode } = this.state.shown;
    // Without a session nothing can be aborted here; logging in shows the emergency again.
    if (account === null && (mode === "warning" || mode === "called")) toast(t("alarm.loggedOut"));
    this.state.clear();
    this.sending.clear();
    this.failure = "";
    this.update();
    if (account) void this.read();
  }

  /** Reads the newest emergencies; without a connection the known ones stay. */
  async read() {
    if (currentAccount()?.accountType !== "single") return;
    this.readAt = Date.now();
    const sentAt = Date.now();
    const { account } = this;
    try {
      const response = await request("GET /sos/history", {
        query: { limit: 5 }, limit: requestMax,
      });
      this.clock.learn(response.headers.get("date"), sentAt, Date.now());
      const { episodes } = await response.json();
      // The session ended meanwhile: the emergencies of its person are not for the next reader.
      if (account !== this.account) return;
      this.state.takeHistory(episodes);
      this.cutOffSince = null;
      this.update();
      // The names of the measured data, in which the readings are drawn below.
      if (episodes.length > 0) await loadDataTypes();
    } catch (problem) {
      const isCut = problem instanceof DOMException;
      if (!isCut && !(problem instanceof Problem)) throw problem;
      if (isCut || problem.isTemporary) this.cutOffSince ??= new Date();
    }
    this.update();
  }

  /** Shows the present state. */
  update() {
    const { mode } = this.state.shown;
    if (mode === "none") {
      this.end();
      return;
    }
    this.banner.hidden = !this.isHidden;
    this.banner.textContent = t("alarm.banner");
    const { alarms } = this.state.shown;
    const isAnswered = alarms.every(({ episodeID }) => this.sending.has(episodeID));
    if (mode === "warning" && !isAnswered) startSound("siren");
    else this.silence();
    this.ticks ??= setInterval(() => this.tick(), 250);
    this.draw();
    if (!this.isHidden && !this.dialog.open) {
      this.openedAt = performance.now();
      this.dialog.showModal();
      // The title takes the focus instead of a button, so that no typed key aborts an emergency.
      this.title.focus({ preventScroll: true });
    }
    this.tick();
  }

  draw() {
    const { shown } = this.state;
    const isSending = shown.alarms.some(({ episodeID }) => this.sending.has(episodeID));
    this.isWaiting = this.state.deadlineAt(this.clock.now()) === null;
    const { asksFalseAlarm, isWaiting } = this;
    const words = alarmWords({ shown, isSending, asksFalseAlarm, isWaiting });
    this.dialog.dataset.mode = shown.mode;
    this.title.textContent = words.title;
    this.text.textContent = words.text;
    this.drill.textContent = shown.alarms.every(({ drill }) => drill) ? t("alarm.drill") : "";
    show(this.details, words.details);
    show(this.notices, this.failure && h("p", { class: "alarm-failure" }, this.failure),
      !this.failure && this.cutOffSince && h("p", { class: "alarm-failure" },
        t("alarm.cutOff", { time: dateTime(this.cutOffSince, { timeStyle: "medium" }) })),
      shown.mode === "warning" && !isSoundUnlocked() && h("p", {}, t("alarm.soundOff")));
    const buttons = JSON.stringify(words.buttons);
    if (buttons !== this.buttons) this.drawButtons(words.buttons);
    this.buttons = buttons;
    for (const button of this.actions.querySelectorAll("[data-action=abort]")) {
      button.setAttribute("aria-disabled", String(isSending));
    }
    this.speak();
  }

  /** @param {import("./alarmContent.js").Button[]} buttons */
  drawButtons(buttons) {
    const hadFocus = this.actions.contains(document.activeElement);
    show(this.actions, buttons.map(({ action, text }, index) => action === "112"
      ? callHelp() : h("button", {
        type: "button", "data-action": action,
        class: index === 0 ? "alarm-button alarm-main" : "alarm-button",
        onclick: () => this.act(action),
      }, text)));
    this.openedAt = performance.now();
    if (hadFocus) this.title.focus({ preventScroll: true });
  }

  /** Screen readers hear each new stage once; live regions behind the dialog are inert. */
  speak() {
    const title = asSentence(this.title.textContent ?? "");
    const text = `${title} ${this.text.textContent} ${this.notices.textContent}`;
    if (text === this.spoken) return;
    this.spoken = text;
    this.speech.textContent = text;
  }

  /** @param {import("./alarmContent.js").Action} action */
  act(action) {
    if (performance.now() - this.openedAt < guardTime) return;
    switch (action) {
      case "abort": void this.send("POST /sos/abort"); break;
      case "falseAlarm":
        this.asksFalseAlarm = true;
        this.update();
        break;
      case "keep":
        this.asksFalseAlarm = false;
        this.update();
        break;
      case "confirmFalseAlarm":
        this.asksFalseAlarm = false;
        void this.send("POST /sos/falseAlarm");
        break;
      case "hide": this.hide(); break;
      case "close": this.close();
    }
  }

  /**
   * Sends an answer for all shown emergencies, repeatedly while the server cannot be reached.
   * @param {"POST /sos/abort" | "POST /sos/falseAlarm"} name
   */
  async send(name) {
    const ids = this.state.shown.alarms.map(({ episodeID }) => episodeID)
      .filter((id) => !this.sending.has(id));
    this.failure = "";
    for (const id of ids) this.sending.set(id, newKey());
    // The siren ends at the touch, before the answer.
    this.update();
    await Promise.all(ids.map((id) => this.sendOne(name, id)));
    await this.read();
  }

  /**
   * @param {"POST /sos/abort" | "POST /sos/falseAlarm"} name
   * @param {string} episodeID
   */
  async sendOne(name, episodeID) {
    const key = this.sending.get(episodeID);
    const isWanted = () => this.sending.get(episodeID) === key;
    while (key && isWanted()) {
      try {
        await call(name, { body: { episodeID }, key, limit: requestMax });
        this.succeed(name, episodeID);
        return;
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        if (!isWanted()) return;
        if (!problem.isTemporary) {
          this.fail(problem, episodeID);
          return;
        }
        this.failure = t("alarm.notArrived");
        this.update();
        await new Promise((resolve) => setTimeout(resolve, abortPause));
      }
      const alarm = this.state.alarms.get(episodeID);
      if (!alarm || isOver(alarm.stage)) this.sending.delete(episodeID);
    }
  }

  /**
   * @param {"POST /sos/abort" | "POST /sos/falseAlarm"} name
   * @param {string} episodeID
   */
  succeed(name, episodeID) {
    this.sending.delete(episodeID);
    const alarm = this.state.alarms.get(episodeID);
    if (alarm) {
      const stage = name === "POST /sos/abort" ? "aborted" : "false alarm";
      this.state.take({ ...alarm, stage, deadline: null });
    }
    this.failure = "";
    this.update();
  }

  /**
   * @param {Problem} problem
   * @param {string} episodeID
   */
  fail(problem, episodeID) {
    this.sending.delete(episodeID);
    const words = problem.status === 409 ? t("alarm.tooLate") : problemText(problem);
    this.failure = `${words} ${t("alarm.call112Now")}`;
    this.update();
  }

  tick() {
    const deadline = this.state.deadlineAt(this.clock.now());
    const isWarning = this.state.shown.mode === "warning";
    this.count += 1;
    if (isWarning && (deadline === null) !== this.isWaiting) this.draw();
    this.countDown(isWarning ? deadline : null);
    if (isWarning && this.count % 4 === 1 && this.sending.size === 0) vibrate([600, 200]);
    if (this.state.shown.mode !== "over" && Date.now() - this.readAt > readPause) void this.read();
  }

  /** @param {string | null} deadline */
  countDown(deadline) {
    const seconds = deadline === null ? null : secondsLeft(deadline, this.clock.now());
    const text = seconds === null ? ""
      : seconds > 0 ? t("alarm.seconds", { count: seconds }) : t("alarm.now");
    if (this.countdown.textContent === text) return;
    this.countdown.textContent = text;
    if (seconds === 10 || seconds === 5) this.speech.textContent = text;
  }

  silence() {
    stopSound("siren");
    vibrate([]);
  }

  hide() {
    this.isHidden = true;
    this.dialog.close();
    this.banner.hidden = false;
  }

  reveal() {
    this.isHidden = false;
    this.update();
  }

  close() {
    this.state.close();
    this.failure = "";
    this.update();
  }

  end() {
    if (this.ticks === undefined) return;
    clearInterval(this.ticks);
    this.ticks = undefined;
    this.banner.hidden = true;
    this.isHidden = false;
    this.asksFalseAlarm = false;
    this.spoken = "";
    this.silence();
    if (this.dialog.open) this.dialog.close();
    // The next reader of this tab may be another person.
    const { title, countdown, text, drill, actions, notices, details, speech } = this;
    for (const part of [title, countdown, text, drill, actions, notices, details, speech]) {
      part.replaceChildren();
    }
    this.buttons = "";
  }
}
