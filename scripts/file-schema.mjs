/**
 * The schema of a file that people write, so that its errors say what is allowed at the place: a definition stands where it is used,
 * with the description of the member, unless `kept` names it; alternatives are chosen by the type of the value or by the member that
 * discriminates them, never all reported together.
 */
export function fileSchema({ definitions = {}, ...schema }, kept) {
  const names = new Map(Object.entries(kept).map(([name, type]) => [`#/$defs/${type}`, `#/$defs/${name}`]));
  const clear = (node) => {
    if (Array.isArray(node)) return node.map(clear);
    if (typeof node !== "object" || node === null) return node;
    const { $ref, ...rest } = node;
    if ($ref === undefined) return settle(mapValues(rest, clear));
    if (names.has($ref)) return { $ref: names.get($ref), ...mapValues(rest, clear) };
    return clear({ ...definitions[$ref.replace("#/$defs/", "")], ...rest });
  };
  const $defs = mapValues(kept, (type) => clear(definitions[type]));
  return { ...clear(schema), ...(names.size === 0 ? {} : { $defs }) };
}

/** One node with its parts settled. */
function settle(node) {
  if (node.anyOf !== undefined) return byType(node);
  if (node.enum !== undefined || node.const !== undefined) {
    // The type of listed values says nothing more, and would be a second error.
    const { type: _type, ...listed } = node;
    return listed;
  }
  // Without a mapping that has the member that discriminates, no alternative applies.
  if (node.if?.properties !== undefined) {
    const [discriminator] = Object.keys(node.if.properties);
    return {
      ...node,
      if: { type: "object", required: [discriminator], ...node.if },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { ...node.then, properties: withFirst(discriminator, node.then.properties) },
    };
  }
  return node;
}

/** The member that discriminates is the first to be written and named, also where others are inherited. */
function withFirst(name, { [name]: first, ...others }) {
  return { [name]: first, ...others };
}

/** Alternatives of different types: one schema where keywords of one type do not look at values of another, else a choice by type. */
function byType({ anyOf, ...node }) {
  const types = anyOf.flatMap(({ type }) => type ?? null);
  if (types.includes(null) || new Set(types).size < types.length) return { ...node, anyOf };
  if (anyOf.every(({ allOf, description }) => allOf === undefined && description === undefined)) {
    return { ...Object.assign({}, ...anyOf, node), type: types };
  }
  const [first, ...others] = anyOf;
  if (others.length > 1) return { ...node, anyOf };
  const { type, ...rest } = first;
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { ...node, if: { type }, then: rest, else: others[0] };
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
