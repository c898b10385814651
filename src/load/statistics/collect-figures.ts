/**
 * One figure of each subject that has it. Of a million records a list of numbers takes as much again as the records, and a callback
 * that filters them first yet another.
 */
export function collectFigures<Subject>(subjects: readonly Subject[], figure: (subject: Subject) => number | null): Float64Array {
  const values = new Float64Array(subjects.length);
  let count = 0;
  for (const subject of subjects) {
    const value = figure(subject);
    if (value !== null) values[count++] = value;
  }
  return values.subarray(0, count);
}
