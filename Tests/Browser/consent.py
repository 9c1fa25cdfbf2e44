"""A person accepts a part of a company's request, reads the access record, and ends it."""

import re

from browser import DESKTOP, Journey, expect
from people import Company, Person, activation_link


def sign_up(window, company):
    window.open("/app/signup/company")
    window.heading("signupCompany.heading")
    window.fill(
        email=company.email, emailAgain=company.email, password=company.password,
        passwordAgain=company.password, company_name=company.name,
        company_description=company.description,
    )
    window.field("piva").press_sequentially(company.vat_number[:10])
    window.see("vatNumber.incomplete", count=1)
    window.field("piva").press_sequentially(company.vat_number[10:])
    window.see("vatNumber.right")
    window.press("signup.submit")
    window.heading("sent.heading")
    window.open(activation_link(company.email))
    window.log_in(company)
    window.heading("research.title")


def ask(window, person):
    """Asks for three types of data for three months, and stays at the page of the request."""
    window.main("a[href='/app/research/person']").click()
    window.heading("requestPerson.title")
    window.fill(person=person.email)
    for name in ("heartRate", "steps", "weight"):
        window.main(f"input[value={name}]").check()
    window.field("subscribing").check()
    window.fill(duration="3")
    window.field("unit").select_option("month")
    window.see("price.free")
    window.press("requestPerson.submit")
    expect(window.page).to_have_url(re.compile("/app/history/."))
    window.see("sent.status.pending")
    window.look()


def accept_part(window, company):
    # The badge appears without a reload, on whatever page is open.
    badge = window.page.locator("nav.frame-menu a[href='/app/followers'] .badge")
    expect(badge).to_contain_text("1")
    window.menu("menu.followers")
    window.heading("followers.title")
    card = window.main("article.request").filter(has_text=company.name)
    expect(card).to_contain_text(company.description)
    window.press("followers.restrict", within=card)
    card.locator("input[value=weight]").uncheck()
    window.field("duration").select_option(str(7 * 86_400))
    window.look()
    window.press("followers.acceptPart", within=card)
    expect(card).to_have_count(0)
    expect(badge).to_have_count(0)
    window.main("a[href='/app/followers?part=followers']").click()
    expect(card).to_be_visible()
    expect(card).not_to_contain_text(type_name(window, "weight"))
    window.look()


def type_name(window, name):
    """The name of a data type in the language of a window."""
    types = window.fetch("GET", "/lookup/dataTypes")["dataTypes"]
    return next(each["names"][window.language] for each in types if each["dataType"] == name)


def send_value(window, value):
    """Types a heart rate."""
    window.open("/app/data?part=add&type=heartRate")
    window.heading("data.title")
    window.fill(value=str(value))
    window.press("data.add")
    window.see("data.stored", count=1)


def end(window, company):
    window.open("/app/followers?part=accesses")
    window.heading("followers.title")
    expect(window.main("section").first).to_contain_text(company.name)
    window.look()
    window.main("a[href='/app/followers?part=followers']").click()
    card = window.main("article.request").filter(has_text=company.name)
    window.press("followers.end", within=card)
    question = window.page.get_by_role("dialog")
    expect(question).to_contain_text(company.name)
    window.press("followers.end", within=question)
    expect(card).to_have_count(0)
    window.main("a[href='/app/followers?part=past']").click()
    expect(card).to_be_visible()
    window.look()


with Journey() as journey:
    person = Person().registered()
    company = Company()
    phone = journey.window("person")
    desktop = journey.window("company", DESKTOP, "en")
    phone.log_in(person)
    phone.heading("health.welcome", name=person.name)
    send_value(phone, 64)
    sign_up(desktop, company)
    ask(desktop, person)
    accept_part(phone, company)
    # The page of the request follows the answer, then the samples.
    desktop.see("sent.status.accepted")
    expect(desktop.main("table").first).to_contain_text("64")
    send_value(phone, 71)
    expect(desktop.main("table").first).to_contain_text("71")
    desktop.look()
    end(phone, company)
    desktop.see("sent.text.ended.ended by the user")
    desktop.look()
