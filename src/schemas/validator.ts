import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { SchemaProblem } from "../core/schema-problem.ts";
import { wireSchemaNames } from "./compile-check.ts";
import { loadCheck } from "./load-check.ts";

export interface Validator {
  /** Names that `validate` takes: the files of `schemas/wire/` without `.json`. */
  readonly names: readonly string[];
  /** Every problem, in the order of the value, of many alike the first 50; throws a `RangeError` for an unknown name. */
  validate(name: string, value: unknown): readonly SchemaProblem[];
}

let shared: Validator | null = null;

/** The schemas of `schemas/wire/`, each loaded when it is first asked for, once in a process. */
export function createValidator(): Validator {
  shared ??= openWireSchemas();
  return shared;
}

/** Checks values against one schema that is not of the wire: `result.schema`, `record.schema`, `evidence.schema`. */
export function compileSchema(name: string): (value: unknown) => readonly SchemaProblem[] {
  const check = loadCheck(name);
  return (value) => runCheck(check, value);
}

/** A problem of a file that a person wrote, with what its schema says of the place. */
export interface FileSchemaProblem extends SchemaProblem {
  readonly description: string | null;
  /** Members that the place may have. */
  readonly known: readonly string[];
  /** Whether `known` are all of them. */
  readonly closed: boolean;
  /** Values that the place may have. */
  readonly allowed: readonly unknown[];
}

/** The same for a file that a person wrote: each problem comes with what its schema allows. */
export function compileFileSchema(name: string): (value: unknown) => FileSchemaProblems {
  const check = loadCheck(name, { verbose: true });
  return (value) => {
    if (check(value)) return { problems: [], leftOut: 0 };
    const all = check.errors?.length ?? 0;
    const kept = keepAlike(check);
    return { problems: leaveOutApplicators(kept).map(toFileProblem), leftOut: all - kept.length };
  };
}

export interface FileSchemaProblems {
  readonly problems: readonly FileSchemaProblem[];
  /** Problems alike that are only counted. */
  readonly leftOut: number;
}

/**
 * Of `oneOf` the branches report where they look into the value; where they only name its type, the whole of it says what is allowed.
 * A name that is not allowed is one problem, that of the mapping that holds it.
 */
function leaveOutApplicators(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const isWithin = (error: ErrorObject, outer: ErrorObject): boolean => error.schemaPath.startsWith(`${outer.schemaPath}/`);
  const choices = errors.filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf");
  const explained = new Set(
    choices.filter((choice) => errors.some((error) => isWithin(error, choice) && error.instancePath !== choice.instancePath)),
  );
  return errors.filter(
    (error) =>
      error.keyword !== "if" &&
      error.propertyName === undefined &&
      !explained.has(error) &&
      !choices.some((choice) => !explained.has(choice) && isWithin(error, choice)),
  );
}

function openWireSchemas(): Validator {
  const names = wireSchemaNames();
  const known = new Set(names);
  return {
    names,
    validate(name, value) {
      if (!known.has(name)) throw new RangeError(`no schema named ${name} in schemas/wire`);
      return runCheck(loadCheck(`wire/${name}`), value);
    },
  };
}

function runCheck(check: ValidateFunction, value: unknown): readonly SchemaProblem[] {
  return check(value) ? [] : keepAlike(check).map(toProblem);
}

/** Errors of the last call. Texts of a hundred thousand problems would take more memory than all else. */
function keepAlike(check: ValidateFunction): readonly ErrorObject[] {
  const errors = check.errors ?? [];
  check.errors = null;
  return errors.length <= mostAlike ? errors : leaveOutAlike(errors);
}

/** Of problems of one rule with one member reported at most: a list may have as many items as it likes. */
const mostAlike = 50;

function leaveOutAlike(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const counts = new Map<string, Map<unknown, number>>();
  return errors.filter((error) => {
    const ofRule = counts.get(error.schemaPath) ?? new Map<unknown, number>();
    const member = propertyOf(error);
    const count = ofRule.get(member) ?? 0;
    counts.set(error.schemaPath, ofRule.set(member, count + 1));
    return count < mostAlike;
  });
}

function propertyOf({ params }: ErrorObject): unknown {
  const { missingProperty, additionalProperty } = params as Readonly<Record<string, unknown>>;
  return missingProperty ?? additionalProperty;
}

/** The name that its mapping does not allow. */
function nameOf({ params }: ErrorObject): unknown {
  return (params as Readonly<Record<string, unknown>>)["propertyName"];
}

function toProblem(error: ErrorObject): SchemaProblem {
  const property = error.keyword === "propertyNames" ? nameOf(error) : propertyOf(error);
  return {
    pointer: error.instancePath,
    keyword: error.keyword,
    property: typeof property === "string" ? property : null,
    message: error.message ?? `violates ${error.keyword}`,
  };
}

interface ParentSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string; readonly enum?: readonly unknown[] }>>;
  /** All names, or a few of those that are free. */
  readonly propertyNames?: {
    readonly description?: string;
    readonly enum?: readonly string[];
    readonly examples?: readonly string[];
  };
}

function toFileProblem(error: ErrorObject): FileSchemaProblem {
  const problem = toProblem(error);
  const { description = null, properties = {}, propertyNames } = (error.parentSchema ?? {}) as ParentSchema;
  const absent = problem.keyword === "required" ? properties[problem.property ?? ""] : undefined;
  // The description of a mapping does not name a missing value, if its values are listed.
  const missing = absent?.description ?? (absent?.enum === undefined ? undefined : `one of ${absent.enum.join(", ")}`);
  const { allowedValues = [] } = error.params as { readonly allowedValues?: readonly unknown[] };
  const ofName = problem.keyword === "propertyNames" ? propertyNames : undefined;
  const described = missing ?? ofName?.description ?? description;
  // Descriptions are those of comments: a message shows no markup.
  return {
    ...problem,
    description: described?.replaceAll("`", "") ?? null,
    known: ofName?.enum ?? ofName?.examples ?? Object.keys(properties),
    closed: ofName === undefined || ofName.enum !== undefined,
    allowed: allowedValues,
  };
}
