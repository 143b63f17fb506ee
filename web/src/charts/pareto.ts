// Variants over two metrics with their intervals; the line joins the frontier, the size of a mark is a third metric.
import {reportData} from "../data.js";
import {quantity} from "../format.js";
import {axisX, axisY, dot, gridX, gridY, ink, line, plot, ruleX, ruleY, shorten, text} from "./plot.js";

interface Point {
  name: string;
  frontier: boolean;
  allowed: boolean;
  beaten: string[];
  x: number;
  x1: number;
  x2: number;
  y: number;
  y1: number;
  y2: number;
  size: number;
}

export function pareto(_figure: HTMLElement, width: number): Element | undefined {
  const front = reportData().pareto;
  const [across, up, size] = front?.metrics ?? [];
  if (front === undefined || across === undefined || up === undefined) return undefined;
  const points = front.points.flatMap((p): Point[] => {
    const [x, y, r] = p.values;
    if (x === undefined || y === undefined) return [];
    return [{name: p.name, frontier: p.frontier, allowed: p.allowed, beaten: p.dominated_by ?? [], x: x.point, x1: x.low ?? x.point, x2: x.high ?? x.point,
             y: y.point, y1: y.low ?? y.point, y2: y.high ?? y.point, size: r?.point ?? 1}];
  });
  const largest = Math.max(...points.map((p) => p.size), 0);
  const radius = (value: number) => (size === undefined || !(largest > 0) ? 6 : 4 + 12 * Math.sqrt(Math.max(0, value) / largest));
  const colour = (p: Point) => (!p.allowed ? ink.bad : p.frontier ? ink.good : ink.quiet);
  const leading = points.filter((p) => p.frontier).sort((a, b) => a.x - b.x);
  const positive = (values: number[]) => values.every((v) => v > 0) && Math.max(...values) / Math.min(...values) > 5;
  const logX = positive(points.map((p) => p.x)), logY = positive(points.map((p) => p.y));
  const padded = (values: number[], logarithmic: boolean): [number, number] => {
    const low = Math.min(...values), high = Math.max(...values);
    if (logarithmic) return [low / (high / low) ** 0.12, high * (high / low) ** 0.18];
    const room = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
    return [low - room, high + room * 1.4];
  };
  const bounds = front.constraints ?? [];
  const arrow = (metric: typeof across) => `${metric.name} ${metric.better === "less" ? "(less is better)" : "(more is better)"}`;
  return plot({
    width,
    height: Math.min(520, Math.max(340, width * 0.55)),
    marginLeft: 70,
    marginRight: 24,
    marginTop: 30,
    marginBottom: 44,
    x: {type: logX ? "log" : "linear", domain: padded(points.flatMap((p) => (logX ? [p.x] : [p.x1, p.x2])), logX), label: null},
    y: {type: logY ? "log" : "linear", domain: padded(points.flatMap((p) => (logY ? [p.y] : [p.y1, p.y2])), logY), label: null},
    marks: [
      gridX({stroke: ink.line, strokeOpacity: 1, ticks: 6}),
      gridY({stroke: ink.line, strokeOpacity: 1, ticks: 6}),
      axisX({ticks: width < 500 ? 3 : 6, label: `${arrow(across)} →`, labelAnchor: "right", tickFormat: (v: number) => quantity(v, across.unit), fill: ink.quiet, stroke: "none"}),
      axisY({ticks: 6, label: `↑ ${arrow(up)}`, tickFormat: (v: number) => quantity(v, up.unit), fill: ink.quiet, stroke: "none"}),
      ...bounds.filter((b) => b.metric === across.name).map((b) => ruleX([b.bound], {stroke: ink.bad, strokeDasharray: "5 4", className: "constraint"})),
      ...bounds.filter((b) => b.metric === up.name).map((b) => ruleY([b.bound], {stroke: ink.bad, strokeDasharray: "5 4", className: "constraint"})),
      line(leading, {x: "x", y: "y", curve: "step-after", stroke: ink.good, strokeWidth: 2, strokeOpacity: 0.7, className: "frontier"}),
      ruleY(points, {x1: (p) => (logX ? Math.max(p.x1, p.x / 10) : p.x1), x2: "x2", y: "y", stroke: colour, strokeWidth: 1.5}),
      ruleX(points, {x: "x", y1: (p) => (logY ? Math.max(p.y1, p.y / 10) : p.y1), y2: "y2", stroke: colour, strokeWidth: 1.5}),
      dot(points, {x: "x", y: "y", r: (p) => radius(p.size), stroke: colour, strokeWidth: 2, symbol: (p: Point) => (p.allowed ? "circle" : "times"),
                   fill: (p) => (p.frontier ? ink.good : "var(--page)"), fillOpacity: (p) => (p.frontier ? 0.55 : 0.9), className: "variants",
                   title: (p) => `${p.name}\n${across.name} ${quantity(p.x, across.unit)}, ${up.name} ${quantity(p.y, up.unit)}${size === undefined ? "" : `, ${size.name} ${quantity(p.size, size.unit)}`}` +
                     (p.beaten.length > 0 ? `\nbeaten by ${p.beaten.slice(0, 3).join(", ")}` : ""),
                   tip: {fill: "var(--page)", stroke: ink.line}}),
      ...(points.length <= 30 ? [text(points, {x: "x", y: "y", text: (p) => shorten(p.name, width < 500 ? 14 : 30), dx: 17, dy: -3, textAnchor: "start", fill: colour, lineAnchor: "bottom"})] : []),
    ],
    r: {type: "identity"},
  });
}
