"""A company: refused registrations, a person and a group asked, payment, key and callback."""

import json
import re

from browser import DESKTOP, Journey, expect
from people import (
    Company, Person, activation_link, answer_of, call, lab, log_in, messages, now, until,
)
from receiver import Receiver, is_signed

BROKER = re.compile(r"^http://127\.0\.0\.1:\d+/")
# The picture of a chart: it changes with the values.
PICTURE = "canvas => canvas.toDataURL()"


# Registration (UC2)

def sign_up(window, company, rival):
    """Registers after three refusals; the form keeps the typed values."""
    window.open("/app/signup/company")
    window.heading("signupCompany.heading")
    window.fill(
        email=rival.email, emailAgain=rival.email, password="short", passwordAgain="short",
        piva=rival.vat_number, company_name=company.name,
        company_description=company.description,
    )
    window.press("signup.submit")
    expect(window.error("password")).not_to_be_empty()
    window.refusals.add(("POST", "/auth/reg/tp", 403))
    submit(window, company)
    expect(window.error("email")).to_have_text(window.text("signup.taken.email"))
    window.fill(email=company.email, emailAgain=company.email)
    submit(window, company)
    expect(window.error("piva")).to_have_text(window.text("signup.taken.piva"))
    expect(window.field("company_name")).to_have_value(company.name)
    expect(window.field("company_description")).to_have_value(company.description)
    expect(window.field("email")).to_have_value(company.email)
    window.look()
    window.fill(piva=company.vat_number)
    submit(window, company)
    window.heading("sent.heading")
    window.open(activation_link(company.email))
    window.open("/app/login")
    window.refusals.add(("POST", "/auth/login", 401))
    window.fill(email=company.email, password="not the password")
    window.press("login.submit")
    window.see("login.wrong")
    expect(window.field("email")).to_have_value(company.email)
    window.fill(password=company.password)
    window.press("login.submit")
    window.heading("research.title")


def submit(window, company):
    window.fill(password=company.password, passwordAgain=company.password)
    window.press("signup.submit")


# One person (UC8)

def ask_person(window, person, token):
    """Asks by fiscal code, after the refusals that say why."""
    window.main("a[href='/app/research/person']").click()
    window.heading("requestPerson.title")
    window.press("requestPerson.submit")
    expect(window.error("person")).to_have_text(window.text("requestPerson.personWrong"))
    expect(window.error("dataTypes")).not_to_be_empty()
    window.refusals.add(("POST", "/req/tp/sendSingle", 401))
    unknown = Person()
    window.main("input[value=heartRate]").check()
    # No account has this code; the person has no steps: both have the same answer.
    for code, kind in ((unknown.code, "heartRate"), (person.code, "steps")):
        window.main("input[value=heartRate]").set_checked(kind == "heartRate")
        window.main("input[value=steps]").set_checked(kind == "steps")
        window.fill(person=code)
        window.press("requestPerson.submit")
        expect(window.error("person")).to_have_text(window.text("requestPerson.unknown"))
        expect(window.field("person")).to_have_value(code)
    window.main("input[value=heartRate]").check()
    window.field("subscribing").check()
    window.press("requestPerson.submit")
    expect(window.error("duration")).not_to_be_empty()
    window.fill(duration="2")
    window.field("unit").select_option("month")
    window.press("requestPerson.submit")
    expect(window.page).to_have_url(re.compile("/app/history/."))
    window.see("sent.status.pending")
    request = window.page.url.rsplit("/", 1)[1]
    call("POST", "/req/single/choice", {"reqID": request, "choice": "accept"}, token)
    window.see("sent.status.accepted")


def follow_samples(window, token):
    """Sees a value arrive in the table and in the plot."""
    table = window.main("table").first
    expect(table).to_contain_text("61")
    canvas = window.main("canvas").first
    expect(canvas).to_be_visible()
    window.wait("() => document.querySelector('main canvas').width > 0")
    before = canvas.evaluate(PICTURE)
    upload(token, 143)
    expect(table).to_contain_text("143")
    until("the plot", lambda: window.main("canvas").first.evaluate(PICTURE) != before)
    window.look()


def upload(token, value):
    call("POST", "/data/upload", {
        "dataTypes": ["heartRate"], "values": [value], "timestamp": [now()],
    }, token)


def take_files(window, company):
    """Downloads the values in each format, has them mailed, and ends the subscription."""
    texts = {}
    for name in ("csv", "ndjson", "fhir", "json"):
        window.field("format").select_option(name)
        with window.page.expect_download() as download:
            window.press("files.download")
        texts[name] = download.value.path().read_text()
        assert "143" in texts[name], f"{name}: {texts[name][:200]}"
    assert json.loads(texts["fhir"])["resourceType"] == "Bundle"
    window.field("format").select_option("csv")
    window.press("files.mail")
    window.see("files.mailedFile")
    until("the mail with the values", lambda: "143" in attachments(company), seconds=150)
    window.press("end.confirm")
    window.press("end.confirm", within=window.page.get_by_role("dialog"))
    window.see("sent.text.ended.ended by the third party")
    window.look()


def attachments(company):
    """The attached files of a company's mails, as one text."""
    return "".join(
        part.get_payload(decode=True).decode()
        for message in messages(company.email) for part in message.iter_attachments())


# A group (UC9)

def ask_group(window):
    """Asks for a group that is too small: age, place and a circle drawn on the map."""
    # The notifications at home have the language of the page.
    with window.page.expect_request(f"**/notifications?language={window.language}&*"):
        window.menu("menu.research")
    window.heading("research.title")
    window.main("a[href='/app/research/group']").click()
    window.heading("requestGroup.title")
    window.press("requestGroup.submit")
    window.see("requestGroup.searchMissing")
    # The handles of the slider are moved as by a person: one by keys, the other by the mouse.
    low = window.page.locator("[name=ageFrom]")
    low.focus()
    for _ in range(18):
        low.press("ArrowRight")
    track = window.page.locator("[name=ageTo]").bounding_box()
    window.page.mouse.move(track["x"] + track["width"] - 8, track["y"] + track["height"] / 2)
    window.page.mouse.down()
    window.page.mouse.move(
        track["x"] + track["width"] * 0.9, track["y"] + track["height"] / 2, steps=5)
    window.page.mouse.up()
    highest = int(window.page.locator("[name=ageTo]").input_value())
    assert 80 < highest < 100, highest
    window.see("requestGroup.ageBoth", **{"from": 18, "to": highest})
    window.page.locator("[name='residence.level']").select_option("country")
    window.page.locator("[name='residence.country']").select_option("IT")
    draw_circle(window)
    window.main("fieldset[data-field=dataTypes] input[value=heartRate]").check()
    window.look()
    window.press("requestGroup.submit")
    window.press("price.agree", within=window.page.get_by_role("dialog"))
    window.see("requestGroup.tooFew")
    refusal = window.main(".notice").filter(has_text=window.text("requestGroup.tooFew"))
    assert not re.search(r"\d", refusal.inner_text()), refusal.inner_text()
    expect(low).to_have_value("18")
    window.look()
    return highest


def draw_circle(window):
    """Places the circle by a click on the map, and widens it by its edge."""
    window.field("area").check()
    view = window.main(".area-map .map-view")
    expect(view).to_be_visible()
    view.scroll_into_view_if_needed()
    box = view.bounding_box()
    view.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    radius = window.page.locator("[name=kilometres]")
    expect(radius).to_have_value("10")
    edge = window.page.get_by_role(
        "button", name=window.text("map.handle", name=window.text("map.radiusHandle")))
    expect(edge).to_be_visible()
    grip = edge.bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    window.page.mouse.move(x, y)
    window.page.mouse.down()
    window.page.mouse.move(x + 40, y, steps=8)
    window.page.mouse.up()
    window.wait("() => Number(document.querySelector('[name=kilometres]').value) > 10")


def widen_and_pay(window, highest):
    """Drops the circle, has no data of one type, then buys the statistics of another."""
    window.field("area").uncheck()
    types = window.main("fieldset[data-field=dataTypes]")
    types.locator("input[value=heartRate]").uncheck()
    types.locator("input[value=bloodGlucose]").check()
    send_group(window)
    window.see("requestGroup.noData")
    expect(window.page.locator("[name=ageTo]")).to_have_value(str(highest))
    types.locator("input[value=bloodGlucose]").uncheck()
    types.locator("input[value=heartRate]").check()
    send_group(window)
    expect(window.page).to_have_url(re.compile("/app/history/."))
    request = window.page.url
    window.see("sent.text.payment due")
    window.look()
    window.menu("menu.research")
    window.follow("research.pay")
    window.heading("payments.title")
    # A declined payment stays due.
    window.main("button").filter(has_text=window.text("payments.pay")).first.click()
    at_broker(window, "Decline")
    window.heading("payments.title")
    window.see("payments.due")
    window.open(request)
    pay = window.page.get_by_role("button", name=re.compile("25"))
    pay.click()
    at_broker(window, "Pay")
    window.heading("payments.title")
    window.see("payments.paid")
    window.look()
    return request


def send_group(window):
    window.press("requestGroup.submit")
    window.press("price.agree", within=window.page.get_by_role("dialog"))


def at_broker(window, choice):
    """Chooses at the page of the broker and returns."""
    page = window.page
    page.wait_for_url(BROKER)
    page.get_by_role("button", name=choice).click()
    page.get_by_role("link", name="Back to TrackMe").click()


def read_statistics(window, company, request):
    """Sees figures, distribution and days of the paid group, and takes them away."""
    window.open(request)
    for key in ("requestData.measure.median", "requestData.histogram", "requestData.noise"):
        window.see(key)
    expect(window.main("canvas").first).to_be_visible()
    with window.page.expect_download() as download:
        window.press("files.download")
    assert "heartRate" in download.value.path().read_text()
    window.press("files.mail")
    window.see("files.mailedFile")
    until("the mail with statistics", lambda: "heartRate,BPM,,median" in attachments(company),
          seconds=150)
    window.look()


def read_history(window, person):
    """The list of all requests with their states, then the news of the first page."""
    window.menu("menu.history")
    window.heading("history.title")
    for key in ("status.approved", "status.refused", "reason.ended by the third party"):
        window.see(f"sent.{key}")
    expect(window.main("li.card")).to_have_count(4)
    expect(window.main("li.card").last).to_contain_text(person.code)
    window.menu("menu.research")
    window.see("research.answered")
    window.look()


# Programs

def make_key(window):
    """Creates a key, with which a program reads the requests until it is revoked."""
    window.follow("programs.title")
    window.heading("programs.title")
    window.see("keys.empty")
    window.press("keys.make")
    expect(window.error("name")).to_have_text(window.text("keys.nameMissing"))
    window.fill(name="Receiver in Milan")
    window.press("keys.make")
    secret = window.main("input.secret")
    expect(secret).to_have_value(re.compile("^tmk_"))
    key = secret.input_value()
    assert len(call("GET", "/req/tp/list", token=key)["requests"]) == 4
    window.look()
    window.press("secret.kept")
    expect(secret).to_have_count(0)
    window.press("keys.revokeNamed", name="Receiver in Milan")
    window.press("keys.revoke", within=window.page.get_by_role("dialog"))
    window.see("keys.empty")
    until("the end of the key",
          lambda: answer_of("GET", "/req/tp/list", token=key)[0] in (401, 403))


def set_callback(window):
    """Registers, tests and resets a callback, and rotates its secret."""
    receiver = Receiver()
    window.refusals.add(("POST", "/req/tp/callback", 400))
    window.fill(url="example.org")
    window.press("callback.register")
    expect(window.error("url")).to_have_text(window.text("callback.addressWrong"))
    window.fill(url="http://192.0.2.1/hook")
    window.press("callback.register")
    expect(window.error("url")).not_to_be_empty()
    window.fill(url=receiver.address)
    window.press("callback.register")
    first = take_secret(window)
    window.see("callback.active")
    window.press("callback.test")
    window.see("callback.testDone")
    headers, body, _ = receiver.tests()[0]
    assert is_signed(first, headers, body), "the test is not signed"
    expect(window.main("tbody tr").filter(has_text=window.text("log.delivered"))).to_have_count(1)
    window.look()
    window.press("callback.rotate")
    question = window.page.get_by_role("dialog")
    window.field("overlap").select_option("3600")
    window.press("callback.rotate", within=question)
    second = take_secret(window)
    assert second != first, "the secret did not change"
    window.see("callback.previousUntil")
    window.press("callback.test")
    until("the second test", lambda: len(receiver.tests()) == 2)
    headers, body, _ = receiver.tests()[1]
    assert is_signed(first, headers, body) and is_signed(second, headers, body)
    receiver.status = 500
    window.press("callback.test")
    window.see("callback.testFailed", reason=window.text("callback.error.status"))


def take_secret(window):
    """The shown secret, which then disappears."""
    shown = window.main("input.secret")
    expect(shown).to_have_value(re.compile("^whsec_"))
    secret = shown.input_value()
    window.press("secret.kept")
    expect(shown).to_have_count(0)
    return secret


def open_page_of_people(window, company):
    """A page for people says so, and leads to the company's own."""
    window.open("/app/health")
    window.heading("health.title")
    window.see("wrongAccount.person", email=company.email)
    window.follow("wrongAccount.home")
    window.heading("research.title")


def walk_in_english(window, request):
    """The same pages in the other language: the switch keeps the page and its data."""
    window.page.locator(".frame-header button[lang=en]").click()
    window.language = "en"
    window.heading("programs.title")
    window.see("callback.active")
    window.open(request)
    window.see("requestData.measure.median")
    window.menu("menu.history")
    window.see("sent.text.refused.too few people")
    window.menu("menu.research")
    window.main("a[href='/app/research/group']").click()
    window.heading("requestGroup.title")
    window.page.locator("[name=sex]").select_option("F")
    window.field("area").check()
    expect(window.main(".area-map .map-view")).to_be_visible()
    for name, value in (("latitude", "45.4642"), ("longitude", "9.19"), ("kilometres", "5")):
        window.page.locator(f"[name={name}]").fill(value)
    window.main("fieldset[data-field=dataTypes] input[value=heartRate]").check()
    send_group(window)
    window.see("requestGroup.tooFew")
    window.log_out()


with Journey() as journey:
    lab("generate", "people", "--count", "1500", "--months", "2")
    rival = Company().registered()
    person = Person().registered()
    token = log_in(person)
    upload(token, 61)
    company = Company()
    window = journey.window("company", DESKTOP, permitted=BROKER)
    sign_up(window, company, rival)
    ask_person(window, person, token)
    follow_samples(window, token)
    take_files(window, company)
    highest = ask_group(window)
    request = widen_and_pay(window, highest)
    read_statistics(window, company, request)
    read_history(window, person)
    open_page_of_people(window, company)
    make_key(window)
    set_callback(window)
    walk_in_english(window, request)
