/** Instants of a path in tenths of a pixel, so that relative steps add up without drift. */
interface Step {
  readonly kind: "move" | "line" | "close";
  readonly x: number;
  readonly y: number;
}

/**
 * The same picture in fewer bytes: steps relative where that is shorter, axis-parallel steps by their one coordinate,
 * straight runs along an axis joined (SVG 2, section 9.3). Input: absolute or relative M, L, H, V and Z with at most one
 * decimal, which is all that our charts draw; anything else comes back unchanged.
 */
export function compactPath(d: string): string {
  const steps = readSteps(d);
  return steps === null ? d : writeSteps(joinRuns(steps));
}

function readSteps(d: string): readonly Step[] | null {
  const tokens = d.match(/[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)|[^\sA-Za-z\d.,-]+/g) ?? [];
  const steps: Step[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  let at = 0;
  let command = "";
  const next = (): number => {
    const token = tokens[at++];
    return token === undefined || /[A-Za-z]/.test(token) ? NaN : Math.round(Number(token) * 10);
  };
  while (at < tokens.length) {
    const token = tokens[at] ?? "";
    if (/^[A-Za-z]$/.test(token)) {
      command = token;
      at++;
    } else if (command === "M" || command === "m") command = command === "M" ? "L" : "l";
    const relative = command === command.toLowerCase();
    const [baseX, baseY] = relative ? [x, y] : [0, 0];
    switch (command.toUpperCase()) {
      case "M":
      case "L":
        x = baseX + next();
        y = baseY + next();
        break;
      case "H":
        x = baseX + next();
        break;
      case "V":
        y = baseY + next();
        break;
      case "Z":
        [x, y] = [startX, startY];
        steps.push({ kind: "close", x, y });
        continue;
      default:
        return null;
    }
    if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
    const kind = command.toUpperCase() === "M" ? "move" : "line";
    if (kind === "move") [startX, startY] = [x, y];
    steps.push({ kind, x, y });
  }
  return steps[0]?.kind === "line" ? null : steps;
}

/** Of points on one straight run along an axis only the ends are drawn. A lone dot, a line of no length, stays. */
function joinRuns(steps: readonly Step[]): readonly Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const previous = joined.at(-1);
    const before = joined.at(-2);
    const goesOn =
      step.kind === "line" &&
      previous?.kind === "line" &&
      before !== undefined &&
      ((step.x === previous.x && previous.x === before.x && (step.y - previous.y) * (previous.y - before.y) >= 0) ||
        (step.y === previous.y && previous.y === before.y && (step.x - previous.x) * (previous.x - before.x) >= 0));
    if (goesOn) joined.pop();
    joined.push(step);
  }
  return joined;
}

function writeSteps(steps: readonly Step[]): string {
  let text = "";
  let [x, y] = [0, 0];
  let last = "";
  const add = (command: string, values: readonly number[]): string => {
    const head = command === last && command.toUpperCase() !== "M" ? "" : command;
    let body = "";
    for (const value of values) {
      const figure = String(value / 10).replace(/^(-?)0\./, "$1.");
      const joins = (body === "" && head !== "") || figure.startsWith("-");
      body += (joins ? "" : " ") + figure;
    }
    return head + body;
  };
  for (const step of steps) {
    const [dx, dy] = [step.x - x, step.y - y];
    const letter = step.kind === "move" ? "M" : step.kind === "close" ? "Z" : dy === 0 ? "H" : dx === 0 ? "V" : "L";
    const far = letter === "H" ? [step.x] : letter === "V" ? [step.y] : letter === "Z" ? [] : [step.x, step.y];
    const near = letter === "H" ? [dx] : letter === "V" ? [dy] : letter === "Z" ? [] : [dx, dy];
    const absolute = add(letter, far);
    const relative = add(letter.toLowerCase(), near);
    const shorter = text !== "" && relative.length <= absolute.length;
    text += shorter ? relative : absolute;
    last = shorter ? letter.toLowerCase() : letter;
    [x, y] = [step.x, step.y];
  }
  return text;
}
