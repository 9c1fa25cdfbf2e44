"""Spectators of a run: finding it, a thousand runners, troubles, placings (UC13, Watch Run)."""

import re

from browser import expect
from people import until

# What the map shows.
PICTURES = """
() => [...document.querySelectorAll(".map-view canvas")].map((each) => each.toDataURL()).join()
"""


def watch_by_code(window, code, name):
    """Opens the run by its code, after one that no run has."""
    window.open("/")
    window.heading("welcome.heading")
    window.follow("welcome.spectate")
    window.heading("runs.title")
    expect(window.main(f"article a[href='/app/runs/{code}']").first).to_contain_text(name)
    window.fill(code="short")
    window.press("runs.open")
    expect(window.error("code")).to_have_text(window.text("runs.codeWrong"))
    window.refusals.add(("GET", "/t4r/run/ABCD1234", 404))
    window.fill(code="ABCD1234")
    window.press("runs.open")
    expect(window.error("code")).to_have_text(window.text("runs.codeUnknown"))
    window.fill(code=f"{code[:4]} {code[4:].lower()}")
    window.press("runs.open")
    open_live(window, code, name)


def watch_by_link(window, code, name):
    """Opens the run by its link, after one that leads nowhere and a page without its map."""
    window.open("/app/runs/ABCD1234/live")
    window.refusals.add(("GET", "/t4r/run/ABCD1234", 404))
    window.heading("runMissing.title")
    window.open(f"/r/{code}")
    with_broken_map(window, code)
    open_live(window, code, name)


def with_broken_map(window, code):
    """Where the map cannot be loaded, the page says so and lists the course."""
    window.is_cut_off = True
    window.page.route("**/leaflet.min.js*", lambda route: route.abort())
    window.main(f"a[href^='/app/runs/{code}']").first.click()
    window.see("runMap.unavailable")
    expect(window.page.get_by_text(window.text("runMap.list", count=4))).to_be_visible()
    window.page.unroute("**/leaflet.min.js*")
    window.is_cut_off = False
    window.open(f"/app/runs/{code}")


def open_live(window, code, name):
    expect(window.page.get_by_role("heading", level=1, name=name)).to_be_visible()
    window.see("join.guestWatch")
    window.main(f"a[href='/app/runs/{code}/live']").first.click()
    window.see("live.notBegun")
    window.see("live.noneYet")
    window.look()


def see_loading(window):
    """Until the stream has its first event, the page is loading and claims no empty run."""
    window.page.route("**/t4r/active/stream*", lambda route: None)
    window.page.reload()
    window.see("work.loading")
    expect(window.page.get_by_text(window.text("live.none"))).to_have_count(0)
    window.page.unroute_all()
    window.page.reload()


def follow_runner(window):
    """Sees a thousand runners, and follows one of them by name."""
    status = window.page.locator("#live-status option").first
    expect(status).to_have_text(re.compile(r"1[.,]?001"))
    search = window.main("details.chosen-search")
    search.locator("summary").click()
    window.fill(runners="Nobody with this name")
    window.press("chosen.add")
    expect(window.error("runners")).to_have_text(window.text("chosen.notFound"))
    window.fill(runners="In red")
    window.press("chosen.add")
    card = window.main("article.chosen-card").filter(has_text="In red")
    expect(card).to_contain_text(window.text("runnerTable.distance"))
    window.main("#live-only").check()
    # A runner is also found in the list by a part of the name.
    window.main("#live-filter").fill("In r")
    expect(window.main("table.runner-table tbody tr")).to_have_count(1)
    window.main("#live-filter").fill("")
    window.look()
    return card


def see_movement(window):
    """Sees all runners move, instead of the followed one alone."""
    window.main("#live-only").uncheck()
    before = window.page.evaluate(PICTURES)
    until("runners moving", lambda: window.page.evaluate(PICTURES) != before)


def lose_connection(window, card):
    """Is told of the loss of the own connection and of the server's, and sees on after each."""
    window.is_cut_off = True
    window.context.set_offline(True)
    shown = window.main(".notice").filter(has_text=window.text("live.cutOffShown"))
    expect(shown).to_contain_text(window.text("live.cutOff", time="")[:20])
    expect(card).to_be_visible()
    window.context.set_offline(False)
    expect(shown).to_have_count(0)
    window.page.route("**/t4r/active/**", lambda route: route.abort())
    # An open stream is not routed: the device loses it, and does not reach the server again.
    window.context.set_offline(True)
    window.context.set_offline(False)
    expect(shown).to_contain_text(window.text("live.unreachable", time="")[:20])
    window.page.unroute("**/t4r/active/**")
    expect(shown).to_have_count(0)
    window.is_cut_off = False


def read_placings(window, code, name):
    window.main(f"a[href='/app/runs/{code}/placings']").first.click()
    window.heading("placings.heading", name=name)
    expect(window.main("tbody tr").first).to_be_visible()
    window.see("placings.map")
    window.look()
    window.page.go_back()
