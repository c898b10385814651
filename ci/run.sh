#!/usr/bin/env bash
# Runs assay as the inputs of the action say, ends with its exit code, and gives later steps the code, the verdict and the run folder.
# Inputs arrive as environment variables: nothing that a workflow puts into them is read as shell.
set -uo pipefail
assay="$ASSAY_HOME/bin/assay"
out="${ASSAY_OUT:-assay-reports}"

give() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }
refuse() {
  echo "::error title=assay::$1"
  give exit-code 2
  exit 2
}

case "$INPUT_COMMAND" in
  run | check | limits | load) ;;
  *) refuse "the input command is run, check, limits or load" ;;
esac
if [ -z "$INPUT_BASE_URL$INPUT_CONFIG" ] && ! compgen -G 'assay.config.*' >/dev/null; then
  refuse "no target is given: set the input base-url or config, or commit an assay.config.yaml or assay.config.ts"
fi

arguments=("$INPUT_COMMAND" --out "$out" --reporter github)
[ -z "$INPUT_BASE_URL" ] || arguments+=("--base-url=$INPUT_BASE_URL")
[ -z "$INPUT_CONFIG" ] || arguments+=("--config=$INPUT_CONFIG")
[ -z "$INPUT_EXPECT_SCOPE" ] || arguments+=("--expect-scope=$INPUT_EXPECT_SCOPE")
[ -z "$INPUT_BUDGET" ] || arguments+=("--max-requests=$INPUT_BUDGET")
[ -z "${INPUT_LABEL:-}" ] || arguments+=("--label=$INPUT_LABEL")
while IFS= read -r flag; do
  flag="${flag#"${flag%%[![:space:]]*}"}"
  flag="${flag%"${flag##*[![:space:]]}"}"
  [ -z "$flag" ] || arguments+=("$flag")
done <<<"$INPUT_FLAGS"

# The newest folder is that of this run: remember which there were.
mkdir -p "$out" || refuse "the folder $out cannot be made"
before="$(ls -1 "$out")"
"$assay" "${arguments[@]}"
code=$?
give exit-code "$code"
folder=""
while IFS= read -r name; do
  # "latest" is a link to it that the next run moves.
  [ ! -L "$out/$name" ] && [ -f "$out/$name/run.json" ] || continue
  grep -Fxq -- "$name" <<<"$before" || folder="$out/$name"
done < <(ls -1 "$out")
if [ -n "$folder" ]; then
  give folder "$folder"
  give verdict "$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).verdict' "$folder/result.json" 2>/dev/null)"
fi

if [ -n "$INPUT_COMPARE_WITH" ] && [ -n "$folder" ]; then
  comparison="$("$assay" compare "$INPUT_COMPARE_WITH" "$folder" --gate --out "$folder/compare.html")"
  compared=$?
  printf '%s\n' "$comparison"
  {
    printf '\n### Compared with the earlier run\n\n````text\n%s\n````\n' "${comparison//\`/\'}"
  } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  [ "$compared" -eq 0 ] || echo "::error title=assay compare::the run is worse than the earlier one, or cannot be compared with it (exit code $compared)"
  # The verdict on the target outranks what changed since.
  [ "$code" -ne 0 ] || code=$compared
  sed -i.old "s/^exit-code=.*/exit-code=$code/" "$GITHUB_OUTPUT" && rm -f "$GITHUB_OUTPUT.old"
fi
exit "$code"
