import { toKebabCase } from './api/operation-names.ts'
import type { Command, Flag, ParsedCommand } from './command.ts'
import { GLOBAL_FLAGS } from './own-flags.ts'

/** The help of the program: groups of commands, first those of the API, then those of operators. */
export function formatProgramHelp(commands: readonly Command[]): string {
  const operators = commands.filter((command) => command.isForOperators === true)
  const others = commands.filter((command) => command.isForOperators !== true)
  return `Usage: linchpin COMMAND [options]

Commands of the API. They need a token: of linchpin login, or in LINCHPIN_TOKEN, with LINCHPIN_URL.

${formatGroups(others)}

Commands of operators. They run where the service is installed, with its settings.

${formatGroups(operators)}

linchpin COMMAND --help explains a command, or lists those of a group.
Exit codes: 0 done, 1 refused, 2 wrong usage, 3 unreachable. Operators' commands have others, from 64 on: see docs/operating.md.
`
}

function formatGroups(commands: readonly Command[]): string {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    const [group = ''] = command.name.split(' ')
    groups.set(group, [...(groups.get(group) ?? []), command])
  }
  const rows = [...groups].map(([group, members]) => {
    const names = members.map(({ name }) => name.slice(group.length + 1)).filter(Boolean)
    const [first] = members
    return [group, names.length === 0 ? (first?.summary ?? '') : names.join(', ')] as const
  })
  return formatRows(rows)
}

/** The commands of a group, such as `accounts`. */
export function formatGroupHelp(group: string, commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary] as const)
  return `Usage: linchpin ${group} COMMAND [options]\n\n${formatRows(rows)}\n`
}

/** The help of a command. */
export function formatCommandHelp(command: ParsedCommand): string {
  const ids = command.positionals.map((name) =>
    name.endsWith('?') ? ` [${toKebabCase(name.slice(0, -1))}]` : ` <${toKebabCase(name)}>`,
  )
  const parts = [
    `Usage: linchpin ${command.name}${ids.join('')} [options]`,
    `${command.summary}.${command.description === undefined ? '' : ` ${command.description}`}`,
    ...(command.flags.length > 0 ? [`Options:\n${formatFlags(command.flags)}`] : []),
    `Options of all commands:\n${formatFlags(GLOBAL_FLAGS)}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function formatFlags(flags: readonly Flag[]): string {
  return formatRows(
    flags.map(({ name, short, value, description, isMultiple }) => [
      `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      `${description}${isMultiple ? ' Can be repeated.' : ''}`,
    ]),
  )
}

function formatRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(36, Math.max(...rows.map(([name]) => name.length)))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')
}
