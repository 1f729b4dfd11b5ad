"""Every rule on every cell, held to what it claims. The table is printed at the end of the run."""

import pytest

from proof.cases import all_cases
from proof.check import check

SHOWN = {"above": "exact above", "nothing": "learns nothing"}


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_claim(case, record_property):
    error = check(case)
    record_property("rule", case.rule_name)
    record_property("cell", case.cell_name)
    claim = SHOWN.get(case.claim, case.claim)
    record_property("found", claim if case.claim == "nothing" else f"{claim} {error:.0e}")
