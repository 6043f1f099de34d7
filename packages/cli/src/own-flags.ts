import type { Flag } from './command.ts'

/** The options of every command. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'profile', value: 'NAME', description: 'the profile to use; default: default' },
  { name: 'url', value: 'URL', description: 'the address of the service' },
  {
    name: 'token',
    value: '@FILE|-',
    description: 'the access token, from a file or standard input',
  },
  { name: 'json', description: 'prints JSON lines on a terminal too' },
  { name: 'help', short: 'h', description: 'prints this' },
]

/** The option of operations with a body. */
export const DATA_FLAG: Flag = {
  name: 'data',
  value: '@FILE|-',
  description: 'the whole body as JSON, from a file or standard input',
}

/** The options of commands whose result has a secret. */
export const SECRET_FLAGS: readonly Flag[] = [
  { name: 'show-token', description: 'prints the secret of the result' },
  {
    name: 'out',
    value: 'FILE',
    description: 'writes the result with its secret to a file that only you can read',
  },
]

/** Names that no field of an operation can have as its option, because the command line gives them a meaning of its own. */
export const OWN_FLAG_NAMES: ReadonlySet<string> = new Set(
  [...GLOBAL_FLAGS, DATA_FLAG, ...SECRET_FLAGS].map(({ name }) => name),
)
