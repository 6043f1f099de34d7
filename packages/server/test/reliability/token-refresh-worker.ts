import type { AccountId } from '../../src/accounts/accounts/account.ts'
import { getValidCredentials } from '../../src/accounts/accounts/token-refresh/get-valid-credentials.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { createRefreshProcessDeps } from './refresh-process-deps.ts'

/**
 * A process that only refreshes tokens, with short leases, so that tests need not stop it for long. Each message is an
 * account id; each reply is the access token or the code of the error.
 */
const [url = '', keys = ''] = process.argv.slice(2)
const timeouts = { leaseMs: 3_000, providerMs: 1_000, waitMs: 8_000 }
const deps = createRefreshProcessDeps(await openDatabase({ url }), keys, timeouts)
process.on('message', (accountId: AccountId) => {
  getValidCredentials(deps, accountId).then(
    ({ grant }) => process.send?.(grant.config.access_token),
    (error: { code?: string }) => process.send?.(error.code ?? String(error)),
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
