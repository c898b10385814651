import { readSchema } from "../../schemas/read-schema.ts";

type Node = Readonly<Record<string, unknown>>;

/** Bounds in the schemas of requests that are the reference service's own: the specification states none. */
const ownBounds: Readonly<Record<string, readonly string[]>> = {
  "images.n": ["maximum"],
  "embeddings.dimensions": ["maximum"],
  "embeddings.input": ["maxItems"],
};

/** Roles and members of messages whose structure the specification does not show. */
const unstated = { roles: ["tool"], members: ["tool_calls", "tool_call_id"] };

export interface StatedRequest {
  readonly properties: Readonly<Record<string, Node>>;
  readonly required: readonly string[];
  /** Keywords of the object as a whole, such as `minProperties`. */
  readonly rest: Node;
}

/** The request schema of an operation without what only the reference service asks for, with defaults as stated. */
export function statedRequest(
  name: string,
  members: readonly string[],
  defaults: Readonly<Record<string, unknown>> = {},
): StatedRequest {
  const {
    $schema: _dialect,
    title: _title,
    properties,
    required,
    description,
    type,
    ...rest
  } = readSchema(`wire/${name}.request`);
  const known = properties as Readonly<Record<string, Node>>;
  const stated = members.map((member) => {
    const schema = known[member];
    if (schema === undefined) throw new Error(`schemas/wire/${name}.request.json has no member ${member}`);
    const dropped = ownBounds[`${name}.${member}`] ?? [];
    const kept = Object.entries(member === "messages" ? statedMessages(schema) : schema).filter(
      ([key]) => !dropped.includes(key),
    );
    const value = member in defaults ? { default: defaults[member] } : {};
    return [
      member,
      { ...Object.fromEntries(kept.map(([key, inner]) => [key, withoutOwnWords(key, inner, dropped)])), ...value },
    ] as const;
  });
  return {
    properties: Object.fromEntries(stated),
    required: ((required as readonly string[] | undefined) ?? []).filter((member) => members.includes(member)),
    rest: { type, ...(typeof description === "string" ? { description } : {}), ...rest },
  };
}

/** A description that names a bound which is not stated would state it. */
function withoutOwnWords(key: string, value: unknown, dropped: readonly string[]): unknown {
  return key === "description" && typeof value === "string" && dropped.includes("maximum")
    ? value.replace(/ from (\d+) to \d+$/, " of at least $1; no maximum is stated")
    : value;
}

function statedMessages(schema: Node): Node {
  const items = schema["items"] as Node;
  const properties = items["properties"] as Readonly<Record<string, Node>>;
  const kept = Object.entries(properties).filter(([member]) => !unstated.members.includes(member));
  const role = properties["role"] ?? {};
  const roles = (role["enum"] as readonly string[]).filter((each) => !unstated.roles.includes(each));
  return {
    ...schema,
    items: {
      type: "object",
      description: "role and content; messages that carry tool calls or results are not described",
      required: ["role", "content"],
      properties: {
        ...Object.fromEntries(kept),
        role: { ...role, enum: roles },
        content: { type: "string", description: "message text" },
      },
    },
  };
}
