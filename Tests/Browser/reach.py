"""The help in both languages, the logos, and the large type of an emergency."""

from browser import PHONE, Journey, expect
from people import Person, call, log_in

# The smallest letters of texts and the smallest controls, in pixels.
SIZES = """
(root) => {
  const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
  const texts = [...root.querySelectorAll("h1, h2, p, li, button, a")].filter(
    (element) => shown(element) && element.textContent.trim() !== "");
  const controls = [...root.querySelectorAll("button, a.button")].filter(shown);
  return {
    letters: Math.min(...texts.map((each) => parseFloat(getComputedStyle(each).fontSize))),
    controls: Math.min(...controls.map((each) => each.getBoundingClientRect().height)),
    count: controls.length,
  };
}
"""


def read_help(window, language):
    """Each page's help has its purpose; words find it; the operator can be reached."""
    window.language = language
    window.heading("help.title")
    topics = window.main("details.help-topic")
    count = topics.count()
    assert count >= 15, count
    for topic in topics.all():
        name = topic.get_attribute("id")
        expect(topic.locator("summary")).to_have_text(window.text(f"help.{name}.title"))
        expect(topic.locator("p").first).to_have_text(window.text(f"help.{name}.purpose"))
    window.fill(search="AutomatedSOS")
    expect(window.main("#sos")).to_be_visible()
    expect(topics.filter(visible=True)).not_to_have_count(count)
    window.fill(search="xyzzy")
    window.see("help.none")
    window.look()
    window.fill(search="")
    expect(window.main("a[href^='mailto:trackme@']")).to_be_visible()
    window.see("help.notMedical")
    expect(window.main("a[href='/app/tutorial']")).to_be_visible()


def show_help(window):
    window.open("/app/help")
    read_help(window, "it")
    window.page.locator(".frame-header button[lang=en]").click()
    window.wait("() => document.documentElement.lang === 'en'")
    read_help(window, "en")
    # A page's help opens by its address.
    window.open("/app/help#sos")
    expect(window.main("#sos[open]")).to_be_visible()


def show_logos(window):
    """The logos of both products are drawn, and those of the installed application exist."""
    window.open("/")
    window.wait("""() => {
      const logos = [...document.querySelectorAll("img[src$='.svg']")];
      const names = ["data4help", "track4run", "trackme"];
      return names.every((name) => logos.some((logo) =>
        logo.src.includes(`/${name}.`) && logo.complete && logo.naturalWidth > 0));
    }""")
    icons = window.page.evaluate("""async () => {
      const address = document.querySelector("link[rel=manifest]").href;
      const { icons } = await (await fetch(address)).json();
      return await Promise.all(icons.map(async ({ src, type }) => {
        const answer = await fetch(new URL(src, address));
        return answer.ok && answer.headers.get("content-type").startsWith(type);
      }));
    }""")
    assert icons and all(icons), icons


def practise(window):
    """Two presses from the first page start a drill; its letters and buttons are large."""
    switch = window.main(".sos-card button[role=switch]")
    assert switch.bounding_box()["height"] >= 48
    window.main("a[href='/app/sos']").click()
    window.heading("sos.title")
    sizes = window.page.locator("main").evaluate(SIZES)
    assert sizes["letters"] >= 14 and sizes["controls"] >= 44, sizes
    window.press("sos.drill")
    alarm = window.page.locator("dialog.alarm")
    expect(alarm).to_be_visible()
    for scheme in ("light", "dark"):
        window.page.emulate_media(color_scheme=scheme)
        window.look()
    sizes = alarm.evaluate(SIZES)
    assert sizes["letters"] >= 18 and sizes["controls"] >= 48 and sizes["count"] <= 2, sizes
    # Touches of the first moment were meant for the page beneath.
    window.wait("""() => {
      document.querySelector("dialog.alarm[open] [data-action=abort]")?.click();
      document.querySelector("dialog.alarm[open] [data-action=close]")?.click();
      return document.querySelector("dialog.alarm[open]") === null;
    }""")


with Journey() as journey:
    person = Person().registered()
    token = log_in(person)
    call("POST", "/sos/enable", {"callPermission": True}, token)
    call("POST", "/auth/logout", {}, token)
    phone = journey.window("person", PHONE)
    phone.log_in(person)
    phone.heading("health.welcome", name=person.name)
    practise(phone)
    visitor = journey.window("visitor")
    show_logos(visitor)
    show_help(visitor)
