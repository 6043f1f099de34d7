import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, MAX_BUNDLE_BYTES } from '../build/build.ts'
import { lintFile } from '../build/lint-file.ts'
import { loadIntegration } from '../build/load-integration.ts'
import type { CliCommand, Output } from './cli-command.ts'
import { devCommand } from './dev/dev-command.ts'
import { newCommand } from './new/new-command.ts'
import { publishCommand } from './publish-command.ts'
import { testCommand } from './test-command.ts'
import { UsageError } from './usage-error.ts'

/** `check`: the lint of integrations. */
const checkCommand: CliCommand = {
  usage: 'check <file.ts> …',
  description: 'checks keys, hosts, scopes, unmarked secrets, missing help and placeholders of new',
  async run(args, { print, printError }) {
    const { positionals: files } = parseArgs({ args: [...args], allowPositionals: true })
    if (files.length === 0) throw new UsageError('Pass the file of an integration.')
    let isOk = true
    for (const file of files) {
      const { errors, placeholders } = await lintFile(file)
      const problems = [...errors, ...placeholders]
      for (const problem of problems) printError(`${file}: ${problem}`)
      if (problems.length === 0) print(`${file}: no problems found`)
      isOk &&= problems.length === 0
    }
    return isOk ? 0 : 1
  },
}

/** `build`: one CommonJS file, with its digest and size. */
const buildCommand: CliCommand = {
  usage: 'build <file.ts> [--out <index.js>]',
  description: 'builds one file to serve, and prints its SHA-256 and size',
  flags: { out: 'output file; default: dist/index.js next to the integration' },
  async run(args, { print }) {
    const options = { out: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [file, ...extra] = positionals
    if (file === undefined || extra.length > 0)
      throw new UsageError('Pass the file of one integration.')
    const { code, sha256, size } = await build(file)
    loadIntegration(code)
    const path = values.out ?? join(dirname(file), 'dist', 'index.js')
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, code)
    print(path)
    print(`sha256 ${sha256}`)
    print(
      `${size} bytes${size > MAX_BUNDLE_BYTES ? ': more than the 25 kB that an integration without code needs' : ''}`,
    )
    return 0
  },
}

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
