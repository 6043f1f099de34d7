import { sharedRunner } from '../../../../../test/shared-runner.ts'
import { createUserStore } from '../../../../access/users/user-store.ts'
import type { RefreshTestContext } from '../../../../accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { createLinkCounters } from '../../../../connect/links/link-counter-store.ts'
import { createLog } from '../../../../platform/http/log.ts'
import { createAppServices } from '../../../app-services.ts'
import type { PoozleReportLine } from '../../../poozle-import/import-row.ts'
import type { PoozleReplica } from '../../../poozle-import/test/poozle-replica.ts'
import { OperatorUsageError } from '../../operator-command.ts'
import { importPoozleCommand } from '../import-poozle-command.ts'

/** The base URL of the service that is imported into. */
export const BASE = 'http://localhost:3000'

/** What `import poozle` has printed. */
export interface ImportPoozleRun {
  readonly code: number
  readonly text: string
  readonly rows: readonly PoozleReportLine[]
  readonly errors: string
}

/** Runs `import poozle` on the database of the test context. */
export async function runImportPoozle(
  context: RefreshTestContext,
  poozle: PoozleReplica,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ImportPoozleRun> {
  const lines: string[] = []
  const errors: string[] = []
  const { database, vault, log } = context.node()
  const code = await importPoozleCommand(args, {
    env: { POOZLE_DATABASE_URL: `${poozle.url}?schema=public&connection_limit=5`, ...env },
    output: { log: (text) => lines.push(text), error: (text) => errors.push(text) },
    async open() {
      const services = createAppServices({
        database,
        vault,
        log,
        now: Date.now,
        trustProxy: [],
        baseUrl: () => BASE,
        ...sharedRunner(),
        counters: createLinkCounters({ database, log: createLog('silent') }),
        drainState: { isDraining: false },
      })
      const owner = await createUserStore(database).findOwner(database.read)
      const close = async () => {
        await Promise.all([services.accountUse.stop(), services.accountSuccess.stop()])
      }
      return { services, ownerId: owner?.userId, close }
    },
  }).catch((error: unknown) => {
    if (!(error instanceof OperatorUsageError)) throw error
    errors.push(error.message)
    return 64
  })
  return {
    code,
    text: lines.join('\n'),
    rows: lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)),
    errors: errors.join('\n'),
  }
}
