"""A notebook in a real JupyterLab, and a real browser that looks at it."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import Page, expect

from chromium import launched


@contextmanager
def served(folder: Path, cell: str) -> Iterator[str]:
    """The address of a notebook of one cell in a JupyterLab that serves a folder."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)], metadata=kernel)
    nbformat.write(notebook, folder / "page.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    settings = [f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    with (folder / "lab.log").open("w") as log:
        server = subprocess.Popen([*command, *settings], stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            until = time.monotonic() + 60
            while not answers(f"http://127.0.0.1:{port}/api"):
                assert server.poll() is None, (folder / "lab.log").read_text()
                assert time.monotonic() < until
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/lab/tree/page.ipynb"
        finally:
            server.terminate()
            server.wait()


@contextmanager
def opened(address: str) -> Iterator[Page]:
    """The notebook in Chromium, its cell run."""
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(address)
        run_cell(page)
        yield page


def run_cell(page: Page) -> None:
    """Run the notebook's first cell; a cell that is run before the kernel is there is quietly not run."""
    expect(page.get_by_text("| Idle")).to_be_visible(timeout=60_000)
    page.locator(".jp-Notebook .cm-content").first.click(timeout=60_000)
    page.keyboard.press("Shift+Enter")


def answers(url: str) -> bool:
    """Whether a server is there."""
    try:
        with urllib.request.urlopen(url):
            return True
    except OSError:
        return False
