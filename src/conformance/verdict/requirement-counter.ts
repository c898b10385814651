/** How often each requirement was considered; equal sequences of requirements cost a comparison for each. */
export interface RequirementCounter {
  /** Before the first requirement of each exchange. */
  begin(): void;
  count(requirement: string): void;
  /** Hands over what was counted since the last call. */
  settle(add: (requirement: string, times: number) => void): void;
}

/** A requirement after those before it. Answers of one kind lead along the same path again and again. */
class Step {
  times = 0;
  /** The step that was taken last from here. */
  latest: Step | null = null;
  readonly next: Map<string, Step> = new Map();
  readonly requirement: string;

  constructor(requirement: string) {
    this.requirement = requirement;
  }
}

/** A hostile target makes up as many paths as it likes; what is beyond them is counted at its last step. */
const stepsKept = 5000;

export class PathCounter implements RequirementCounter {
  private readonly start = new Step("");
  private at: Step = this.start;
  private steps = 0;
  private readonly beyond = new Map<string, number>();

  begin(): void {
    this.at = this.start;
  }

  count(requirement: string): void {
    const { latest } = this.at;
    if (latest !== null && latest.requirement === requirement) {
      latest.times += 1;
      this.at = latest;
    } else this.turn(requirement);
  }

  settle(add: (requirement: string, times: number) => void): void {
    for (const [requirement, times] of this.beyond) add(requirement, times);
    this.beyond.clear();
    const open = [...this.start.next.values()];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (step.times > 0) add(step.requirement, step.times);
      step.times = 0;
      open.push(...step.next.values());
    }
  }

  private turn(requirement: string): void {
    let step = this.at.next.get(requirement);
    if (step === undefined) {
      if (this.steps >= stepsKept) {
        this.beyond.set(requirement, (this.beyond.get(requirement) ?? 0) + 1);
        return;
      }
      step = new Step(requirement);
      this.steps += 1;
      this.at.next.set(requirement, step);
    }
    step.times += 1;
    this.at.latest = step;
    this.at = step;
  }
}
