// The distribution of all samples after the warm-up, and beneath it the intervals that were drawn from it.
import {duration} from "../format.js";
import {timedOf} from "./benchmark.js";
import {axisX, dot, ink, plot, rectY, ruleX, ruleY, text} from "./plot.js";

export function density(figure: HTMLElement, width: number): Element | undefined {
  const timed = timedOf(figure);
  const histogram = timed?.samples.histogram;
  if (timed === undefined || histogram === undefined) return undefined;
  const step = (histogram.high - histogram.low) / histogram.counts.length || Math.abs(histogram.low) * 1e-3 || 1;
  const bins = histogram.counts.map((count, i) => ({x1: histogram.low + i * step, x2: histogram.low + (i + 1) * step, count}));
  const most = Math.max(1, ...histogram.counts);
  const intervals = [
    {name: "headline", value: timed.time.value, colour: ink.text},
    {name: "median", value: timed.time.median, colour: ink.good},
    {name: "mean", value: timed.time.mean, colour: ink.caution},
  ].flatMap((row, i) => {
    if (row.value === undefined) return [];
    const [point, low, high] = row.value;
    return [{name: row.name, colour: row.colour, point, low: low ?? point, high: high ?? point, y: -most * (0.14 + 0.14 * i)}];
  });
  const outside = histogram.below + histogram.above;
  const edges = [histogram.low, bins[bins.length - 1]?.x2 ?? histogram.high, ...intervals.flatMap((row) => [row.low, row.high])];
  const wide = width < 420 ? 3 : 5;
  return plot({
    width,
    height: 240,
    marginLeft: 12,
    marginRight: 68,
    marginTop: 20,
    x: {label: null, domain: [Math.min(...edges), Math.max(...edges)]},
    y: {axis: null, domain: [-most * 0.56, most]},
    marks: [
      rectY(bins, {x1: "x1", x2: "x2", y1: 0, y2: "count", fill: ink.accent, fillOpacity: 0.5, insetLeft: 0.5, insetRight: 0.5,
                   title: (bin) => `${bin.count} samples\n${duration(bin.x1)} … ${duration(bin.x2)}`, className: "bins",
                   tip: {fill: "var(--page)", stroke: ink.line}}),
      ruleY([0], {stroke: ink.line}),
      axisX({anchor: "bottom", ticks: wide, tickFormat: (v: number) => duration(v), fill: ink.quiet, stroke: "none"}),
      ruleY(intervals, {x1: "low", x2: "high", y: "y", stroke: "colour", strokeWidth: 3, strokeLinecap: "round"}),
      dot(intervals, {x: "point", y: "y", fill: "colour", r: 4, title: (row) => `${row.name}\n${duration(row.point)} [${duration(row.low)}, ${duration(row.high)}]`,
                      className: "estimates", tip: {fill: "var(--page)", stroke: ink.line}}),
      text(intervals, {y: "y", text: "name", frameAnchor: "right", textAnchor: "start", dx: 8, fill: "colour"}),
      ...intervals.slice(0, 1).map((row) => ruleX([row.point], {stroke: ink.text, strokeDasharray: "2 3", y1: 0, y2: most})),
      ...(outside > 0 ? [text([`${outside} far outside`], {frameAnchor: "top-right", dx: 60, dy: -12, fill: ink.quiet})] : []),
    ],
  });
}
