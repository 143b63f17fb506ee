// Operations below the roofs that were measured on the machine (Williams, Waterman and Patterson 2009).
import {type Breakdown, type Op, reportData} from "../data.js";
import {bytes, duration, si} from "../format.js";
import {axisX, axisY, decades, dot, gridX, gridY, ink, line, plot, text} from "./plot.js";

const regimes = {compute: ink.good, bandwidth: ink.bad, overhead: ink.caution};

function colour(op: Op): string {
  return op.kind === "matmul" ? ink.matmul : regimes[op.regime];
}

interface Placed extends Op {
  mode: string;
  intensity: number;
  rate: number;
}

function placedOps(breakdown: Breakdown): Placed[] {
  return (breakdown.modes ?? []).flatMap((mode) => (mode.ops ?? [])
    .filter((op) => op.flops > 0 && op.bytes > 0 && op.duration_ns > 0)
    .map((op) => ({...op, mode: mode.mode, intensity: op.flops / op.bytes, rate: (op.flops / op.duration_ns) * 1e9})));
}

export function roofline(figure: HTMLElement, width: number): Element | undefined {
  const breakdown = reportData().breakdowns?.[Number(figure.dataset["breakdown"])];
  if (breakdown === undefined) return undefined;
  const ops = placedOps(breakdown);
  const peaks = breakdown.roofs.peaks ?? [], bandwidths = breakdown.roofs.bandwidths ?? [];
  const top = Math.max(0, ...peaks.map((peak) => peak.flops_per_s));
  if (ops.length === 0 || !(top > 0)) return undefined;
  const intensities = [...ops.map((op) => op.intensity), ...bandwidths.map((b) => top / b.bytes_per_s)];
  const left = Math.min(...intensities) / 2, right = Math.max(...intensities) * 4;
  const lowest = Math.min(...ops.map((op) => op.rate)) / 2, highest = top * 1.6;
  const slanted = bandwidths.flatMap((b, i) => {
    const knee = top / b.bytes_per_s;
    const start = Math.max(left, lowest / b.bytes_per_s);
    return start < knee ? [{roof: i, x: start, y: start * b.bytes_per_s}, {roof: i, x: knee, y: top}] : [];
  });
  const flat = peaks.flatMap((peak, i) => {
    const fastest = Math.max(...bandwidths.map((b) => b.bytes_per_s), 0);
    const start = fastest > 0 ? Math.max(left, peak.flops_per_s / fastest) : left;
    return [{roof: i, x: start, y: peak.flops_per_s}, {roof: i, x: right, y: peak.flops_per_s}];
  });
  const names = bandwidths.flatMap((b) => {
    const start = Math.max(left, lowest / b.bytes_per_s);
    const place = start * (top / b.bytes_per_s / start) ** 0.12;
    return [{x: place, y: place * b.bytes_per_s, name: `${b.level} ${bytes(b.bytes_per_s)}/s`}];
  });
  const height = Math.min(460, Math.max(320, width * 0.5));
  const slope = -(Math.atan2((height - 60) / Math.log(highest / lowest), (width - 90) / Math.log(right / left)) * 180) / Math.PI;
  return plot({
    width,
    height,
    marginLeft: 74,
    marginRight: 16,
    marginTop: 20,
    marginBottom: 40,
    x: {type: "log", label: "flops per byte", domain: [left, right], labelAnchor: "right"},
    y: {type: "log", label: null, domain: [lowest, highest]},
    marks: [
      gridX(decades(left, right), {stroke: ink.line, strokeOpacity: 1}),
      gridY(decades(lowest, highest), {stroke: ink.line, strokeOpacity: 1}),
      axisX(decades(left, right), {label: "flops per byte →", labelAnchor: "right", tickFormat: (v: number) => `${v}`, fill: ink.quiet, stroke: "none"}),
      axisY(decades(lowest, highest), {tickFormat: (v: number) => `${si(v)}flop/s`, fill: ink.quiet, stroke: "none"}),
      line(slanted, {x: "x", y: "y", z: "roof", stroke: ink.text, strokeWidth: 1.5, className: "bandwidth-roofs"}),
      line(flat, {x: "x", y: "y", z: "roof", stroke: ink.text, strokeWidth: 1.5, className: "compute-roofs"}),
      text(names, {x: "x", y: "y", text: "name", rotate: slope, dy: -9, textAnchor: "start", fill: ink.quiet, stroke: "var(--page)", strokeWidth: 4}),
      text(peaks, {x: right, y: "flops_per_s", text: (peak) => `${peak.threads} thread${peak.threads === 1 ? "" : "s"} ${si(peak.flops_per_s)}flop/s`, textAnchor: "end", dy: -9, fill: ink.quiet, stroke: "var(--page)", strokeWidth: 4}),
      dot(ops, {x: "intensity", y: "rate", symbol: (op: Placed) => (op.mode === "graph" ? "square" : "circle"),
                stroke: colour, fill: colour,
                fillOpacity: 0.55, strokeWidth: 1.5, r: 5, className: "operations",
                title: (op) => `${op.name} (${op.mode}, ${op.regime})\n${duration(op.duration_ns)}, ${si(op.rate)}flop/s\n${Math.round(op.share_of_roof * 100)} % of its roof`,
                tip: {fill: "var(--page)", stroke: ink.line}}),
    ],
  });
}
