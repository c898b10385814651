#!/usr/bin/env bash
# Installs assay for the steps that follow, at $ASSAY_HOME/bin/assay: the package $ASSAY_PACKAGE, or a build of $ASSAY_ACTION.
set -euo pipefail
mkdir -p "$ASSAY_HOME/bin"
if [ -n "$ASSAY_PACKAGE" ]; then
  npm install --prefix "$ASSAY_HOME" --no-audit --no-fund --prefer-offline "$ASSAY_PACKAGE"
  # The name of the package is that of package.json beside this action, or whatever was installed in its place.
  entry="$(realpath "$ASSAY_HOME/node_modules/.bin/assay" 2>/dev/null || true)"
else
  (cd "$ASSAY_ACTION" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline && npm run build)
  entry="$ASSAY_ACTION/dist/src/cli/bin.js"
fi
[ -f "$entry" ] || { echo "::error::assay was not installed: there is no $entry"; exit 4; }
printf '#!/usr/bin/env bash\nexec node %q "$@"\n' "$entry" >"$ASSAY_HOME/bin/assay"
chmod +x "$ASSAY_HOME/bin/assay"
