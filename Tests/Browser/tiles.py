"""Maps show tiles that TrackMe fetched: no request leaves for a tile server."""

from browser import Journey, expect

with Journey() as journey:
    window = journey.window("spectator", language="en")
    window.open("/app/runs")
    window.heading("runs.title")
    window.page.get_by_text(window.text("runs.map"), exact=True).click()
    expect(window.page.locator("img.leaflet-tile-loaded").first).to_be_visible()
    expect(window.page.locator(".map-attribution")).to_have_text("© Tests & others")
    sizes = window.page.eval_on_selector_all(
        "img.leaflet-tile-loaded", "(all) => all.map(({ naturalWidth }) => naturalWidth)")
    assert set(sizes) == {256}, sizes
    window.look()
    window.open("/app/help")
    window.heading("help.title")
    expect(window.main("a[href='mailto:help@tests.example']")).to_be_visible()
