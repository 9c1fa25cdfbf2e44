// P36, the board of a hospital: duty, incoming, acknowledged and past calls.

import { call, newKey, Problem, repetitionPause } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { follow } from "../../Client/events.js";
import { t } from "../../Client/language.js";
import { currentAccount, loadSession } from "../../Client/session.js";
import { wait } from "../../Client/work.js";
import { companyPlace } from "../../Elements/coursePlace.js";
import { loadDataTypes } from "../../Elements/dataTypes.js";
import { exactTime } from "../../Elements/emergency.js";
import { emptyState, notice, problemNotice, problemText } from "../../Elements/notice.js";
import {
  isSoundUnlocked, onSoundChange, startSound, stopSound,
} from "../../Elements/siren.js";
import { CallBoard, entryOf, pastMax } from "./callBoard.js";
import { callCard, pastRow } from "./cards.js";
import { boardMap } from "./boardMap.js";
import { dutyPart } from "./duty.js";

/** @typedef {import("./callBoard.js").Entry} Entry */

/** How often ages of positions and calls are updated, in milliseconds. */
const agePause = 10_000;

export { prepareMap as prepare } from "../../Elements/map.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  // The operator may have approved the company since its account was read.
  if (currentAccount()?.hospital === false) {
    if ((await call("GET /auth/me", { signal })).hospital === false) return notApproved();
    await loadSession();
  }
  let first;
  try {
    [first] = await Promise.all([
      call("GET /sos/calls", { query: { limit: pastMax }, signal }), loadDataTypes(),
      style("emergencies.css", import.meta.url),
    ]);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 403) throw problem;
    return notApproved();
  }
  const suggestion = first.coordinate ? null : await companyPlace(signal);
  return new Board(signal, first, suggestion).element;
}

function notApproved() {
  return h("section", { class: "page" }, h("h1", {}, t("emergencies.title")),
    notice("info", h("p", {}, t("emergencies.notApproved")),
      h("p", {}, h("a", { href: "/app/help" }, t("menu.help")))));
}

class Board {
  /**
   * @param {AbortSignal} signal
   * @param {import("../../Client/types").Endpoints["GET /sos/calls"]["answer"]} first
   * @param {import("../../Elements/mapMath.js").Point | null} suggestion the position before the
   * first duty
   */
  constructor(signal, first, suggestion) {
    this.signal = signal;
    this.board = new CallBoard();
    this.board.takeList(first.calls);
    /** @type {Map<string, {text: string, element: HTMLElement}>} cards are redrawn on a change */
    this.cards = new Map();
    /** @type {Map<string, string>} refusals by episode */
    this.problems = new Map();
    /** @type {Set<string>} */
    this.sending = new Set();
    /** @type {Date | null} */
    this.cutOffSince = null;
    this.pageTitle = document.title;
    this.notices = h("div", { class: "board-notices", "aria-live": "assertive" });
    this.incoming = h("div", { class: "board-calls", role: "log", "aria-live": "assertive" });
    this.own = h("div", { class: "board-calls" });
    this.past = h("tbody");
    this.pastPart = h("div", {});
    this.map = boardMap(signal, (id) => this.focusCard(id));
    const { onDuty, coordinate } = first;
    this.duty = dutyPart({ signal, map: this.map, onDuty, coordinate, suggestion });
    this.older = h("tbody");
    this.more = h("p", { class: "actions" });
    this.shownNotices = "";
    this.element = this.layout();
    this.listen();
    this.draw();
    this.drawMore(first.next);
  }

  layout() {
    return h("section", { class: "page board" },
      h("h1", {}, t("emergencies.title")),
      this.duty.state, this.notices,
      h("div", { class: "board-columns" },
        h("div", {},
          h("h2", {}, t("emergencies.incoming")), this.incoming,
          h("h2", {}, t("emergencies.own")), this.own),
        h("div", {},
          h("h2", {}, t("emergencies.map")), this.map.element, this.duty.element)),
      h("h2", {}, t("emergencies.past")), this.pastPart, this.more);
  }

  listen() {
    const { signal } = this;
    follow("/req/tp/stream", {
      signal,
      events: {
        "sos.called": ({ data }) => {
          if (this.board.takeCalled(data)) this.draw();
        },
        "sos.closed": ({ data }) => {
          this.board.takeClosed(data);
          this.draw();
        },
      },
      onConnection: (cutOffSince) => {
        this.cutOffSince = cutOffSince;
        this.draw();
        // Calls that arrived between the list and the stream, or during a disconnection.
        if (cutOffSince === null) void this.read();
      },
    });
    onSoundChange(() => this.drawNotices(), signal);
    const ages = setInterval(() => this.drawAges(), agePause);
    signal.addEventListener("abort", () => {
      clearInterval(ages);
      stopSound("call");
      document.title = this.pageTitle;
      this.cards.clear();
    });
  }

  /** Reads the newest calls; after a failure the known ones stay. */
  async read() {
    try {
      const answer = await call("GET /sos/calls", {
        query: { limit: pastMax }, signal: this.signal,
      });
      this.board.takeList(answer.calls);
      this.duty.update(answer.onDuty, answer.coordinate);
      this.draw();
      show(this.older);
      this.drawMore(answer.next);
    } catch (problem) {
      if (this.signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.isTemporary) setTimeout(() => void this.read(), 5_000);
      else {
        this.shownNotices = "";
        show(this.notices, problemNotice(problem, () => void this.read()));
      }
    }
  }

  draw() {
    if (this.signal.aborted) return;
    const incoming = this.board.list("incoming");
    const own = this.board.list("own");
    if (incoming.length > 0) startSound("call");
    else stopSound("call");
    document.title = incoming.length > 0
      ? t("emergencies.ringing", { count: incoming.length }) : this.pageTitle;
    this.place(this.incoming, incoming, t("emergencies.noneIncoming"));
    this.place(this.own, own, t("emergencies.noneOwn"));
    const shown = new Set([...incoming, ...own].map(({ call: each }) => each.episodeID));
    for (const id of [...this.cards.keys()]) if (!shown.has(id)) this.forget(id);
    this.map.showCalls([...incoming, ...own]);
    this.drawPast();
    this.drawNotices();
  }

  /** @param {string} id */
  forget(id) {
    this.cards.delete(id);
    this.problems.delete(id);
  }

  /**
   * Shows cards in their order; those without a change keep their elements, so that a touch in
   * progress is not lost.
   * @param {HTMLElement} parent
   * @param {Entry[]} entries
   * @param {string} none
   */
  place(parent, entries, none) {
    const elements = entries.map((entry) => this.card(entry));
    const isSame = elements.length > 0 && elements.length === parent.children.length
      && elements.every((element, index) => element === parent.children[index]);
    if (!isSame) show(parent, elements.length === 0 ? emptyState(none) : elements);
  }

  /** @param {Entry} entry */
  card(entry) {
    const { episodeID } = entry.call;
    const problem = this.problems.get(episodeID) ?? "";
    const isSending = this.sending.has(episodeID);
    const text = JSON.stringify([entry, problem, isSending]);
    const known = this.cards.get(episodeID);
    if (known?.text === text) return known.element;
    const element = callCard(entry, {
      problem, isSending,
      takeOn: () => void this.takeOn(episodeID),
      report: (outcome) => void this.report(episodeID, outcome),
    });
    this.cards.set(episodeID, { text, element });
    return element;
  }

  /** @param {string} episodeID */
  async takeOn(episodeID) {
    await this.send(episodeID, async (key) => {
      await call("POST /sos/acknowledge", { body: { episodeID }, key, signal: this.signal });
      this.board.acknowledge(episodeID, new Date().toISOString());
    }, "acknowledged");
  }

  /**
   * @param {string} episodeID
   * @param {import("./cards.js").Outcome} outcome
   */
  async report(episodeID, outcome) {
    await this.send(episodeID, async (key) => {
      await call("POST /sos/outcome", { body: { episodeID, outcome }, key, signal: this.signal });
      this.board.close(episodeID, outcome);
    }, "closed");
  }

  /**
   * @param {string} episodeID
   * @param {(key: string) => Promise<void>} send
   * @param {string} conflict the text for a 409
   */
  async send(episodeID, send, conflict) {
    if (this.sending.has(episodeID)) return;
    this.sending.add(episodeID);
    this.problems.delete(episodeID);
    this.draw();
    const key = newKey();
    const attempt = () => this.attempt(episodeID, () => send(key), conflict);
    for (let pause = await attempt(); pause !== null; pause = await attempt()) {
      this.draw();
      await wait(pause, this.signal);
      if (this.signal.aborted) return;
    }
    if (this.signal.aborted) return;
    this.sending.delete(episodeID);
    this.draw();
    this.focusCard(episodeID);
  }

  /**
   * @param {string} episodeID
   * @param {() => Promise<void>} send
   * @param {string} conflict the text for a 409
   * @returns {Promise<number | null>} the milliseconds until it is sent again by itself, or null
   */
  async attempt(episodeID, send, conflict) {
    try {
      await send();
      this.problems.delete(episodeID);
      return null;
    } catch (problem) {
      if (this.signal.aborted) return null;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status === 409) {
        this.board.close(episodeID, conflict);
        void this.read();
        return null;
      }
      const pause = repetitionPause(problem);
      const key = pause === null ? "emergencies.failed" : "emergencies.repeats";
      this.problems.set(episodeID, t(key, { problem: problemText(problem) }));
      return pause;
    }
  }

  /** @param {string} episodeID */
  focusCard(episodeID) {
    const heading = this.cards.get(episodeID)?.element.querySelector("h3");
    if (heading instanceof HTMLElement) heading.focus();
  }

  drawPast() {
    const entries = this.board.list("past");
    if (entries.length === 0) {
      show(this.pastPart, emptyState(t("emergencies.nonePast")));
      return;
    }
    show(this.past, entries.map(pastRow));
    if (this.past.isConnected) return;
    show(this.pastPart, h("div", { class: "scroll-x" }, h("table", {},
      h("thead", {}, h("tr", {}, ["emergencies.called", "emergencies.person", "emergencies.rule",
        "emergencies.end"].map((key) => h("th", { scope: "col" },
        t(/** @type {import("../../Client/language.js").TextKey} */ (key)))))),
      this.past, this.older)));
  }

  /** @param {string} [cursor] of the calls before those that are shown */
  drawMore(cursor) {
    show(this.more, cursor !== undefined && h("button", {
      type: "button", class: "secondary", onclick: () => void this.readOlder(cursor),
    }, t("action.more")));
  }

  /** @param {string} cursor */
  async readOlder(cursor) {
    try {
      const answer = await call("GET /sos/calls", {
        query: { limit: pastMax, cursor }, signal: this.signal,
      });
      this.older.append(...answer.calls.map((each) => pastRow(entryOf(each))));
      this.drawMore(answer.next);
    } catch (problem) {
      if (this.signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(this.more, problemNotice(problem, () => void this.readOlder(cursor)));
    }
  }

  drawNotices() {
    // Writing the same text would announce it again.
    const shown = JSON.stringify([this.cutOffSince, isSoundUnlocked()]);
    if (shown === this.shownNotices) return;
    this.shownNotices = shown;
    show(this.notices,
      this.cutOffSince && h("div", { "data-cut-off": true }, notice("error", h("p", {},
        t("emergencies.cutOff", { time: exactTime(this.cutOffSince) })))),
      !isSoundUnlocked() && notice("warning", h("p", {}, t("emergencies.soundOff"))));
  }

  /** Positions and calls grow older while the board is open. */
  drawAges() {
    for (const { call: each } of [...this.board.list("incoming"), ...this.board.list("own")]) {
      const known = this.cards.get(each.episodeID);
      known?.element.dispatchEvent(new Event("trackme-age"));
    }
  }
}
