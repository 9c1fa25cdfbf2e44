"""A person imports an export, pairs a phone, edits her profile, takes her data, and leaves."""

import subprocess
import zipfile

from browser import DIRECTORY, PROGRAMS, Journey, expect
from people import Person, SimulatedPhone, until


def import_export(window):
    """Imports an export of Apple Health: upload and reading show their progress."""
    file = DIRECTORY / "export.zip"
    subprocess.run([
        PROGRAMS / "trackme-lab", "generate", "apple-health", "--megabytes", "8", "--zip",
        "--output", file,
    ], check=True)
    window.menu("menu.data")
    window.follow("data.part.import")
    window.main("input[type=file]").set_input_files(file)
    window.field("format").select_option("apple-health")
    watch = window.page.evaluate_handle("""() => {
      const seen = new Set();
      new MutationObserver(() => {
        const bar = document.querySelector("main progress");
        if (bar?.position > 0) seen.add(bar.getAttribute("aria-label"));
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
      return seen;
    }""")
    window.press("data.import")
    window.see("data.importDone")
    seen = watch.evaluate("(seen) => [...seen]")
    assert window.text("data.uploading") in seen and window.text("data.reading") in seen, seen
    expect(window.main("table").first).to_contain_text(window.text("data.result.stored"))
    window.look()
    file.unlink()


def pair(window):
    """Pairs the simulated phone by its six digits; its measurements arrive."""
    window.open("/app/devices")
    window.heading("devices.title")
    with SimulatedPhone("--profile", "rest", "--every", "1", "--send", "1") as phone:
        window.follow("devices.pair")
        window.fill(code=f"{phone.code[:3]} {phone.code[3:]}")
        window.look()
        window.press("devices.continue")
        window.see("devices.stepDevice")
        expect(window.main(".card")).to_contain_text("Simulated phone")
        window.press("devices.pairIt")
        window.see("devices.paired", name="Simulated phone")
        window.follow("devices.done")
        expect(window.main("article.device")).to_contain_text("Simulated phone")
        window.look()
        window.open("/app/data?type=heartRate&granularity=raw&span=day")
        until("a value of the phone", lambda: phone_is_listed(window))


def phone_is_listed(window):
    window.page.reload()
    window.heading("data.title")
    return window.main("tbody").get_by_text("Simulated phone").count() > 0


def change_settings(window):
    """Edits two values and the mails; the password is asked for once."""
    window.menu("menu.settings")
    window.heading("settings.title")
    for name, value in (("height", "181"), ("phone", "+39 02 1234567")):
        label = {"height": "settings.height", "phone": "settings.phone"}[name]
        window.page.get_by_role("button", name=edit_label(window, label)).click()
        window.fill(**{name: value})
    window.fill(password=person.password)
    window.look()
    window.press("settings.save", within=window.main("form").first)
    window.see("settings.saved")
    expect(window.main("form").first).to_contain_text("181 cm")
    window.main("input[name='mail.run']").uncheck()
    window.press("settings.saveMails")
    window.see("settings.mailsSaved")
    window.press("settings.deactivate")
    window.press("settings.deactivate", within=window.page.get_by_role("dialog"))
    window.see("settings.inactiveText")
    window.press("settings.activate")
    window.see("settings.activeText")


def edit_label(window, label):
    return f"{window.text('action.edit')} {window.text(label)}"


def download_everything(window):
    with window.page.expect_download() as downloading:
        window.press("settings.download")
    archive = zipfile.ZipFile(downloading.value.path())
    names = archive.namelist()
    assert archive.testzip() is None
    profile = next(name for name in names if name.endswith("profile.json"))
    assert person.email in archive.read(profile).decode(), names
    samples = next(name for name in names if name.endswith(".csv") and "sample" in name)
    assert archive.read(samples).count(b"heartRate") > 10, names


def delete_account(window):
    """Deletes the account by its password and a word; the login is refused afterwards."""
    deletion = window.main("details.deletion")
    deletion.locator("summary").click()
    deletion.locator("input[type=password]").fill(person.password)
    window.fill(confirm="delete")
    window.press("settings.delete", within=deletion)
    expect(window.error("confirm")).to_have_text(
        window.text("settings.deleteWordWrong", word="DELETE"))
    window.fill(confirm="DELETE")
    window.press("settings.delete", within=deletion)
    question = window.page.get_by_role("dialog")
    expect(question).to_contain_text(window.text("settings.gone.single.data"))
    # The session has ended with the account.
    window.refusals.add(("POST", "/auth/logout", 401))
    window.press("settings.delete", within=question)
    window.heading("welcome.heading")
    window.see("settings.deleted")
    window.refusals.add(("POST", "/auth/login", 401))
    window.log_in(person)
    window.see("login.wrong")


with Journey() as journey:
    person = Person().registered()
    window = journey.window("person")
    window.log_in(person)
    window.heading("health.welcome", name=person.name)
    import_export(window)
    pair(window)
    change_settings(window)
    download_everything(window)
    delete_account(window)
