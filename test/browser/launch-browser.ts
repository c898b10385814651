import chromiumPackage from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/**
 * Flags of the packaged browser that are made for one short page (one process for all, no web security), or for graphics, whose
 * libraries the package unpacks beside the browser in a folder that anybody may clear.
 */
const unwanted =
  /^--(?:single-process|no-zygote|disable-web-security|disable-site-isolation-trials|in-process-gpu|ignore-gpu-blocklist|use-gl=.*|use-angle=.*|enable-unsafe-swiftshader)$/;

/** The browser inside the npm package: nothing is downloaded. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPackage.executablePath(),
    args: [...chromiumPackage.args.filter((flag) => !unwanted.test(flag)), "--disable-gpu", "--disable-software-rasterizer"],
    headless: true,
  });
}
