/**
 * A plugin for Stryker: words for people are no logic. Text under `message`, `around`, `expected` or `observed` of an
 * occurrence or a finding is left alone; conditions that choose between texts are mutated like any other. The golden files of
 * test/conformance/judges hold these texts word for word.
 */
const members = new Set(["message", "around", "expected", "observed"]);

const ignorer = {
  shouldIgnore(path) {
    if (!path.isStringLiteral() && !path.isTemplateLiteral()) return undefined;
    const isForPeople = path.findParent(
      (parent) => parent.isObjectProperty() && !parent.node.computed && members.has(parent.node.key.name),
    );
    return isForPeople ? "a text for people" : undefined;
  },
};

export const strykerPlugins = [{ kind: "Ignore", name: "human-text", value: ignorer }];
