/** The action of a command that is loaded when it is used, so that `assay --help` answers at once. */
export type LoadCommand = <Given extends readonly unknown[]>(
  load: () => Promise<(...given: Given) => number | Promise<number>>,
) => (...given: Given) => Promise<void>;

/** `exitWith` takes the code that a command ends with. */
export function loadCommands(exitWith: (code: number) => void): LoadCommand {
  return (load) =>
    async (...given) =>
      exitWith(await (await load())(...given));
}
