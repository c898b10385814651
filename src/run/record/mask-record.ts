/**
 * Data with every text masked, names of members excepted: those are ours. An instance of a class, such as an exchange, becomes
 * a plain object.
 */
export function maskRecord<Data>(data: Data, mask: (text: string) => string): Data {
  return maskValue(data, mask) as Data;
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  if (typeof value !== "object" || value === null) return value;
  // Lists of numbers are our own; maps are masked by the code that fills them.
  if (ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskValue(member, mask)]));
}
