/** A command line that the help of a command shows, and one line of text about it. */
export type HelpExample = readonly [commandLine: string, text: string];
