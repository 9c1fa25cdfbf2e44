"""The main journey of each kind of account in WebKitGTK, which trusts the installation's
certificate: a company asks and organises, a person answers and joins, a visitor watches, a hospital
answers an emergency."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import traceback

from browser import ORIGIN, REPORTS, STATE, words
from people import CHANCE, Company, Person, call, log_in, now, own_place, until
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import WebKitGTK
from selenium.webdriver.common.by import By
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from urllib3.exceptions import HTTPError

SECONDS = 60
# A command that the browser does not answer in this time has failed: without a limit, the driver
# waits for a page that is never drawn.
socket.setdefaulttimeout(2 * SECONDS)
BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
# Errors of the page are kept there until the next page is opened.
WATCHER = """
window.faults = [];
for (const name of ["error", "unhandledrejection", "securitypolicyviolation"]) {
  addEventListener(name, (event) =>
    faults.push(`${name}: ${event.message ?? event.reason ?? event.violatedDirective}`));
}
"""


class Trusting(Options):
    """Options with the certificate that the browser accepts for this host alone."""

    def to_capabilities(self):
        capabilities = super().to_capabilities()
        capabilities[Options.KEY]["certificates"] = [
            {"host": "localhost", "certificateFile": str(STATE / "tls/certificate.pem")},
        ]
        return capabilities


class Display:
    """A virtual screen on a free number."""

    def __enter__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.name = f":{number.readline().strip()}"
        return self

    def __exit__(self, *_):
        # Nothing to save; after the end of its clients it did not always end by itself.
        self.server.kill()
        self.server.wait()


class Window:
    """The window of the browser, used by one account after the other."""

    def __init__(self, display):
        environment = {
            **os.environ, "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_DMABUF_RENDERER": "1", "NO_AT_BRIDGE": "1", "TZ": "Europe/Rome",
            "GSETTINGS_BACKEND": "memory", "LANG": "C.UTF-8",
            # On a busy machine, pages drawn by the compositor sometimes stayed empty.
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        }
        self.service = Service("/usr/bin/WebKitWebDriver", env=environment, popen_kw={
            "start_new_session": True})
        self.service.process = None
        self.language = "en"
        self.refusal = ""

    def start(self):
        options = Trusting()
        options.binary_location = BROWSER
        options.add_argument("--automation")
        self.driver = WebKitGTK(options=options, service=self.service)
        self.driver.set_page_load_timeout(SECONDS)
        self.driver.set_window_size(1280, 900)

    def close(self):
        """Ends the driver with its browser, which has nothing to save and may not answer."""
        if process := self.service.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def open(self, path):
        self.driver.get(ORIGIN + path if path.startswith("/") else path)
        self.driver.execute_script(WATCHER)

    def text(self, key, **parameters):
        return words(self.language, key, **parameters)

    def find(self, what, by, value):
        """Waits for a visible element."""
        def attempt():
            try:
                return next((each for each in self.driver.find_elements(by, value)
                             if each.is_displayed()), None)
            except WebDriverException as error:
                self.refusal = f"{what}: {error.msg}"
                return None  # The page is being drawn anew.
        return until(what, attempt, SECONDS)

    def css(self, selector):
        return self.find(selector, By.CSS_SELECTOR, selector)

    def act(self, what, element, action):
        """Repeats an action on an element that a redrawn page has replaced."""
        def attempt():
            try:
                action(element())
                return True
            except WebDriverException as error:
                print(f"again: {what}: {error.msg}")
                return False
        until(what, attempt, SECONDS)

    def click(self, selector):
        self.act(f"click on {selector}", lambda: self.css(selector), lambda each: each.click())

    def press(self, key, within="", **parameters):
        name = self.text(key, **parameters)
        path = f"{within}//button[normalize-space()={quoted(name)}]"
        self.act(
            f"press {name}", lambda: self.find(name, By.XPATH, path), lambda each: each.click())

    def confirm(self, key, within, answer):
        """Presses a button that asks a question, and one of its answers. The driver presses at a
        place: a page that moves meanwhile, as for a notification, takes the press elsewhere."""
        def is_asked():
            return bool(self.driver.find_elements(By.CSS_SELECTOR, "dialog[open]"))

        def attempt():
            if not is_asked():
                self.press(key, within=within)
            return is_asked()

        until(f"the question of {self.text(key)}", attempt, SECONDS)
        self.press(answer, within="//dialog[@open]")

    def see(self, key, **parameters):
        text = self.text(key, **parameters)
        self.find(text, By.XPATH, f"//*[contains(normalize-space(text()), {quoted(text)})]")

    def heading(self, key, **parameters):
        title = self.text(key, **parameters)
        self.find(title, By.XPATH, f"//h1[normalize-space()={quoted(title)}]")
        faults = self.driver.execute_script("return window.faults ?? []")
        assert not faults, faults

    def fill(self, **values):
        for name, value in values.items():
            selector = ", ".join(
                f'[data-field="{name}"] {kind}' for kind in ("input", "select", "textarea"))

            def enter(element, value=value):
                element.clear()
                element.send_keys(value)

            self.act(f"fill {name}", lambda selector=selector: self.css(selector), enter)

    def put(self, name, value):
        """Sets a control whose picker differs between browsers."""
        self.css(f'[data-field="{name}"] input')
        self.driver.execute_script("""
          const control = document.querySelector(`[data-field="${arguments[0]}"] input`);
          control.value = arguments[1];
          for (const name of ["input", "change"]) {
            control.dispatchEvent(new Event(name, { bubbles: true }));
          }""", name, value)

    def menu(self, path):
        self.click(f'nav.frame-menu a[href="{path}"]')

    def log_in(self, account):
        self.open("/app/login")
        self.heading("login.title")
        self.fill(email=account.email, password=account.password)
        self.press("login.submit")

    def log_out(self):
        self.click("header.frame-header > button:last-child")
        self.heading("login.title")

    def describe(self):
        """Leaves the picture and the text of the page for the report of a failure."""
        REPORTS.mkdir(parents=True, exist_ok=True)
        faults = self.driver.execute_script("return window.faults ?? []")
        shown = self.driver.execute_script("return document.body.innerText")
        report = "\n".join([self.driver.current_url, self.refusal, *faults, shown])
        (REPORTS / "webkit.log").write_text(report)
        self.driver.save_screenshot(str(REPORTS / "webkit.png"))
        return f"--- picture and page in {REPORTS}\n{report}"


def quoted(text):
    """A text in XPath, which has no escapes."""
    parts = ", '\"', ".join(f'"{part}"' for part in text.split('"'))
    return f"concat({parts}, '')"


def choose_english(window):
    window.open("/")
    if window.driver.execute_script("return document.documentElement.lang") != "en":
        window.click(".frame-header button[lang=en]")
    window.heading("welcome.heading")


def ask(window, person):
    """A company asks for the heart rate of a person."""
    window.click("main a[href='/app/research/person']")
    window.heading("requestPerson.title")
    window.fill(person=person.email)
    window.click("main input[value=heartRate]")
    window.press("requestPerson.submit")
    window.see("sent.status.pending")


def organise(window, name):
    """A company draws and publishes a run; returns its code."""
    window.open("/app/organise")
    window.heading("newRun.title")
    window.fill(runName=name, place="Milano")
    window.put("startTime", time.strftime("%Y-%m-%dT12:00", time.localtime(time.time() + 86_400)))
    window.press("newRun.next")
    window.fill(participants="10")
    window.press("newRun.next")
    label = window.text("course.coordinate")
    path = f"//input[@aria-label={quoted(label)}]"
    north, east = CHANCE.uniform(44, 46), CHANCE.uniform(8, 12)
    for step in range(3):
        point = f"{north + step / 200:.5f}, {east:.5f}"

        def enter(element, point=point):
            element.clear()
            element.send_keys(point)

        window.act("enter a point", lambda: window.find(label, By.XPATH, path), enter)
        window.press("course.add")
    window.see("course.valid")
    window.press("newRun.create")
    window.heading("newRun.published")
    link = window.css("main a.button.secondary[href^='/app/runs/']")
    return link.get_attribute("href").rsplit("/", 1)[1]


def answer(window, company):
    """A person enters a value, accepts the request, and joins the run."""
    window.open("/app/data?part=add&type=heartRate")
    window.heading("data.title")
    window.fill(value="64")
    window.press("data.add")
    window.see("data.stored", count=1)
    window.menu("/app/health")
    window.find("64", By.XPATH, "//*[contains(@class, 'tile-value')][starts-with(., '64')]")
    window.menu("/app/followers")
    window.heading("followers.title")
    window.find(company.name, By.XPATH, f"//article//h3[normalize-space()={quoted(company.name)}]")
    window.confirm("followers.accept", within="//article", answer="followers.accept")
    window.click("main a[href='/app/followers?part=followers']")
    window.find(company.name, By.XPATH, f"//article//h3[normalize-space()={quoted(company.name)}]")


def join(window, code):
    window.open(f"/app/runs/{code}")
    window.see("join.title")
    window.fill(runnerName="In red")
    window.press("join.submit")
    window.see("join.next")


def watch(window, name, code):
    """A visitor opens the live page, whose map is drawn."""
    window.open(f"/app/runs/{code}")
    window.see("join.guestWatch")
    window.click(f"main a[href='/app/runs/{code}/live']")
    window.find(name, By.XPATH, f"//h1[normalize-space()={quoted(name)}]")
    window.css(".map-canvas")
    window.see("live.noneYet")


def answer_emergency(window, person):
    """A hospital on duty takes a call on and closes it."""
    window.menu("/app/emergencies")
    window.heading("emergencies.title")
    place = own_place()
    window.fill(coordinate=place)
    window.press("emergencies.comeOn")
    window.see("emergencies.isOn")
    token = log_in(person)
    call("POST", "/sos/enable", {"callPermission": True}, token)

    def confirmed():
        call("POST", "/data/upload", {
            "dataTypes": ["heartRate", "position"], "values": [131, place],
            "timestamp": [now(), now()],
        }, token)
        episodes = call("GET", "/sos/history", token=token)["episodes"]
        return episodes and episodes[0]["stage"] in ("confirmed", "dispatched")

    until("the emergency", confirmed, seconds=150)
    until("the call", lambda: window.driver.find_elements(By.CSS_SELECTOR, "article.call"), 150)
    window.find(person.name, By.XPATH, f"//article//strong[normalize-space()='{person.name}']")
    window.press("emergencies.takeOn")
    window.confirm(
        "sosOutcome.helped", within="//article", answer="emergencies.outcomeConfirm")
    window.find("the outcome", By.XPATH,
                f"//tbody/tr[contains(., {quoted(window.text('sosOutcome.helped'))})]")


def perform(window):
    company = Company().registered().approved()
    person = Person().registered()
    name = f"Run Number{company.number}"
    call("POST", "/data/upload", {
        "dataTypes": ["heartRate"], "values": [60], "timestamp": [now(-60)],
    }, log_in(person))
    call("POST", "/auth/logout", {}, log_in(person))
    choose_english(window)
    window.log_in(company)
    window.heading("research.title")
    ask(window, person)
    code = organise(window, name)
    window.log_out()
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    answer(window, company)
    join(window, code)
    window.log_out()
    watch(window, name, code)
    window.log_in(company)
    window.heading("research.title")
    answer_emergency(window, person)
    window.log_out()


def attempt(display):
    """Whether the journey passed, or None if the browser hung."""
    window = Window(display)
    try:
        window.start()
        try:
            perform(window)
            return True
        except Exception:
            traceback.print_exc(file=sys.stdout)
            print(window.describe())
            return False
    except (WebDriverException, HTTPError) as error:
        print(f"the browser does not answer: {error}")
        return None
    finally:
        window.close()


# On a busy machine MiniBrowser sometimes stops drawing, whatever the page, and answers neither a
# command nor the request for a picture: another one begins anew. A page that it draws and that is
# wrong fails at once.
with Display() as display:
    for _ in range(3):
        passed = attempt(display)
        if passed is not None:
            break
    sys.exit(0 if passed else 1)
