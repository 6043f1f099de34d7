import { buildCommand } from './build-command.ts'
import { checkCommand } from './check-command.ts'
import type { CliCommand, Output } from './cli-command.ts'
import { devCommand } from './dev/dev-command.ts'
import { newCommand } from './new/new-command.ts'
import { publishCommand } from './publish-command.ts'
import { testCommand } from './test-command.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs `linchpin-kit <command> …`.
 *
 * @returns the exit code: 0 for success, 1 for a problem with an integration, 2 for an invalid command line
 */
export async function main(
  args: readonly string[],
  output: Output,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const [name = 'help', ...commandArgs] = args
  const command = COMMANDS.get(name)
  if (command === undefined) {
    const isHelp = ['help', '--help', '-h'].includes(name)
    const requestedCommand = isHelp ? COMMANDS.get(commandArgs[0] ?? '') : undefined
    output[isHelp ? 'print' : 'printError'](
      requestedCommand ? formatCommandUsage(requestedCommand) : formatUsage(),
    )
    return isHelp ? 0 : 2
  }
  if (commandArgs.includes('--help') || commandArgs.includes('-h')) {
    output.print(formatCommandUsage(command))
    return 0
  }
  try {
    return await command.run(commandArgs, output, env)
  } catch (error) {
    output.printError(`linchpin-kit ${name}: ${(error as Error).message}`)
    return error instanceof UsageError || isParseError(error) ? 2 : 1
  }
}

const COMMANDS: ReadonlyMap<string, CliCommand> = new Map([
  ['new', newCommand],
  ['dev', devCommand],
  ['check', checkCommand],
  ['test', testCommand],
  ['build', buildCommand],
  ['publish', publishCommand],
])

function formatUsage(): string {
  const lines = [...COMMANDS.values()].map(
    ({ usage, description }) => `  ${usage.padEnd(34)} ${description}`,
  )
  const hint = 'Run linchpin-kit <command> --help for its flags.'
  return ['Usage: linchpin-kit <command>', '', ...lines, '', hint].join('\n')
}

function formatCommandUsage({ usage, description, flags = {} }: CliCommand): string {
  const lines = Object.entries(flags).map(
    ([flag, flagDescription]) => `  --${flag.padEnd(10)} ${flagDescription}`,
  )
  return [`Usage: linchpin-kit ${usage}`, `  ${description}`, '', ...lines].join('\n').trimEnd()
}

/** The codes of `parseArgs` errors in node:util. */
function isParseError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
}
