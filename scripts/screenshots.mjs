// The pictures of the README, taken from the committed sample (reports/sample/report.html) in the browser of the npm package:
//   npx tsx scripts/screenshots.mjs
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launchBrowser } from "../test/browser/launch-browser.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const images = join(root, "docs/images");
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 558 }, colorScheme: "light" });
  await page.goto(pathToFileURL(join(root, "reports/sample/report.html")).href);
  await page.screenshot({ path: join(images, "report.png") });
  const proof = page.locator("#limits article figure").first();
  await proof.scrollIntoViewIfNeeded();
  await proof.screenshot({ path: join(images, "limits.png") });
} finally {
  await browser.close();
}
