"""A person: welcome, tutorial, sign-up, the mail's link, My Health, a value, settings."""

from browser import ORIGIN, Journey, expect
from people import Person, activation_link


def welcome_and_tutorial(window):
    window.open("/")
    window.heading("welcome.heading")
    window.follow("welcome.tutorial")
    window.heading("tutorial.title")
    subjects = window.main("article.tutorial-page").count()
    for page in range(2, subjects + 1):
        window.press("tutorial.next")
        current = window.main("[aria-current=step]")
        expect(current).to_have_attribute("aria-label", position(window, page, subjects))
    window.follow("tutorial.create")
    window.heading("signup.heading")


def position(window, page, count):
    subject = window.main("article.tutorial-page h2").nth(page - 1).text_content()
    return window.text("tutorial.position", page=page, count=count, title=subject)


def sign_up(window, person):
    window.main("a[href='/app/signup/person']").click()
    window.heading("signupPerson.heading")
    window.fill(
        email=person.email, password=person.password, passwordAgain=person.password,
        full_name=person.name,
    )
    check_code_while_typing(window, person)
    year, month, day = (str(int(part)) for part in person.birthdate.split("-"))
    window.page.locator("[name='birthdate.day']").fill(day)
    window.page.locator("[name='birthdate.month']").select_option(month)
    window.page.locator("[name='birthdate.year']").fill(year)
    window.field("sex").select_option(person.sex)
    window.see("fiscalCode.agrees")
    # A reload loses nothing but the passwords.
    window.page.reload()
    window.heading("signupPerson.heading")
    expect(window.field("fc")).to_have_value(person.code)
    expect(window.field("password")).to_have_value("")
    window.press("signup.submit")
    expect(window.error("password")).not_to_be_empty()
    window.fill(password=person.password, passwordAgain=person.password)
    window.look()
    window.press("signup.submit")
    window.heading("sent.heading")
    window.see("sent.text", email=person.email)


def check_code_while_typing(window, person):
    code = window.field("fc")
    code.press_sequentially(person.code[:10].lower())
    window.see("fiscalCode.incomplete", count=6)
    expect(window.error("fc")).to_be_empty()
    wrong = "A" if person.code[15] != "A" else "B"
    code.press_sequentially(person.code[10:15].lower() + wrong)
    expect(window.error("fc")).to_have_text(window.text("fiscalCode.wrongCheckLetter"))
    code.press("Backspace")
    code.press_sequentially(person.code[15])
    expect(window.main(".typing-check.is-right")).to_be_visible()
    code.fill(person.code)


def activate_and_log_in(window, person):
    link = activation_link(person.email)
    assert link.startswith(ORIGIN), link
    window.open(link)
    expect(window.page.get_by_role("heading", level=1)).to_be_visible()
    window.check_width()
    window.log_in(person)
    window.heading("health.welcome", name=person.name)


def type_value(window):
    window.follow("health.enter")
    window.heading("data.title")
    window.field("type").select_option("heartRate")
    window.field("value").fill("999")
    window.press("data.add")
    expect(window.error("value")).not_to_be_empty()
    window.field("value").fill("64")
    window.press("data.add")
    window.see("data.stored", count=1)
    window.look()
    window.menu("menu.health")
    value = window.main("a.tile[href*='type=heartRate'] .tile-value")
    expect(value).to_contain_text("64")
    window.look()


def choose_timespans(window):
    for span in ("day", "week", "year", "all", "month"):
        window.press(f"timespan.{span}", within=window.main(".timespan"))
        chosen = window.main(".timespan button[aria-pressed=true]")
        expect(chosen).to_have_text(window.text(f"timespan.{span}"))
        expect(window.main("table")).to_contain_text("64")
        assert f"span={span}" in window.page.url
    window.press("timespan.custom", within=window.main(".timespan"))
    window.main("input[type=date]").first.fill("2001-01-01")
    window.main("input[type=date]").last.fill("2001-01-31")
    window.see("health.nothingInPeriod")
    window.look()
    # The address keeps the choice.
    window.page.reload()
    window.see("health.nothingInPeriod")
    window.press("timespan.month", within=window.main(".timespan"))
    window.main("a.tile[href*='type=heartRate']").click()
    window.see("health.comparison")
    window.look()


def switch_language(window):
    window.menu("menu.settings")
    window.heading("settings.title")
    address = window.page.url
    window.page.locator("#mail").scroll_into_view_if_needed()
    place = window.page.evaluate("document.querySelector('#mail').getBoundingClientRect().top")
    window.page.locator(".frame-header button[lang=en]").dispatch_event("click")
    window.language = "en"
    expect(window.page.locator("html")).to_have_attribute("lang", "en")
    window.heading("settings.title")
    # Words of another length move the lines a little.
    window.wait(
        """(place) => Math.abs(
          document.querySelector('#mail').getBoundingClientRect().top - place) < innerHeight / 2""",
        place,
    )
    assert window.page.url == address
    window.page.reload()
    window.heading("settings.title")
    window.log_out()


with Journey() as journey:
    person = Person()
    window = journey.window("person")
    welcome_and_tutorial(window)
    sign_up(window, person)
    activate_and_log_in(window, person)
    type_value(window)
    choose_timespans(window)
    switch_language(window)
