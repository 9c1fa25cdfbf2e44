// The topics of the help, one for each page of the app, in groups.

/**
 * @typedef {object} Topic
 * @property {string} name the beginning of its texts, such as `help.health`; also its anchor in the
 * page
 * @property {string} [address] the page that it explains
 */
/**
 * @typedef {object} Group
 * @property {"start" | "person" | "runner" | "company" | "organiser"} name
 * @property {Topic[]} topics
 */

/** @type {Group[]} */
export const groups = [
  {
    name: "start",
    topics: [
      { name: "signup", address: "/app/signup" },
      { name: "login", address: "/app/login" },
      { name: "password", address: "/app/password" },
    ],
  },
  {
    name: "person",
    topics: [
      { name: "health", address: "/app/health" },
      { name: "data", address: "/app/data" },
      { name: "followers", address: "/app/followers" },
      { name: "trusted", address: "/app/trusted" },
      { name: "devices", address: "/app/devices" },
      { name: "sos", address: "/app/sos" },
      { name: "emergency" },
      { name: "settings", address: "/app/settings" },
      { name: "notifications", address: "/app/notifications" },
    ],
  },
  {
    name: "runner",
    topics: [
      { name: "runs", address: "/app/runs" },
      { name: "myRun", address: "/app/myrun" },
      { name: "live", address: "/app/runs" },
    ],
  },
  {
    name: "company",
    topics: [
      { name: "requestPerson", address: "/app/research/person" },
      { name: "requestGroup", address: "/app/research/group" },
      { name: "history", address: "/app/history" },
      { name: "payments", address: "/app/payments" },
      { name: "programs", address: "/app/programs" },
      { name: "emergencies", address: "/app/emergencies" },
    ],
  },
  {
    name: "organiser",
    topics: [
      { name: "newRun", address: "/app/organise" },
      { name: "myRuns", address: "/app/organise/runs" },
      { name: "board", address: "/app/organise/runs" },
    ],
  },
];

/**
 * The groups with those of the reader's kind of account first.
 * @param {"single" | "tp" | undefined} accountType
 */
export function groupsFor(accountType) {
  if (accountType !== "tp") return groups;
  const own = new Set(["company", "organiser"]);
  const [first, others] = [true, false].map((isOwn) =>
    groups.filter(({ name }) => own.has(name) === isOwn));
  return [...first ?? [], ...others ?? []];
}
