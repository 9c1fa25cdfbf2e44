"""The browser of the journeys: windows in which people act, and the checks of what they show.

A journey is started as `JOURNEY.py DIRECTORY PROGRAMS REPORTS` in the environment of an
installation. DIRECTORY is that of the installation with its mails, PROGRAMS that of the
executables; after a failure, REPORTS has a picture and the console of each window. Words are found
by their keys in Sources/WebApp/Text, so that a journey does not depend on the wording.

Each step waits for its condition, for a minute at most: a busy machine delays a journey only.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, expect, sync_playwright

PATIENCE = 60_000  # milliseconds
expect.set_options(timeout=PATIENCE)
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 720}

DIRECTORY = Path(sys.argv[1])
PROGRAMS = Path(sys.argv[2])
REPORTS = Path(sys.argv[3])
STATE = Path(os.environ["TRACKME_STATE"])
ORIGIN = f"https://localhost:{os.environ['TRACKME_HTTPS_PORT']}"
PAGES = Path(__file__).resolve().parents[2] / "Sources/WebApp"
TEXTS = {name: json.loads((PAGES / f"Text/{name}.json").read_text()) for name in ("it", "en")}

# Refusals that a page expects: a visitor has no session.
USUAL_REFUSALS = {("GET", "/auth/me", 401)}

# Reports texts that are keys, texts with unfilled places, and violations of the page's policy.
WATCHER = """
(() => {
  const keys = new RegExp(`^(?:${PREFIXES})(?:\\\\.[\\\\w -]+)+$`);
  const attributes = ["aria-label", "title", "alt", "placeholder"];
  const seen = new Set();
  const judge = (text) => {
    // Paths of the API have places in braces, and fields have points.
    if (location.pathname === "/docs") return;
    const trimmed = (text ?? "").trim();
    if (seen.has(trimmed) || !(keys.test(trimmed) || /\\{\\w+\\}/.test(trimmed))) return;
    seen.add(trimmed);
    console.error(`missing text: ${trimmed}`);
  };
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE) judge(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    if (["SCRIPT", "STYLE"].includes(node.tagName)) return;
    for (const name of attributes) judge(node.getAttribute(name));
    for (const child of node.childNodes) read(child);
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "childList") for (const node of addedNodes) read(node);
      else if (type === "characterData") judge(target.data);
      else read(target);
    }
  }).observe(document, {
    subtree: true, childList: true, characterData: true, attributeFilter: attributes,
  });
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`);
  });
})();
"""

# Counts the tones that sound: a journey hears a siren as the loudspeaker would.
EARS = """
(() => {
  window.tones = 0;
  const { start, stop } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...times) {
    window.tones += 1;
    return start.apply(this, times);
  };
  OscillatorNode.prototype.stop = function (...times) {
    window.tones -= 1;
    return stop.apply(this, times);
  };
})();
"""

# The elements that make a page wider than the window.
WIDE_ELEMENTS = """
() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const wide = [...document.querySelectorAll("body *")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.right > width + 0.5;
  }).slice(0, 8).map((element) => element.outerHTML.slice(0, 120));
  return [`${document.documentElement.scrollWidth} of ${width} px`, ...wide];
}
"""

# Bars at the lower edge cover whatever is scrolled beneath them: they are moved into the page.
AXE_RUN = """
async () => {
  const bars = [...document.querySelectorAll(
    ".frame-menu, .toasts, .tutorial-controls, .settings-reminder")];
  for (const bar of bars) bar.style.position = "static";
  const { violations } = await axe.run({ resultTypes: ["violations"] });
  for (const bar of bars) bar.style.position = "";
  return violations.map(({ id, help, nodes }) => `${id} (${help}): ` + nodes.slice(0, 4)
    .map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join(" | "));
}
"""

# A page is ready when its module has shown it and no part of it is still being read.
READY = """
() => {
  const main = document.querySelector("main");
  return main !== null && main.querySelector("h1") !== null
    && !main.matches("[aria-busy=true]") && main.querySelector("[aria-busy=true]") === null;
}
"""


def words(language, key, **parameters):
    """The text of a key as the pages show it."""
    entry = TEXTS[language][key]
    if isinstance(entry, dict):
        entry = entry["one" if parameters["count"] == 1 else "other"]
    return re.sub(r"\{(\w+)\}", lambda found: str(parameters[found[1]]), entry)


class Window:
    """A window of the browser with its own cookies, like a separate device."""

    def __init__(self, journey, name, size, language, permitted=None, **options):
        """`permitted` matches addresses of another origin that the journey visits on purpose."""
        self.journey = journey
        self.permitted = permitted
        self.name = name
        self.language = language
        self.refusals = set(USUAL_REFUSALS)
        self.is_cut_off = False
        self.console = []
        self.context = journey.browser.new_context(
            viewport=size,
            locale={"it": "it-IT", "en": "en-GB"}[language],
            timezone_id="Europe/Rome",
            reduced_motion="reduce",
            has_touch=size is PHONE,
            **options,
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.grant_permissions(["geolocation", "camera"], origin=ORIGIN)
        prefixes = sorted({key.split(".")[0] for key in TEXTS["en"]})
        self.context.add_init_script(WATCHER.replace("${PREFIXES}", "|".join(prefixes)))
        self.context.add_init_script(EARS)
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.fault(f"error: {error}"))
        self.page.on("request", self._request)
        self.page.on("response", self._response)
        self.page.on("requestfailed", self._failed)

    def fault(self, text):
        fault = f"{self.name}, {self.page.url}: {text}"
        if fault not in self.journey.faults:
            self.journey.faults.append(fault)

    def _console(self, message):
        self.console.append(f"{message.type}: {message.text}")
        # Answers are judged by their status.
        if self.is_cut_off or message.text.startswith("Failed to load resource"):
            return
        if message.type == "error":
            self.fault(f"console: {message.text}")

    def _request(self, request):
        if request.url.startswith((ORIGIN + "/", "data:", "blob:" + ORIGIN)):
            return
        if self.permitted is None or not self.permitted.match(request.url):
            self.fault(f"request to another origin: {request.url}")

    def _response(self, response):
        method, path = response.request.method, urlsplit(response.url).path
        if self.is_cut_off and response.status in (429, 502, 503):
            return
        if response.status >= 400 and (method, path, response.status) not in self.refusals:
            self.fault(f"{method} {path} answered {response.status}")

    def _failed(self, request):
        # Pages end their requests when the reader leaves, and repeat them when the network of this
        # machine changes, as by other programs.
        expected = ("net::ERR_ABORTED", "net::ERR_NETWORK_CHANGED")
        if request.failure not in expected and not self.is_cut_off:
            self.fault(f"{request.method} {request.url} failed: {request.failure}")

    # What the page shows

    def text(self, key, **parameters):
        return words(self.language, key, **parameters)

    def number(self, value, **options):
        """A number as the pages write it."""
        return self.page.evaluate(
            "([language, value, options]) => Intl.NumberFormat(language, options).format(value)",
            [self.language, value, options])

    def see(self, key, **parameters):
        """Waits until the page shows a text."""
        shown = self.page.get_by_text(self.text(key, **parameters)).filter(visible=True)
        expect(shown.first).to_be_visible()

    def heading(self, key, **parameters):
        """Waits for the heading of a page, and checks that page."""
        title = self.page.get_by_role("heading", level=1, name=self.text(key, **parameters))
        expect(title).to_be_visible()
        self.look()

    def main(self, selector):
        """Elements of the page, without its frame."""
        return self.page.locator("main").locator(selector)

    def field(self, name):
        """The first control of a field."""
        return self.page.locator(f'[data-field="{name}"]').locator("input, select, textarea").first

    def hear(self):
        """Waits until the page sounds."""
        self.wait("() => window.tones > 0")

    def hear_nothing(self):
        """Waits until the page is silent."""
        self.wait("() => window.tones === 0")

    def error(self, name):
        """The error of a field."""
        return self.page.locator(f'[data-field="{name}"] .error').first

    # Actions of the reader

    def open(self, path):
        self.page.goto(ORIGIN + path if path.startswith("/") else path)

    def press(self, key, within=None, **parameters):
        """Presses the button with a text."""
        name = self.text(key, **parameters)
        (within or self.page).get_by_role("button", name=name, exact=True).click()

    def follow(self, key, within=None, **parameters):
        """Follows the first link with a text in the page."""
        place = within or self.page.locator("main")
        place.get_by_role("link", name=self.text(key, **parameters)).first.click()

    def menu(self, key):
        """Opens a page by the menu."""
        self.follow(key, within=self.page.locator("nav.frame-menu"))

    def fill(self, **values):
        """Types into fields by their names."""
        for name, value in values.items():
            self.field(name).fill(value)

    def choose_language(self, language):
        """Switches the language by the button of the frame, wherever the page is scrolled."""
        self.page.locator(f".frame-header button[lang={language}]").dispatch_event("click")
        self.language = language
        self.wait("(language) => document.documentElement.lang === language", language)

    def log_in(self, account, replace=False):
        """Logs in; with `replace` ends the session that a program has."""
        self.open("/app/login")
        self.heading("login.title")
        self.fill(email=account.email, password=account.password)
        if replace:
            self.refusals.add(("POST", "/auth/login", 403))
        self.press("login.submit")
        if replace:
            self.press("login.replace", within=self.page.get_by_role("dialog"))
            self.refusals.remove(("POST", "/auth/login", 403))

    def log_out(self):
        self.press("frame.logout", within=self.page.locator("header.frame-header"))
        self.heading("login.title")

    def fetch(self, method, path, body=None):
        """Calls the API with the session of the window, as a program of the same person would."""
        status, answer = self.page.evaluate(
            """async ([method, path, body]) => {
              const headers = body === null ? {} : { "Content-Type": "application/json" };
              const response = await fetch(path, { method, headers, body });
              return [response.status, await response.text()];
            }""",
            [method, path, None if body is None else json.dumps(body)],
        )
        assert status == 200, f"{method} {path} answered {status}: {answer}"
        return json.loads(answer)

    @contextmanager
    def outage(self):
        """Within it requests may fail, or be refused for a moment."""
        self.is_cut_off = True
        yield
        self.is_cut_off = False

    # Checks

    def wait(self, condition, argument=None):
        """Waits for a condition in the page, a function as text."""
        self.page.wait_for_function(condition, arg=argument, timeout=PATIENCE)

    def ready(self):
        """Waits until the page is complete."""
        self.wait(READY)

    def look(self):
        """Checks the width and the accessibility of the page once it is shown."""
        self.ready()
        self.check_width()
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        for violation in self.page.evaluate(AXE_RUN):
            self.fault(f"accessibility: {violation}")

    def check_width(self):
        wide = self.page.evaluate(WIDE_ELEMENTS)
        if wide:
            self.fault(f"wider than the window: {' '.join(wide)}")

    def describe(self):
        """The state of the window for the report of a failure."""
        REPORTS.mkdir(parents=True, exist_ok=True)
        picture = REPORTS / f"{Path(sys.argv[0]).stem}-{self.name}.png"
        picture.with_suffix(".log").write_text("\n".join([self.page.url, *self.console, ""]))
        self.page.screenshot(path=picture, timeout=PATIENCE)
        shown = self.page.evaluate("document.body.innerText")
        return f"--- {self.name} at {self.page.url}, picture {picture}\n{shown}"


def stay_behind_others():
    """Keeps Chromium at the priority of this program: as root it would raise its own."""
    drop_from_bounding_set, may_raise_priority = 24, 23  # PR_CAPBSET_DROP, CAP_SYS_NICE
    ctypes.CDLL(None).prctl(drop_from_bounding_set, may_raise_priority, 0, 0, 0)


class Journey:
    """Chromium with the windows of a journey; ends the program with 1 if there was any fault."""

    def __init__(self):
        self.faults = []
        self.windows = []

    def __enter__(self):
        stay_behind_others()
        # A separate home directory, which trusts the certificate of the installation.
        self.home = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        database = Path(self.home.name) / ".pki/nssdb"
        database.mkdir(parents=True)
        trust = ["certutil", "-d", f"sql:{database}"]
        subprocess.run([*trust, "-N", "--empty-password"], check=True)
        certificate = STATE / "tls/certificate.pem"
        subprocess.run([*trust, "-A", "-n", "trackme", "-t", "P,,", "-i", certificate], check=True)
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            # A camera with a test picture.
            args=["--use-fake-device-for-media-stream"],
            env={**os.environ, "HOME": self.home.name},
            timeout=3 * PATIENCE,
        )
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            self.faults.insert(0, "".join(traceback.format_exception(kind, error, trace)))
        if self.faults:
            for window in self.windows:
                try:
                    print(window.describe())
                except Exception as failure:  # The report of the others must not be lost.
                    print(f"--- {window.name}: no picture: {failure}")
            print("\n".join(self.faults))
        self.browser.close()
        self.playwright.stop()
        self.home.cleanup()
        sys.exit(1 if self.faults else 0)

    def window(self, name, size=PHONE, language="it", **options):
        window = Window(self, name, size, language, **options)
        self.windows.append(window)
        return window
