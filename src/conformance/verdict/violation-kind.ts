import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import { violationOf } from "../judges/subjects.ts";

/**
 * What is wrong, in words that are the same in every run and for every place: the code that the judge gives, or its message less
 * the place, the member that was spoilt, numbers and quoted values.
 */
export function violationKind(
  { kind, message = "", place, field: named }: Pick<Occurrence, "kind" | "message" | "place" | "field">,
  subject?: Exchange,
): string {
  if (kind !== undefined) return kind;
  const field = named ?? namedField({ message, ...(place === undefined ? {} : { place }) }, subject);
  const words = place === undefined ? message : message.replace(place, "");
  const general =
    field === undefined
      ? words
      : words
          .split(" ")
          .map((word) => (word === field ? "*" : word))
          .join(" ");
  return general.replaceAll(quoted, '""').replaceAll(/\d+/g, "0");
}

/** The member that a request spoilt, where the words about its answer name it. */
export function namedField(
  { message = "", place, field: named }: Pick<Occurrence, "message" | "place" | "field">,
  subject: Exchange | undefined,
): string | undefined {
  if (named !== undefined) return named;
  const field = subject === undefined ? undefined : violationOf(subject)?.field;
  const words = message.replaceAll(quoted, "").split(" ");
  return place === undefined && field !== undefined && words.includes(field) ? field : undefined;
}

/** A value in the words of a judge, which cuts long ones (`showValue`). */
const quoted = /"(?:[^"\\]|\\.)*?(?:"|\\?\.\.\. \(\d+ characters\))/g;
