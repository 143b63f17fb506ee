// The spread inside each process and between them: samples as ticks, each process's median as a dot.
import {duration} from "../format.js";
import {pointsOf, timedOf} from "./benchmark.js";
import {axisX, axisY, dot, gridX, ink, plot, ruleX, tickX} from "./plot.js";

export function processes(figure: HTMLElement, width: number): Element | undefined {
  const timed = timedOf(figure);
  if (timed === undefined) return undefined;
  const points = pointsOf(timed.samples).filter((p) => p.mark === "." || p.mark === "o");
  const numbers = [...new Set(points.map((p) => p.process))];
  if (numbers.length < 2) return undefined;
  const medians = numbers.map((process) => {
    const values = points.filter((p) => p.process === process).map((p) => p.value).sort((a, b) => a - b);
    const half = (values.length - 1) / 2;
    return {process, value: ((values[Math.floor(half)] ?? 0) + (values[Math.ceil(half)] ?? 0)) / 2};
  });
  const point = timed.time.value?.[0];
  return plot({
    width,
    height: Math.max(240, 40 + 14 * numbers.length),
    marginLeft: 40,
    marginRight: 16,
    x: {label: null},
    y: {type: "band", domain: numbers, label: null, padding: 0.3},
    marks: [
      gridX({stroke: ink.line, strokeOpacity: 1, ticks: 4}),
      axisX({ticks: width < 420 ? 3 : 4, tickFormat: (v: number) => duration(v), fill: ink.quiet, stroke: "none"}),
      axisY({tickFormat: (process: number) => `${process + 1}`, fill: ink.quiet, stroke: "none"}),
      tickX(points, {x: "value", y: "process", stroke: ink.accent, strokeOpacity: 0.35}),
      dot(medians, {x: "value", y: "process", fill: ink.text, r: 3.5, className: "medians",
                    title: (row) => `process ${row.process + 1}\nmedian ${duration(row.value)}`, tip: {fill: "var(--page)", stroke: ink.line}}),
      ...(point !== undefined ? [ruleX([point], {stroke: ink.text, strokeDasharray: "2 3"})] : []),
    ],
  });
}
