import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderCompareHtml } from "../../../src/features/compare/report/render-compare-html.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { sampleCompare } from "../../make/sample-result/sample-compare.ts";
import { buildSample, type Sample } from "../../make/sample-result/sample-result.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { launchBrowser } from "../../browser/launch-browser.ts";

let browser: Browser;
let folder: string;
/** Two policies of one kind say the same in their captions. */
function withTwinPolicy(sample: Sample): Sample {
  const { limits } = sample.result;
  if (limits === null) return sample;
  const twins = limits.policies.map((policy) => ({ ...policy, id: `${policy.id}-twin` }));
  return { ...sample, result: { ...sample.result, limits: { ...limits, policies: [...limits.policies, ...twins] } } };
}

/** A run that met everything that it judged. */
function withoutViolations(sample: Sample): Sample {
  const { result } = sample;
  const met = <Judged extends { readonly verdict: Verdict }>(judged: readonly Judged[]): readonly Judged[] =>
    judged.map((each) => ({
      ...each,
      verdict: /^(?:fail|advisory|inconclusive)$/.test(each.verdict) ? ("pass" as const) : each.verdict,
    }));
  const { conformance, limits, load } = result;
  return {
    ...sample,
    result: {
      ...result,
      verdict: "passed",
      exitCode: 0,
      findings: [],
      conformance: conformance && { ...conformance, requirements: met(conformance.requirements) },
      limits: limits && {
        ...limits,
        policies: met(limits.policies).map((policy) => ({ ...policy, checks: met(policy.checks) })),
      },
      load: load && {
        ...load,
        profiles: load.profiles.map((profile) => ({
          ...profile,
          gates: met(profile.gates),
          validity: { valid: true, reasons: [] },
        })),
      },
      passive: { ...result.passive, violations: [] },
    },
  };
}

const samples = { plain: withTwinPolicy(buildSample()), hostile: buildSample({ hostile: true }) } as const satisfies Record<
  string,
  Sample
>;

beforeAll(async () => {
  browser = await launchBrowser();
  folder = mkdtempSync(join(tmpdir(), "assay-report-"));
  writeFileSync(join(folder, "compare.html"), renderCompareHtml(sampleCompare()));
  for (const [name, sample] of Object.entries(samples))
    writeFileSync(join(folder, `${name}.html`), renderHtml(sample.result, sample.evidence));
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a report and afterwards asserts that it was silent and fetched nothing. */
async function visit(
  name: keyof typeof samples | "compare" | "passed" | "wordy",
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
  hash = "",
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const noise: string[] = [];
    const url = pathToFileURL(join(folder, `${name}.html`)).href;
    page.on("console", (message) => noise.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => noise.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== url) noise.push(`request: ${request.url()}`);
    });
    await page.goto(url + hash);
    await look(page);
    expect(noise).toEqual([]);
  } finally {
    await context.close();
  }
}

// Code for the page is text: the DOM is no part of this program's types.
const openAll = 'for (const details of document.querySelectorAll("details")) details.open = true';

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

async function runAxe(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate<readonly AxeViolation[]>("axe.run().then((results) => results.violations)");
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 5).map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
  );
}

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  "in the light theme": { colorScheme: "light" },
  "in the dark theme": { colorScheme: "dark" },
  "at phone width": { colorScheme: "light", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

describe("report.html in a browser", () => {
  it.each(Object.entries(looks))("%s: axe finds nothing and nothing sticks out", async (_name, options) => {
    await visit("plain", options, async (page) => {
      await page.evaluate(openAll);
      expect(await runAxe(page)).toEqual([]);
      const [content, view] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      expect(content).toBeLessThanOrEqual(view);
      expect(await page.locator("h1").innerText()).toContain("Failed");
      // Titles beside badges were once squeezed to one letter a line.
      const narrowest = await page.evaluate<number>(
        "Math.min(...[...document.querySelectorAll('summary .grow')].filter((e) => e.checkVisibility()).map((e) => e.clientWidth || e.offsetWidth))",
      );
      expect(narrowest).toBeGreaterThan(100);
    });
  });

  it.each(["w", "p"] as const)("breaks no word and prints no label over another: %s", async (width) => {
    await visit("plain", width === "w" ? {} : looks["at phone width"]!, async (page) => {
      await page.evaluate(openAll);
      const seen = await page.evaluate<{ broken: string[]; over: string[] }>(`(() => {
        const lines = (range) => new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top))).size;
        const broken = [];
        const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const node = walker.currentNode;
          if (node.parentElement.closest("svg, pre, code, .id, .cards thead")) continue;
          for (const { index, 0: word } of node.data.matchAll(/[A-Za-z]{2,20}/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (lines(range) > 1) broken.push(word);
          }
        }
        const over = [...document.querySelectorAll("main svg:not(.small)")].flatMap((svg) => {
          const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
          return texts.flatMap(([one, a], index) =>
            texts.slice(index + 1).flatMap(([other, b]) => {
              const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
              return isOver ? [one + " / " + other] : [];
            }),
          );
        });
        return { broken, over };
      })()`);
      expect(seen).toEqual({ broken: [], over: [] });
    });
  });

  it.each([
    [1280, 800],
    [390, 844],
  ])("shows a run that passed on three screens of %i by %i, and one that failed by its findings", async (width, height) => {
    const passed = withoutViolations(buildSample({ clean: true }));
    writeFileSync(join(folder, "passed.html"), renderHtml(passed.result, passed.evidence));
    await visit("passed", { viewport: { width, height } }, async (page) => {
      expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThanOrEqual(3 * height);
    });
    const { findings } = samples.plain.result;
    const long = findings.map((finding) => ({ ...finding, message: `${finding.message} ${"and so on ".repeat(30)}` }));
    const wordy = renderHtml({ ...samples.plain.result, findings: long }, samples.plain.evidence);
    writeFileSync(join(folder, "wordy.html"), wordy);
    await visit("wordy", { viewport: { width, height } }, async (page) => {
      expect(await page.locator(".titles a").count()).toBe(5);
      const next = await page.evaluate<number>('document.querySelector(".next").getBoundingClientRect().bottom');
      expect(next).toBeLessThanOrEqual(height);
    });
    await visit("plain", { viewport: { width, height } }, async (page) => {
      const titles = page.locator(".titles a");
      const failures = samples.plain.result.findings.filter(({ verdict, baselined }) => verdict === "fail" && !baselined);
      expect(await titles.count()).toBe(Math.min(5, failures.length));
      const last = await page.evaluate<number>(
        '[...document.querySelectorAll(".titles a")].at(-1).getBoundingClientRect().bottom',
      );
      expect(last).toBeLessThan(height);
      const hrefs = await page.evaluate<string[]>('[...document.querySelectorAll(".titles a")].map((link) => link.hash)');
      expect(hrefs).toEqual(failures.slice(0, 5).map(({ id }) => `#${id}`));
    });
  });

  it.each(["light", "dark"] as const)("shows a comparison in the %s theme: axe finds nothing", async (colorScheme) => {
    await visit("compare", { colorScheme }, async (page) => {
      await page.evaluate(openAll);
      expect(await runAxe(page)).toEqual([]);
      expect(await page.locator("h1").innerText()).toContain("Worse");
    });
  });

  it.each(["light", "dark"] as const)("reads without a magnifier on a phone, %s", async (colorScheme) => {
    const phone = { colorScheme, viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
    await visit("plain", phone, async (page) => {
      await page.evaluate(openAll);
      const seen = await page.evaluate<{
        wide: string[];
        page: number;
        chartText: number;
        verdicts: number[];
        navigation: number;
      }>(`(() => {
        const all = [...document.querySelectorAll("main *")];
        const shown = (element) => element.getBoundingClientRect().width > 0;
        const wide = all.filter((element) => getComputedStyle(element).overflowX === "auto" && element.scrollWidth > element.clientWidth + 1);
        const chartText = [...document.querySelectorAll("svg text")].filter(shown).map((text) => {
          const svg = text.ownerSVGElement;
          return parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        });
        scrollTo({ top: 9000, behavior: "instant" });
        return {
          wide: wide.filter((element) => !element.querySelector("svg:not(.small)")).map((element) => element.getAttribute("aria-label")),
          page: document.documentElement.scrollWidth,
          chartText: Math.min(...chartText),
          verdicts: [...document.querySelectorAll("#gates .badge")].map((badge) => badge.getBoundingClientRect().right),
          navigation: document.querySelector(".side ul").getBoundingClientRect().top,
        };
      })()`);
      expect(seen.page).toBe(360);
      expect(seen.chartText).toBeGreaterThanOrEqual(9.5);
      expect(seen.verdicts.length).toBeGreaterThan(3);
      expect(Math.max(...seen.verdicts)).toBeLessThanOrEqual(360);
      expect(seen.navigation).toBe(0);
      // Besides charts: the matrix, and tables of more rows than anybody wants one below the other.
      expect(seen.wide).toEqual(["Endpoints by status"]);
    });
  });

  it("paints the two themes differently", async () => {
    const background = async (colorScheme: "light" | "dark"): Promise<string> => {
      let colour = "";
      await visit("plain", { colorScheme }, async (page) => {
        colour = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      });
      return colour;
    };
    expect(await background("light")).not.toBe(await background("dark"));
  });

  it("lets the keyboard reach everything that can be operated", async () => {
    await visit("plain", {}, async (page) => {
      const wanted = await page.evaluate<number>(`(() => {
        const operable = [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")];
        const shown = operable.filter((element) => element.checkVisibility());
        globalThis.focused = new Set();
        document.addEventListener("focusin", (event) => shown.includes(event.target) && focused.add(event.target));
        return shown.length;
      })()`);
      expect(wanted).toBeGreaterThan(60);
      for (let index = 0; index <= wanted; index += 1) await page.keyboard.press("Tab");
      expect(await page.evaluate<number>("focused.size")).toBe(wanted);
      await page.locator("#F007 > summary").focus();
      await page.keyboard.press("Enter");
      expect(await page.locator("#F007").getAttribute("open")).not.toBeNull();
    });
  });

  it("filters rows with the slash key and lets go with Escape", async () => {
    await visit("plain", {}, async (page) => {
      const visibleRows = page.locator(":is([data-row],.group>div):not(.gone)");
      const all = await visibleRows.count();
      await page.keyboard.press("/");
      await page.keyboard.type("temperature above 2");
      await expect.poll(() => page.locator(".tools [aria-live]").innerText()).toMatch(/^\d+ of \d+ rows$/);
      const texts = await visibleRows.allInnerTexts();
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.length).toBeLessThan(all / 4);
      expect(await page.locator("#r-CHAT-014").isVisible()).toBe(true);
      expect(await page.locator("#r-CHAT-101").isVisible()).toBe(false);
      await page.keyboard.press("Escape");
      expect(await visibleRows.count()).toBe(all);
    });
  });

  it("opens what a deep link points at", async () => {
    await visit(
      "plain",
      {},
      async (page) => {
        expect(await page.locator("#r-CHAT-101").isVisible()).toBe(true);
        await page.evaluate('location.hash = "#x41"');
        await expect.poll(() => page.locator("#x41 .inside").isVisible()).toBe(true);
      },
      "#r-CHAT-101",
    );
  });

  it("expands and collapses everything, and offers command, text for an agent and link to copy", async () => {
    await visit("plain", {}, async (page) => {
      await page.getByRole("button", { name: "Expand all" }).click();
      expect(await page.locator("main details:not([open])").count()).toBe(0);
      await page.getByRole("button", { name: "Collapse all" }).click();
      expect(await page.locator("main details[open]").count()).toBe(0);
      expect(await page.locator("button", { hasText: "Copy as curl" }).count()).toBe(
        samples.plain.result.findings.filter(({ curl }) => curl !== null).length,
      );
      await page.evaluate("navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve() }");
      const finding = page.locator("#F001");
      await page.evaluate(openAll);
      await finding.locator("button", { hasText: "Copy for an agent" }).click();
      const [first] = samples.plain.result.findings;
      const copied = await page.evaluate<string>("globalThis.copied");
      for (const part of [first!.message, first!.expected, first!.observed, "#F001"]) expect(copied).toContain(part);
      await finding.locator("button", { hasText: "Copy link" }).click();
      expect(await page.evaluate<string>("globalThis.copied")).toMatch(/plain\.html#F001$/);
    });
  });

  it("copies where a page has no clipboard of its own, as one that came over http, and gives the focus back", async () => {
    await visit("plain", {}, async (page) => {
      await page.evaluate("delete Navigator.prototype.clipboard");
      const curl = page.locator("#F001 button", { hasText: "Copy as curl" });
      await curl.click();
      await expect.poll(() => page.locator("#F001 .again button").innerText()).toBe("Copied");
      expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("BUTTON");
      await page.locator(".tools input").focus();
      await page.keyboard.press("Control+V");
      const [first] = samples.plain.result.findings;
      // A field of one line takes line feeds as spaces.
      const pasted = await page.locator(".tools input").inputValue();
      expect(pasted.replaceAll(/\s+/g, "")).toBe(first!.curl!.replaceAll(/\s+/g, ""));
    });
  });

  it("holds every finding, requirement and cited exchange with scripts off", async () => {
    await visit("plain", { javaScriptEnabled: false }, async (page) => {
      const text = (await page.locator("main").textContent()) ?? "";
      const { result, evidence } = samples.plain;
      for (const finding of result.findings) {
        expect(text).toContain(finding.message);
        expect(text).toContain(finding.observed);
      }
      for (const row of result.conformance?.requirements ?? []) expect(text).toContain(row.text);
      for (const { seq } of evidence) expect(await page.locator(`#x${seq}`).count()).toBe(1);
      for (const finding of result.findings.filter(({ verdict }) => verdict === "fail"))
        expect(await page.locator(`#${finding.id} .inside`).isVisible()).toBe(true);
      expect(await page.locator(".tools").isVisible()).toBe(false);
    });
  });

  it("prints without its controls", async () => {
    await visit("plain", {}, async (page) => {
      await page.emulateMedia({ media: "print" });
      expect(await page.locator(".side").isVisible()).toBe(false);
      expect(await page.locator("#F001 .inside").isVisible()).toBe(true);
      expect((await page.pdf({ format: "A4" })).byteLength).toBeGreaterThan(50_000);
    });
  });

  it("executes and fetches nothing that a target sent", async () => {
    await visit("hostile", {}, async (page) => {
      await page.getByRole("button", { name: "Expand all" }).click();
      const state = await page.evaluate<unknown>(`({
        pwned: typeof globalThis.pwned,
        scripts: document.scripts.length,
        styles: document.querySelectorAll("style").length,
        active: document.querySelectorAll("img, iframe, object, embed, link, base, form, [style]").length,
        handlers: [...document.querySelectorAll("*")].filter((node) => node.getAttributeNames().some((name) => name.startsWith("on"))).length,
        outside: [...document.querySelectorAll("a")].filter((link) => !(link.getAttribute("href") ?? "#").startsWith("#")).length,
        headings: [...document.querySelectorAll("h1")].map((heading) => heading.textContent.trim()),
      })`);
      expect(state).toEqual({
        pwned: "undefined",
        scripts: 1,
        styles: 1,
        active: 0,
        handlers: 0,
        outside: 0,
        headings: ["✗ Failed"],
      });
      expect(await page.locator("main").textContent()).toContain("<img src=x onerror=globalThis.pwned=1>");
    });
  });

  it("forbids inline script and style by its policy", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, "plain.html")).href);
    const blocked = await page.evaluate<unknown>(`(async () => {
      const seen = [];
      document.addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
      const element = document.createElement("script");
      element.textContent = "globalThis.pwned = 1";
      document.body.append(element);
      const image = new Image();
      image.src = "https://127.0.0.1:1/x.png";
      document.body.append(image);
      document.body.setAttribute("style", "color: red");
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { seen: seen.sort(), pwned: typeof globalThis.pwned };
    })()`);
    await context.close();
    expect(blocked).toEqual({ seen: ["img-src", "script-src-elem", "style-src-attr"], pwned: "undefined" });
  });
});
