"""Every page in both languages and colour schemes, from the narrowest phone to a desktop."""

from browser import DESKTOP, PHONE, Journey, expect
from people import Company, Person
from scene import EMPTY, Scene, addresses

# 640 px are a desktop's window at a zoom of 200 %.
LOOKS = [
    ({"width": 320, "height": 640}, "it", "light"),
    (PHONE, "it", "dark"),
    ({"width": 640, "height": 360}, "en", "light"),
    (DESKTOP, "en", "dark"),
]

# Animations that run although the reader prefers none.
MOTION = """
() => document.getAnimations().filter(({ playState }) => playState === "running")
  .map(({ effect }) => effect.target.outerHTML.slice(0, 120))
"""

# Chosen controls that look like the others where the system replaces all colours, and controls
# without an edge there.
FORCED_COLOURS = """
() => {
  const properties = ["outlineStyle", "outlineColor", "backgroundColor", "borderBottomColor",
    "borderBottomStyle"];
  const look = (element) => {
    const style = getComputedStyle(element);
    return properties.map((name) => style[name]).join();
  };
  const isShown = (element) => element.checkVisibility();
  const chosen = [...document.querySelectorAll(
    "a[aria-current=true], a[aria-current=page], button[aria-pressed=true]")].filter(isShown);
  const alike = chosen.filter((element) => {
    const group = element.closest("ul, nav, [role=group]") ?? element.parentElement;
    const others = [...group.querySelectorAll("a, button")].filter((other) =>
      isShown(other) && !other.matches("[aria-current], [aria-pressed=true]"));
    return others.some((other) => look(other) === look(element));
  });
  const edgeless = [...document.querySelectorAll("button:not(.plain, .switch), .button, input")]
    .filter((element) => isShown(element) && !element.matches("[type=range], [type=file]")
      && getComputedStyle(element).borderTopWidth === "0px"
      && getComputedStyle(element).appearance === "none");
  return [...alike, ...edgeless].map((element) => element.outerHTML.slice(0, 160));
}
"""


OPEN_ALL = """
() => { for (const part of document.querySelectorAll("main details")) part.open = true; }
"""

# Pages with a form that shows its errors when it is sent empty.
FORMS = [
    "/app/login", "/app/password", "/app/signup/person", "/app/signup/company",
    "/app/data?part=add", "/app/research/person", "/app/research/group", "/app/organise",
]


def speak(window, language):
    """Changes the language by the button of the header."""
    if window.page.locator("html").get_attribute("lang") == language:
        return
    window.page.locator(f".frame-header button[lang={language}]").click()
    window.wait("(name) => document.documentElement.lang === name", language)
    window.language = language


def visit(window, path):
    """Checks a page in each look, without motion, and in the system's colours."""
    window.page.set_viewport_size(LOOKS[0][0])
    window.open(path)
    for size, language, scheme in LOOKS:
        window.page.set_viewport_size(size)
        window.page.emulate_media(color_scheme=scheme)
        window.ready()
        speak(window, language)
        window.look()
        if size["width"] == 320:
            window.page.evaluate(OPEN_ALL)
            window.look()
    if path in FORMS:
        window.main("form:not([role=search]) button:not([type=button])").first.click()
        expect(window.main(".summary a").first).to_be_visible()
        window.look()
    for element in window.page.evaluate(MOTION):
        window.fault(f"moves: {element}")
    window.page.emulate_media(color_scheme="light", forced_colors="active")
    for element in window.page.evaluate(FORCED_COLOURS):
        window.fault(f"unclear in forced colours: {element}")
    window.page.emulate_media(forced_colors="none")


def visit_documentation(window):
    """The API's page is a document of the gateway, without the frame of the pages."""
    for size in ({"width": 320, "height": 640}, PHONE, DESKTOP):
        window.page.set_viewport_size(size)
        window.open("/docs")
        window.check_width()


with Journey() as journey:
    person = Person().registered()
    company = Company().registered().approved()
    scene = Scene(person, company)
    newcomers = {"person": Person().registered(), "company": Company().registered()}
    windows = {reader: journey.window(reader) for reader in ("everybody", "person", "company")}
    windows["person"].log_in(person, replace=True)
    windows["person"].heading("health.welcome", name=person.name)
    windows["company"].log_in(company, replace=True)
    windows["company"].heading("research.title")
    for address, reader in addresses(scene.values):
        scene.advance()
        visit(windows[reader], address)
    visit_documentation(windows["everybody"])
    for reader, account in newcomers.items():
        window = journey.window(f"new {reader}")
        window.log_in(account)
        window.page.wait_for_url("**/app/*")
        for address in EMPTY[reader]:
            visit(window, address)
