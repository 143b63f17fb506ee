// Times against sizes on logarithmic scales, with the fitted power laws.
import {reportData} from "../data.js";
import {duration, si} from "../format.js";
import {axisX, axisY, decades, dot, gridX, gridY, ink, line, plot, ruleX, series, shorten, text} from "./plot.js";

const mostLines = 14;

export function scaling(figure: HTMLElement, width: number): Element | undefined {
  const all = reportData().growth ?? [];
  const shown = all.slice(0, mostLines);
  if (shown.length === 0) return undefined;
  const note = figure.querySelector("figcaption");
  if (note !== null && shown.length < all.length && !note.textContent?.includes("first")) {
    note.append(` The first ${mostLines} of ${all.length}; the table has all.`);
  }
  const colour = (index: number) => series[index % series.length] ?? ink.accent;
  const points = shown.flatMap((g, i) => g.points.map(([n = 0, time = 0, low, high]) => (
    {family: i, name: g.benchmark, n, time, low: Math.max(low ?? time, time / 10), high: high ?? time})));
  const fits = shown.flatMap((g, i) => {
    const sizes = g.points.map(([n = 0]) => n);
    const first = Math.min(...sizes), last = Math.max(...sizes), k = g.exponent[0];
    return [first, last].map((n) => ({family: i, n, time: g.factor * n ** k}));
  });
  const ends = shown.map((g, i) => {
    const last = fits[2 * i + 1];
    return {family: i, n: last?.n ?? 1, time: last?.time ?? 1, name: shorten(g.benchmark, width < 700 ? 14 : 28), k: g.exponent[0], interval: g.exponent};
  });
  // An interval that reaches below zero has no end on this scale: it is cut off at a tenth.
  const times = [...points.flatMap((p) => [p.low, p.high]), ...fits.map((f) => f.time)], sizes = points.map((p) => p.n);
  const lowest = Math.min(...times), highest = Math.max(...times);
  const label = (end: typeof ends[number]) => `${end.name}  n^${end.k.toFixed(2)}`;
  // Labels that would touch are pushed apart from the top downwards.
  const height = Math.min(560, Math.max(360, width * 0.5));
  const inner = height - 60, scale = (t: number) => 20 + inner * (1 - (Math.log(t) - Math.log(lowest)) / (Math.log(highest) - Math.log(lowest) || 1));
  const placed = ends.map((end) => ({...end, y: scale(end.time)})).sort((a, b) => a.y - b.y);
  placed.forEach((end, i) => {
    const above = placed[i - 1];
    if (above !== undefined) end.y = Math.max(end.y, above.y + 15);
  });
  const labels = width > 560;
  return plot({
    width,
    height,
    marginLeft: 64,
    marginRight: labels ? 60 + 6.4 * Math.max(...ends.map((end) => label(end).length - 4)) : 20,
    marginTop: 20,
    marginBottom: 40,
    x: {type: "log", label: null},
    y: {type: "log", label: null, domain: [lowest, highest], nice: false},
    marks: [
      gridX(decades(Math.min(...sizes), Math.max(...sizes)), {stroke: ink.line, strokeOpacity: 1}),
      gridY(decades(lowest, highest), {stroke: ink.line, strokeOpacity: 1}),
      axisX(decades(Math.min(...sizes), Math.max(...sizes), width < 500 ? 5 : 8), {tickFormat: (n: number) => si(n), fill: ink.quiet, stroke: "none"}),
      axisY(decades(lowest, highest), {tickFormat: (t: number) => duration(t), fill: ink.quiet, stroke: "none"}),
      line(fits, {x: "n", y: "time", z: "family", stroke: (f) => colour(f.family), strokeWidth: 1.5, strokeOpacity: 0.8, className: "fits"}),
      ruleX(points, {x: "n", y1: "low", y2: "high", stroke: (p) => colour(p.family), strokeWidth: 2}),
      dot(points, {x: "n", y: "time", fill: (p) => colour(p.family), r: 3.5, className: "times",
                   title: (p) => `${p.name}\nn = ${si(p.n)}: ${duration(p.time)} [${duration(p.low)}, ${duration(p.high)}]`,
                   tip: {fill: "var(--page)", stroke: ink.line}}),
      ...(labels ? placed.map((end) => text([end], {x: "n", y: "time", dx: 10, dy: end.y - scale(end.time), textAnchor: "start", fill: colour(end.family), text: label})) : []),
    ],
  });
}
