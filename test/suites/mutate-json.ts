/** One deliberate change of a JSON document. */
export interface JsonMutation {
  readonly operator: "drop" | "null" | "other-type" | "other-constant" | "fraction" | "negative" | "empty";
  /** `/data/0/id`; indexes are kept, so the place is found again. */
  readonly path: string;
  readonly value: unknown;
}

/** Every change of one member, at most two elements deep into each array. */
export function mutateJson(document: unknown): readonly JsonMutation[] {
  return [...walk(document, [])].flatMap(({ value, path }) =>
    replacements(value).map(([operator, replacement]) => ({
      operator,
      path: `/${path.join("/")}`,
      value: operator === "drop" ? drop(document, path) : replace(document, path, replacement),
    })),
  );
}

function* walk(value: unknown, path: readonly string[]): Iterable<{ readonly value: unknown; readonly path: readonly string[] }> {
  if (path.length > 0) yield { value, path };
  if (typeof value !== "object" || value === null) return;
  const entries = Array.isArray(value) ? [...value.slice(0, 2).entries()] : Object.entries(value);
  for (const [name, member] of entries) yield* walk(member, [...path, String(name)]);
}

function replacements(value: unknown): readonly (readonly [JsonMutation["operator"], unknown])[] {
  const common = [
    ["drop", undefined],
    ["null", null],
  ] as const;
  if (typeof value === "string") return [...common, ["other-type", 7], ["other-constant", `${value}?`], ["empty", ""]];
  if (typeof value === "number")
    return [...common, ["other-type", String(value)], ["fraction", value + 0.5], ["negative", -1 - value]];
  if (Array.isArray(value)) return [...common, ["other-type", {}], ["empty", []]];
  return [...common, ["other-type", "text"], ["empty", {}]];
}

function drop(document: unknown, path: readonly string[]): unknown {
  return edit(document, path, (parent, name) => {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else Reflect.deleteProperty(parent, name);
  });
}

function replace(document: unknown, path: readonly string[], value: unknown): unknown {
  return edit(document, path, (parent, name) => Reflect.set(parent, name, value));
}

function edit(document: unknown, path: readonly string[], change: (parent: object, name: string) => void): unknown {
  const copy: unknown = structuredClone(document);
  let parent = copy as Record<string, unknown>;
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  change(parent, path.at(-1)!);
  return copy;
}
