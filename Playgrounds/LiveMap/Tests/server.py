"""The program under test, and its store as SQLite has it."""

import signal
import sqlite3
import subprocess
import time


class Server:
    """The program, with its store in a file that the tests read, too."""

    running = []

    def __init__(self, executable, store, port=0, options=("--quiet",)):
        self._process = subprocess.Popen(
            [executable, "--port", str(port), "--store", store, *options],
            stdout=subprocess.PIPE, text=True)
        Server.running.append(self)
        greeting = self._process.stdout.readline()
        assert greeting.startswith("Live map at http"), greeting
        self.url = greeting.split()[3]
        self.port = int(self.url.split(":")[2].strip("/"))

    @staticmethod
    def kill_all():
        """Ends every server that a failed test has left."""
        for server in Server.running:
            server.kill()

    def end(self, how=signal.SIGTERM):
        self._process.send_signal(how)
        return self._process.wait(30)

    def kill(self):
        self._process.kill()
        self._process.wait()


class Store:
    """The store's file, through a connection of the test."""

    def __init__(self, path):
        self._path = path

    def rows(self, sql, *values):
        connection = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def count(self, condition="NOT isHidden"):
        """The number of rows. The quakes that a page has deleted stay as hidden rows."""
        return self.rows(f"SELECT count(*) FROM sightings WHERE {condition}")[0][0]

    def note(self, id):
        return self.rows("SELECT note FROM sightings WHERE id = ?", id)[0][0]

    def pins(self):
        rows = self.rows(
            "SELECT id, longitude, latitude, coalesce(place, 'Somewhere') FROM sightings"
            " WHERE NOT isHidden AND latitude IS NOT NULL AND longitude IS NOT NULL")
        return {id: [longitude, latitude, place] for id, longitude, latitude, place in rows}


def until(condition, page, what, seconds=50):
    """Waits for a condition that the page cannot see; the page is asked for the pause."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} seconds: {what}"
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))")
