import { readFileSync } from 'node:fs'
import { OPERATOR_USAGES } from '../../server/src/app/operator/operator-usages.ts'
import type { Command, CommandContext, CommandInput, RawCommand } from './command.ts'
import { listCommands } from './commands.ts'
import { connect, resolveProfile } from './connect.ts'
import { formatCommandHelp, formatGroupHelp, formatProgramHelp } from './help.ts'
import type { Io } from './io.ts'
import { createSafeOutput } from './output/escape-controls.ts'
import { parseCommand } from './parse-command.ts'
import { createProfileStore } from './profile-store.ts'
import { reportError } from './report-error.ts'
import { suggest } from './suggest.ts'
import { OPERATOR_USAGE, UsageError } from './usage-error.ts'

/** Runs a command of `linchpin`. Resolves to the exit code: 0, 1 refused, 2 wrong usage, 3 unreachable; operator's commands have their own. */
export async function run(args: readonly string[], terminal: Io): Promise<number> {
  const io = {
    ...terminal,
    stdout: createSafeOutput(terminal.stdout, { isForPeople: false }),
    stderr: createSafeOutput(terminal.stderr, { isForPeople: true }),
  }
  try {
    return await runCommand(args, io)
  } catch (error) {
    return reportError(error, io)
  }
}

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const commands = listCommands()
  if (args[0] === '--version' || args[0] === '-v') {
    io.stdout.write(`${readVersion()}\n`)
    return 0
  }
  if (args[0] === 'help') return runCommand([...args.slice(1), '--help'], io)
  if (args[0] === undefined || /^(?:--help|-h)$/.test(args[0])) {
    io.stdout.write(formatProgramHelp(commands))
    return 0
  }
  const command = findCommand(commands, args)
  if (command === undefined) return explainGroup(commands, args, io)
  const rest = args.slice(command.name.split(' ').length)
  if ('runRaw' in command) return runRaw(command, rest, io)
  const input = parseCommand(command, rest)
  if (input.has('help')) {
    io.stdout.write(formatCommandHelp(command))
    return 0
  }
  return (await command.run(input, createContext(input, io))) ?? 0
}

function runRaw(command: RawCommand, args: readonly string[], io: Io): Promise<number> | number {
  if (command.help === undefined || !args.some((arg) => /^(?:--help|-h)$/.test(arg)))
    return command.runRaw(args, createContext(undefined, io))
  io.stdout.write(`${command.help}\n`)
  return 0
}

/** The command of the first two words, or of the first one. */
function findCommand(commands: readonly Command[], args: readonly string[]): Command | undefined {
  const find = (count: number) =>
    commands.find(({ name }) => name === args.slice(0, count).join(' '))
  return find(2) ?? find(1)
}

function explainGroup(commands: readonly Command[], args: readonly string[], io: Io): number {
  const [group = '', name] = args
  const members = commands.filter((each) => each.name.startsWith(`${group} `))
  if (members.length === 0) {
    const groups = new Set(commands.map((each) => each.name.split(' ')[0] ?? ''))
    throw new UsageError(`There is no such command.${suggest(group, groups)} See linchpin --help.`)
  }
  if (name === undefined || /^(?:--help|-h)$/.test(name)) {
    const isAsked = name !== undefined
    const output = isAsked ? io.stdout : io.stderr
    output.write(formatGroupHelp(group, members))
    return isAsked ? 0 : getUsageCode(members)
  }
  const names = members.map((each) => each.name.slice(group.length + 1))
  throw new UsageError(
    `There is no such command of ${group}.${suggest(name, names)} See linchpin ${group} --help.`,
    getUsageCode(members),
  )
}

/** A group in which all commands are the operator's, such as `keys`, fails as these do. */
function getUsageCode(members: readonly Command[]): 2 | typeof OPERATOR_USAGE {
  return members.every(({ name }) => name in OPERATOR_USAGES) ? OPERATOR_USAGE : 2
}

function createContext(input: CommandInput | undefined, io: Io): CommandContext {
  const profileName = input?.get('profile') ?? 'default'
  const url = input?.get('url')
  const profiles = createProfileStore(io.env)
  const isJson = (input?.has('json') ?? false) || !io.stdout.isTTY
  const source = { io, profiles, profileName, url, token: input?.get('token') }
  return { ...source, isJson, connect: async () => connect(await resolveProfile(source), io) }
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
