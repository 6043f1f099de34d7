import { verifyAuditCommand } from './audit/verify-audit-command.ts'
import { backupCommand } from './backup/backup-command.ts'
import { restoreCommand } from './backup/restore-command.ts'
import { exportDatabaseCommand } from './db/export-command.ts'
import { importDatabaseCommand } from './db/import-command.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { importPoozleCommand } from './import-poozle/import-poozle-command.ts'
import { openImportServices } from './import-poozle/open-import-services.ts'
import { forgetKeyCommand } from './keys/forget-key-command.ts'
import { rekeyCommand } from './keys/rekey-command.ts'
import { rotateKeysCommand } from './keys/rotate-keys-command.ts'
import { verifyKeysCommand } from './keys/verify-keys-command.ts'
import { migrateCommand } from './migrate/migrate-command.ts'
import type { OperatorCommand } from './operator-command.ts'
import type { OperatorCommandName } from './operator-usages.ts'
import { publicKeyCommand } from './registry/public-key-command.ts'
import { signRegistryCommand } from './registry/sign-registry-command.ts'
import { tokenCommand } from './tokens/token-command.ts'

/** What runs each command of `operator-usages.ts`. */
export const OPERATOR_COMMANDS: Readonly<Record<OperatorCommandName, OperatorCommand>> = {
  token: tokenCommand,
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
