"""Many machines: the same numbers as on one, whatever becomes of the machines."""

import os
import sys
import time

import pytest

from colonnade import LSTM, BadInput, Columnar, RandomTeacher, SquaredError, independent, rtrl
from colonnade.runs.cluster import Cluster
from colonnade.runs.driver import drive
from colonnade.runs.local import Local
from colonnade.runs.missing import Missing
from colonnade.runs.scanned import Optax, Scanned
from colonnade.runs.store import Store
from colonnade.runs.sweep import Goal, Point, Sweep
from colonnade.runs.work import Lost
from runs.sweeper import everything
from runs.walks import Computation, Falling, Walk, recorded, statuses, sweep_of, undisturbed

SECONDS_TO_SETTLE = 3.0
MEMORY = 80 << 20  # of each node, the least that Ray takes


def refused(address):
    with pytest.raises(BadInput) as caught:
        Cluster(address)
    return str(caught.value)


def test_without_ray_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(Missing, match=r"a cluster needs ray: pip install '.\[cluster\]'"):
        Cluster("auto")


@pytest.mark.parametrize("address", ["auto", "ray://10.0.0.1:10001", "nonsense", "127.0.0.1:1"])
def test_a_cluster_that_is_not_there_is_refused_at_once(address, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    said = refused(address)
    assert said.startswith("ray: expected the address of a Ray cluster that runs") and repr(address) in said


def test_a_cluster_that_has_ended_is_refused_at_once(tmp_path, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1")  # as one that was killed leaves it
    assert "Connection refused" in refused("auto")


@pytest.fixture
def nodes(monkeypatch):
    """Three nodes of a core each, on this machine; the first is the head."""
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "300")  # on a machine that is busy
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(__file__)))
    from ray.cluster_utils import Cluster as Nodes

    settings = {"num_cpus": 1, "object_store_memory": MEMORY}
    cluster = Nodes(initialize_head=True, head_node_args={**settings, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(**settings)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


def algebra():
    experiment = Scanned(
        Columnar(LSTM(1), 3),
        independent(rtrl()),
        SquaredError(),
        Optax("adam", {"learning_rate": 1e-2}),
        RandomTeacher(3, 4),
        steps=3000,
        every=1000,
        lanes=2,
    )
    return Point(experiment, {"kind": "algebra"})


def of_everything(pause):
    points = (*everything(pause).points, algebra())
    return Sweep("everything", points, (0, 1, 2, 3), goal=Goal("error", "most"))


def swept(path, sweep, executor, **more):
    with Store(path) as store:
        return drive(sweep, store, executor, seconds_a_message=0.05, **more)


class Noting(Cluster):
    """Keeps what was lost."""

    lost = ()

    def messages(self, seconds):
        told = super().messages(seconds)
        self.lost += tuple(message for message in told if isinstance(message, Lost))
        return told


@pytest.mark.soak
def test_a_node_that_goes_takes_nothing_with_it(nodes, tmp_path):
    began, log, gone, quiet = time.monotonic(), [], [], [0, 0.0]
    here, there, sweep = tmp_path / "here.db", tmp_path / "there.db", of_everything(pause=0.15)

    def remove_one(state):
        line = f"{time.monotonic() - began:7.2f} s  {dict(state.counts)}"
        if state.counts["finished"] != quiet[0]:
            quiet[:] = state.counts["finished"], time.monotonic()
        settled = time.monotonic() - quiet[1] > SECONDS_TO_SETTLE  # every node is in the midst of a task
        if state.counts["finished"] >= 5 and state.counts["running"] >= 3 and settled and not gone:
            gone.append(nodes.worker_nodes.copy().pop())
            nodes.remove_node(gone[0], allow_graceful=False)
            line += "  a node of three is killed"
        if len(executor.lost) > sum("lost" in told for told in log):
            line += f"  lost: {executor.lost[-1].reason.split('.')[0]}"
        if not log or log[-1].partition("s  ")[2] != line.partition("s  ")[2]:
            log.append(line)

    executor = Noting(nodes.address)
    state = swept(there, sweep, executor, watch=remove_one)
    (tmp_path / "ray.log").write_text("\n".join(log) + "\n")
    print("\n".join(log))
    assert gone and executor.lost
    assert state.counts["finished"] == state.total == 20
    assert swept(here, sweep, Local(2)).counts["finished"] == 20
    assert recorded(there) == recorded(here)
    walks = undisturbed(Sweep("walks", sweep.points[:-1], sweep.seeds))
    assert set(walks) < set(recorded(there))
    with Store(there) as store:
        assert store.db.execute("SELECT count(*), min(status) FROM runs").fetchone() == (20, "finished")
        assert store.db.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)


@pytest.mark.soak
def test_stopping_and_failing_on_a_cluster(nodes, tmp_path):
    path, turns = tmp_path / "runs.db", iter(range(10**6))
    sweep = sweep_of(Walk(steps=200, pause=0.05))
    state = swept(path, sweep, Cluster(nodes.address), stop=lambda: next(turns) > 50)
    assert state.stopping and state.counts["finished"] < 8
    assert "running" not in statuses(path)
    with Store(path) as store:
        kept = store.db.execute("SELECT count(*) FROM checkpoints WHERE step > 0").fetchone()[0]
    assert kept > 0
    assert swept(path, sweep, Cluster(nodes.address)).counts["finished"] == 8
    assert recorded(path) == undisturbed(sweep)


@pytest.mark.soak
def test_what_fails_and_what_dies_on_a_cluster(nodes, tmp_path):
    path = tmp_path / "runs.db"
    falls = ("raises", "dies once", "dies")
    points = tuple(Point(Falling(how=how, mark=str(tmp_path / "mark")), {"how": how}) for how in falls)
    state = swept(path, Sweep("falls", points, (0,), goal=Goal("error", "most")), Cluster(nodes.address))
    assert (state.counts["failed"], state.counts["finished"]) == (2, 1)
    assert (tmp_path / "mark").exists()
    with Store(path) as store:
        reasons = dict(store.db.execute("SELECT label, failure FROM runs JOIN members ON run = runs.id"))
    assert reasons['{"how":"raises"}'].rstrip().endswith("ValueError: it falls")
    assert reasons['{"how":"dies once"}'] is None
    assert "died 4 times; WorkerCrashedError" in reasons['{"how":"dies"}']


@pytest.mark.soak
def test_a_node_with_other_versions_is_refused(nodes, tmp_path, monkeypatch):
    executor = Cluster(nodes.address)
    executor.versions["numpy"] = "0.1"
    path = tmp_path / "runs.db"
    state = swept(path, sweep_of(Computation(), starts=(0.2,), seeds=(0,)), executor)
    assert state.counts["failed"] == 1
    with Store(path) as store:
        (reason,) = store.db.execute("SELECT failure FROM runs").fetchone()
    assert "has numpy" in reason and "the driver 0.1" in reason
