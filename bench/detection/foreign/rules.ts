/** The demands of the foreign service on requests. */

/** A field that failed, and what it should have been. `type`: it is of the wrong JSON type. */
export interface Fault {
  readonly at: string;
  readonly want: string;
  readonly type?: boolean;
}

export type Bag = Readonly<Record<string, unknown>>;
export type Has = (defect: string) => boolean;

export function isBag(value: unknown): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Check = (value: unknown) => "missing" | "type" | "range" | null;

const words =
  (...list: readonly string[]): Check =>
  (value) =>
    value === undefined ? null : typeof value !== "string" ? "type" : list.includes(value) ? null : "range";
const number =
  (low: number, high: number, whole = false): Check =>
  (value) => {
    if (value === undefined) return null;
    if (typeof value !== "number" || (whole && !Number.isInteger(value))) return "type";
    return value < low || value > high ? "range" : null;
  };
const must =
  (check: Check): Check =>
  (value) =>
    value === undefined ? "missing" : check(value);
const text: Check = (value) => (value === undefined || typeof value === "string" ? null : "type");
const flag: Check = (value) => (value === undefined || typeof value === "boolean" ? null : "type");
const list: Check = (value) => (value === undefined || Array.isArray(value) ? null : "type");

type Rule = readonly [field: string, want: string, check: Check];

function apply(body: Bag, rules: readonly Rule[], prefix = ""): Fault[] {
  return rules.flatMap(([field, want, check]) => {
    const failed = check(body[field]);
    return failed === null ? [] : [{ at: `${prefix}${field}`, want, ...(failed === "type" ? { type: true } : {}) }];
  });
}

export function chatFaults(body: Bag, has: Has): readonly Fault[] {
  const streams = body["stream"] === true;
  const rules: Rule[] = [
    ["messages", "a list of messages, at least one", must(list)],
    ["stream", "true or false", flag],
    ["tools", "a list", list],
    ["top_p", "a number from 0 to 1", number(0, 1)],
    ["max_tokens", "a whole number from 1 to 8192", number(1, 8192, true)],
  ];
  if (!has("chat/model-optional")) rules.push(["model", "the id of a chat model", must(text)]);
  if (!has("chat/temperature-unchecked") && !(streams && has("chat/temperature-unchecked-in-streams"))) {
    const most = has("chat/temperature-to-one") ? 1 : 2;
    rules.push(["temperature", `a number from 0 to ${most}`, number(0, most)]);
  }
  if (has("chat/effort-high-refused")) rules.push(["reasoning_effort", "low or medium", words("low", "medium")]);
  else if (!has("chat/effort-unchecked")) rules.push(["reasoning_effort", "low, medium or high", words("low", "medium", "high")]);
  const faults = apply(body, rules);
  const messages = body["messages"];
  if (!Array.isArray(messages)) return faults;
  if (messages.length === 0) faults.push({ at: "messages", want: "at least one message" });
  for (const [index, message] of (messages as readonly unknown[]).entries()) {
    if (!isBag(message)) {
      faults.push({ at: `messages[${index}]`, want: "an object", type: true });
      continue;
    }
    const roles = has("chat/system-refused") ? ["user", "assistant"] : ["system", "user", "assistant"];
    const skips = (has("chat/first-role-alone") && index > 0) || (has("chat/roles-unchecked-in-streams") && streams);
    faults.push(...apply(message, [["content", "a text", must(text)]], `messages[${index}].`));
    if (!skips) faults.push(...apply(message, [["role", roles.join(", "), must(words(...roles))]], `messages[${index}].`));
    const said = message["content"];
    // eslint-disable-next-line no-control-regex
    if (has("chat/non-ascii-refused") && typeof said === "string" && /[^\u0000-\u007f]/.test(said)) {
      faults.push({ at: `messages[${index}].content`, want: "ASCII" });
    }
  }
  if (has("chat/tools-refused") && body["tools"] !== undefined) faults.push({ at: "tools", want: "nothing" });
  return faults;
}

export function vectorFaults(body: Bag, has: Has, longest: number): readonly Fault[] {
  const rules: Rule[] = [
    ["model", "the id of an embedding model", must(text)],
    ["dimensions", `a whole number from 1 to ${longest}`, number(1, longest, true)],
  ];
  if (!has("vectors/encoding-unchecked")) rules.push(["encoding_format", "float or base64", words("float", "base64")]);
  const faults = apply(body, rules);
  const { input } = body;
  if (input === undefined && !has("vectors/input-optional")) faults.push({ at: "input", want: "a text or a list of texts" });
  if (typeof input === "string" && input === "") faults.push({ at: "input", want: "a text that is not empty" });
  if (Array.isArray(input) && !has("vectors/entries-unchecked")) {
    if (input.length === 0) faults.push({ at: "input", want: "at least one text" });
    for (const [index, one] of (input as readonly unknown[]).entries()) {
      if (typeof one !== "string") faults.push({ at: `input[${index}]`, want: "a text" });
    }
  } else if (input !== undefined && typeof input !== "string" && !Array.isArray(input)) {
    faults.push({ at: "input", want: "a text or a list of texts", type: true });
  }
  return faults;
}

export function imageFaults(body: Bag, has: Has): readonly Fault[] {
  const rules: Rule[] = [["n", "a whole number from 1 to 4", number(1, 4, true)]];
  if (!has("images/prompt-optional")) rules.push(["prompt", "a text", must(text)]);
  if (!has("images/size-unchecked")) {
    rules.push(["size", "1024x1024, 1792x1024 or 1024x1792", words("1024x1024", "1792x1024", "1024x1792")]);
  }
  if (has("images/hd-refused")) rules.push(["quality", "standard", words("standard")]);
  else if (!has("images/quality-unchecked")) rules.push(["quality", "standard or hd", words("standard", "hd")]);
  return apply(body, rules);
}

/** Null lifts a setting; other members than the known ones are refused. */
export function settingFaults(body: Bag, known: readonly string[]): readonly Fault[] {
  const check = number(0, 2_000_000_000, true);
  return [
    ...Object.keys(body).flatMap((name) => (known.includes(name) ? [] : [{ at: name, want: "nothing" }])),
    ...apply(
      body,
      known.map((name): Rule => [name, "a whole number, not negative", (value) => (value === null ? null : check(value))]),
    ),
  ];
}
