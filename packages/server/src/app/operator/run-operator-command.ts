import { verifyAuditCommand } from './audit/verify-audit-command.ts'
import { backupCommand, restoreCommand } from './backup/backup-command.ts'
import { consoleCommand } from './console/console-command.ts'
import { exportDatabaseCommand } from './db/export-database.ts'
import { importDatabaseCommand } from './db/import-database.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { importPoozleCommand, openImportServices } from './import-poozle/import-poozle-command.ts'
import { forgetKeyCommand } from './keys/forget-key.ts'
import { rekeyCommand, rotateKeysCommand, verifyKeysCommand } from './keys/key-commands.ts'
import { migrateCommand } from './migrate/migrate-command.ts'
import {
  formatCommand,
  type OperatorCommand,
  type OperatorContext,
  OperatorError,
  OperatorUsageError,
} from './operator-command.ts'
import { OPERATOR_USAGES, type OperatorCommandName } from './operator-usages.ts'
import { publicKeyCommand, signRegistryCommand } from './registry/instance-key-commands.ts'
import { tokenCommand } from './tokens/token-command.ts'

const NAMES = Object.keys(OPERATOR_USAGES) as OperatorCommandName[]

/**
 * Runs the command whose name the arguments begin with. Without one, it prints the usage of all.
 *
 * @returns the exit code: 64 for an unknown command or wrong arguments
 * @throws what opening the service throws
 */
export async function runOperatorCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const name = findOperatorCommand(args)
  if (name === undefined) {
    context.output.error(['Usage:', ...NAMES.map((each) => describe(each, context))].join('\n'))
    return args.length === 0 || args.join() === '--help' ? 0 : 64
  }
  try {
    if (args.includes('')) throw new OperatorUsageError('an argument is empty')
    return await OPERATOR_COMMANDS[name](args.slice(name.split(' ').length), context)
  } catch (error) {
    if (error instanceof OperatorError) {
      context.output.error(`${name}: ${error.message}`)
      return error.exitCode
    }
    if (!(error instanceof OperatorUsageError)) throw error
    context.output.error(`${name}: ${error.message}\nUsage:\n${describe(name, context)}`)
    return 64
  }
}

/** The command whose name the arguments begin with. */
export function findOperatorCommand(args: readonly string[]): OperatorCommandName | undefined {
  return NAMES.find((each) => each.split(' ').every((word, index) => args[index] === word))
}

function describe(name: OperatorCommandName, { env }: OperatorContext): string {
  const { arguments: usage, summary } = OPERATOR_USAGES[name]
  return `  ${formatCommand(env, `${name} ${usage}`)}\n      ${summary}`
}

/** What runs each command of `operator-usages.ts`. */
const OPERATOR_COMMANDS: Readonly<Record<OperatorCommandName, OperatorCommand>> = {
  token: tokenCommand,
  console: consoleCommand,
  backup: backupCommand,
  restore: restoreCommand,
  doctor: doctorCommand,
  'keys rotate': rotateKeysCommand,
  'keys verify': verifyKeysCommand,
  'keys forget': forgetKeyCommand,
  'keys rekey': rekeyCommand,
  migrate: migrateCommand,
  'db export': exportDatabaseCommand,
  'db import': importDatabaseCommand,
  'registry key': publicKeyCommand('registry'),
  'registry sign': signRegistryCommand,
  'audit key': publicKeyCommand('audit'),
  'audit verify': (args, { output }) => verifyAuditCommand(args, output),
  'import poozle': (args, { env, output, loadConfig, openOptions }) =>
    importPoozleCommand(args, {
      env,
      output,
      open: () => openImportServices(loadConfig(), openOptions),
    }),
}
