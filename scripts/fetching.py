"""What the fetch scripts share: the ordinary package clients, quiet unless they fail."""

import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


def environment(name, requirements):
    """A virtual environment build/NAME with what the file names; nothing is done when it is there already."""
    directory, requirements = TOP / "build" / name, TOP / requirements
    installed = directory / "requirements.txt"
    if installed.exists() and installed.read_text() == requirements.read_text():
        return
    run([str(TOP / "scripts/setup"), "test"])
    print(f"fetch: bringing what {requirements.relative_to(TOP)} names", flush=True)
    run([sys.executable, "-m", "venv", "--clear", str(directory)])
    run([str(directory / "bin/pip"), "install", "-q", "-r", str(requirements)])
    shutil.copy(requirements, installed)


def sdist(requirement, sha256, scratch, hint=""):
    """Brings one pinned source package into the directory `scratch`; the path of its archive.

    pip itself refuses an archive with another hash.
    """
    name = requirement.split("==")[0]
    requirements = Path(scratch, "requirements.txt")
    requirements.write_text(f"{requirement} --hash=sha256:{sha256}\n")
    run([sys.executable, "-m", "venv", f"{scratch}/venv"])
    run([f"{scratch}/venv/bin/pip", "download", "-q", "--no-deps", "--no-binary", name,
         "--require-hashes", "-d", str(scratch), "-r", str(requirements)], hint)
    archive, = Path(scratch).glob("*.tar.gz")
    return archive


def run(command, hint=""):
    """Quiet when it succeeds; else the end of its output and an exit that names the command."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.stderr.write(result.stdout[-3000:])
        raise SystemExit(f"'{' '.join(map(str, command[:2]))}' failed, see above{hint}")
