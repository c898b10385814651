import chromiumPackage from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** Flags of the packaged browser that are made for one short page: one process for all, no web security. */
const unwanted: ReadonlySet<string> = new Set([
  "--single-process",
  "--no-zygote",
  "--disable-web-security",
  "--disable-site-isolation-trials",
]);

/** The browser inside the npm package: nothing is downloaded. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPackage.executablePath(),
    args: chromiumPackage.args.filter((flag) => !unwanted.has(flag)),
    headless: true,
  });
}
