// Turns the written page into a navigable one: one page at a time, tables that sort, charts, themes, downloads. Everything
// it needs is in the document.
import {addBenchmarkCharts} from "./charts/benchmark.js";
import {drawCharts, redrawCharts} from "./charts/charts.js";
import {find, make} from "./dom.js";
import {addDownloads} from "./download.js";
import {enhance} from "./table.js";
import {addTheme} from "./theme.js";
import {addChoices} from "./choices.js";

const pages = find<HTMLElement>("main > .page");
const articlePage = document.getElementById("benchmark");
// Stands behind the script: there once the document is complete.
let written = "";

function enhanceWithin(parent: ParentNode): void {
  for (const table of find<HTMLTableElement>("table[data-table]:not(.ready)", parent)) {
    table.classList.add("ready");
    enhance(table);
  }
  for (const command of find<HTMLElement>("pre.command:not(.ready)", parent)) {
    command.classList.add("ready");
    const button = make("button", {
      type: "button",
      click: () => {
        void copy(command.querySelector("code")?.textContent ?? "").then((done) => {
          button.textContent = done ? "copied" : "select and copy";
          setTimeout(() => (button.textContent = "copy"), 1500);
        });
      },
    }, "copy");
    command.append(button);
  }
  addChoices(parent);
}

/** A page opened from disk may have no clipboard interface; the old command still works. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", {class: "skip"});
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Found where it is written, so that thousands of them need not be taken apart to show one. */
function articleOf(index: number): string | undefined {
  const begin = written.indexOf(`<article id=b${index} `);
  return begin < 0 ? undefined : written.slice(begin, written.indexOf("</article>", begin));
}

function showArticle(index: number): boolean {
  const html = articleOf(index);
  if (html === undefined || articlePage === null) return false;
  const content = new DOMParser().parseFromString(html, "text/html").body;
  const steps = make("nav", {class: "steps", "aria-label": "Benchmarks"}, make("a", {href: "#overview"}, "↑ all benchmarks"));
  if (index > 0) steps.append(make("a", {href: `#b${index - 1}`, rel: "prev"}, "‹ previous"));
  if (written.includes(`<article id=b${index + 1} `)) steps.append(make("a", {href: `#b${index + 1}`, rel: "next"}, "next ›"));
  // Without its id, or the browser would scroll to it, past the masthead.
  content.querySelector("article")?.removeAttribute("id");
  articlePage.dataset["shown"] = `b${index}`;
  articlePage.replaceChildren(steps, ...[...content.children].map((child) => document.importNode(child, true)));
  addBenchmarkCharts(articlePage);
  return true;
}

let shown = "";

function route(): void {
  const loading = document.readyState === "loading";
  const wanted = location.hash.slice(1);
  const article = /^b(\d+)$/.exec(wanted);
  let id = article !== null && showArticle(Number(article[1])) ? "benchmark" : wanted;
  if (!pages.some((page) => page.id === id) || (id === "benchmark" && article === null)) {
    if (wanted === "main" && shown !== "") return;
    id = pages[0]?.id ?? "";
  }
  for (const page of pages) page.hidden = page.id !== id;
  for (const link of find<HTMLAnchorElement>("header nav a")) {
    const current = link.hash === `#${id}` || (id === "benchmark" && link.hash === "#overview");
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (current) link.scrollIntoView({block: "nearest", inline: "nearest"});
  }
  const page = document.getElementById(id);
  if (page !== null) {
    enhanceWithin(page);
    if (!loading) drawCharts(page);
  }
  if (loading || shown !== wanted) window.scrollTo(0, 0);
  shown = wanted;
}

document.documentElement.classList.add("js");
const tools = document.getElementById("tools");
if (tools !== null) {
  addDownloads(tools);
  addTheme(tools);
}
window.addEventListener("hashchange", route);
// On paper every page stands, not only the one at hand.
window.addEventListener("beforeprint", () => {
  for (const page of pages) {
    if (page.id === "benchmark" || !page.hidden) continue;
    page.hidden = false;
    enhanceWithin(page);
    drawCharts(page);
  }
});
window.addEventListener("afterprint", route);
let width = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  redrawCharts();
});
document.addEventListener("DOMContentLoaded", () => {
  const articles = document.getElementById("articles");
  written = articles?.textContent ?? "";
  articles?.remove();
  route();
});
// A page named in the address begins at its top, not at its section.
window.addEventListener("load", () => requestAnimationFrame(() => window.scrollTo(0, 0)));
route();
