// The report in a real browser: every page and chart, sorting and searching, themes, downloads, hostile names, size. Times
// are printed for people; counts decide.
import assert from "node:assert/strict";
import {readFileSync, statSync} from "node:fs";
import {join} from "node:path";
import {before, describe, test} from "node:test";
import {marks, report, saved, shots, show, store, tare, visit} from "./harness.mjs";

let pages, comparison, growth, variants, hostile;
before(() => {
  pages = store("pages");
  comparison = report("comparison.html", "--store", pages, "--compare", 1, 2);
  growth = report("growth.html", "--store", pages, 3);
  variants = report("variants.html", "--store", pages, 4, "--of", "variant", "--require", "accuracy>=0.95");
  hostile = report("hostile.html", "--store", store("hostile"), "--last");
});

describe("pages", () => {
  const every = () => [
    [comparison, ["overview", "comparison", "environment", "b10"]],
    [growth, ["scaling"]],
    [variants, ["breakdown", "pareto"]],
  ];
  for (const width of [1400, 390]) {
    for (const scheme of ["light", "dark"]) {
      test(`render without a complaint at ${width} px, ${scheme}`, async () => {
        for (const [path, hashes] of every()) {
          const wrong = await visit(path, async (page) => {
            for (const hash of hashes) {
              await show(page, hash);
              assert.ok((await page.locator("main").innerText()).length > 100, `${hash} is not empty`);
              const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
              assert.ok(overflow <= 0, `${hash} is ${overflow} px wider than the window`);
              const name = hash === "b10" ? "benchmark" : hash;
              await page.screenshot({path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true});
            }
          }, {width, scheme});
          assert.deepEqual(wrong, []);
        }
      });
    }
  }

  test("a page with no data is absent", async () => {
    await visit(growth, async (page) => {
      assert.deepEqual(await page.locator("header nav a").allInnerTexts(), ["Overview", "Scaling", "Environment"]);
      await page.evaluate(() => { location.hash = "pareto"; });
      await page.waitForFunction(() => !document.getElementById("overview").hidden);
    });
  });

  test("verdicts come first", async () => {
    await visit(comparison, async (page) => {
      const tiles = await page.locator(".tile").evaluateAll((all) => all.map((one) => [one.dataset.verdict, one.querySelector(".count").textContent]));
      assert.deepEqual(Object.fromEntries(tiles), {slower: "2", faster: "3", same: "3", undecided: "2", incomparable: "1", failed: "1"});
      assert.match(await page.locator(".statement").first().innerText(), /Geometric mean of the times: .*faster, 95 % CI \[/);
    });
  });

  test("readable without JavaScript", async () => {
    const wrong = await visit(comparison, async (page) => {
      const text = await page.locator("body").innerText();
      for (const fact of ["queue/spsc", "1.31× slower", "Measure it again", "tare run ./bench --filter '^sort/doubles/n=1000$' --seed 1",
                          "9 of 9 processes", "fingerprint"]) assert.ok(text.includes(fact), fact);
      assert.equal(await page.locator("article.benchmark:visible").count(), 21);
      assert.equal(await page.locator("figure:visible").count(), 0);
    }, {script: false});
    assert.deepEqual(wrong, []);
  });

  test("real runs of the scalar suite", async () => {
    tare("run", process.env.TARE_SCALAR, "--filter", "^(expression|kmeans)/engine=(primal|hand|real|tape)/", "--processes", 2,
         "--samples", 12, "--meters", "allocations", "--store", "real.db");
    const path = report("real.html", "--store", "real.db", "--last");
    const wrong = await visit(path, async (page) => {
      for (const width of [1400, 390]) {
        await page.setViewportSize({width, height: 900});
        await show(page, "engines");
        await page.screenshot({path: join(shots, `engines-${width}-light.png`), fullPage: true});
      }
      const tabs = page.getByRole("tab");
      assert.ok((await tabs.allInnerTexts()).includes("gradient ÷ primal"));
      await page.getByRole("tab", {name: "gradient ÷ primal"}).click();
      const shown = page.locator("section.choice:visible");
      assert.equal(await shown.count(), 1);
      assert.match(await shown.locator("tbody").innerText(), /×/);
      assert.ok(await shown.locator("td[data-heat]").count() > 4);
      await page.getByRole("tab", {name: "gradient ÷ primal"}).press("ArrowRight");
      assert.ok(!(await shown.locator("table").getAttribute("data-table")).includes("÷"));
      await show(page, "b0");
      assert.equal(await marks(page, "samples", "samples"), 24);
    });
    assert.deepEqual(wrong, []);
  });
});

describe("a real explanation", () => {
  test("has its operations on the timeline and under the roofs", async () => {
    tare("explain", process.env.TARE_TENSOR, "--filter", "^mlp_step/engine=graph/mode=train/pool=1/size=32x64", "--repeat", 3,
         "--store", "explained.db", "--format", "json");
    const path = report("explained.html", "--store", "explained.db", "--last");
    const wrong = await visit(path, async (page) => {
      await show(page, "breakdown");
      const operations = await marks(page, "timeline", "operations");
      assert.ok(operations > 10, `${operations} operations`);
      assert.ok(await marks(page, "roofline", "operations") > 2);
      assert.match(await page.locator("output.answer").innerText(), /as measured: eager .* matmul/);
    });
    assert.deepEqual(wrong, []);
  });
});

describe("charts", () => {
  test("the forest has a mark for each ratio, the largest effect first", async () => {
    await visit(comparison, async (page) => {
      await show(page, "comparison");
      assert.equal(await marks(page, "forest", "ratios"), 10);
      const names = await page.locator("figure[data-chart=forest] g.names title").allTextContents();
      assert.deepEqual([names.length, names[0], names[1], names[9]], [10, "sort/doubles/n=1000", "queue/spsc", "map/find"]);
    });
  });

  test("a benchmark shows its samples, warm-up and outliers, its distribution and its processes", async () => {
    const data = JSON.parse(tare("report", "--store", pages, "--compare", 1, 2, "--format", "json"));
    const samples = data.benchmarks[10].samples;
    await visit(comparison, async (page) => {
      await show(page, "b10");
      assert.equal(await marks(page, "samples", "samples"), samples.values.length);
      const hollow = await page.locator("figure[data-chart=samples] g.samples > *").evaluateAll(
        (all) => all.filter((one) => one.getAttribute("fill") === "none").length);
      assert.equal(hollow, [...samples.marks].filter((mark) => mark === "w" || mark === "x").length);
      assert.equal(await marks(page, "density", "bins"), samples.histogram.counts.length);
      assert.equal(await marks(page, "density", "estimates"), 3);
      assert.equal(await marks(page, "processes", "medians"), 9);
    });
  });

  test("scaling has a line and its points for each family", async () => {
    await visit(growth, async (page) => {
      await show(page, "scaling");
      assert.equal(await marks(page, "scaling", "fits"), 4);
      assert.equal(await marks(page, "scaling", "times"), 16);
      assert.match(await page.locator("figure[data-chart=scaling]").innerText(), /sort\/bubble {2}n\^2\.00/);
    });
  });

  test("the slider answers what a faster matmul would leave", async () => {
    await visit(variants, async (page) => {
      await show(page, "breakdown");
      assert.equal(await marks(page, "timeline", "operations"), 21 + 9);
      assert.equal(await marks(page, "roofline", "operations"), 21 + 9);
      assert.equal(await marks(page, "roofline", "bandwidth-roofs"), 2);
      assert.equal(await marks(page, "roofline", "compute-roofs"), 2);
      const answer = page.locator("output.answer");
      assert.match(await answer.innerText(), /as measured: eager 4.01 ms, matmul 77 %/);
      const grey = page.locator('figure[data-chart=timeline] g.operations > [fill="var(--matmul)"]');
      assert.equal(await grey.count(), 8);
      const wide = Number(await grey.first().getAttribute("width"));
      const slider = page.locator("input[type=range]");
      await slider.focus();
      for (let i = 0; i < 8; ++i) await page.keyboard.press("ArrowRight");
      // The table without JavaScript says the same for 4×.
      assert.match(await answer.innerText(), /matmul 4× faster: eager 1.69 ms, matmul 46 % · graph 911 µs, matmul 85 %/);
      assert.ok(Math.abs(Number(await grey.first().getAttribute("width")) - wide / 4) < 1.5);
    });
  });

  test("Pareto shows every variant, the frontier and the constraint", async () => {
    await visit(variants, async (page) => {
      await show(page, "pareto");
      assert.equal(await marks(page, "pareto", "variants"), 7);
      assert.equal(await marks(page, "pareto", "frontier"), 1);
      assert.equal(await marks(page, "pareto", "constraint"), 1);
      const filled = await page.locator("figure[data-chart=pareto] g.variants > *").evaluateAll(
        (all) => all.filter((one) => one.getAttribute("fill") === "var(--good)").length);
      assert.equal(filled, 3);
    });
  });
});

describe("working with it", () => {
  test("search, sort and links", async () => {
    await visit(growth, async (page) => {
      const rows = page.locator("#overview tbody tr");
      assert.equal(await rows.count(), 16);
      await page.getByLabel("search benchmarks").fill("radix 1000");
      assert.deepEqual(await page.locator("#overview tbody th").allInnerTexts(), ["sort/radix/n=1000", "sort/radix/n=10000", "sort/radix/n=100000"]);
      assert.match(await page.getByRole("status").first().innerText(), /3 of 16/);
      await page.getByLabel("search benchmarks").fill("");
      const head = page.locator("#overview thead button", {hasText: /^time$/});
      await head.click();
      assert.equal(await rows.first().locator("th").innerText(), "search/binary/n=100");
      await head.click();
      assert.equal(await rows.first().locator("th").innerText(), "sort/bubble/n=100000");
      assert.equal(await page.locator("#overview th[aria-sort=descending]").count(), 1);
      await rows.first().locator("a").click();
      await page.waitForSelector("article.benchmark");
      assert.equal(await page.locator("article h2").innerText(), "sort/bubble/n=100000");
      await page.getByRole("link", {name: "next"}).click();
      await page.waitForFunction(() => document.querySelector("article h2")?.textContent === "search/binary/n=100000");
    });
  });

  test("everything is reached by the keyboard", async () => {
    await visit(comparison, async (page) => {
      const reached = new Set();
      for (let i = 0; i < 60; ++i) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ""));
      }
      for (const name of ["Skip to the content", "JSON", "CSV", "Comparison", "verdict", "queue/spsc"]) assert.ok(reached.has(name), name);
    });
  });

  test("the theme follows the system until the reader chooses", async () => {
    const background = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    let light = "", dark = "";
    await visit(growth, async (page) => { light = await background(page); });
    await visit(growth, async (page) => {
      dark = await background(page);
      await page.click("#theme");
      assert.equal(await background(page), light);
      await page.click("#theme");
      assert.equal(await background(page), dark);
    }, {scheme: "dark"});
    assert.notEqual(light, dark);
  });

  test("a command is copied", async () => {
    await visit(growth, async (page) => {
      await show(page, "b0");
      await page.locator("pre.command button").click();
      await page.waitForFunction(() => /copied|select/.test(document.querySelector("pre.command button").textContent));
    });
  });

  test("the data is downloaded as JSON, CSV and a trace", async () => {
    await visit(variants, async (page) => {
      const json = JSON.parse(readFileSync((await saved(page, "#download-json")).path, "utf8"));
      const printed = JSON.parse(tare("report", "--store", pages, 4, "--of", "variant", "--require", "accuracy>=0.95", "--format", "json"));
      assert.deepEqual(json.benchmarks, printed.benchmarks);
      const csv = readFileSync((await saved(page, "#download-csv")).path, "utf8").trim().split("\r\n");
      assert.equal(csv[0], "run,benchmark,outcome,metric,unit,better,value,low,high,n,processes");
      assert.equal(csv.length, 1 + json.benchmarks.reduce((sum, b) => sum + b.metrics.length, 0));
      assert.ok(csv.some((line) => line.startsWith("4,mlp/infer/variant=int8,ok,accuracy,1,more,0.9583,")));
      const trace = await saved(page, "#download-trace");
      assert.equal(trace.name, "trace.json");
      assert.deepEqual(JSON.parse(readFileSync(trace.path, "utf8")), JSON.parse(tare("report", "--store", pages, 4, "--format", "trace")));
    });
  });

  test("on paper every page stands", async () => {
    await visit(comparison, async (page) => {
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      assert.equal(await page.locator("main > .page:not([hidden])").count(), 3);
      await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
      assert.equal(await page.locator("main > .page:not([hidden])").count(), 1);
    });
  });
});

describe("hostile names", () => {
  test("stay text on every page", async () => {
    const wrong = await visit(hostile, async (page) => {
      for (const hash of ["overview", "breakdown", "pareto", "environment", "b0", "b1", "b2", "b3", "b4", "b5"]) await show(page, hash);
      await show(page, "b0");
      assert.equal(await page.locator("article h2").innerText(), "<script>alert(1)</script>/<b>=</td>");
      await show(page, "b2");
      assert.ok((await page.locator("article h2").innerText()).length > 10_000);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      assert.equal(await page.locator("main script, main img").count(), 0);
      const csv = readFileSync((await saved(page, "#download-csv")).path, "utf8");
      assert.ok(csv.includes("<script>alert(1)</script>"));
    });
    assert.deepEqual(wrong, []);
  });

  test("stay text without JavaScript", async () => {
    const wrong = await visit(hostile, async (page) => {
      assert.equal(await page.locator("main img").count(), 0);
      assert.equal(await page.locator("article.benchmark").count(), 6);
    }, {script: false});
    assert.deepEqual(wrong, []);
  });
});

describe("size", () => {
  test("100 benchmarks with all their samples' marks take less than a megabyte", () => {
    const size = statSync(report("hundred.html", "--store", store("many", 100), "--last")).size;
    console.log(`100 benchmarks: ${size} bytes`);
    assert.ok(size < 1_000_000, `${size} bytes`);
  });

  test("5,000 benchmarks are paged, searched and sorted", async () => {
    const path = report("many.html", "--store", store("many", 5000), "--last");
    const wrong = await visit(path, async (page) => {
      const opened = await page.evaluate(() => Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd));
      const times = await page.evaluate(() => {
        const measure = (act) => {
          const start = performance.now();
          act();
          document.body.getBoundingClientRect();
          return Math.round(performance.now() - start);
        };
        const search = document.querySelector("input[type=search]");
        const type = (text) => { search.value = text; search.dispatchEvent(new Event("input")); };
        const heads = document.querySelectorAll("#overview thead button");
        return {search: measure(() => type("benchmark42")), clear: measure(() => type("")), sort: measure(() => heads[1].click()),
                names: measure(() => heads[0].click())};
      });
      console.log(`5,000 benchmarks: ${statSync(path).size} bytes, open after ${opened} ms, then (ms) ${JSON.stringify(times)}`);
      assert.equal(await page.locator("#overview tbody tr").count(), 100, "only one page of rows is laid out");
      assert.match(await page.getByRole("status").first().innerText(), /^5000, page 1 of 50/);
      await page.getByRole("button", {name: "next"}).click();
      assert.match(await page.getByRole("status").first().innerText(), /page 2 of 50/);
      await page.getByLabel("search benchmarks").fill("benchmark4321");
      assert.equal(await page.locator("#overview tbody tr").count(), 1);
      await page.locator("#overview tbody a").click();
      await page.waitForSelector("article.benchmark");
      assert.equal(await page.locator("article h2").innerText(), "suite1/benchmark4321/k=2");
      assert.ok(await marks(page, "density", "bins") > 0, "the distribution is there though the samples are not");
      assert.equal(await page.locator("figure[data-chart=samples]:visible").count(), 0);
    });
    assert.deepEqual(wrong, []);
  });
});
