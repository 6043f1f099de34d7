import { verifyAuditCommand } from '../../../server/src/app/operator/audit/verify-audit-command.ts'
import { OperatorUsageError } from '../../../server/src/app/operator/operator-command.ts'
import type { RawCommand } from '../command.ts'
import { OPERATOR_USAGE, UsageError } from '../usage-error.ts'

/** `audit verify`: as the service verifies, on this computer. */
export const VERIFY_AUDIT: RawCommand = {
  name: 'audit verify',
  summary: 'Verify an export of the audit trail, offline',
  help: `Usage: linchpin audit verify FILE [--checkpoints FILE] [--public-key KEY]

Verifies an export of the audit trail without a service. Exits with 0 if nothing was changed, with 1 and the changed lines
otherwise, with 2 if it cannot be verified, and with 64 for wrong arguments.

  --checkpoints FILE  checkpoints from webhooks or a log, to compare with
  --public-key KEY    the public key that signs them: linchpin audit key, or /audit/jwks.json`,
  runRaw: (args, { io }) =>
    verifyAuditCommand(args, {
      log: (text) => io.stdout.write(`${text}\n`),
      error: (text) => io.stderr.write(`${text}\n`),
    }).catch((error: unknown) => {
      if (!(error instanceof OperatorUsageError)) throw error
      throw new UsageError(
        `audit verify: ${error.message}. See linchpin audit verify --help.`,
        OPERATOR_USAGE,
      )
    }),
}
