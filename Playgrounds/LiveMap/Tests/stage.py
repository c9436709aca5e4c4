"""Ten seconds on stage: one key plays them, and ends them."""

import os
import re

from server import Server

LIVE = 'document.querySelector("#connection").textContent === "Live"'
TOLD = [
    r"4,000 balloons take off\.",
    r"A pin for each of 4,000 balloons\.",
    r"The same balloons as clusters\.",
    r"Each second [\d,]+ operations became [\d,]+, and [\d.]+ (KB|MB) became [\d.]+ (B|KB)\.",
    r"A finger moves the map\. Its gate is closed, and [1-9][\d,]* pins? wait\.",
    r"[1-9][\d,]* rows? changed meanwhile\. The finger let go, and [1-9][\d,]* operations? came\.",
    r"A second window has the same [1-9][\d,]* pins?: hash ([0-9a-f]{8}) in both\.",
]


def stage(browser, executable, folder, look=lambda name: None):
    server = Server(executable, os.path.join(folder, "stage.sqlite"), options=())
    # Fewer balloons than on stage, because a debug build launches them.
    page = browser.open(server.url + "?stage=4000")
    page.wait(f"{LIVE} && liveMap.list.total === 3207", "all quakes and balloons are there")
    page.key("d")
    page.wait("document.body.classList.contains('on-stage') && !document.querySelector('#tour').checkVisibility()",
              "the panels are away")
    for number in range(1, len(TOLD) + 1):
        page.wait(f"liveMap.stage.told.length >= {number}", TOLD[number - 1])
        look(number)
    page.wait(f"liveMap.stage.told.length === {len(TOLD)} && document.querySelector('#second.shown')", "two windows")
    told = page.evaluate("liveMap.stage.told")
    for text, words in zip(told, TOLD):
        print(f"          {text}", flush=True)
        assert re.fullmatch(words, text), f"{text} is not {words}"
    before, after = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+)(?: operations|,)", told[3])[:2]]
    assert after < before, told[3]
    second = "document.querySelector('#second').contentDocument"
    assert page.evaluate(f"{second}.querySelector('#notice').hidden"), page.evaluate(f"{second}.querySelector('#notice').textContent")
    look("end")
    page.key("Escape")
    page.wait("!document.body.classList.contains('on-stage') && !document.querySelector('#second')"
              " && document.querySelector('#tour').checkVisibility()", "the panels are back")
    page.wait("liveMap.status.balloons === 1500 && liveMap.status.movesPerSecond === 1500", "the winds are as before")
    page.key("d")
    page.wait("liveMap.stage.told.length === 1 && liveMap.connection.isOpen", "it begins again")
    page.key("d")
    page.wait("!liveMap.stage.isOn", "the same key ends it")
    assert page.complaints == [], page.complaints
    page.close()
    assert server.end() == 0
