// Enrolled runners who have not checked in. The list is only read on request, because reading it is
// recorded in the accesses of the runners whose names it contains.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { dateTime, t } from "../../Client/language.js";
import { emptyState, problemNotice } from "../../Elements/notice.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /t4r/org/participants"]["answer"]} Participants */
/** @typedef {Participants["participants"][number]} Participant */

/**
 * @param {import("../../Client/ownRuns.js").OwnRun} run
 * @param {AbortSignal} signal
 */
export function absentRunners(run, signal) {
  const place = h("div", { "aria-live": "polite" });
  const button = h("button", {
    type: "button", class: "secondary", onclick: () => void read(),
  }, t("absent.show"));
  const read = async () => {
    button.disabled = true;
    place.setAttribute("aria-busy", "true");
    try {
      const participants = await allOf(run.runID, signal);
      const absent = participants.filter(({ checkedIn }) => !checkedIn);
      const isAhead = Date.parse(run.startTime) > Date.now();
      show(place, h("p", {}, t("absent.count", { count: absent.length, all: participants.length }),
        ` (${dateTime(new Date(), { timeStyle: "medium" })})`),
      absent.length === 0 ? participants.length > 0 && emptyState(t("absent.none"))
        : h("ul", {}, absent.map((runner) => h("li", {}, t("participants.name", {
          number: String(runner.number), name: runner.runnerName ?? t("participants.noName"),
        }), runner.removed && ` – ${t("participants.removed")}`))),
      isAhead && absent.length > 0 && h("p", { class: "muted" }, t("absent.before")));
      show(button, t("absent.refresh"));
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(place, problemNotice(problem, () => void read()));
    } finally {
      button.disabled = false;
      place.removeAttribute("aria-busy");
    }
  };
  return h("div", {}, h("p", {}, t("absent.text")), h("p", { class: "actions" }, button), place);
}

/**
 * @param {number} runID
 * @param {AbortSignal} signal
 */
async function allOf(runID, signal) {
  /** @type {Participant[]} */
  const all = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    const page = await call("GET /t4r/org/participants", {
      query: { runID, limit: 500, cursor }, signal,
    });
    all.push(...page.participants);
    cursor = page.next;
  } while (cursor !== undefined);
  return all.sort((left, right) => left.number - right.number);
}
