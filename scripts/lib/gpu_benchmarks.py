# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks of gpu-check, compared with the bars that they must reach."""

import json
import os


def results_of(path):
    """The benchmarks with right results in a report of Google Benchmark, by name; empty without a report."""
    try:
        report = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        right = [each for each in report["benchmarks"] if not each.get("error_occurred")]
        return {each["name"].split("/")[0]: each for each in right}
    except (OSError, ValueError, KeyError):
        return {}


def run_bench_device(checks, ranks, quick):
    # Read from a file and not from stdout, to which MPI may print as well.
    report = checks.out / f"bench_device_np{ranks}.json"
    report.unlink(missing_ok=True)
    arguments = [f"--benchmark_out={report}", "--benchmark_out_format=json"]
    if ranks > 1:
        arguments.append("--benchmark_filter=^exchange_")
    if quick:
        arguments.append("--smoke")
    log = checks.run_program(f"bench_device np{ranks}", "bench_device", arguments, ranks, 400)
    # One wrong result makes the program fail, but the other results are still valid.
    results = results_of(report)
    if log and not results:
        checks.add(f"bench_device np{ranks}: report", "FAILED", note=f"none in {report.name}")
    for name, each in results.items():
        if ranks == 1 and name.startswith("exchange_"):
            continue
        checks.benchmarks[f"{name} np{ranks}"] = each
        print(
            f"         {name:24} device {each['device_us']:10.1f} us, wall {each['wall_us']:10.1f} us; "
            f"model {each['model_sector_bytes'] / 1e6:.1f} MB, {each['model_us']:.1f} us at the copies' "
            f"{each['copy_gbs']:.0f} GB/s: share {each['share']:.3f}, of useful bytes "
            f"{each['useful_share']:.3f}; {each['kernels']:.0f} kernels, {each['copies']:.0f} copies"
        )
    return results


def share_bar(checks, results, name, bar, quick):
    """Adds a bar, except for small benchmarks: launches dominate these, so their share means nothing."""
    if name in results and not quick:
        share = results[name]["share"]
        checks.add_bar(f"{name}: share of copies", share, f"at least {bar}", share >= bar)


def measure_shares(checks, quick):
    alone = run_bench_device(checks, 1, quick)
    share_bar(checks, alone, "self_periodic_exchange", 0.5, quick)
    share_bar(checks, alone, "transposition", 0.75, quick)
    share_bar(checks, alone, "daxpy", 0.92, quick)
    if "self_periodic_exchange" in alone:
        kernels = alone["self_periodic_exchange"]["kernels"]
        checks.add_bar("self_periodic_exchange: kernels", kernels, "at most 2", kernels <= 2)

    pair = run_bench_device(checks, 2, quick)
    if {"exchange_staged", "exchange_in_place"} <= pair.keys() and not quick:
        ratio = pair["exchange_staged"]["device_us"] / pair["exchange_in_place"]["device_us"]
        checks.add_bar("staging / IPC, time of kernels and copies", ratio, "at least 3", ratio >= 3)


def measure_shallow_water(checks, quick):
    """Time and norms of the published benchmark, beside the STREAM triad of the same run."""
    for cut in ("tiles", "strips"):
        name = f"shallow_water --benchmark {cut}"
        report = checks.out / f"shallow_water_{cut}.json"
        arguments = ["--benchmark", "--space", "cuda", "--cut", cut, "--json", report]
        if quick:
            arguments += ["--nx", 360, "--ny", 180]
        if not checks.run_program(name, "shallow_water", arguments, 1, 200):
            continue
        values = json.loads(report.read_text(encoding="utf-8"))
        checks.benchmarks[name] = values
        cells = values["nx"] * values["ny"]
        print(
            f"         {values['seconds']:.4f} s, {values['mcell_steps_per_s']:.0f} Mcell-steps/s; model "
            f"{48 * cells / 1e6:.1f} MB a step: {48e-9 * cells * 500 / values['seconds']:.0f} GB/s of "
            f"the triad's {values['triad_gbs']:.0f} GB/s"
        )
        reference = values.get("reference_l2", {}).get("501")
        if not reference:
            continue
        off = {
            field: abs(values["steps"]["501"][field]["l2"] / reference[field] - 1) for field in "huv"
        }
        right = off["h"] < 1e-6 and off["u"] < 1e-5 and off["v"] < 1e-4
        checks.add(f"{name}: norms", "passed" if right else "FAILED", note=f"off by {off}")
        if cut == "tiles":
            seconds = values["seconds"]
            checks.add_bar(
                "shallow_water 500 steps, s", seconds, "under 0.15 (H100)", right and seconds < 0.15
            )


def measure_ptrans(checks, quick):
    size = 2048 if quick else 16384
    for beta in (0, 1):
        name = f"ptrans {size} beta {beta}"
        report = checks.out / f"ptrans_{size}_{beta}.json"
        arguments = ["--space", "cuda", "--m", size, "--nb", size, "--beta", beta, "--trials", 3]
        arguments += ["--json", report]
        # The host makes the matrices and checks the result with all its cores.
        if not checks.run_program(name, "ptrans", arguments, 1, 300, threads=os.cpu_count() or 1):
            continue
        values = json.loads(report.read_text(encoding="utf-8"))
        checks.benchmarks[name] = values
        speed = values["memory_bytes"] / min(values["trial_seconds"]) / 1e9
        print(f"         {speed:.1f} GB/s of device memory, by wall time")


def measure(checks, quick):
    measure_shares(checks, quick)
    measure_shallow_water(checks, quick)
    measure_ptrans(checks, quick)
