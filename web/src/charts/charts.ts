// Finds the places for charts and fills those in sight. A chart is drawn for the width it has, and drawn again when the
// window's width changes; colours come from the style sheet, so that a change of theme needs no drawing.
import {find} from "../dom.js";
import {density} from "./density.js";
import {forest} from "./forest.js";
import {pareto} from "./pareto.js";
import {processes} from "./processes.js";
import {roofline} from "./roofline.js";
import {samples} from "./samples.js";
import {scaling} from "./scaling.js";
import {timeline} from "./timeline.js";

/** Gives what to put before the caption; nothing when there is nothing to draw. */
export type Draw = (figure: HTMLElement, width: number) => Element | undefined;

const kinds: Record<string, Draw> = {density, forest, pareto, processes, roofline, samples, scaling, timeline};

function drawOne(figure: HTMLElement): void {
  const draw = kinds[figure.dataset["chart"] ?? ""];
  if (draw === undefined) return;
  const chart = draw(figure, Math.max(280, figure.clientWidth));
  figure.querySelector(":scope > .drawn")?.remove();
  figure.hidden = chart === undefined;
  if (chart === undefined) return;
  const box = document.createElement("div");
  box.className = "drawn";
  box.append(chart);
  figure.prepend(box);
}

export function drawCharts(parent: ParentNode): void {
  for (const figure of find<HTMLElement>("figure[data-chart]", parent)) {
    if (figure.querySelector(":scope > .drawn") === null) drawOne(figure);
  }
}

export function redrawCharts(): void {
  for (const figure of find<HTMLElement>("figure[data-chart]")) {
    if (figure.querySelector(":scope > .drawn") === null) continue;
    if (figure.offsetParent === null) figure.querySelector(":scope > .drawn")?.remove();
    else drawOne(figure);
  }
}
