import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const packageFiles = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly files: readonly string[] })
  .files;

function filesBelow(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((name) => pattern.test(name) && !name.includes("node_modules") && statSync(join(root, name)).isFile());
}

const pages: readonly string[] = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples", "reports/sample"].flatMap((folder) => filesBelow(folder, /\.md$/)),
  "reports/README.md",
];

interface Link {
  readonly page: string;
  /** From the root of the repository. */
  readonly path: string;
  readonly fragment: string | null;
}

/** Links of a page to other files; addresses of other hosts are not looked up. */
function linksOf(page: string): readonly Link[] {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[^]*?^```/gm, "");
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, path = "", fragment = null]) => ({
    page,
    path: path === "" ? page : relative(root, resolve(root, dirname(page), path)),
    fragment,
  }));
}

/** The name that GitHub and npm give to a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function hasHeading(page: string, fragment: string): boolean {
  const headings = [...readFileSync(join(root, page), "utf8").matchAll(/^#{1,6} (.*)$/gm)];
  return headings.some(([, heading = ""]) => slugOf(heading) === fragment);
}

const isPacked = (path: string): boolean =>
  packageFiles.some((entry) => path === entry || path.startsWith(`${entry}/`)) || path === "package.json";

const links = pages.flatMap(linksOf);

describe("links of the documents", () => {
  it("lead to files that exist", () => {
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("lead to headings that exist", () => {
    const broken = links.filter(({ path, fragment }) => fragment !== null && path.endsWith(".md") && !hasHeading(path, fragment));
    expect(broken).toEqual([]);
  });

  it("of files in the package lead to files in the package", () => {
    const packed = links.filter(({ page }) => isPacked(page));
    expect(packed.length).toBeGreaterThan(40);
    expect(packed.filter(({ path }) => !isPacked(path))).toEqual([]);
  });

  it("are all that code and other texts name as pages of docs/", () => {
    const sources = [
      ...pages,
      ...["src", "test", "bench", "scripts", "suites", "tools", "ci", "dashboards"].flatMap((folder) =>
        filesBelow(folder, /\.(?:ts|mjs|json|yml|yaml|sh)$/),
      ),
      "action.yml",
      "Dockerfile",
    ];
    const named = sources.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => ({ file, path })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("reach every page of docs/ from its index", () => {
    const reached = new Set(links.filter(({ page }) => page === "docs/README.md").map(({ path }) => path));
    expect(filesBelow("docs", /\.md$/).filter((page) => page !== "docs/README.md" && !reached.has(page))).toEqual([]);
  });
});
