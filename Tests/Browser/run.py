"""An organiser draws a run on the map, a runner joins by its code, a spectator watches it live."""

from browser import DESKTOP, Journey, expect
from people import CHANCE, Company, Person, now


def create(window, name):
    """Creates a run of tomorrow and returns its code."""
    window.menu("menu.newRun")
    window.heading("newRun.title")
    start = window.page.evaluate("""() => {
      const noon = new Date(Date.now() + 86_400_000);
      return `${noon.getFullYear()}-${String(noon.getMonth() + 1).padStart(2, "0")}-`
        + `${String(noon.getDate()).padStart(2, "0")}T12:00`;
    }""")
    window.press("newRun.next")
    expect(window.error("runName")).not_to_be_empty()
    window.fill(runName=name, place="Milano", startTime=start)
    window.field("startTime").blur()
    expect(window.field("endTime")).not_to_have_value("")
    window.press("newRun.next")
    window.fill(description="Once around the park", participants="10")
    window.look()
    window.press("newRun.next")
    draw(window)
    window.press("newRun.create")
    window.heading("newRun.published")
    link = window.main("a.button.secondary[href^='/app/runs/']")
    return link.get_attribute("href").rsplit("/", 1)[1]


def draw(window):
    """Draws a course of four points from a place that no other run uses."""
    coordinate = window.page.get_by_label(window.text("course.coordinate"), exact=True)
    coordinate.fill(f"{CHANCE.uniform(44, 46):.5f}, {CHANCE.uniform(8, 12):.5f}")
    window.press("course.add")
    window.press("map.fit")
    view = window.main(".map-view")
    box = view.bounding_box()
    middle, half = box["width"] / 2, box["height"] / 2
    for count, (right, down) in enumerate([(60, 0), (60, 50), (0, 50)], start=2):
        view.click(position={"x": middle + right, "y": half + down})
        summary = window.main(".course-status").get_by_text(str(count)).first
        expect(summary).to_be_visible()
    window.press("course.undo")
    window.press("course.redo")
    window.see("course.valid")
    expect(window.main(".course-list > li")).to_have_count(4)
    window.look()


def join(window, code):
    """Finds the run by its code and joins it."""
    window.menu("menu.runs")
    window.heading("runs.title")
    window.fill(code="ABCD1234")
    window.press("runs.open")
    expect(window.error("code")).to_have_text(window.text("runs.codeUnknown"))
    window.fill(code=f"{code[:4]} {code[4:].lower()}")
    window.press("runs.open")
    window.see("join.title")
    window.look()
    window.fill(runnerName="In red")
    window.press("join.submit")
    window.see("join.next")
    window.follow("join.toMyRun")
    window.heading("myRun.title")
    window.see("checkIn.later")


def check_in(window, code):
    """Accepts the organiser's request, which the open page shows once it arrives."""
    send_position(window, code, 0)
    window.press("checkIn.submit")
    window.see("checkIn.done")
    window.look()


def send_position(window, code, point):
    """Sends a point of the course as the position of the runner."""
    run = window.fetch("GET", f"/t4r/run/{code}")
    path = window.fetch("POST", "/t4r/active/spec", {"runID": run["runID"]})["path"]
    window.fetch("POST", "/data/upload", {
        "dataTypes": ["position"], "values": [path[point]["coordinate"]], "timestamp": [now()],
    })


def move(window, code):
    """Moves the start, so that check-in opens and the run begins in two minutes."""
    run = window.fetch("GET", f"/t4r/run/{code}")
    window.fetch("POST", "/t4r/org/update", {
        "runID": run["runID"], "startTime": now(120), "endTime": now(3_600),
    })


def watch(window, name, code):
    """Opens the live page from the list of runs, without an account."""
    window.open("/")
    window.heading("welcome.heading")
    window.follow("welcome.spectate")
    window.heading("runs.title")
    window.main(f"a[href='/app/runs/{code}']").first.click()
    window.see("join.guestWatch")
    window.look()
    window.main(f"a[href='/app/runs/{code}/live']").first.click()
    expect(window.page.get_by_role("heading", level=1, name=name)).to_be_visible()
    window.see("live.noneYet")
    window.look()


with Journey() as journey:
    person = Person().registered()
    organiser = Company().registered()
    name = f"Run Number{organiser.number}"
    desktop = journey.window("organiser", DESKTOP, "en")
    phone = journey.window("runner")
    stranger = journey.window("spectator", language="en")
    desktop.log_in(organiser)
    desktop.heading("research.title")
    desktop.page.get_by_role("link", name="Track4Run", exact=True).click()
    code = create(desktop, name)
    phone.log_in(person)
    phone.heading("health.welcome", name=person.name)
    phone.page.get_by_role("link", name="Track4Run", exact=True).click()
    phone.heading("myRun.title")
    phone.refusals.add(("GET", "/t4r/run/ABCD1234", 404))
    join(phone, code)
    move(desktop, code)
    check_in(phone, code)
    watch(stranger, name, code)
    # The page of the spectator follows the start, the runner and each position.
    row = stranger.main("table tbody tr").filter(has_text="In red")
    expect(row).to_be_visible(timeout=240_000)
    send_position(phone, code, 2)
    stranger.look()
    desktop.menu("menu.myRuns")
    desktop.heading("myRuns.title")
    expect(desktop.main("a").filter(has_text=name).first).to_be_visible()
