// Samples in the order they were taken, processes side by side, warm-up and outliers marked.
import {duration} from "../format.js";
import {type Point, pointsOf, timedOf} from "./benchmark.js";
import {axisY, dot, gridY, ink, plot, rect, ruleY, text} from "./plot.js";

const looks: Record<string, {name: string; colour: string; symbol: "circle" | "triangle" | "times"; r: number}> = {
  ".": {name: "steady", colour: ink.accent, symbol: "circle", r: 2},
  "w": {name: "warm-up", colour: ink.caution, symbol: "circle", r: 2.6},
  "o": {name: "mild outlier", colour: ink.bad, symbol: "triangle", r: 2.6},
  "x": {name: "severe outlier", colour: ink.bad, symbol: "times", r: 3.2},
};

export function samples(figure: HTMLElement, width: number): Element | undefined {
  const timed = timedOf(figure);
  if (timed === undefined) return undefined;
  const points = pointsOf(timed.samples);
  const note = figure.querySelector("figcaption");
  if (note !== null && !note.classList.contains("ready")) {
    note.classList.add("ready");
    const {taken, every} = timed.samples;
    note.append(every === 1 ? ` (all ${taken})` : every === 0 ? "" : ` (every ${every}${every === 2 ? "nd" : every === 3 ? "rd" : "th"} of ${taken})`);
    note.append(": ○ warm-up, ▲ mild and × severe outliers; bands are processes, the line is the headline with its interval.");
  }
  if (points.length === 0) return undefined;
  const bands = points.reduce<{x1: number; x2: number; process: number}[]>((all, p) => {
    const last = all[all.length - 1];
    if (last !== undefined && last.process === p.process) last.x2 = p.index + 0.5;
    else all.push({x1: p.index - 0.5, x2: p.index + 0.5, process: p.process});
    return all;
  }, []);
  const [point, low, high] = timed.time.value ?? [undefined];
  // A spike must not squeeze everything else into a line: what lies beyond is drawn at the edge.
  const sorted = points.map((p) => p.value).sort((a, b) => a - b);
  const middle = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const span = Math.max(middle(0.75) - middle(0.25), (middle(0.5) || 1) * 1e-3);
  const top = Math.min(sorted[sorted.length - 1] ?? 0, middle(0.75) + 8 * span);
  const bottom = Math.max(sorted[0] ?? 0, middle(0.25) - 8 * span);
  const inside = (value: number) => Math.min(Math.max(value, bottom), top);
  const beyond = points.filter((p) => p.value > top || p.value < bottom).length;
  return plot({
    width,
    height: width < 500 ? 220 : 280,
    marginLeft: 64,
    marginRight: 12,
    marginTop: 26,
    x: {axis: null, domain: [-0.5, points.length - 0.5]},
    y: {label: null, domain: [bottom - 0.06 * (top - bottom || span), top + 0.06 * (top - bottom || span)]},
    marks: [
      rect(bands.filter((band) => band.process % 2 === 1), {x1: "x1", x2: "x2", fill: ink.line, fillOpacity: 0.45}),
      gridY({stroke: ink.line, strokeOpacity: 1, ticks: 5}),
      axisY({tickFormat: (v: number) => duration(v), ticks: 5, fill: ink.quiet, stroke: "none"}),
      ...(low !== undefined && high !== undefined ? [rect([0], {y1: low, y2: high, fill: ink.text, fillOpacity: 0.12})] : []),
      ...(point !== undefined ? [ruleY([point], {stroke: ink.text, strokeWidth: 1.2})] : []),
      dot(points, {
        x: "index", y: (p) => inside(p.value),
        r: (p) => looks[p.mark]?.r ?? 2,
        symbol: (p: Point) => looks[p.mark]?.symbol ?? "circle",
        stroke: (p) => (p.mark === "." ? "none" : looks[p.mark]?.colour ?? ink.accent),
        fill: (p) => (p.mark === "w" || p.mark === "x" ? "none" : looks[p.mark]?.colour ?? ink.accent),
        fillOpacity: 0.75,
        title: (p) => `${duration(p.value)}\n${looks[p.mark]?.name ?? ""}, process ${p.process + 1}`,
        className: "samples", tip: {fill: "var(--page)", stroke: ink.line},
      }),
      ...(beyond > 0 ? [text([`${beyond} beyond the scale, drawn at its edge`], {frameAnchor: "top-right", dy: -14, fill: ink.quiet})] : []),
    ],
    r: {type: "identity"},
  });
}
