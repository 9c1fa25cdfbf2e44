"""The messages that the use cases of people demand, in English: the form stays as it was filled."""

from browser import Journey, expect
from people import (
    CHANCE, Company, Person, call, fiscal_code, log_in, now, reset_link, until,
)

GPX = """<?xml version="1.0"?>
<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"></gpx>
"""


def registration(window, known):
    """UC1: a taken email or fiscal code, and a bad password, lead back to the filled form."""
    window.refusals.add(("POST", "/auth/reg/single", 403))
    window.refusals.add(("POST", "/auth/reg/single", 400))
    person = Person()
    window.open("/app/signup/person")
    window.heading("signupPerson.heading")
    window.fill(full_name=person.name, fc=known.code, email=person.email)
    window.page.locator("[name='birthdate.day']").fill("1")
    window.page.locator("[name='birthdate.month']").select_option("1")
    window.page.locator("[name='birthdate.year']").fill("1980")
    window.field("sex").select_option("M")
    window.see("fiscalCode.otherSex", sex=window.text("sex.F").lower())
    window.field("sex").select_option("F")
    for password, key in (("short", "tooShort"), ("password123", "tooCommon")):
        window.fill(password=password, passwordAgain=password)
        window.press("signup.submit")
        expect(window.error("password")).to_have_text(window.text(f"credentials.password.{key}"))
    window.fill(password=person.password, passwordAgain="something else")
    window.press("signup.submit")
    expect(window.error("passwordAgain")).to_have_text(
        window.text("credentials.passwordsDiffer"))
    window.fill(passwordAgain=person.password)
    window.press("signup.submit")
    expect(window.error("fc")).to_have_text(window.text("signup.taken.fc"))
    window.fill(fc=fiscal_code(), email=known.email)
    window.press("signup.submit")
    expect(window.error("email")).to_have_text(window.text("signup.taken.email"))
    expect(window.field("full_name")).to_have_value(person.name)
    expect(window.field("password")).to_have_value(person.password)
    window.look()


def wrong_login(window, person):
    """UC3: wrong credentials lead back to the form, with a way to a new activation link."""
    window.refusals.add(("POST", "/auth/login", 401))
    window.open("/app/login")
    window.heading("login.title")
    window.fill(email=person.email, password="wrong")
    window.press("login.submit")
    window.see("login.wrong")
    window.see("login.notActivated")
    expect(window.field("email")).to_have_value(person.email)
    window.press("login.resend")
    window.see("login.resent")
    window.refusals.remove(("POST", "/auth/login", 401))
    window.log_in(person)
    window.heading("health.welcome", name=person.name)


def lost_password(window, person):
    """002 §3.2.3: a lost password is replaced by the link of a mail, which works once."""
    window.log_out()
    window.follow("login.forgot")
    window.heading("password.title")
    window.press("password.submit")
    expect(window.error("email")).not_to_be_empty()
    window.fill(email=person.email)
    window.press("password.submit")
    window.see("password.sent", email=person.email)
    link = reset_link(person.email)
    window.open(link)
    password, again = window.page.locator("#password"), window.page.locator("#again")
    person.password = "a donkey that is a battery"
    password.fill(person.password)
    again.fill("something else")
    window.page.locator("form button").click()
    expect(window.page.locator("#said-differs")).to_be_visible()
    again.fill(person.password)
    window.page.locator("form button").click()
    expect(window.page.locator("#said-200")).to_be_visible()
    window.refusals.add(("GET", "/auth/password/reset", 401))
    window.open(link)
    expect(window.page.locator("form")).to_have_count(0)
    window.log_in(person)
    window.heading("health.welcome", name=person.name)


def nothing_to_import(window):
    """UC5: no device provides a type that is switched on, and a file without values."""
    window.open("/app/devices")
    window.heading("devices.title")
    box = window.main("[data-field=bloodGlucose] input[type=checkbox]")
    types = window.main("#types ~ * form, form").last
    for is_on in (False, True):
        box.set_checked(is_on)
        window.press("action.save", within=types)
        window.see("types.saved")
    name = box.locator("xpath=following-sibling::label").text_content()
    window.see("types.nothingToImport", types=name)
    window.open("/app/data?part=import")
    window.heading("data.title")
    window.main("input[type=file]").set_input_files(
        {"name": "empty.gpx", "mimeType": "application/gpx+xml", "buffer": GPX.encode()})
    window.press("data.import")
    window.see("data.importDone")
    row = window.main("table tr").filter(has_text=window.text("data.result.stored"))
    expect(row).to_contain_text("0")


def too_little_data(window):
    """002 §3.2.9: one value is too little for some statistics. It appears by itself."""
    window.open("/app/health?span=day")
    window.see("health.empty")
    upload_pulse(window)
    window.see("health.tooFew")


def no_data_any_more(window, company):
    """UC6: an accepted request without data ends at once, and the page tells so."""
    call("POST", "/req/tp/sendSingle", {
        "email": person.email, "dataTypes": ["heartRate"], "subscribing": False,
    }, log_in(company))
    window.open("/app/followers?part=pending")
    window.heading("followers.title")
    card = window.main("article.request").filter(has_text=company.name)
    expect(card).to_be_visible()
    window.fetch("DELETE", "/data")
    window.press("followers.accept", within=card)
    window.press("followers.accept", within=window.page.get_by_role("dialog"))
    window.see("followers.nothingAvailable", name=company.name)
    window.look()


def trust(window, company):
    """A trusted company is found by its name; its request is accepted, and a notice tells so."""
    upload_pulse(window)
    window.open("/app/trusted")
    window.heading("trusted.title")
    window.fill(company="Zzyzx Unknown")
    window.see("trusted.none")
    found = window.main(".company-results .card").filter(has_text=company.name)
    until("the company's name in the index", lambda: is_found(window, company, found))
    window.look()
    found.get_by_role("button").click()
    window.press("trusted.add", within=window.page.get_by_role("dialog"))
    window.see("trusted.added", name=company.name)
    call("POST", "/req/tp/sendSingle", {
        "email": person.email, "dataTypes": ["heartRate"], "subscribing": True, "duration": 86_400,
    }, log_in(company))
    window.menu("menu.notifications")
    window.heading("notifications.title")
    notice = window.main("a.notice-row.is-unread").filter(has_text=company.name).first
    expect(notice).to_be_visible()
    window.look()
    notice.click()
    window.heading("followers.title")
    card = window.main("article.request").filter(has_text=company.name)
    expect(card).to_contain_text(window.text("followers.preconfirmed"))
    window.menu("menu.notifications")
    window.press("notifications.readAll")
    window.see("notifications.noneUnread")
    badge = window.page.locator("nav.frame-menu a[href='/app/notifications'] .badge")
    expect(badge).to_have_count(0)
    window.open("/app/trusted")
    window.main("article.company").get_by_role("button").click()
    window.press("action.remove", within=window.page.get_by_role("dialog"))
    window.see("trusted.empty")


def is_found(window, company, found):
    window.fill(company=company.name)
    window.page.wait_for_timeout(1_000)
    return found.count() == 1


def upload_pulse(window):
    window.fetch("POST", "/data/upload", {
        "dataTypes": ["heartRate"], "values": [64], "timestamp": [now()],
    })


def declined_run(window, company):
    """UC12, UC13: a run that does not exist, and one whose check-in is declined."""
    window.refusals.add(("GET", "/t4r/run/ABCD1234", 404))
    window.open("/app/runs")
    window.heading("runs.title")
    window.context.set_geolocation({"latitude": -30.0, "longitude": 140.0})
    window.press("runs.near")
    window.see("runs.noneNear")
    window.fill(code="ABC")
    window.press("runs.open")
    expect(window.error("code")).to_have_text(window.text("runs.codeWrong"))
    window.fill(code="ABCD1234")
    window.press("runs.open")
    expect(window.error("code")).to_have_text(window.text("runs.codeUnknown"))
    run, code = create_run(company, 300)
    window.fetch("POST", "/t4r/active/join", {"runID": run})
    window.open("/app/followers?part=pending")
    window.heading("followers.title")
    card = window.main("article.request").filter(has_text=company.name)
    window.press("followers.decline", within=card)
    window.see("followers.noPart", run=company.name)
    window.open(f"/app/myrun?run={run}")
    window.heading("myRun.title")
    window.see("checkIn.declined")
    # 001 Spectate: the run is in the future, and its map is not available.
    window.page.route("**/*leaflet*", lambda route: route.abort())
    with window.outage():
        window.open(f"/app/runs/{code}/live")
        window.see("live.noneYet")


def create_run(company, seconds):
    """A run that begins after some seconds; returns its number and code."""
    token = log_in(company)
    run = call("POST", "/t4r/org/create", {
        "runName": company.name, "startTime": now(seconds), "endTime": now(seconds + 600),
        "participants": 10,
    }, token)["runID"]
    north, east = CHANCE.uniform(44, 46), CHANCE.uniform(8, 12)
    path = [{"coordinate": f"{north + step / 1000:.5f},{east:.5f}"} for step in range(3)]
    code = call("POST", "/t4r/org/path", {"runID": run, "path": path}, token)["code"]
    return run, code


def wrong_digits(window):
    """002 §3.2.3: six digits that no device shows."""
    window.refusals.add(("POST", "/devices/pair/confirm", 404))
    window.open("/app/devices?view=pair")
    window.heading("devices.pairTitle")
    window.fill(code="12345")
    window.press("devices.continue")
    expect(window.error("code")).to_have_text(window.text("devices.codeMalformed"))
    window.fill(code=f"{CHANCE.randrange(10**6):06}")
    window.press("devices.continue")
    expect(window.error("code")).to_have_text(window.text("devices.wrongCode"))


def wrong_settings(window):
    """002 §3.2.5 and 001 Update account: invalid fields, passwords, and the deletion."""
    window.refusals.add(("POST", "/settings/single/info", 403))
    window.open("/app/settings")
    window.heading("settings.title")
    for item in ("settings.height", "field.password"):
        label = f"{window.text('action.edit')} {window.text(item)}"
        window.page.get_by_role("button", name=label).click()
    window.fill(height="18", newPassword="another good password", newPasswordAgain="other")
    form = window.main("form").first
    window.press("settings.save", within=form)
    expect(window.error("height")).to_have_text(window.text("settings.heightWrong"))
    expect(window.error("newPasswordAgain")).to_have_text(window.text("settings.passwordsDiffer"))
    expect(window.error("password")).to_have_text(window.text("settings.passwordMissing"))
    window.fill(height="180", newPasswordAgain="another good password", password="wrong")
    window.press("settings.save", within=form)
    expect(window.error("password")).to_have_text(window.text("settings.passwordWrong"))
    expect(window.field("height")).to_have_value("180")
    expect(window.field("newPassword")).to_have_value("another good password")
    # Leaving asks, because the changes are not saved.
    window.menu("menu.data")
    question = window.page.get_by_role("dialog")
    expect(question).to_contain_text(window.text("unsaved.title"))
    window.press("action.cancel", within=question)
    window.refusals.add(("POST", "/auth/delete", 403))
    deletion = window.main("details.deletion")
    deletion.locator("summary").click()
    window.press("settings.delete", within=deletion)
    expect(window.error("confirm")).to_have_text(
        window.text("settings.deleteWordWrong", word="DELETE"))
    window.fill(confirm="DELETE")
    deletion.locator("input[type=password]").fill("wrong")
    window.press("settings.delete", within=deletion)
    window.press("settings.delete", within=window.page.get_by_role("dialog"))
    expect(deletion.locator("[data-field=password] .error")).to_have_text(
        window.text("settings.passwordWrong"))


with Journey() as journey:
    person = Person().registered()
    company = Company().registered()
    window = journey.window("person", language="en")
    registration(window, person)
    wrong_login(window, person)
    lost_password(window, person)
    nothing_to_import(window)
    too_little_data(window)
    no_data_any_more(window, company)
    trust(window, company)
    declined_run(window, company)
    wrong_digits(window)
    wrong_settings(window)
