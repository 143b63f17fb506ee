// The report's data as it stands in the page; docs/report.md describes it. What is undefined is absent.

/** A point, or a point with its interval. */
export type Estimate = [number] | [number, number, number];

export interface Metric {
  name: string;
  unit: string;
  better?: "more" | "neither";
  exact?: boolean;
  origin?: string;
  value?: Estimate;
  n?: number;
  processes?: number;
  mean?: Estimate;
  median?: Estimate;
  quantiles?: [number, number, number, number, number];
}

export interface Histogram {
  low: number;
  high: number;
  counts: number[];
  below: number;
  above: number;
}

export interface Samples {
  taken: number;
  every: number;
  values?: number[];
  /** How many of the values each process has. */
  processes?: number[];
  /** One per value: "." steady, "w" warm-up, "o" mild and "x" severe outlier; absent when all are steady. */
  marks?: string;
  histogram?: Histogram;
}

export interface Benchmark {
  run: number;
  name: string;
  outcome: string;
  metrics?: Metric[];
  samples?: Samples;
}

export interface FullEstimate {
  point: number;
  low?: number;
  high?: number;
}

export interface MetricComparison {
  metric: string;
  verdict: "better" | "worse" | "same" | "undecided";
  ratio?: FullEstimate;
  before?: FullEstimate;
  after?: FullEstimate;
  unit?: string;
}

export interface Growth {
  benchmark: string;
  parameter: string;
  exponent: Estimate;
  factor: number;
  closest: string;
  /** n, time, and the time's interval where there is one. */
  points: number[][];
}

export interface Op {
  name: string;
  kind: "matmul" | "other";
  shapes?: number[][];
  start_ns: number;
  duration_ns: number;
  flops: number;
  bytes: number;
  regime: "compute" | "bandwidth" | "overhead";
  share_of_roof: number;
}

export interface Breakdown {
  benchmark: string;
  roofs: {
    peaks?: {threads: number; flops_per_s: number}[];
    bandwidths?: {level: string; bytes_per_s: number}[];
    overhead_ns: number;
  };
  modes?: {mode: string; ops?: Op[]}[];
}

export interface Pareto {
  metrics: {name: string; unit: string; better: "less" | "more"}[];
  constraints?: {metric: string; at_least: boolean; bound: number}[];
  points: {name: string; values: FullEstimate[]; allowed: boolean; frontier: boolean; dominated_by?: string[]}[];
}

export interface Report {
  schema: number;
  title: string;
  runs: {id: number}[];
  benchmarks: Benchmark[];
  comparison?: {benchmarks?: {name: string; comparable: boolean; outcome: string; metrics?: MetricComparison[]}[]};
  growth?: Growth[];
  breakdowns?: Breakdown[];
  pareto?: Pareto;
}

let text = "";

/** The JSON exactly as it is in the page. */
export function reportText(): string {
  text ||= document.getElementById("data")?.textContent ?? "{}";
  return text;
}

let report: Report | undefined;

/** Parsed when first asked for: the tables need none of it. */
export function reportData(): Report {
  report ??= JSON.parse(reportText()) as Report;
  return report;
}
