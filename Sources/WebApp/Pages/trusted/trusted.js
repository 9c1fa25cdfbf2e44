// P14, pre-confirmed third parties: companies whose requests are accepted automatically.

import { call, newKey, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { date, dateTime, t } from "../../Client/language.js";
import { ask } from "../../Elements/dialog.js";
import { field } from "../../Elements/form.js";
import { icon } from "../../Elements/icon.js";
import {
  announce, emptyState, notice, problemNotice, problemText, toast,
} from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { companyQuery } from "./companyQuery.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /lookup/companies"]["answer"]["companies"][number]} Company */
/** @typedef {Endpoints["GET /settings/single/preconfirmed"]["answer"]} TrustedList */
/** @typedef {TrustedList["thirdParties"][number]} Trusted */
/** @typedef {{piva: string} | {email: string}} Name */

/** Milliseconds without typing before companies are looked up: the API allows one every two s. */
const typingPause = 500;

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ signal }) {
  await style("trusted.css", import.meta.url);
  const heading = h("h2", { tabindex: -1 }, t("trusted.list"));
  const list = pagedList({
    signal, label: t("trusted.list"), key: (/** @type {Trusted} */ { piva }) => piva,
    load: async (cursor) => {
      const { thirdParties, next } = await call("GET /settings/single/preconfirmed", {
        query: { cursor }, signal,
      });
      return { items: thirdParties, next };
    },
    entry: (company) => trustedEntry(company, async () => {
      await list.refresh();
      heading.focus();
    }),
    empty: () => emptyState(t("trusted.empty")),
  });
  return h("section", { class: "page" },
    h("h1", {}, t("trusted.title")),
    h("p", {}, t("trusted.meaning")),
    notice("info", h("p", {}, t("trusted.stillVisible"))),
    companySearch(signal, list.refresh),
    heading, list.element,
    h("p", {}, h("a", { href: "/app/followers" }, t("trusted.toFollowers"))));
}

/**
 * @param {Trusted} company
 * @param {() => Promise<void>} onRemoved
 */
function trustedEntry(company, onRemoved) {
  const { company_name: name, company_description: description, piva, since } = company;
  const message = h("div");
  const remove = async () => {
    const isSure = await ask({
      title: t("trusted.removeTitle", { name }),
      text: h("p", {}, t("trusted.removeText", { name })),
      confirm: t("action.remove"), isDestructive: true,
    });
    if (!isSure) return;
    show(message);
    try {
      await call("POST /settings/single/preconfirmed", {
        body: { piva, allowed: false }, key: newKey(),
      });
      toast(t("trusted.removed", { name }));
      await onRemoved();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status === 404) await onRemoved();
      else show(message, problemNotice(problem));
    }
  };
  return h("li", {}, h("article", { class: "card company" },
    h("div", {}, h("h3", {}, name), description && h("p", {}, description),
      h("p", { class: "muted small" },
        t("trusted.since"), " ",
        h("time", { datetime: since, title: dateTime(since) }, date(since)),
        ` · ${t("trusted.piva", { piva })}`), message),
    h("button", { type: "button", class: "destructive", onclick: () => void remove() },
      icon("close"), t("action.remove"), h("span", { class: "visually-hidden" }, ` ${name}`))));
}

/**
 * The search with its results, each with a button to add it.
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} onAdded
 */
function companySearch(signal, onAdded) {
  const input = field({
    name: "company", label: t("trusted.search"), hint: t("trusted.searchHint"),
    type: "search", autocomplete: "off", attributes: { spellcheck: "false", maxlength: 200 },
  });
  const results = h("div", { class: "company-results" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = new AbortController();
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    asked.abort();
  });

  /** @param {boolean} isSent */
  const search = async (isSent) => {
    clearTimeout(timer);
    asked.abort();
    asked = new AbortController();
    const own = asked.signal;
    const query = companyQuery(input.control.value, isSent);
    if (query.kind === "short") {
      show(results, isSent && notice("info", h("p", {}, t("trusted.typeMore"))));
      return;
    }
    if (query.kind === "piva") {
      show(results, direct(query.piva, { piva: query.piva }));
      return;
    }
    if (query.kind === "email") {
      show(results, direct(query.email, { email: query.email }));
      return;
    }
    try {
      const { companies } = await call("GET /lookup/companies", {
        query: { query: query.query }, signal: own,
      });
      if (own.aborted) return;
      announce(t("trusted.found", { count: companies.length }));
      show(results, companies.length === 0
        ? notice("info", h("p", {}, t("trusted.none")))
        : h("ul", { class: "plain-list" }, companies.map(companyEntry)));
    } catch (problem) {
      if (own.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(results, problemNotice(problem, () => void search(isSent)));
    }
  };

  /**
   * @param {Name} company
   * @param {string} name
   * @param {HTMLElement} message
   */
  const add = async (company, name, message) => {
    show(message);
    const isSure = await ask({
      title: t("trusted.addTitle", { name }), text: h("p", {}, t("trusted.addText", { name })),
      confirm: t("trusted.add"),
    });
    if (!isSure) return;
    try {
      await call("POST /settings/single/preconfirmed", {
        body: { ...company, allowed: true }, key: newKey(),
      });
      toast(t("trusted.added", { name }));
      input.control.value = "";
      show(results);
      input.control.focus();
      await onAdded();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const isUnknown = problem.status === 404 || problem.status === 400;
      show(message, notice("error", isUnknown ? t("trusted.unknown") : problemText(problem)));
    }
  };

  /** @param {Company} company */
  const companyEntry = ({ piva, company_name: name, company_description: description }) =>
    h("li", {}, addable(name, description, t("trusted.piva", { piva }), { piva }));

  /**
   * @param {string} name
   * @param {string} description
   * @param {string | null} detail
   * @param {Name} company
   */
  const addable = (name, description, detail, company) => {
    const message = h("div");
    return h("div", { class: "card company" },
      h("div", {}, h("strong", {}, name), description && h("p", {}, description),
        detail && h("p", { class: "muted small" }, detail), message),
      h("button", { type: "button", onclick: () => void add(company, name, message) },
        icon("add"), t("trusted.add"), h("span", { class: "visually-hidden" }, ` ${name}`)));
  };

  /**
   * @param {string} name
   * @param {Name} company
   */
  const direct = (name, company) => addable(name, t("trusted.direct"), null, company);

  input.control.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void search(false), typingPause);
  });
  return h("form", {
    role: "search", class: "company-search", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void search(true);
    },
  }, input.element, h("p", { class: "actions" },
    h("button", { type: "submit", class: "secondary" }, icon("search"), t("trusted.find"))),
  results);
}
