// Every page: its address, its readers and its module. Modules are loaded when first opened.

/** @type {import("./router.js").Route[]} */
export const routes = [
  // Everybody
  {
    path: "/", reader: "everybody", product: null,
    title: "welcome.title", load: () => import("../Pages/welcome/welcome.js"),
  },
  {
    path: "/app", reader: "everybody", product: null,
    title: "welcome.title", load: () => import("../Pages/welcome/welcome.js"),
  },
  {
    path: "/app/login", reader: "everybody", product: null,
    title: "login.title", load: () => import("../Pages/login/login.js"),
  },
  {
    path: "/app/tutorial", reader: "everybody", product: null,
    title: "tutorial.title", load: () => import("../Pages/tutorial/tutorial.js"),
  },
  {
    path: "/app/signup", reader: "everybody", product: null,
    title: "signup.title", load: () => import("../Pages/signup/signup.js"),
  },
  {
    path: "/app/signup/person", reader: "everybody", product: null,
    title: "signupPerson.title", load: () => import("../Pages/signupPerson/signupPerson.js"),
  },
  {
    path: "/app/signup/company", reader: "everybody", product: null,
    title: "signupCompany.title", load: () => import("../Pages/signupCompany/signupCompany.js"),
  },
  {
    path: "/app/password", reader: "everybody", product: null,
    title: "password.title", load: () => import("../Pages/password/password.js"),
  },
  {
    path: "/app/help", reader: "everybody", product: null,
    title: "help.title", load: () => import("../Pages/help/help.js"),
  },
  {
    path: "/app/documents", reader: "everybody", product: null,
    title: "documents.pageTitle", load: () => import("../Pages/documents/documents.js"),
  },
  // A person, Data4Help
  {
    path: "/app/health", reader: "person", product: "data4help",
    title: "health.title", load: () => import("../Pages/health/health.js"),
  },
  {
    path: "/app/data", reader: "person", product: "data4help",
    title: "data.title", load: () => import("../Pages/data/data.js"),
  },
  {
    path: "/app/followers", reader: "person", product: "data4help",
    title: "followers.title", load: () => import("../Pages/followers/followers.js"),
  },
  {
    path: "/app/trusted", reader: "person", product: "data4help",
    title: "trusted.title", load: () => import("../Pages/trusted/trusted.js"),
  },
  {
    path: "/app/devices", reader: "person", product: "data4help",
    title: "devices.title", load: () => import("../Pages/devices/devices.js"),
  },
  {
    path: "/app/sos", reader: "person", product: "data4help",
    title: "sos.title", load: () => import("../Pages/sos/sos.js"),
  },
  {
    path: "/app/settings", reader: "account", product: "data4help",
    title: "settings.title", load: () => import("../Pages/settings/settings.js"),
  },
  {
    path: "/app/notifications", reader: "account", product: "data4help",
    title: "notifications.title", load: () => import("../Pages/notifications/notifications.js"),
  },
  // A company, Data4Help
  {
    path: "/app/research", reader: "company", product: "data4help",
    title: "research.title", load: () => import("../Pages/research/research.js"),
  },
  {
    path: "/app/research/person", reader: "company", product: "data4help",
    title: "requestPerson.title", load: () => import("../Pages/requestPerson/requestPerson.js"),
  },
  {
    path: "/app/research/group", reader: "company", product: "data4help",
    title: "requestGroup.title", load: () => import("../Pages/requestGroup/requestGroup.js"),
  },
  {
    path: "/app/history", reader: "company", product: "data4help",
    title: "history.title", load: () => import("../Pages/history/history.js"),
  },
  {
    path: "/app/history/:reqID", reader: "company", product: "data4help",
    title: "requestData.title", load: () => import("../Pages/requestData/requestData.js"),
  },
  {
    path: "/app/payments", reader: "company", product: "data4help",
    title: "payments.title", load: () => import("../Pages/payments/payments.js"),
  },
  {
    path: "/app/programs", reader: "company", product: "data4help",
    title: "programs.title", load: () => import("../Pages/programs/programs.js"),
  },
  {
    path: "/app/emergencies", reader: "company", product: "data4help",
    title: "emergencies.title", load: () => import("../Pages/emergencies/emergencies.js"),
  },
  // Track4Run
  {
    path: "/app/myrun", reader: "person", product: "track4run",
    title: "myRun.title", load: () => import("../Pages/myRun/myRun.js"),
  },
  {
    path: "/app/runs", reader: "everybody", product: "track4run",
    title: "runs.title", load: () => import("../Pages/runs/runs.js"),
  },
  {
    path: "/app/runs/:code", reader: "everybody", product: "track4run",
    title: "run.title", load: () => import("../Pages/run/run.js"),
  },
  {
    path: "/app/runs/:code/live", reader: "everybody", product: "track4run",
    title: "live.title", load: () => import("../Pages/live/live.js"),
  },
  {
    path: "/app/runs/:code/placings", reader: "everybody", product: "track4run",
    title: "placings.title", load: () => import("../Pages/placings/placings.js"),
  },
  {
    path: "/app/organise", reader: "company", product: "track4run",
    title: "newRun.title", load: () => import("../Pages/newRun/newRun.js"),
  },
  {
    path: "/app/organise/runs", reader: "company", product: "track4run",
    title: "myRuns.title", load: () => import("../Pages/myRuns/myRuns.js"),
  },
  {
    path: "/app/organise/runs/:runID", reader: "company", product: "track4run",
    title: "manageRun.title", load: () => import("../Pages/manageRun/manageRun.js"),
  },
  {
    path: "/app/organise/runs/:runID/code", reader: "company", product: "track4run",
    title: "runCode.title", load: () => import("../Pages/runCode/runCode.js"),
  },
  {
    path: "/app/organise/runs/:runID/live", reader: "company", product: "track4run",
    title: "board.title", load: () => import("../Pages/board/board.js"),
  },
];
