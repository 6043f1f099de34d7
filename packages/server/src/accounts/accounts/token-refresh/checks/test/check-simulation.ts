import type { WorkspaceId } from '../../../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../../../integrations/definitions/definition.ts'
import { CATALOGUE_WORKSPACE_ID, newId } from '../../../../../platform/storage/id.ts'
import { parseKeys } from '../../../../../platform/vault/key-ring.ts'
import { createVault } from '../../../../../platform/vault/vault.ts'
import { type AccountId, NON_REFRESHABLE_DEFAULTS, toNewAccount } from '../../../account.ts'
import type { StoredHealth } from '../../../account-health.ts'
import { createAccountStore } from '../../../account-store.ts'
import { createAccountUseStore } from '../../../account-use-store.ts'
import { createEncryptionContext } from '../../../credentials/account-config.ts'
import { revalidateNonRefreshableAccount } from '../../auth-headers/revalidate-credentials.ts'
import { getValidCredentials } from '../../get-valid-credentials.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
  TEST_KEYS,
} from '../../test/refresh-test-context.ts'
import { type CheckLoop, createCheckLoop } from '../check-loop.ts'
import { findHealth } from '../check-store.ts'

/** A provider that accepts keys, on a real server, and the checks that it has answered. */
export interface SimulatedProvider {
  /** `rejects`: every key gets 401; `away`: 503. */
  state: 'works' | 'rejects' | 'away'
  /** `Retry-After` of its 503, in seconds. */
  retryAfter?: number
  /** Keys that were revoked: account IDs. */
  readonly revoked: Set<string>
  /** The keys of all checks, and when they arrived. */
  readonly checks: { readonly key: string; readonly at: number }[]
}

/** Accounts with keys, a provider and several nodes, in simulated time. */
export interface CheckSimulation {
  readonly context: RefreshTestContext
  readonly provider: SimulatedProvider
  readonly now: () => number
  /** Inserts accounts. */
  add(count: number, options: AddOptions): Promise<AccountId[]>
  /** Makes a definition one of the catalogue, which all workspaces can use. */
  share(definitionId: DefinitionId): Promise<void>
  /** Lets time pass while the nodes work. `each` is called about every `eachMs`, before them. */
  pass(ms: number, each?: () => Promise<void>, eachMs?: number): Promise<void>
  /** A successful request of the proxy. */
  use(accountIds: readonly AccountId[]): Promise<void>
  /** A request of the proxy with each of these accounts, as the provider answers it. */
  useProxy(accountIds: readonly AccountId[]): Promise<void>
  /** How many accounts have each status. */
  countStatuses(): Promise<Record<string, number>>
  readHealth(accountId: AccountId): Promise<StoredHealth & { readonly status: string }>
  listEvents(): Promise<{ readonly type: string; readonly subject: string; readonly at: number }[]>
  close(): Promise<void>
}

export interface AddOptions {
  readonly definitionId: DefinitionId
  readonly workspaceId?: WorkspaceId
  /** How long ago the provider last accepted each, by its position. */
  readonly okAgoMs?: (index: number) => number
}

export interface SimulationOptions {
  readonly url?: string | undefined
  readonly nodes?: number
  /** LINCHPIN_CHECK_INTERVAL. */
  readonly checkInterval?: number
}

const ROUND_MS = 20_000

/** Starts it at a time in the past, so that no simulated time is ahead of the clock of PostgreSQL. */
export async function startCheckSimulation(options: SimulationOptions): Promise<CheckSimulation> {
  let now = Date.now() - 40 * 24 * 3_600_000
  const context = await startRefreshTestContext({ url: options.url, now: () => now })
  const { database, stubServer, workspaceId: ownWorkspaceId } = context.t
  const provider: SimulatedProvider = { state: 'works', revoked: new Set(), checks: [] }
  stubServer.serve('/check', (request, response) => {
    const key = String(request.headers['x-api-key'])
    provider.checks.push({ key, at: now })
    const isRejected = provider.state === 'rejects' || provider.revoked.has(key)
    if (provider.state === 'away' && provider.retryAfter !== undefined)
      response.setHeader('retry-after', String(provider.retryAfter))
    response.writeHead(provider.state === 'away' ? 503 : isRejected ? 401 : 200).end('{}')
  })
  const { checkInterval } = options
  const createNode = () =>
    context.node({ now: () => now, ...(checkInterval !== undefined && { checkInterval }) })
  const nodes = Array.from({ length: options.nodes ?? 1 }, createNode)
  const loops = nodes.map((node) => createCheckLoop(node))
  const [anyNode = createNode()] = nodes
  const vault = createVault({ database, keys: parseKeys(TEST_KEYS), now: () => now })
  const accounts = createAccountStore(database)
  const uses = createAccountUseStore(database)
  const simulation: CheckSimulation = {
    context,
    provider,
    now: () => now,
    async add(count, { definitionId, workspaceId = ownWorkspaceId, okAgoMs }) {
      const rows = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const ids = { workspaceId, accountId: newId('acc', now) }
          const config = { api_key: ids.accountId, base_url: stubServer.url }
          return toNewAccount({
            ...NON_REFRESHABLE_DEFAULTS,
            ...ids,
            definitionId,
            name: 'Simulated',
            authType: 'Api Key',
            tags: {},
            publicConfig: {},
            sealedConfig: await vault.seal(createEncryptionContext(ids), JSON.stringify(config)),
            credentialVersion: 1,
            createdAt: now,
            updatedAt: now,
            lastOkAt: now - (okAgoMs?.(index) ?? 0),
            identityAt: now,
          })
        }),
      )
      for (let at = 0; at < rows.length; at += 200)
        await database.transaction(async (trx) => {
          for (const row of rows.slice(at, at + 200)) await accounts.insert(trx, row)
        })
      return rows.map(({ accountId }) => accountId)
    },
    async share(definitionId) {
      await database.transaction((trx) =>
        trx
          .updateTable('definitions')
          .set({ workspace_id: CATALOGUE_WORKSPACE_ID })
          .where('definition_id', '=', definitionId)
          .execute(),
      )
    },
    async pass(ms, each, eachMs = 15 * 60_000) {
      const end = now + ms
      let eachAt = now
      while (now < end) {
        if (each !== undefined && now >= eachAt) {
          await each()
          eachAt = now + eachMs
        }
        const isBusy = await runNodes(loops)
        const next = isBusy ? now + 1_000 : await findNext(context, now)
        now = Math.min(next, end, each === undefined ? end : Math.max(eachAt, now + 1_000))
      }
    },
    async use(accountIds) {
      const times = accountIds.map((accountId) => ({ accountId, at: now }))
      for (let at = 0; at < times.length; at += 500)
        await uses.writeSuccess(times.slice(at, at + 500))
    },
    async useProxy(accountIds) {
      const isRejected = (id: AccountId) => provider.state === 'rejects' || provider.revoked.has(id)
      // The proxy sends nothing for an account that has to be reconnected.
      const active = await listActive(context)
      const used = accountIds.filter((id) => active.has(id))
      await simulation.use(used.filter((id) => !isRejected(id)))
      for (const id of used.filter(isRejected)) {
        const credentials = await getValidCredentials(anyNode, id)
        await revalidateNonRefreshableAccount(anyNode, credentials).catch(() => {})
      }
    },
    async countStatuses() {
      const rows = await database.read
        .selectFrom('accounts')
        .select(['status', (eb) => eb.fn.countAll().as('count')])
        .groupBy('status')
        .execute()
      return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
    },
    async readHealth(accountId) {
      const { status } = await context.row(accountId)
      return { ...(await findHealth(database.read, accountId)), status }
    },
    async listEvents() {
      const rows = await database.read
        .selectFrom('events')
        .select(['type', 'subject', 'at'])
        .orderBy('position')
        .execute()
      return rows
    },
    close: () => context.close(),
  }
  return simulation
}

async function listActive({ t }: RefreshTestContext): Promise<ReadonlySet<AccountId>> {
  const rows = await t.database.read
    .selectFrom('accounts')
    .select('account_id')
    .where('status', '=', 'active')
    .execute()
  return new Set(rows.map((row) => row.account_id))
}

/** Whether one of them may send more soon. */
async function runNodes(loops: readonly CheckLoop[]): Promise<boolean> {
  const waits = []
  for (const loop of loops) {
    waits.push(await loop.start())
    await loop.finish()
  }
  return waits.some((wait) => wait !== undefined)
}

/** When there is something to do again: at the next round after an account is due. */
async function findNext({ t }: RefreshTestContext, now: number): Promise<number> {
  const { read } = t.database
  const suspect = await read
    .selectFrom('definition_health')
    .select('definition_id')
    .where('suspect_since', 'is not', null)
    .executeTakeFirst()
  if (suspect !== undefined) return now + 3 * ROUND_MS
  const first = await read
    .selectFrom('account_health')
    .select('check_at')
    .orderBy((eb) => eb.fn.coalesce('check_at', eb.lit(0)))
    .executeTakeFirst()
  return Math.max(now + ROUND_MS, first?.check_at ?? 0)
}
