"""Scripts in processes of their own: for what would be dangerous, or can't be set, in the one that tests."""

import os
import subprocess
import sys


def in_a_process(script, *arguments, timeout=600, **environment):
    """Run a script, and return what it prints."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    paths = os.pathsep.join(path for path in sys.path if path)
    settings = {**os.environ, "PYTHONPATH": paths, **environment}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
