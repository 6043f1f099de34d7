import { parseArgs } from 'node:util'
import type { CommandInput, Flag, ParsedCommand } from './command.ts'
import { GLOBAL_FLAGS } from './own-flags.ts'
import { suggest } from './suggest.ts'
import { UsageError } from './usage-error.ts'

/** The arguments of a command. @throws UsageError, which names options but never repeats a value */
export function parseCommand(command: ParsedCommand, args: readonly string[]): CommandInput {
  const input = parseFlags([...command.flags, ...GLOBAL_FLAGS], args)
  const { positionals } = input
  const expected = command.positionals.filter((name) => !name.endsWith('?'))
  const takesMore = command.positionals.some((name) => name.includes('...'))
  const missing = expected[positionals.length]
  if (missing !== undefined && !input.has('help')) throw new UsageError(`${missing} is missing.`)
  if (positionals.length > command.positionals.length && !takesMore)
    throw new UsageError(
      `There is an argument too many: expected ${command.positionals.length}, found ${positionals.length}.`,
    )
  return input
}

function parseFlags(flags: readonly Flag[], args: readonly string[]): CommandInput {
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      flags.map(({ name, value, short }) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short ? { short } : {}) } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const flag = flags.find(({ name }) => name === token.name)
    if (flag === undefined) throw createUnknownOption(token.rawName, flags)
    if (flag.value === undefined && token.value !== undefined)
      throw new UsageError(`--${flag.name} takes no value.`)
    if (flag.value !== undefined && token.value === undefined)
      throw new UsageError(`--${flag.name} needs a value: ${flag.value}.`)
    const found = values.get(flag.name) ?? []
    if (found.length > 0 && !flag.isMultiple) throw new UsageError(`--${flag.name} is given twice.`)
    values.set(flag.name, [...found, token.value ?? ''])
  }
  const fromInput = flags.filter(
    ({ name, value }) => value?.endsWith('|-') && values.get(name)?.includes('-'),
  )
  if (fromInput.length > 1) throw new UsageError('Only one option can read standard input.')
  return {
    positionals,
    get: (name) => values.get(name)?.at(-1),
    getAll: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  }
}

function createUnknownOption(rawName: string, flags: readonly Flag[]): UsageError {
  const names = flags.map(({ name }) => `--${name}`)
  return new UsageError(`There is no option ${rawName}.${suggest(rawName, names)}`)
}
