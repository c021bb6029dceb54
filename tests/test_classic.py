"""The classic programs run, learn what they should, and both ways agree."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

CLASSIC = Path(__file__).parent.parent / "examples" / "classic"
SCRIPTS = {path.stem for path in CLASSIC.glob("*.py")} - {"training", "pictures"}
CHECKED = {"descent", "line", "xor", "cubic", "second", "clusters", "moons", "gpt"}


def output(script: str, *options: str) -> str:
    """What a script prints."""
    command = [sys.executable, str(CLASSIC / f"{script}.py"), *options]
    found = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert found.returncode == 0, found.stderr
    return found.stdout


def differences(text: str) -> list[float]:
    """By how much the loss curves of a script differ."""
    return [float(number) for number in re.findall(r"differ by (\S+) at", text)]


def test_every_script_is_checked() -> None:
    assert SCRIPTS == CHECKED


def test_descent_finds_the_lowest_point() -> None:
    text = output("descent", "--steps", "200")
    assert "w1 = 1.0000, w2 = 5.0000" in text
    assert max(differences(text)) <= 1e-12


def test_line_is_found_to_two_decimals() -> None:
    text = output("line")
    assert "y = 2.00x + 0.00" in text
    assert max(differences(text)) <= 1e-12


def test_xor_is_learned_by_both_networks() -> None:
    text = output("xor")
    right = [
        (float(x) != float(y)) == (float(score) > 0.0)
        for x, y, score in re.findall(r"^\((\S+), (\S+)\): +(\S+)$", text, re.M)
    ]
    assert right == [True] * 8
    assert len(differences(text)) == 2 and max(differences(text)) <= 1e-12


def test_derivative_of_the_cube() -> None:
    text = output("cubic")
    assert text.count("27.0000000000000000") == 3
    errors = [float(number) for number in re.findall(r"off by (\S+)", text)]
    assert errors[1] < 1e-5 < errors[0] and errors[-1] > min(errors)


def test_second_derivatives_agree() -> None:
    numbers = [
        float(x) for x in re.findall(r"-?\d\.\d{16}\b(?![,)])", output("second"))
    ]
    assert numbers[:4] == pytest.approx(numbers[4:], rel=1e-14)
    assert numbers[1] == numbers[2]
    assert numbers[0] == pytest.approx(1.2**2 * 2.718281828459045**0.6, rel=1e-14)


def test_clusters_are_told_apart() -> None:
    text = output("clusters")
    assert max(differences(text)) <= 1e-12
    match = re.search(r"(\d+) of 300 new points", text)
    assert match and int(match[1]) > 280


@pytest.mark.long
def test_moons_are_told_apart() -> None:
    text = output("moons")
    assert max(differences(text)) <= 1e-9
    match = re.search(r"(\d+) of 100 points", text)
    assert match and int(match[1]) > 90


@pytest.mark.long
def test_gpt_learns_to_spell() -> None:
    text = output("gpt", "--longest", "3", "--steps", "200", "--both", "3")
    assert "4064 parameters" in text
    assert max(differences(text)) <= 1e-12
    losses = [float(x) for x in re.findall(r"mean loss (\S+)", text)]
    assert losses[-1] < losses[0] - 0.3
    assert "invented: " in text


@pytest.mark.parametrize(
    "script, files", [("descent", ["x"]), ("xor", ["x_relu", "x_tanh"])]
)
def test_pictures(script: str, files: list[str], tmp_path: Path) -> None:
    text = output(script, "--steps", "5", "--picture", str(tmp_path / "x.png"))
    if not importlib.util.find_spec("matplotlib"):
        assert "no picture" in text
        return
    for name in files:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
