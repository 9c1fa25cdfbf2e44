// The chosen runners of a live run: search and figures.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, number as amount, t } from "../../Client/language.js";
import { paceOf } from "../../Client/livePicture.js";
import { field, form, select } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import { pointOf } from "../../Elements/mapMath.js";
import { announce, notice, problemText } from "../../Elements/notice.js";
import { distanceText, paceText, timeText } from "../../Elements/runFormat.js";
import { statusSign } from "../../Elements/runnerTable.js";
import { foundBy, isSame, questionOf, readSought, soughtMax } from "./sought.js";

/** @typedef {import("./sought.js").Sought} Sought */
/** @typedef {import("./sought.js").FoundRunner} FoundRunner */
/** @typedef {import("../../Client/livePicture.js").LiveRunner} LiveRunner */

const pause = 5_000;

export class ChosenRunners {
  /**
   * @param {object} options
   * @param {number} options.runID
   * @param {AbortSignal} options.signal
   * @param {(number: number) => LiveRunner | undefined} options.runner of the picture
   * @param {() => boolean} options.isLive before the start no runner is found
   * @param {() => void} options.onChange
   */
  constructor({ runID, signal, runner, isLive, onChange }) {
    this.runID = runID;
    this.signal = signal;
    this.runner = runner;
    this.isLive = isLive;
    this.onChange = onChange;
    this.key = `trackme.chosen.${runID}`;
    this.sought = readSought(sessionStorage.getItem(this.key));
    /** @type {FoundRunner[]} */
    this.found = [];
    /** Runners whose finish was announced, so that it is announced once. */
    this.finished = new Set();
    this.cards = h("ul", { class: "cards chosen-cards" });
    this.message = h("div");
    /** Cards by search and name: a button must not be replaced while it is pressed. */
    /** @type {Map<string, {element: HTMLElement, content: HTMLElement}>} */
    this.frames = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.element = h("div", {}, this.cards, this.message, this.searchForm());
    signal.addEventListener("abort", () => clearTimeout(this.timer), { once: true });
    this.draw();
    if (this.sought.length > 0) void this.poll();
  }

  /** The numbers of the runners to mark in table and map. */
  get numbers() {
    const numbers = [...this.sought, ...this.found].map(({ number }) => number);
    return new Set(
      numbers.filter(/** @returns {value is number} */ (value) => value !== undefined));
  }

  /** Runners without a number, which have markers of their own on the map. */
  get unnumbered() {
    return this.found.flatMap(({ number: known, runnerName, status, coordinate }) => {
      const point = pointOf(coordinate);
      return known === undefined && point
        ? [{ id: `found ${runnerName}`, label: runnerName, status, point }] : [];
    });
  }

  searchForm() {
    const kind = select(/** @type {[string, string][]} */ (["name", "fullName", "email", "fc"]
      .map((each) => [each, t(/** @type {"chosen.kind.name"} */ (`chosen.kind.${each}`))])));
    const by = field({ name: "kind", label: t("chosen.by"), control: kind });
    const term = field({
      name: "runners", label: t("chosen.term"), hint: t("chosen.termHint"), autocomplete: "off",
      attributes: { maxlength: 200, spellcheck: "false" },
    });
    const element = form({
      content: [h("div", { class: "field-row" }, by.element, term.element)],
      submit: t("chosen.add"),
      check: () => this.check(term.control.value.trim()),
      explain: (problem) => (problem.status === 400
        ? { runners: t("chosen.malformed") } : { runners: problemText(problem) }),
      send: async () => {
        const text = term.control.value.trim();
        const chosen = /** @type {import("./sought.js").SoughtKind} */ (kind.value);
        await this.add({ kind: chosen, term: text });
        term.control.value = "";
      },
    });
    return h("details", { class: "chosen-search" }, h("summary", {}, t("chosen.search")),
      h("p", { class: "muted" }, t("chosen.lead")), element);
  }

  /**
   * @param {string} text
   * @returns {Record<string, string>}
   */
  check(text) {
    if (!text) return { runners: t("chosen.missing") };
    return this.sought.length >= soughtMax
      ? { runners: t("chosen.tooMany", { count: soughtMax }) } : {};
  }

  /**
   * Searches a runner and keeps a successful search. Unknown runners and runners who disabled the
   * search have the same answer.
   * @param {Sought} sought
   * @throws {Problem} for a refusal, and with status 404 without a result
   */
  async add(sought) {
    if (this.sought.some((other) => isSame(other, sought))) return;
    const { runners } = await call("POST /t4r/active/specUpdate", {
      body: { runID: this.runID, runners: [questionOf(sought)] }, signal: this.signal,
    });
    if (runners.length === 0 && this.isLive()) {
      throw new Problem(404, { detail: t("chosen.notFound") });
    }
    this.found = [...this.found, ...runners];
    this.keep([...this.sought, sought]);
    announce(t("chosen.added", { name: sought.term }));
  }

  /**
   * Chooses a runner of the table or the map, or ends the choice.
   * @param {LiveRunner} runner
   */
  toggle(runner) {
    /** @type {Sought} */
    const sought = { kind: "number", term: runner.name, number: runner.number };
    const isChosen = this.sought.some((other) => isSame(other, sought));
    if (isChosen) this.remove(sought);
    else if (this.sought.length >= soughtMax) {
      show(this.message, notice("warning", t("chosen.tooMany", { count: soughtMax })));
    } else this.keep([...this.sought, sought]);
  }

  /** @param {Sought} sought */
  remove(sought) {
    const gone = new Set(foundBy(sought, this.found));
    this.found = this.found.filter((runner) => !gone.has(runner));
    this.keep(this.sought.filter((other) => !isSame(other, sought)));
  }

  /** @param {Sought[]} sought */
  keep(sought) {
    this.sought = sought;
    sessionStorage.setItem(this.key, JSON.stringify(sought));
    show(this.message);
    this.draw();
    this.onChange();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.poll(), 300);
  }

  /** Reads the figures that the stream does not have: heart rate, energy, current pace. */
  async poll() {
    clearTimeout(this.timer);
    if (this.sought.length === 0 || this.signal.aborted) return;
    const asked = this.sought;
    let wait = pause;
    try {
      const { runners } = await call("POST /t4r/active/specUpdate", {
        body: { runID: this.runID, runners: asked.map(questionOf) }, signal: this.signal,
      });
      if (asked !== this.sought) return;
      this.found = runners;
      show(this.message);
      this.draw();
      this.onChange();
    } catch (problem) {
      if (this.signal.aborted || asked !== this.sought) return;
      if (!(problem instanceof Problem)) throw problem;
      wait = Math.max(pause, (problem.retryAfter ?? 0) * 1_000);
      // The page says by itself when the connection is lost.
      if (problem.status === 429) show(this.message, notice("warning", problemText(problem)));
    }
    if (this.isLive()) this.timer = setTimeout(() => void this.poll(), wait);
  }

  /** Draws the cards; remaining ones keep their elements, and so the focus. */
  draw() {
    const wanted = this.sought.flatMap((sought) => this.cardsOf(sought));
    for (const [key, { element }] of this.frames) {
      if (wanted.includes(element)) continue;
      element.remove();
      this.frames.delete(key);
    }
    wanted.forEach((element, index) => {
      const there = this.cards.children[index] ?? null;
      if (there !== element) this.cards.insertBefore(element, there);
    });
    this.cards.hidden = this.sought.length === 0;
  }

  /**
   * @param {Sought} sought
   * @returns {HTMLElement[]}
   */
  cardsOf(sought) {
    const found = foundBy(sought, this.found);
    const known = sought.number === undefined ? undefined : this.runner(sought.number);
    if (known && found.length === 0) return [this.card(sought, known.name, known)];
    if (found.length === 0) {
      return [this.frame(sought, sought.term, h("p", { class: "muted" }, t("chosen.notShown")))];
    }
    return found.map((runner) => this.card(sought, runner.runnerName,
      runner.number === undefined ? undefined : this.runner(runner.number), runner));
  }

  /**
   * @param {Sought} sought
   * @param {string} name
   * @param {LiveRunner | undefined} live newer than the answer to the poll
   * @param {FoundRunner} [polled]
   */
  card(sought, name, live, polled) {
    const status = live?.status ?? polled?.status ?? "running";
    const metres = live?.metres ?? polled?.distance ?? null;
    const seconds = live?.seconds ?? polled?.seconds ?? null;
    const place = live?.place ?? polled?.place;
    if (status === "finished" && !this.finished.has(name)) {
      this.finished.add(name);
      announce(t("chosen.finished", { name, time: timeText(seconds) }));
    }
    /** @type {[string, string | undefined][]} */
    const rows = [
      [t("runnerTable.place"), place === undefined || place === null ? undefined : amount(place)],
      [t("runnerTable.time"), timeText(seconds)],
      [t("runnerTable.distance"), distanceText(metres)],
      [t("runnerTable.pace"), paceText(polled?.averagePace ?? paceOf(metres, seconds))],
      [t("chosen.currentPace"), polled?.currentPace === undefined ? undefined
        : paceText(polled.currentPace)],
      [t("chosen.heartRate"), polled?.heartRate === undefined ? undefined
        : t("chosen.heartRateValue", { value: Math.round(polled.heartRate) })],
      [t("chosen.meanHeartRate"), polled?.meanHeartRate === undefined ? undefined
        : t("chosen.heartRateValue", { value: Math.round(polled.meanHeartRate) })],
      [t("chosen.energy"), polled?.activeEnergy === undefined ? undefined
        : t("chosen.energyValue", { value: Math.round(polled.activeEnergy) })],
    ];
    return this.frame(sought, name, [
      h("p", {}, statusSign(status), polled?.time && h("span", { class: "muted small" },
        " · ", t("chosen.lastPosition", { time: dateTime(polled.time, { timeStyle: "medium" }) }))),
      h("dl", { class: "facts" }, rows.filter(([, value]) => value !== undefined)
        .map(([label, value]) => [h("dt", {}, label), h("dd", { class: "number" }, value)])),
    ], polled?.number);
  }

  /**
   * @param {Sought} sought
   * @param {string} name
   * @param {import("../../Client/dom.js").Child} content
   * @param {number} [number] of the runner: several may have the same name
   */
  frame(sought, name, content, number) {
    const key = JSON.stringify([sought.kind, sought.term, sought.number, name, number]);
    let frame = this.frames.get(key);
    if (!frame) {
      const inner = h("div");
      const label = t("chosen.remove", { name });
      const remove = h("button", {
        type: "button", class: "plain", "aria-label": label, title: label,
        onclick: () => this.remove(sought),
      }, icon("close"));
      const element = h("li", {}, h("article", { class: "card chosen-card" },
        h("div", { class: "chosen-head" }, h("h3", {}, name), remove), inner));
      frame = { element, content: inner };
      this.frames.set(key, frame);
    }
    show(frame.content, content);
    return frame.element;
  }
}
