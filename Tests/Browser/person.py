"""A person: welcome, tutorial, sign-up, the mail's link, sixty days of My Health, a value."""

import re
import statistics
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from browser import ORIGIN, Journey, expect
from people import Person, activation_link, sixty_days

HOME = ZoneInfo("Europe/Rome")
FIGURES = [
    "mean", "median", "p5", "p25", "p75", "p95", "variance", "stddev", "stderr", "min", "max",
]
# Those of the table of all types.
TABLE_FIGURES = [figure for figure in FIGURES if figure not in ("variance", "stderr")]


def welcome_and_tutorial(window):
    window.open("/")
    window.heading("welcome.heading")
    for choice, address in (("login", "/app/login"), ("signup", "/app/signup"),
                            ("spectate", "/app/runs")):
        link = window.main(f"a[href='{address}']")
        expect(link).to_have_text(window.text(f"welcome.{choice}"))
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


def see_sixty_days(window):
    """My Health over each timespan: tiles and statistics."""
    window.see("health.empty")
    window.look()
    upload, rates = sixty_days()
    window.fetch("POST", "/data/upload", upload)
    window.page.reload()
    tile = window.main("a.tile[href*='type=heartRate']")
    for name in ("heartRate", "steps", "weight", "bloodPressureSystolic", "oxygenSaturation"):
        value = window.main(f"a.tile[href*='type={name}'] .tile-value")
        expect(value).to_contain_text(re.compile(r"\d"))
    newest = rates[-1][1]
    expect(tile.locator(".tile-value")).to_contain_text(str(newest))
    expect(tile.locator(".tile-foot")).to_contain_text(window.text("health.mark.within"))
    # The missing comparisons are one sentence below all tiles.
    too_few = window.text("health.others.tooFewOf", ageBand="40–49", types="|").split("|")[0]
    expect(window.main("p").filter(has_text=too_few)).to_have_count(1)
    for span in ("day", "week", "year", "all", "month"):
        window.press(f"timespan.{span}", within=window.main(".timespan"))
        chosen = window.main(".timespan button[aria-pressed=true]")
        expect(chosen).to_have_text(window.text(f"timespan.{span}"))
        assert f"span={span}" in window.page.url
        check_statistics(window, [rate for time, rate in rates if time >= beginning(span)])
    window.look()


def beginning(span):
    """The beginning of a timespan: a day is the last 24 hours, longer ones begin at midnight."""
    now = datetime.now(HOME)
    if span == "all":
        return datetime.min.replace(tzinfo=timezone.utc)
    if span == "day":
        return now - timedelta(days=1)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    days = {"week": 6, "month": 29, "year": 365}[span]
    return (midnight.replace(tzinfo=None) - timedelta(days=days)).replace(tzinfo=HOME)


def check_statistics(window, rates):
    """The row of the heart rate has the count, the mean and the bounds of these values."""
    name = window.page.locator("a[href='/app/health?type=heartRate']")
    row = window.main("table tbody tr").filter(has=name)
    cells = row.locator("td")
    # The name of the type heads the row; its spread is the first cell.
    expect(cells.nth(1)).to_have_text(window.number(len(rates)))
    expected = {"mean": statistics.fmean(rates), "min": min(rates), "max": max(rates)}
    for name, value in expected.items():
        text = window.number(value, maximumFractionDigits=1)
        expect(cells.nth(2 + TABLE_FIGURES.index(name))).to_have_text(text)


def see_details(window):
    window.press("timespan.custom", within=window.main(".timespan"))
    window.main("input[type=date]").first.fill("2001-01-01")
    window.main("input[type=date]").last.fill("2001-01-31")
    window.see("health.nothingInPeriod")
    # The address keeps the choice.
    window.page.reload()
    window.see("health.nothingInPeriod")
    window.press("timespan.month", within=window.main(".timespan"))
    window.main("a.tile[href*='type=heartRate']").click()
    window.see("health.comparison")
    for granularity, rows in (("week", 5), ("day", 29), ("month", 1), ("hour", 100)):
        window.field("granularity").select_option(granularity)
        chart = window.main("figure.chart").first
        expect(chart.locator("canvas")).to_be_visible()
        window.wait("""([selector, rows]) => {
          const figure = document.querySelector(selector);
          return figure.querySelectorAll("tbody tr").length >= rows;
        }""", ["main figure.chart", rows])
    for figure in FIGURES:
        expect(window.main("dl.figures")).to_contain_text(window.text(f"health.{figure}"))
    window.look()


def type_value(window):
    window.menu("menu.health")
    window.menu("menu.data")
    window.heading("data.title")
    window.follow("data.part.add")
    # The history has a choice of types as well.
    expect(window.field("value")).to_be_visible()
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


def switch_language(window):
    """The other language shows the same page, at the same place, with what was typed."""
    window.open("/app/data?part=add&type=bloodPressureSystolic")
    window.heading("data.title")
    window.fill(value="120", second="80", time="2026-01-02T03:04")
    window.choose_language("en")
    window.heading("data.title")
    for name, value in (("value", "120"), ("second", "80"), ("time", "2026-01-02T03:04")):
        expect(window.field(name)).to_have_value(value)
    window.choose_language("it")
    window.menu("menu.settings")
    window.heading("settings.title")
    address = window.page.url
    window.page.locator("#mail").scroll_into_view_if_needed()
    place = window.page.evaluate("document.querySelector('#mail').getBoundingClientRect().top")
    window.choose_language("en")
    window.heading("settings.title")
    # Words of a different length move the lines a little.
    window.wait(
        """(place) => Math.abs(
          document.querySelector('#mail').getBoundingClientRect().top - place) < innerHeight / 2""",
        place,
    )
    assert window.page.url == address
    # The choice stays after a reload.
    window.page.reload()
    window.heading("settings.title")
    window.choose_language("it")
    window.log_out()


with Journey() as journey:
    person = Person()
    window = journey.window("person")
    welcome_and_tutorial(window)
    sign_up(window, person)
    activate_and_log_in(window, person)
    see_sixty_days(window)
    see_details(window)
    type_value(window)
    switch_language(window)
