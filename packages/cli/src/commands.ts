import { FETCH_ACCOUNT } from './api/fetch-account.ts'
import { createOperationCommands } from './api/operation-commands.ts'
import type { Command } from './command.ts'
import { createCompletionCommand } from './completion-command.ts'
import { CONNECT } from './connect-command.ts'
import { EMULATE } from './emulate-command.ts'
import { EVENT_COMMANDS } from './events/event-commands.ts'
import { IMPORT_COMMANDS } from './import/import-commands.ts'
import { OPERATOR_COMMANDS } from './operator/operator-commands.ts'
import { VERIFY_AUDIT } from './operator/verify-audit.ts'
import { PROFILE_COMMANDS } from './profile/profile-commands.ts'

/** Commands that no operation of the API is. One of these replaces the command of an operation with the same name. */
const OWN_COMMANDS: readonly Command[] = [
  ...PROFILE_COMMANDS,
  ...OPERATOR_COMMANDS,
  FETCH_ACCOUNT,
  VERIFY_AUDIT,
  ...EVENT_COMMANDS,
  ...IMPORT_COMMANDS,
  CONNECT,
  EMULATE,
  createCompletionCommand(() => listCommands()),
]

/** All commands, in the order of the help. */
export function listCommands(): readonly Command[] {
  const names = new Set(OWN_COMMANDS.map(({ name }) => name))
  return [...OWN_COMMANDS, ...createOperationCommands().filter(({ name }) => !names.has(name))]
}
