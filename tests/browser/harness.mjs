// What the browser tests share: stores, pages written by tare, and a Chromium that notices everything a page must not do.
import {execFileSync} from "node:child_process";
import {existsSync, mkdirSync, mkdtempSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before} from "node:test";

const {chromium} = createRequire(join(process.env.TARE_SOURCE, "web", "package.json"))("playwright-core");

export const folder = mkdtempSync(join(tmpdir(), "tare browser "));
/** For people to look at. */
export const shots = join(process.env.TARE_BUILD, "screenshots");
mkdirSync(shots, {recursive: true});
let browser;
before(async () => {
  if (!existsSync(process.env.TARE_CHROMIUM ?? "")) throw new Error("there is no chromium; tools/setup installs it, then configure again");
  browser = await chromium.launch({executablePath: process.env.TARE_CHROMIUM, args: ["--no-sandbox"]});
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

export function tare(...words) {
  return execFileSync(process.env.TARE, words.map(String), {cwd: folder, encoding: "utf8", maxBuffer: 1 << 28,
                                                            stdio: ["ignore", "pipe", "pipe"]});
}

export function store(kind, ...words) {
  const path = join(folder, `${kind}${words.join("")}.db`);
  execFileSync(process.env.TARE_REPORT_STORE, [path, kind, ...words.map(String)]);
  return path;
}

/** Writes a report and gives its path. */
export function report(name, ...words) {
  const path = join(folder, name);
  tare("report", ...words, "--out", path);
  return path;
}

/** Opens it, does the work, and gives the list of everything that should not have happened. */
export async function visit(path, work, {width = 1400, scheme = "light", script = true} = {}) {
  const context = await browser.newContext({viewport: {width, height: width < 500 ? 844 : 900}, colorScheme: scheme,
                                            javaScriptEnabled: script, acceptDownloads: true});
  context.setDefaultTimeout(120_000);  // a busy machine is no failure
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) wrong.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) wrong.push(`request: ${request.url()}`); });
  try {
    await page.goto(`file://${path}`);
    await work(page);
  } finally {
    await context.close();
  }
  return wrong;
}

export async function show(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForFunction((to) => [...document.querySelectorAll("main > .page:not([hidden])")].some(
    (shown) => shown.id === to || shown.dataset.shown === to), hash);
}

/** How many marks of a kind a chart of the visible page holds. */
export function marks(page, chart, kind) {
  return page.locator(`.page:not([hidden]) figure[data-chart=${chart}] g.${kind} > *`).count();
}

export async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  const path = join(folder, `saved-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return {name: download.suggestedFilename(), path};
}
