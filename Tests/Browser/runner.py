"""A runner: finds a run near her, opens it by QR code, link and code, runs, shares her result."""

import re
import time

from browser import ORIGIN, Journey, expect
from people import CHANCE, Company, Person, call, end_run, log_in, now, until

# Metres of a degree of latitude.
DEGREE = 111_320
SPEED = 4
# Check-in is open from the publication: it opens two hours before the start. The run may last as
# long.
SECONDS_TO_START = 3_600
SECONDS_TO_RUN = 20

# A detector as that of phones, which "sees" the code that the test holds before the camera.
DETECTOR = """
  window.BarcodeDetector = class {
    static async getSupportedFormats() { return ["qr_code"]; }
    async detect() { return window.shownCode ? [{ rawValue: window.shownCode }] : []; }
  };
"""


class Run:
    """A published run of an organiser, straight to the north, in a place of its own."""

    def __init__(self, organiser):
        self.token = log_in(organiser)
        self.name = f"Run Number{organiser.number}"
        self.north, self.east = CHANCE.uniform(44, 46), CHANCE.uniform(8, 12)
        self.id = call("POST", "/t4r/org/create", {
            "runName": self.name, "startTime": now(SECONDS_TO_START), "place": "Parma",
            "endTime": now(2 * SECONDS_TO_START), "participants": 10,
            "clauses": "Run at your own risk.",
        }, self.token)["runID"]
        path = [{"coordinate": self.point(metres)} for metres in (0, 40, SPEED * SECONDS_TO_RUN)]
        self.code = call(
            "POST", "/t4r/org/path", {"runID": self.id, "path": path}, self.token)["code"]

    def begin_in(self, seconds):
        """Moves the start, so that all runners have to check in again."""
        self.start = now(seconds)
        call("POST", "/t4r/org/update", {
            "runID": self.id, "startTime": self.start,
            "endTime": now(seconds + SECONDS_TO_START),
        }, self.token)

    def point(self, metres):
        return f"{self.north + metres / DEGREE:.6f},{self.east:.6f}"

    @property
    def place(self):
        return {"latitude": self.north, "longitude": self.east, "accuracy": 5}


def find_near(window, run):
    """Finds the run by the position of the phone."""
    window.open("/app/myrun")
    window.heading("myRun.title")
    window.see("myRun.none")
    window.follow("myRun.find")
    window.heading("runs.title")
    window.context.set_geolocation(run.place)
    window.press("runs.near")
    card = window.main(f".runs-results a[href='/app/runs/{run.code}']")
    expect(card.first).to_be_visible()
    window.look()


def open_by_code(window, run):
    """The page's own camera, then the code as typed from a poster."""
    window.press("runs.scan")
    window.see("runs.cameraAim")
    window.page.evaluate("window.shownCode = 'https://example.org/menu'")
    window.see("runs.cameraOther")
    window.page.evaluate("(code) => { window.shownCode = code; }", f"{ORIGIN}/r/{run.code}")
    expect(window.page).to_have_url(f"{ORIGIN}/app/runs/{run.code}")
    window.page.go_back()
    window.heading("runs.title")
    window.fill(code=f"{run.code[:4]} {run.code[4:].lower()}")
    window.press("runs.open")
    expect(window.page.get_by_role("heading", level=1, name=run.name)).to_be_visible()


def open_by_link(window, run):
    """The link of the QR code, as the camera of a phone opens it."""
    window.open(f"/r/{run.code}")
    window.page.locator(f"a[href*='/app/runs/{run.code}']").first.click()
    expect(window.page.get_by_role("heading", level=1, name=run.name)).to_be_visible()
    expect(window.main("img.run-qr")).to_be_visible()
    # Each part of the countdown is a number and a word.
    expect(window.main(".countdown-parts")).to_have_text(re.compile(r"^(\d+\s\S+\s?)+$"))


def join(window):
    window.press("join.submit")
    expect(window.error("clausesVersion")).to_have_text(window.text("join.clausesMissing"))
    window.fill(runnerName="In red")
    window.field("clausesVersion").check()
    # A reload keeps what was typed.
    window.page.reload()
    expect(window.field("runnerName")).to_have_value("In red")
    window.look()
    window.press("join.submit")
    window.see("join.joined", number="1")
    enrolled = window.main("dl").filter(has_text=window.text("run.enrolled"))
    expect(enrolled).to_contain_text(
        window.text("run.enrolledOf", count=1, total="|").split("|")[0])
    # No device of hers delivers the position.
    expect(window.main(".notice-warning").first).to_be_visible()
    window.follow("join.toMyRun")
    window.heading("myRun.title")


def check_in(window, run):
    """Checks in; the organiser's request needs a position. Returns the duration in seconds."""
    began = time.monotonic()
    window.refusals.add(("POST", "/req/single/choice", 400))
    window.press("checkIn.submit")
    window.see("checkIn.noPosition")
    window.refusals.remove(("POST", "/req/single/choice", 400))
    send_position(window, run, 0)
    window.press("checkIn.submit")
    window.see("checkIn.done")
    window.press("myRun.showPosition")
    place = f"{round(run.north, 6)},{round(run.east, 6)}"
    window.see("myRun.hereText", place=place, metres="5")
    window.look()
    return time.monotonic() - began


def check_in_again(window):
    """Checks in once more, because the organiser moved the start; the open page asks by itself."""
    window.press("checkIn.submit")
    window.see("checkIn.done")


def send_position(window, run, metres):
    window.fetch("POST", "/data/upload", {
        "dataTypes": ["position"], "values": [run.point(metres)], "timestamp": [now()],
    })


def run_it(window, run):
    """Runs the course; the page shows her, with distance and place, and then the finish."""
    until("the start", lambda: now() > run.start, seconds=600)
    window.see("results.live")
    for second in range(1, SECONDS_TO_RUN + 2):
        window.page.wait_for_timeout(1_000)
        send_position(window, run, min(second * SPEED, SPEED * SECONDS_TO_RUN))
    own = window.main("tr").filter(has_text=window.text("results.you", name="In red"))
    expect(own.first).to_be_visible()
    window.look()
    end_run(run.id, run.code)


def share_result(window, stranger):
    """The result becomes final; its link shows it to somebody without an account."""
    window.see("results.final")
    expect(window.main(".big-figures")).to_contain_text(window.text("runnerTable.time"))
    window.look()
    window.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=ORIGIN)
    window.press("results.share")
    window.see("share.copied")
    link = window.page.evaluate("navigator.clipboard.readText()")
    stranger.open(link)
    expect(stranger.page.locator("body")).to_contain_text("In red")
    with window.page.expect_download() as downloading:
        window.press("results.track")
    assert "<trkpt" in downloading.value.path().read_text()


with Journey() as journey:
    person = Person().registered()
    organiser = Company().registered()
    window = journey.window("runner")
    window.context.add_init_script(DETECTOR)
    stranger = journey.window("stranger", language="en")
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    run = Run(organiser)
    find_near(window, run)
    open_by_code(window, run)
    open_by_link(window, run)
    join(window)
    seconds = check_in(window, run)
    # The first check-in had more steps than the second one; messages take the rest.
    run.begin_in(20 + 2 * seconds)
    check_in_again(window)
    run_it(window, run)
    share_result(window, stranger)
