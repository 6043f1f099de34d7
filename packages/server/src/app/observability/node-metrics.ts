import packageJson from '../../../package.json' with { type: 'json' }
import { ACCOUNT_STATUSES } from '../../accounts/accounts/account.ts'
import type { AccountStatusCounts } from '../../accounts/accounts/count-account-statuses.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { OutdatedDataKeys } from '../../platform/vault/outdated-key-store.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { findCommit } from './find-commit.ts'
import { byLabel, type Instruments } from './metrics/instruments.ts'

export interface NodeMetricsSources {
  readonly database: Pick<Database, 'measureSize'>
  /** Whether the node is ready. */
  readonly isReady: () => Promise<boolean>
  readonly countAccountStatuses: () => Promise<AccountStatusCounts>
  readonly vault: Pick<Vault, 'encryptionKeyId'>
  /** For how long the oldest event has waited for its number, in milliseconds. */
  readonly readEventLagMs: () => Promise<number>
  readonly countOutdatedKeys: () => Promise<OutdatedDataKeys>
}

/** Registers the metrics that a node has once, whichever process answers. */
export function registerNodeMetrics({ gauge }: Instruments, sources: NodeMetricsSources): void {
  const { database, isReady, countAccountStatuses, vault, countOutdatedKeys } = sources
  let commit: string | undefined
  gauge('linchpin_build_info', () => {
    commit ??= findCommit()
    const { version } = packageJson
    return [{ labels: { version, commit, node: process.versions.node }, value: 1 }]
  })
  gauge('linchpin_ready', async () => Number(await isReady()))
  gauge('linchpin_encryption_key_info', () => [
    { labels: { key_id: vault.encryptionKeyId }, value: 1 },
  ])
  gauge('linchpin_data_keys_outdated', async () => {
    const counts = await countOutdatedKeys()
    return byLabel('state', { other_key: counts.otherKey, being_replaced: counts.beingReplaced })
  })
  gauge('linchpin_accounts', async () => {
    const counts = await countAccountStatuses()
    return ACCOUNT_STATUSES.map((status) => ({
      labels: { status },
      value: counts.find((each) => each.status === status)?.count ?? 0,
    }))
  })
  gauge('linchpin_event_lag_seconds', async () => (await sources.readEventLagMs()) / 1_000)
  gauge('linchpin_database_size_bytes', async () => (await database.measureSize()).databaseBytes)
  gauge('linchpin_database_wal_bytes', async () => (await database.measureSize()).walBytes)
  gauge('linchpin_database_free_bytes', async () => (await database.measureSize()).freeBytes)
}
