/** Writes one line of output. */
export interface Output {
  print(text: string): void
  printError(text: string): void
}

/** One command of the command line. */
export interface CliCommand {
  readonly usage: string
  readonly description: string
  /** Flags by name, with a description each. */
  readonly flags?: Readonly<Record<string, string>>
  /** @returns the exit code. @throws UsageError for an invalid command line, Error for everything else */
  run(args: readonly string[], output: Output, env: NodeJS.ProcessEnv): Promise<number>
}
