// Checks and bundles the report's script and style: node build.mjs OUTPUT_FOLDER. Writes report.js, report.css and
// report.hash, the script's hash for the page's content security policy. The packages are fetched only when the lock
// file is another than the one they were fetched for.
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) {
  console.error("usage: node build.mjs OUTPUT_FOLDER");
  process.exit(2);
}

const lock = readFileSync(join(here, "package-lock.json"), "utf8");
const fetched = join(here, "node_modules", ".fetched-for");
if (!existsSync(fetched) || readFileSync(fetched, "utf8") !== lock) {
  try {
    execFileSync("npm", ["ci", "--ignore-scripts", "--loglevel=error"], {cwd: here, stdio: "inherit"});
  } catch {
    console.error("the report's packages could not be fetched; -DTARE_CHARTS=OFF builds a report without charts");
    process.exit(1);
  }
  writeFileSync(fetched, lock);
}

try {
  execFileSync(process.execPath, [join(here, "node_modules", "typescript", "bin", "tsc"), "--noEmit"],
               {cwd: here, stdio: "inherit"});
} catch {
  process.exit(1);
}
const {build} = await import("esbuild");
const common = {bundle: true, minify: true, write: false, absWorkingDir: here, legalComments: "none", charset: "utf8"};
const script = (await build({...common, entryPoints: ["src/main.ts"], format: "iife", target: "es2021"})).outputFiles[0].text.trim();
const style = (await build({...common, entryPoints: ["src/report.css"]})).outputFiles[0].text.trim();
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
mkdirSync(output, {recursive: true});
writeFileSync(join(output, "report.js"), script);
writeFileSync(join(output, "report.css"), style);
writeFileSync(join(output, "report.hash"), "sha256-" + createHash("sha256").update(script).digest("base64"));
