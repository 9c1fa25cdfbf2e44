// P2, the tutorial: pages to swipe or to turn with buttons, before registering.

import { h, identifier, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { keepInAddress } from "../../Client/router.js";
import { currentAccount } from "../../Client/session.js";
import { drawing, subjects } from "../../Elements/drawings.js";
import { announce } from "../../Elements/notice.js";

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  await Promise.all([
    style("../../Elements/drawings.css", import.meta.url), style("tutorial.css", import.meta.url),
  ]);
  const first = Math.min(Math.max(Number(query.get("page")) || 1, 1), subjects.length) - 1;
  return new Tutorial(first, signal).element;
}

class Tutorial {
  /**
   * @param {number} first index of the page to begin with
   * @param {AbortSignal} signal
   */
  constructor(first, signal) {
    this.current = first;
    this.signal = signal;
    this.slides = subjects.map(slide);
    // A region that scrolls needs the focus, so that the arrow keys turn the pages.
    this.strip = h("div", {
      class: "tutorial-pages", tabindex: 0, role: "region", "aria-label": t("tutorial.pages"),
    }, this.slides);
    this.dots = subjects.map((_, index) => this.dot(index));
    this.back = h("button", { type: "button", class: "secondary", onclick: () => this.turn(-1) },
      t("action.back"));
    this.next = h("button", { type: "button", onclick: () => this.turn(1) }, t("tutorial.next"));
    this.last = currentAccount()
      ? h("a", { class: "button", href: "/app" }, t("tutorial.done"))
      : h("a", { class: "button", href: "/app/signup" }, t("tutorial.create"));
    this.skip = h("a", { class: "button plain", href: currentAccount() ? "/app" : "/app/signup" },
      t("tutorial.skip"));
    this.element = h("section", { class: "page tutorial" },
      h("h1", {}, t("tutorial.title")), this.strip,
      h("nav", { class: "tutorial-controls", "aria-label": t("tutorial.turning") },
        this.back, h("ol", { class: "tutorial-dots" }, this.dots.map((each) => h("li", {}, each))),
        this.next, this.last),
      h("p", { class: "tutorial-skip" }, this.skip));
    this.draw();
    this.observe();
  }

  observe() {
    // The first size and each rotation of the screen scroll to the page.
    const sizes = new ResizeObserver(() => this.scroll("auto"));
    const swipes = new IntersectionObserver((entries) => {
      const shown = entries.find((entry) => entry.isIntersecting);
      const index = this.slides.findIndex((each) => each === shown?.target);
      if (index >= 0) this.select(index);
    }, { root: this.strip, threshold: 0.6 });
    sizes.observe(this.strip);
    for (const each of this.slides) swipes.observe(each);
    this.signal.addEventListener("abort", () => {
      sizes.disconnect();
      swipes.disconnect();
    });
  }

  /** @param {number} step */
  turn(step) {
    const index = this.current + step;
    if (index < 0 || index >= this.slides.length) return;
    this.open(index);
  }

  /** @param {number} index */
  open(index) {
    const usedNext = document.activeElement === this.next;
    this.select(index);
    const reduces = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.scroll(reduces ? "auto" : "smooth");
    announce(this.position(index));
    // On the last page another button replaces the pressed one.
    if (usedNext && this.next.hidden) this.last.focus();
  }

  /** @param {ScrollBehavior} behavior */
  scroll(behavior) {
    const left = this.slides[this.current]?.offsetLeft ?? 0;
    this.strip.scrollTo({ left: left - (this.slides[0]?.offsetLeft ?? 0), behavior });
  }

  /** @param {number} index */
  select(index) {
    if (index === this.current) return;
    this.current = index;
    // The address keeps the page when the language changes.
    keepInAddress(new URLSearchParams({ page: String(index + 1) }), this.signal);
    this.draw();
  }

  draw() {
    const isLast = this.current === this.slides.length - 1;
    // Disabling the button would drop the focus of the reader who turns back with it.
    this.back.setAttribute("aria-disabled", String(this.current === 0));
    this.next.hidden = isLast;
    this.last.hidden = !isLast;
    this.skip.hidden = isLast;
    this.dots.forEach((each, index) => {
      if (index === this.current) each.setAttribute("aria-current", "step");
      else each.removeAttribute("aria-current");
    });
  }

  /** @param {number} index */
  dot(index) {
    return h("button", {
      type: "button", class: "tutorial-dot", onclick: () => this.open(index),
      "aria-label": this.position(index),
    });
  }

  /** @param {number} index */
  position(index) {
    const title = this.slides[index]?.querySelector("h2")?.textContent ?? "";
    return t("tutorial.position", { page: index + 1, count: this.slides.length, title });
  }
}

/** @param {import("../../Elements/drawings.js").Subject} subject */
function slide(subject) {
  const id = identifier();
  return h("article", { class: "tutorial-page", "aria-labelledby": id },
    drawing(subject),
    h("div", {},
      h("h2", { id }, t(`tutorial.${subject}.title`)),
      h("p", {}, t(`tutorial.${subject}.text`)),
      h("p", { class: subject === "sos" ? "tutorial-warning" : "muted" },
        t(`tutorial.${subject}.more`))));
}
