import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Config } from '../start/environment.ts'
import type { CoreServices, OpenServicesOptions } from '../start/open-services.ts'

/** Where a command prints. */
export interface CommandOutput {
  log(text: string): void
  error(text: string): void
}

/** What an operator's command gets: the environment, and nothing opened yet. */
export interface OperatorContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly output: CommandOutput
  readonly now: () => number
  readonly openOptions: Omit<OpenServicesOptions, 'exclusive'>
  /** @throws ConfigError with every invalid setting */
  loadConfig(): Config
  /** Opens the database and the vault beside a service that may be running. The caller closes the database. */
  open(): Promise<CoreServices>
}

/**
 * Runs one command with the arguments after its name.
 *
 * @returns the exit code: 0, or 64 for wrong arguments
 */
export type OperatorCommand = (args: readonly string[], context: OperatorContext) => Promise<number>

/** Wrong arguments: the exit code is 64, and the usage is printed. */
export class OperatorUsageError extends Error {}

/** Why a command cannot do its work: its message is printed, and the process exits with a code of sysexits.h. */
export class OperatorError extends Error {
  readonly exitCode: OperatorExitCode

  constructor(exitCode: OperatorExitCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** 65: unusable input; 66: missing input; 73: the output cannot be created; 75: try again later; 78: wrong settings. */
type OperatorExitCode = 65 | 66 | 73 | 75 | 78

/**
 * Parses options and positionals.
 *
 * @throws OperatorUsageError
 */
export function parseOperatorArgs<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new OperatorUsageError(error instanceof Error ? error.message : '')
  }
}

/** @throws OperatorUsageError if a command without arguments got one */
export function expectNoArguments(args: readonly string[]): void {
  if (args.length > 0) throw new OperatorUsageError('it takes no arguments')
}

/** A command as the reader types it: npm started this program in a clone, and a release has no npm. */
export function formatCommand(env: OperatorContext['env'], command: string): string {
  const program = env.npm_package_name === 'linchpin' ? 'npm run linchpin --' : 'linchpin'
  return `${program} ${command}`.trimEnd()
}
