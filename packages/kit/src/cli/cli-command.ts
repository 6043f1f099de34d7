/** Where a command writes, a line at a time. */
export interface Output {
  out(text: string): void
  err(text: string): void
}

/** One command of the command line. */
export interface CliCommand {
  readonly usage: string
  readonly description: string
  /** Flags by their name, and what each means. */
  readonly flags?: Readonly<Record<string, string>>
  /** @returns the exit code. @throws Misuse for a wrong command line, Error for all else */
  run(args: readonly string[], output: Output): Promise<number>
}
