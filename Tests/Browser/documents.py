"""The documents of a deployment are read by everybody, and accepted at the sign-up."""

from browser import DESKTOP, Journey, expect
from people import Person, activation_link

TITLES = {"it": "Informativa sulla privacy", "en": "Privacy policy"}


def read(window):
    """All four documents without a login, in the language of the page."""
    window.open("/app/documents")
    window.heading("documents.pageTitle")
    expect(window.main("h2")).to_have_count(4)
    for language in ("en", "it"):
        window.choose_language(language)
        title = window.main("h2").filter(has_text=TITLES[language])
        expect(title).to_have_attribute("lang", language)
        window.look()


def sign_up(window, person):
    """The form asks for both documents of people, and sends the consents."""
    window.open("/app/signup/person")
    window.heading("signupPerson.heading")
    window.fill(
        email=person.email, password=person.password, passwordAgain=person.password,
        full_name=person.name, fc=person.code,
    )
    window.page.locator("[name='birthdate.day']").fill("1")
    window.page.locator("[name='birthdate.month']").select_option("1")
    window.page.locator("[name='birthdate.year']").fill("1980")
    window.field("sex").select_option(person.sex)
    boxes = window.main("fieldset.documents input[type=checkbox]")
    expect(boxes).to_have_count(2)
    window.press("signup.submit")
    expect(window.main(".summary a")).to_have_count(2)
    window.main("fieldset.documents summary").first.click()
    expect(window.main(".document-text").first).to_contain_text(TITLES[window.language])
    window.look()
    for box in boxes.all():
        box.check()
    window.press("signup.submit")
    window.heading("sent.heading")


def read_back(window, person):
    """The settings list both consents with their version."""
    window.open(activation_link(person.email))
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    window.open("/app/settings")
    window.heading("settings.title")
    consents = window.main("section.settings-part").filter(
        has=window.page.locator("#consents")).locator("ul > li")
    expect(consents).to_have_count(2)
    expect(consents.first).to_contain_text("template-1")
    window.look()


with Journey() as journey:
    person = Person()
    phone = journey.window("person")
    read(phone)
    sign_up(phone, person)
    read_back(phone, person)
    # A company has four documents to accept.
    desktop = journey.window("company", DESKTOP, "en")
    desktop.open("/app/signup/company")
    desktop.heading("signupCompany.heading")
    expect(desktop.main("fieldset.documents input[type=checkbox]")).to_have_count(4)
    privacy = desktop.main("fieldset.documents summary").filter(has_text=TITLES["en"])
    expect(privacy).to_have_count(1)
    desktop.look()
