import { buildCommand } from './build-command.ts'
import { checkCommand } from './check-command.ts'
import type { CliCommand, Output } from './cli-command.ts'
import { devCommand } from './dev/dev-command.ts'
import { Misuse } from './misuse.ts'
import { newCommand } from './new/new-command.ts'
import { testCommand } from './test-command.ts'

/**
 * `linchpin-kit <command> …`.
 *
 * @returns the exit code: 0 when all is well, 1 when something is wrong with an integration, 2 for a wrong command line
 */
export async function main(args: readonly string[], output: Output): Promise<number> {
  const [name = 'help', ...rest] = args
  const command = COMMANDS.get(name)
  if (command === undefined) {
    const isHelp = ['help', '--help', '-h'].includes(name)
    const asked = isHelp ? COMMANDS.get(rest[0] ?? '') : undefined
    output[isHelp ? 'out' : 'err'](asked ? usageOf(asked) : usage())
    return isHelp ? 0 : 2
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    output.out(usageOf(command))
    return 0
  }
  try {
    return await command.run(rest, output)
  } catch (error) {
    output.err(`linchpin-kit ${name}: ${(error as Error).message}`)
    return error instanceof Misuse || isParseError(error) ? 2 : 1
  }
}

const COMMANDS: ReadonlyMap<string, CliCommand> = new Map([
  ['new', newCommand],
  ['dev', devCommand],
  ['check', checkCommand],
  ['test', testCommand],
  ['build', buildCommand],
])

function usage(): string {
  const lines = [...COMMANDS.values()].map(({ usage, says }) => `  ${usage.padEnd(34)} ${says}`)
  const more = 'linchpin-kit <command> --help tells its flags.'
  return ['Usage: linchpin-kit <command>', '', ...lines, '', more].join('\n')
}

function usageOf({ usage, says, flags = {} }: CliCommand): string {
  const lines = Object.entries(flags).map(([flag, means]) => `  --${flag.padEnd(10)} ${means}`)
  return [`Usage: linchpin-kit ${usage}`, `  ${says}`, '', ...lines].join('\n').trimEnd()
}

/** Of node:util's parseArgs. */
function isParseError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
}
