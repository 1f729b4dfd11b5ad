"""The report as a browser shows it: drawn, sorted, hidden, zoomed, dark, on a phone, without a complaint."""

import shutil
import time

import pytest

from colonnade.runs.reading import Records
from colonnade.runs.report.page import page
from colonnade.runs.store import Store
from colonnade.runs.summary import summarised
from runs.stores import made_store, sweep

webdriver = pytest.importorskip(
    "selenium.webdriver", reason="Selenium, which drives the browser, isn't installed"
)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="Chromium and its driver aren't installed (chromium, chromium-driver)"
)
HOSTILE = """</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1">"""


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield started
    started.quit()


PAINTED = """
const shown = document.getElementById(arguments[0]);
const copy = Object.assign(document.createElement("canvas"), { width: shown.width, height: shown.height });
const context = copy.getContext("2d", { willReadFrequently: true });
context.drawImage(shown, 0, 0);
const { data } = context.getImageData(0, 0, copy.width, copy.height);
const near = (i) => arguments[1].every((value, j) => Math.abs(data[i + j] - value) < 12);
let count = 0;
for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && near(i)) count++;
return count;
"""


class Shown:
    """A report in the browser, and what is asked of it."""

    def __init__(self, driver):
        self.driver = driver

    def screen(self, width=1200, height=900, dark=False, phone=False):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def open(self, file):
        self.screen()
        self.driver.get(file.as_uri())
        return self.until("document.documentElement.dataset.ready === 'yes'")

    def until(self, condition, seconds=60):
        before = time.monotonic()
        while not self.ask(condition):
            assert time.monotonic() - before < seconds, f"never: {condition}; {self.complaints()}"
            time.sleep(0.02)
        return time.monotonic() - before

    def ask(self, expression):
        return self.driver.execute_script(f"return {expression}")

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def column(self, number):
        return [cell.text for cell in self.all(f"#settings-body td:nth-child({number})")]

    def painted(self, colour, canvas="curves"):
        """How many points of a canvas have about this colour, as #rrggbb."""
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        return self.driver.execute_script(PAINTED, canvas, wanted)

    def complaints(self):
        return self.driver.get_log("browser")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of six settings, of which one seed failed and one diverged."""
    folder = tmp_path_factory.mktemp("report")
    lost = {(16, 3): "failed", (16, 4): "diverged"}
    leave = lambda run: lost.get((run.point.label["units"], run.seed), "finished")  # noqa: E731
    return reported(made_store(folder / "runs.db", leave=leave))


def reported(store):
    with Records(store) as records:
        store.with_suffix(".html").write_text(
            page(records, summarised(records), "colonnade report runs.db"), "utf-8"
        )
    return store.with_suffix(".html")


@pytest.fixture
def shown(driver, made):
    found = Shown(driver)
    found.complaints()
    found.open(made)
    yield found
    assert found.complaints() == []
    assert found.ask("performance.getEntriesByType('resource').length") == 0, "something was fetched"


COLOURS = ("#1769b5", "#c2500f", "#2e7d4f", "#8646b8", "#b3257a", "#8a6d00")


def test_curves_are_there_with_their_seeds(shown):
    assert shown.ask("Chart.getChart('curves').data.datasets.length") == 6
    assert all(shown.painted(colour) > 100 for colour in COLOURS)
    assert [len(entry.text.splitlines()) for entry in shown.all("#legend button")] == [2] * 6
    assert shown.one("#legend button .value").text.endswith("5 seeds")
    assert "Learning curves of error" in shown.one("#curves").get_attribute("aria-label")


def test_a_curve_is_hidden_and_shown_again(shown):
    first = shown.one("#legend button")
    first.click()
    assert first.get_attribute("aria-pressed") == "false" and shown.painted(COLOURS[0]) == 0
    first.send_keys(" ")  # from the keyboard
    assert first.get_attribute("aria-pressed") == "true" and shown.painted(COLOURS[0]) > 100


def test_settings_are_sorted_by_any_column(shown):
    heads = [head.text.strip(" ↕↑↓") for head in shown.all("#settings-head th")]
    assert heads[:5] == ["curve", "step_size", "units", "seeds", "error"]
    assert set(shown.column(4)) == {"5", "3 of 5"}
    for number, key in ((2, float), (3, float), (5, float), (4, lambda text: float(text.split()[0]))):
        button = shown.all("#settings-head th button")[number - 2]
        button.click()
        rising = [key(text) for text in shown.column(number)]
        assert rising == sorted(rising)
        assert shown.all("#settings-head th")[number - 1].get_attribute("aria-sort") == "ascending"
        button.send_keys("\n")
        assert [key(text) for text in shown.column(number)] == sorted(rising, reverse=True)
    assert [head.get_attribute("aria-sort") for head in shown.all("#settings-head th[aria-sort]")].count(
        "none"
    ) == len(heads) - 2


def test_settings_are_searched_and_chosen_for_the_curves(shown):
    shown.one("#search").send_keys("units 4")
    assert set(shown.column(3)) == {"4"} and shown.one("#found").text == "3 settings"
    box = shown.one("#settings-body input")
    box.click()
    assert shown.ask("Chart.getChart('curves').data.datasets.length") == 5
    box.click()
    assert len(shown.all("#legend button")) == 6


def test_another_metric_every_seed_and_other_axes_are_drawn(shown):
    without = shown.painted(COLOURS[0])
    shown.one("[data-seen=seeds]").click()
    assert shown.ask("Chart.getChart('curves').scales.y.type") == "logarithmic"
    shown.one("[data-seen=logY]").click()
    assert shown.ask("Chart.getChart('curves').scales.y.type") == "linear"
    shown.one("[data-seen=logX]").click()
    assert shown.ask("Chart.getChart('curves').scales.x.type") == "logarithmic"
    shown.driver.find_element("css selector", "#metric option:nth-child(2)").click()
    assert shown.ask("Chart.getChart('curves').options.scales.y.title.text") == "excess"
    assert shown.painted(COLOURS[0]) > 0 and without > 0


def test_dragging_zooms_and_pointing_reads(shown):
    chains = webdriver.ActionChains(shown.driver)
    canvas = shown.one("#curves")
    chains.move_to_element_with_offset(canvas, -100, 0).perform()
    assert shown.one("#step").text.startswith("At step 4,") or shown.one("#step").text.startswith(
        "At step 3,"
    )
    before = [value.text for value in shown.all("#legend .value")]
    chains.move_to_element_with_offset(canvas, 200, 0).perform()
    assert [value.text for value in shown.all("#legend .value")] != before
    chains.move_to_element_with_offset(canvas, 0, 0).click_and_hold().move_by_offset(
        300, 5
    ).release().perform()
    span = shown.ask("[Chart.getChart('curves').scales.x.min, Chart.getChart('curves').scales.x.max]")
    assert 4000 < span[0] < 6000 and 7000 < span[1] < 9000
    shown.one("#all").click()
    assert shown.ask("Chart.getChart('curves').scales.x.max") == 10_000


def test_the_keyboard_reads_and_zooms(shown):
    canvas = shown.one("#curves")
    canvas.send_keys("\ue014")  # the arrow to the right
    assert "At step 5,2" in shown.one("#step").text
    canvas.send_keys("+")
    assert shown.ask("Chart.getChart('curves').scales.x.max") == pytest.approx(7700)
    canvas.send_keys("\ue00c")  # Escape
    assert shown.ask("Chart.getChart('curves').scales.x.max") == 10_000


def test_each_axis_is_drawn_and_read(shown):
    assert [one.text for one in shown.all("#sensitivity h3")] == ["step_size", "units"]
    assert shown.ask("Chart.getChart('axis0').scales.x.type") == "logarithmic"
    assert shown.painted(COLOURS[0], "axis0") > 100
    shown.one("#axis0").send_keys("\ue014")
    assert shown.one("#axis0-told").text.startswith("step_size 0.0001, units")
    assert "seeds" in shown.one("#axis0-told").text


def test_the_page_follows_the_system_into_the_dark(shown):
    shown.screen(dark=True)
    shown.until("getComputedStyle(document.body).backgroundColor === 'rgb(20, 24, 31)'")
    before = time.monotonic()
    while shown.painted("#62b0f0") < 100 or shown.painted(COLOURS[0]):
        assert time.monotonic() - before < 30, "the curves stayed as they were"


@pytest.mark.parametrize("dark", [False, True])
def test_all_words_are_read_easily(shown, dark):
    """Contrast of at least 4.5 between words and what is behind them, as WCAG asks."""
    shown.screen(dark=dark)
    found = shown.driver.execute_script(CONTRASTS)
    assert len(found) > 30 and min(found.values()) >= 4.5, found


CONTRASTS = """
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const colour = getComputedStyle(node).backgroundColor;
    if (!colour.endsWith(", 0)")) return colour;
  }
  return "rgb(255, 255, 255)";
};
const found = {};
for (const node of document.querySelectorAll("body *")) {
  const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!own || node.disabled || ["SCRIPT", "STYLE", "OPTION", "NOSCRIPT"].includes(node.tagName)) continue;
  const [x, y] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
  const name = `${node.tagName}.${node.className}: ${node.textContent.trim().slice(0, 20)}`;
  found[name] = (x + 0.05) / (y + 0.05);
}
return found;
"""


def test_everything_has_a_name_and_is_reached_by_the_keyboard(shown):
    nameless = """[...document.querySelectorAll("button, input, select, canvas, [role=region]")]
      .filter((node) => !node.textContent.trim() && !node.labels?.length && !node.getAttribute("aria-label")
      && !node.getAttribute("aria-labelledby")).map((node) => node.outerHTML)"""
    assert shown.ask(nameless) == []
    assert shown.ask("[...document.querySelectorAll('canvas, .wide')].every((node) => node.tabIndex === 0)")
    assert shown.ask("document.documentElement.lang") == "en"


def test_a_phone_shows_it_all_without_scrolling_sideways(shown):
    shown.screen(390, 844, phone=True)
    shown.until("innerWidth === 390")
    assert shown.ask("document.documentElement.scrollWidth") == 390
    assert shown.ask("document.getElementById('curves').getBoundingClientRect().width") > 340
    pressed = shown.all("#legend button") + shown.all(".controls label")
    assert all(one.size["height"] >= 30 for one in pressed)


def test_names_of_strangers_do_nothing(driver, tmp_path):
    store = tmp_path / "runs.db"
    named = sweep(HOSTILE, {"world": [HOSTILE, "b"], "units": [4, 8]}, about=HOSTILE)
    made_store(store, named, leave=lambda run: "failed" if run.seed else "finished")
    with Store(store) as opened, opened.writing():
        opened.db.execute("UPDATE metrics SET name = ? WHERE name = 'excess'", (HOSTILE,))
    shown = Shown(driver)
    shown.open(reported(store))
    shown.one("#axis0").send_keys("\ue014")
    assert shown.ask("window.hurt") is None and shown.all("img") == []
    assert HOSTILE in shown.one("#metric").text and HOSTILE in shown.one("h1").text
    assert shown.complaints() == []


@pytest.mark.parametrize(
    "one",
    [
        sweep(axes={"units": [8]}),
        sweep(axes={"units": [8]}, seeds=1),
        sweep(axes={"world": ["easy", "hard"], "step_size": [1e-4, 1e-3, 1e-2]}),
        sweep(axes={"step_size": [i / 1000 for i in range(1, 41)]}, seeds=2),
    ],
    ids=["no axis", "one seed", "two worlds", "drawn at random"],
)
@pytest.mark.parametrize("left", ["finished", "waiting", "diverged", "failed"])
def test_whatever_became_of_a_sweep_it_is_shown(driver, tmp_path, one, left):
    shown = Shown(driver)
    shown.open(reported(made_store(tmp_path / "runs.db", one, leave=lambda run: left)))
    assert shown.complaints() == [] and shown.all("#settings-body tr")


@pytest.mark.soak
def test_ten_thousand_runs_are_reported_and_opened(driver, tmp_path, capsys):
    axes = {
        "step_size": [10 ** (-5 + i / 10) for i in range(50)],
        "units": [1, 2, 4, 8, 16],
        "world": list("abcd"),
    }
    store = made_store(tmp_path / "runs.db", sweep(axes=axes, seeds=10, every=500))
    before = time.perf_counter()
    file = reported(store)
    built = time.perf_counter() - before
    shown = Shown(driver)
    opened = shown.open(file)
    before = time.perf_counter()
    shown.all("#settings-head th button")[4].click()
    sorted_in = time.perf_counter() - before
    assert shown.complaints() == [] and shown.one("#found").text == "1,000 settings"
    with capsys.disabled():
        print(f"\n10,000 runs: built in {built:.1f} s, {file.stat().st_size / 1e6:.1f} MB, ", end="")
        print(f"opened in {opened:.2f} s, sorted in {sorted_in:.2f} s")
