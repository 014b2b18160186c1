"""Two nodes on this machine, one of which goes in the middle: ``make test-cluster``."""

import subprocess

import pytest

from .test_ray import actors, command, corpus, on_ray, results, run, until

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.cluster


def test_a_lost_node_loses_nothing(tmp_path, monkeypatch):
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    for name in ("whole", "lost"):
        (tmp_path / name).mkdir()
    source = corpus(tmp_path / "in", 12, 2)
    assert run(command(source, tmp_path / "whole" / "out")).returncode == 0
    more = {"num_cpus": 1, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**more, "include_dashboard": False})
    try:
        second = cluster.add_node(**more)
        out = tmp_path / "lost" / "out"
        before = set(actors())
        driver = subprocess.Popen(
            on_ray([cluster.address], source, out, "--edits", tmp_path / "e.json"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        journal = tmp_path / "lost" / "out.run" / "journal.sqlite-wal"
        until(lambda: len(set(actors()) - before) == 2 and journal.exists(), 120)
        cluster.remove_node(second, allow_graceful=False)
        _, err = driver.communicate(timeout=300)
        assert driver.returncode == 0, err
    finally:
        cluster.shutdown()
    whole, made = results(tmp_path / "whole" / "out"), results(out)
    assert made[0] == whole[0]
