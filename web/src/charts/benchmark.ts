// The benchmark that a figure is about, and its time.
import {find, make} from "../dom.js";
import {type Benchmark, type Metric, reportData, type Samples} from "../data.js";

export interface Timed {
  benchmark: Benchmark;
  time: Metric;
  samples: Samples;
}

export function timedOf(figure: HTMLElement): Timed | undefined {
  const benchmark = reportData().benchmarks[Number(figure.dataset["benchmark"])];
  const time = benchmark?.metrics?.find((metric) => metric.name === "time");
  if (benchmark?.samples === undefined || time === undefined) return undefined;
  return {benchmark, time, samples: benchmark.samples};
}

export interface Point {
  index: number;
  value: number;
  process: number;
  mark: string;
}

export function pointsOf(samples: Samples): Point[] {
  const points: Point[] = [];
  let process = 0, left = samples.processes?.[0] ?? 0;
  (samples.values ?? []).forEach((value, index) => {
    while (left === 0 && process < (samples.processes?.length ?? 0) - 1) left = samples.processes?.[++process] ?? 0;
    --left;
    points.push({index, value, process, mark: samples.marks?.[index] ?? "."});
  });
  return points;
}

/** The article says where; what belongs there is the same for all. */
export function addBenchmarkCharts(parent: ParentNode): void {
  for (const place of find<HTMLElement>(".charts[data-benchmark]", parent)) {
    const figure = (chart: string, caption: string) =>
      make("figure", {class: "chart", "data-chart": chart, "data-benchmark": place.dataset["benchmark"] ?? ""}, make("figcaption", {}, caption));
    place.append(
      figure("samples", "Samples in the order they were taken"),
      make("div", {class: "pair"},
           figure("density", "Distribution of all samples after the warm-up, and the intervals drawn from it."),
           figure("processes", "Process by process: samples as ticks, medians as dots. Only processes repeat the experiment.")));
  }
}
