import type { Command, ParsedCommand } from './command.ts'
import { GLOBAL_FLAGS } from './own-flags.ts'
import { UsageError } from './usage-error.ts'

/** `completion`: a script for the shell that completes commands and their options. It contacts no service. */
export function createCompletionCommand(listCommands: () => readonly Command[]): ParsedCommand {
  return {
    name: 'completion',
    summary: 'Print a script that completes commands in bash or zsh',
    description: 'In bash: eval "$(linchpin completion bash)". In zsh, after compinit, the same.',
    positionals: ['shell'],
    flags: [],
    async run({ positionals: [shell = ''] }, { io }) {
      if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('The shell is bash or zsh.')
      const zsh = 'autoload -U +X bashcompinit && bashcompinit\n'
      io.stdout.write((shell === 'zsh' ? zsh : '') + renderScript(listCommands()))
      return 0
    },
  }
}

function renderScript(commands: readonly Command[]): string {
  const groups = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const cases = [
    ["''", groups] as const,
    ...groups.flatMap((group) => {
      const members = commands.filter(({ name }) => name.startsWith(`${group} `))
      const names = members.map(({ name }) => name.slice(group.length + 1))
      return names.length === 0 ? [] : [[`'${group}'`, names] as const]
    }),
    ...commands.map(
      (command) => [`'${command.name}'|'${command.name} '*`, listFlags(command)] as const,
    ),
  ]
  const lines = cases.map(([pattern, words]) => `    ${pattern}) words='${words.join(' ')}' ;;`)
  return `_linchpin() {
  local words='' typed="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$typed" in
${lines.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _linchpin linchpin
`
}

function listFlags(command: Command): string[] {
  const flags = 'flags' in command ? [...command.flags, ...GLOBAL_FLAGS] : []
  return flags.map(({ name }) => `--${name}`)
}
