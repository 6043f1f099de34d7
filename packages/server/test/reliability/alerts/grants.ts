import { fillOAuthAccounts } from '../../../src/accounts/accounts/token-refresh/test/fill-oauth-accounts.ts'
import {
  type StrictProvider,
  startStrictProvider,
} from '../../../src/accounts/accounts/token-refresh/test/strict-provider.ts'
import { parseKeys } from '../../../src/platform/vault/key-ring.ts'
import { createVault } from '../../../src/platform/vault/vault.ts'
import { startStubServer } from '../../stub-server.ts'
import { connectOAuth } from '../oauth-account.ts'
import type { WatchedService } from './watched-service.ts'

/** Accounts of one definition at a provider of their own, whose tokens are to be refreshed soon. They end after the test. */
export async function connectGrants(
  t: { after(fn: () => unknown): void },
  { service, setup }: WatchedService,
  { count, dueInMs }: { readonly count: number; readonly dueInMs: number },
): Promise<StrictProvider> {
  const [provider, stub] = await Promise.all([startStrictProvider(), startStubServer()])
  t.after(() => Promise.all([provider.close(), stub.close()]))
  const dueAt = Date.now() + dueInMs
  const model = await connectOAuth(service, setup, stub, provider, {
    row: { refresh_at: dueAt, token_expires_at: dueAt + 600_000 },
  })
  const { database } = model
  t.after(() => database.close())
  const vault = createVault({ database, keys: parseKeys(setup.keys), now: Date.now })
  const accounts = Array.from({ length: count - 1 }, (_, index) => ({
    grant: `grant${index}`,
    refreshAt: dueAt,
  }))
  await fillOAuthAccounts({ database, vault }, model.id, accounts)
  for (const { grant } of accounts)
    provider.families.push({
      refreshToken: `${grant}.0`,
      accessToken: `access-${grant}.0`,
      isRevoked: false,
      replaced: new Map(),
    })
  return provider
}
