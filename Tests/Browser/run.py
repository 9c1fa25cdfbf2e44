"""An organiser draws a run and invites, a runner joins, spectators watch a thousand runners."""

import io
import re
import subprocess
import time

import zxingcpp
from browser import DESKTOP, ORIGIN, Journey, expect
from people import (
    API, CHANCE, PROGRAMS, Company, Person, call, end_run, log_in, mails, now, picture, sql, until,
)
from PIL import Image
from spectators import (
    follow_runner, lose_connection, read_placings, see_loading, see_movement, watch_by_code,
    watch_by_link,
)

THOUSAND = 1000
# The road along which `trackme-lab bench live` moves its runners.
ROAD = ["45.4642,9.19", "45.5242,9.25", "45.5842,9.19", "45.6442,9.25"]
# Seconds of the run at most, and of the movement in it.
DURATION, MOVING = 3_600, 30
# The numbers of the thousand, which the lab moves. They are not accounts, so they enter after the
# run has its last times: a runner who can't be asked to check in again is removed.
RESERVE = "UPDATE track4run.runs SET last_number = {count} WHERE run_id = {run}"
ENROL = """
INSERT INTO track4run.enrolments (run_id, number, account_id, shows_health, is_findable, joined_at,
                                  request_id, checked_in_at)
SELECT {run}, number, 5000000 + number, false, true, now(), gen_random_uuid(), now()
  FROM generate_series(1, {count}) AS number;
UPDATE track4run.runs SET enrolled = enrolled + {count} WHERE run_id = {run}
"""


# Creating a run (UC11)

def create(window, name):
    """Creates a run of tomorrow in three steps, with each fault told; returns its code."""
    window.menu("menu.newRun")
    window.heading("newRun.title")
    start = window.page.evaluate("""() => {
      const noon = new Date(Date.now() + 86_400_000);
      return `${noon.getFullYear()}-${String(noon.getMonth() + 1).padStart(2, "0")}-`
        + `${String(noon.getDate()).padStart(2, "0")}T12:00`;
    }""")
    window.press("newRun.next")
    expect(window.error("runName")).not_to_be_empty()
    window.fill(runName=name, place="Milano", startTime="2020-01-01T12:00")
    window.fill(endTime="2020-01-01T11:00")
    window.press("newRun.next")
    expect(window.error("startTime")).to_have_text(window.text("runField.fault.startPast"))
    window.fill(startTime=start)
    window.press("newRun.next")
    expect(window.error("endTime")).to_have_text(window.text("runField.fault.endBefore"))
    window.fill(endTime=start.replace("T12", "T15"))
    window.main("input[type=file]").first.set_input_files(
        {"name": "run.png", "mimeType": "image/png", "buffer": picture()})
    window.press("newRun.next")
    window.fill(description="Once around the park", participants=str(THOUSAND + 100))
    window.look()
    window.press("newRun.next")
    draw(window)
    refuse_path(window, start)
    load_file(window)
    window.press("newRun.create")
    window.heading("newRun.published")
    link = window.main("a.button.secondary[href^='/app/runs/']")
    return link.get_attribute("href").rsplit("/", 1)[1]


def draw(window):
    """Draws a course by clicks and coordinates, with length and faults while drawing."""
    north, east = CHANCE.uniform(44, 45), CHANCE.uniform(8, 12)
    add_point(window, north, east)
    window.press("map.fit")
    view = window.main(".map-view")
    box = view.bounding_box()
    middle, half = box["width"] / 2, box["height"] / 2
    status = window.main(".course-status")
    lengths = []
    for count, (right, down) in enumerate([(60, 0), (60, 50), (0, 50)], start=2):
        view.click(position={"x": middle + right, "y": half + down})
        expect(status).to_contain_text(f"{count} points")
        lengths.append(status.inner_text())
    assert len(set(lengths)) == 3, lengths
    window.press("course.undo")
    expect(status).to_contain_text("3 points")
    window.press("course.redo")
    window.see("course.valid")
    expect(window.main(".course-list > li")).to_have_count(4)
    window.look()
    # A leg over 10 km is marked on the map and in the list.
    add_point(window, north + 0.5, east)
    window.see("course.fault.leg")
    window.see("course.invalid")
    expect(window.main(".course-list .tag").filter(visible=True)).to_have_count(1)
    window.press("newRun.create")
    reason = window.text("course.fault.leg")
    expect(summary(window)).to_contain_text(f"{window.text('course.invalidText')} {reason}")
    window.look()
    window.press("course.undo")
    # A thousand laps of some 11 km are over 500 km.
    add_point(window, north + 0.05, east)
    window.press("course.close")
    laps = window.page.get_by_label(window.text("course.laps"))
    laps.fill("1000")
    laps.press("Enter")
    window.see("course.fault.long")
    for _ in range(3):
        window.press("course.undo")
    window.see("course.valid")


def summary(window):
    """The summary of the errors of the form that is shown."""
    return window.main(".summary").filter(visible=True)


def add_point(window, north, east):
    field = window.page.get_by_label(window.text("course.coordinate"), exact=True)
    field.fill(f"{north:.5f}, {east:.5f}")
    window.press("course.add")


def refuse_path(window, start):
    """Another run takes the course meanwhile: the refusal keeps the map."""
    points = [each.input_value() for each in window.main(".course-list > li input").all()]
    token = log_in(Company().registered())
    day = start.replace("T12:00", "T10:00:00Z")
    run = call("POST", "/t4r/org/create", {
        "runName": "Taken before", "startTime": day, "participants": 2,
        "endTime": day.replace("T10", "T11"),
    }, token)["runID"]
    path = [{"coordinate": each.replace(" ", "")} for each in points]
    call("POST", "/t4r/org/path", {"runID": run, "path": path}, token)
    window.refusals.add(("POST", "/t4r/org/path", 401))
    window.press("newRun.create")
    window.see("course.fault.along")
    expect(summary(window)).to_contain_text(window.text("newRun.invalidPath", reason="")[:12])
    expect(window.main(".course-list > li")).to_have_count(4)
    window.look()


def load_file(window):
    """Loads another course from a file, after one that is not a course."""
    file = window.main(".course-file input")
    file.set_input_files({"name": "notes.gpx", "mimeType": "text/plain", "buffer": b"no course"})
    window.see("course.gpxNone")
    expect(window.main(".course-list > li")).to_have_count(4)
    points = "".join('<trkpt lat="{}" lon="{}"/>'.format(*each.split(",")) for each in ROAD)
    text = f'<gpx version="1.1"><trk><name>Road</name><trkseg>{points}</trkseg></trk></gpx>'
    file.set_input_files(
        {"name": "road.gpx", "mimeType": "application/gpx+xml", "buffer": text.encode()})
    window.see("course.gpx.track", count=4, name="Road")
    window.see("course.valid")
    expect(window.main(".course-status")).to_contain_text("24.45 km")


def share(window, code, person):
    """Prints code and QR picture, and invites a person by mail."""
    window.follow("newRun.print")
    window.heading("runCode.title")
    link = f"{ORIGIN}/r/{code}"
    qr = window.main("img.poster-qr")
    window.wait("() => document.querySelector('img.poster-qr').naturalWidth > 0")
    read = zxingcpp.read_barcode(Image.open(io.BytesIO(qr.screenshot())))
    assert read is not None and read.text == link, read
    expect(window.main(".poster")).to_contain_text(f"{code[:4]} {code[4:]}")
    window.page.evaluate("window.print = () => { window.isPrinted = true; }")
    window.press("runCode.print")
    assert window.page.evaluate("window.isPrinted"), "the page is not printed"
    window.page.emulate_media(media="print")
    expect(window.main(".poster-qr")).to_be_visible()
    expect(window.page.locator("header.frame-header")).to_be_hidden()
    expect(window.main(".actions.no-print")).to_be_hidden()
    for sheet in ({"format": "A4"}, {"format": "A4", "landscape": True}, {"format": "Letter"}):
        sheets = window.page.pdf(**sheet).count(b"/Type /Page\n")
        assert sheets == 1, f"the poster has {sheets} sheets, {sheet}"
    window.page.emulate_media(media="screen")
    window.follow("runCode.back")
    window.main("a[href$='part=invite']").click()
    window.press("invite.send")
    expect(window.error("emails")).to_have_text(window.text("invite.none"))
    window.fill(emails=f"{person.email}, nobody")
    window.press("invite.send")
    expect(window.error("emails")).to_have_text(window.text("invite.wrong", list="nobody"))
    window.fill(emails=person.email)
    window.press("invite.send")
    window.see("invite.sent", count=1)
    window.look()


def invitation(person):
    """The link to a run in a mail to a person."""
    found = (re.search(r"https://\S+/r/[0-9A-Z]+", text) for text in mails(person.email))
    return next((match[0] for match in found if match), None)


# The runner

def join(window, link, name):
    """Opens the run by the mail's link and joins it."""
    window.open(link)
    window.main("a[href^='/app/runs/']").first.click()
    expect(window.page.get_by_role("heading", level=1, name=name)).to_be_visible()
    window.see("join.title")
    window.look()
    window.fill(runnerName="In red")
    window.press("join.submit")
    window.see("join.next")
    window.follow("join.toMyRun")
    window.heading("myRun.title")
    window.see("checkIn.later")


def check_in(window):
    """Accepts the organiser's request, which the open page shows once it arrives."""
    send_positions(window, (ROAD[0], 0))
    window.press("checkIn.submit")
    window.see("checkIn.done")
    window.look()


def send_positions(window, *positions):
    """Sends positions of the runner with their ages in seconds."""
    window.fetch("POST", "/data/upload", {
        "dataTypes": ["position"] * len(positions),
        "values": [place for place, _ in positions],
        "timestamp": [now(-age) for _, age in positions],
    })


def schedule(window, run, seconds):
    """Moves the run, so that check-in opens and it begins soon; returns its start."""
    start = time.time() + seconds
    window.fetch("POST", "/t4r/org/update", {
        "runID": run, "startTime": now(seconds), "endTime": now(seconds + DURATION),
    })
    return start


def leave_course(phone, window, card, began):
    """Runs 145 m off the course for half a minute, which a spectator sees.

    The rule needs two positions 31 s apart, the first one late enough to be reached at the speed of
    a runner, and the API takes none of the future: so the time has to pass."""
    time.sleep(max(0, began + 50 - time.time()))
    send_positions(phone, ("45.4629,9.19", 31), ("45.4629,9.19", 0))
    expect(card).to_contain_text(window.text("runnerStatus.off_course"))


# The organiser's board, results and list (002 §3.2.12 to 3.2.15)

def follow_board(window, run, name):
    window.open(f"/app/organise/runs/{run}/live")
    window.heading("board.heading", name=name)
    expect(window.main(".board-table tbody tr")).to_have_count(THOUSAND + 1)
    alarms = window.main(".board-alarms")
    expect(alarms).to_contain_text(window.text("board.offCourse", count=1))
    alarms.get_by_role("button", name=re.compile("In red")).click()
    row = window.main(".board-table tr.is-chosen")
    expect(row).to_contain_text("In red")
    window.press("absent.show")
    window.see("absent.none")
    window.is_cut_off = True
    window.context.set_offline(True)
    lost = window.main(".notice").filter(has_text=window.text("board.cutOff", time="")[:18])
    expect(lost).to_be_visible()
    window.context.set_offline(False)
    expect(lost).to_have_count(0)
    window.is_cut_off = False
    window.fill(runner="In red")
    expect(window.main(".board-table tbody tr")).to_have_count(1)
    window.look()


def take_results(window, run, name):
    """Finds the run in the list and downloads what its runners shared."""
    window.refusals |= {("GET", "/t4r/org/list", 404)}
    window.open("/app/organise/runs/999999999")
    window.see("manageRun.unknown")
    window.follow("manageRun.back")
    window.heading("myRuns.title")
    window.fill(name="No run has this name")
    window.see("myRuns.noneFound")
    window.fill(name=name)
    window.main("a").filter(has_text=name).first.click()
    expect(window.page.get_by_role("heading", level=1, name=name)).to_be_visible()
    window.main("a[href$='part=download']").click()
    for kind, part in (("csv", "position"), ("ndjson", "position"), ("gpx", "<trkpt")):
        with window.page.expect_download() as download:
            window.main(f"a[href*='format={kind}']").click()
        text = download.value.path().read_text()
        assert part in text, f"{kind}: {text[:200]}"
    window.look()


with Journey() as journey:
    person = Person().registered()
    organiser = Company().registered()
    name = f"Run Number{organiser.number}"
    desktop = journey.window("organiser", DESKTOP, "en")
    phone = journey.window("runner")
    # Its worker would answer requests that the journey breaks.
    stranger = journey.window("spectator", language="en", service_workers="block")
    other = journey.window("other", DESKTOP)
    desktop.log_in(organiser)
    desktop.heading("research.title")
    desktop.page.get_by_role("link", name="Track4Run", exact=True).click()
    code = create(desktop, name)
    run = call("GET", f"/t4r/run/{code}")["runID"]
    sql(RESERVE.format(run=run, count=THOUSAND), "track4run")
    share(desktop, code, person)
    phone.log_in(person)
    phone.heading("health.welcome", name=person.name)
    link = until("the invitation", lambda: invitation(person), seconds=150)
    began = time.monotonic()
    join(phone, link, name)
    # Joining takes longer on this machine than checking in; messages take the rest.
    start = schedule(desktop, run, 20 + 2 * (time.monotonic() - began))
    check_in(phone)
    sql(ENROL.format(run=run, count=THOUSAND), "track4run")
    watch_by_link(stranger, code, name)
    watch_by_code(other, code, name)
    time.sleep(max(0, start + 1 - time.time()))
    began = time.time()
    send_positions(phone, (ROAD[0], 0))
    card = follow_runner(stranger)
    lose_connection(stranger, card)
    read_placings(stranger, code, name)
    see_loading(other)
    follow_runner(other)
    leave_course(phone, stranger, card, began)
    # The lab numbers its positions far above those of Data4Help, so none of hers comes after them.
    with subprocess.Popen(
        [PROGRAMS / "trackme-lab", "bench", "live", API.rsplit(":", 1)[1], str(run),
         str(int(start)), str(THOUSAND), "1", str(MOVING)], stdout=subprocess.DEVNULL):
        see_movement(stranger)
        see_movement(other)
        follow_board(desktop, run, name)
    end_run(run, code)
    for window in (stranger, other):
        window.see("live.over")
    desktop.see("board.ended")
    stranger.follow("live.toResults")
    stranger.heading("placings.heading", name=name)
    # Final a minute after the end, which a busy machine may reach before this page.
    over = [re.escape(stranger.text(f"placings.{key}")) for key in ("settling", "final")]
    expect(stranger.main("[role=status]").first).to_have_text(re.compile("|".join(over)))
    stranger.open(f"/app/runs/{code}/live")
    stranger.see("live.isOver")
    title = f"{stranger.text('run.lastPositions')}: {name} – TrackMe"
    expect(stranger.page).to_have_title(title)
    # 002 §3.2.12: a run that is not one's own is like one that does not exist.
    desktop.open("/app/organise/runs/999999999")
    desktop.see("manageRun.unknown")
    take_results(desktop, run, name)
