// P13, My Followers: pending requests, followers, ended requests, and the record of accesses.

import { call, Problem } from "../../Client/api.js";
import { h, show, style } from "../../Client/dom.js";
import { t } from "../../Client/language.js";
import { loadDataTypes } from "../../Elements/dataTypes.js";
import { emptyState, notice, toast } from "../../Elements/notice.js";
import { pagedList } from "../../Elements/pagedList.js";
import { accessPart } from "./accesses.js";
import { followerEntry, pastEntry } from "./answered.js";
import { pendingEntry } from "./pending.js";
import { companyName } from "./requestFacts.js";
import { partStatuses } from "./terms.js";

/** @typedef {import("./terms.js").Request} Request */
/** @typedef {keyof partStatuses | "accesses"} Part */
/** @typedef {{pending: number, followers: number}} Counts */

/** @type {Part[]} */
const parts = ["pending", "followers", "past", "accesses"];

/** @type {import("../../Client/router.js").PageModule["page"]} */
export async function page({ query, signal }) {
  const [counts] = await Promise.all([
    call("GET /req/single/list", { query: { limit: 1 }, signal }), loadDataTypes(),
    style("followers.css", import.meta.url),
  ]);
  const asked = parts.find((each) => each === query.get("part"));
  const part = asked ?? (counts.pending > 0 ? "pending" : "followers");
  const menu = h("nav", { class: "segments parts", "aria-label": t("followers.parts") });
  const summary = h("p", { class: "muted", role: "status" });

  let shown = "";

  /** @param {Counts} numbers */
  const showCounts = ({ pending, followers }) => {
    const numbers = { pending, followers };
    // Drawing the menu anew would take the focus from its links.
    if (JSON.stringify(numbers) === shown) return;
    shown = JSON.stringify(numbers);
    show(menu, parts.map((each) => partLink(each, each === part, numbers)));
    show(summary, t("followers.count", { count: numbers.followers }));
  };
  showCounts(counts);

  const heading = h("h2", { tabindex: -1 }, t(`followers.part.${part}`));
  return h("section", { class: "page followers" },
    h("h1", {}, t("followers.title")), summary, menu, heading,
    part === "accesses"
      ? accessPart(query.get("view") === "each", signal)
      : requestPart(part, heading, showCounts, signal),
    h("p", {}, h("a", { href: "/app/trusted" }, t("followers.trusted"))));
}

/**
 * @param {Part} part
 * @param {boolean} isCurrent
 * @param {Counts} counts
 */
function partLink(part, isCurrent, counts) {
  const count = part === "pending" ? counts.pending : 0;
  return h("a", { href: `/app/followers?part=${part}`, "aria-current": isCurrent ? "true" : null },
    t(`followers.part.${part}`),
    count > 0 && h("span", { class: "badge" }, count,
      h("span", { class: "visually-hidden" }, ` ${t("followers.toAnswer")}`)));
}

/**
 * A list of requests, which follows the notices of the account.
 * @param {keyof partStatuses} part
 * @param {HTMLElement} heading takes the focus after an entry was removed
 * @param {(counts: Counts) => void} onCounts
 * @param {AbortSignal} signal
 */
function requestPart(part, heading, onCounts, signal) {
  const result = h("div");
  const changed = async () => {
    dispatchEvent(new CustomEvent("trackme-counts"));
    await list.refresh();
    heading.focus();
  };

  /** @param {Request} request */
  const entry = (request) => {
    if (part === "followers") return followerEntry(request, changed);
    if (part === "past") return pastEntry(request, changed);
    return pendingEntry(request, async ({ choice }) => {
      show(result, choice === "accept" ? await emptyAcceptance(request, signal)
        : request.kind === "check-in" && noPart(request));
      toast(t(choice === "accept" ? "followers.accepted" : "followers.declined", {
        name: companyName(request),
      }));
      await changed();
    }, async () => {
      show(result, notice("warning", t("followers.notPending")));
      await changed();
    });
  };

  const list = pagedList({
    signal, label: t(`followers.part.${part}`), entry,
    key: (/** @type {Request} */ { reqID }) => reqID,
    load: async (cursor) => {
      const { requests, next, pending, followers } = await call("GET /req/single/list", {
        query: { status: partStatuses[part], cursor }, signal,
      });
      onCounts({ pending, followers });
      return { items: requests, next };
    },
    empty: () => emptyState(t(`followers.empty.${part}`)),
  });
  addEventListener("trackme-notice", () => void list.refresh(), { signal });
  return [
    part === "pending" && h("p", {}, t("followers.pendingText")), result, list.element,
  ];
}

/**
 * The text for a declined check-in.
 * @param {Request} request
 */
function noPart({ runName }) {
  return notice("warning", h("p", {}, t("followers.noPart", { run: runName ?? "" })),
    h("p", {}, h("a", { href: "/app/runs" }, t("myRun.find"))));
}

/**
 * The text for an accepted request that has ended at once, because none of its data is
 * stored.
 * @param {Request} request
 * @param {AbortSignal} signal
 */
async function emptyAcceptance({ reqID, company_name: name }, signal) {
  try {
    const { requests } = await call("GET /req/single/list", { query: { status: "ended" }, signal });
    const ended = requests.find((each) => each.reqID === reqID);
    return ended?.reason === "no data"
      && notice("warning", t("followers.nothingAvailable", { name }));
  } catch (problem) {
    // The acceptance itself has succeeded.
    if (problem instanceof Problem || signal.aborted) return false;
    throw problem;
  }
}
