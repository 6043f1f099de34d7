import type { Alert } from './alert.ts'

/** Alerts about the database and the keys. */
export const STORAGE_ALERTS: readonly Alert[] = [
  {
    name: 'LinchpinDatabaseSaturated',
    severity: 'page',
    for: '5m',
    expr: 'sum by (instance, pool) (linchpin_database_waiting) > 5',
    summary: 'Requests wait for connections to PostgreSQL.',
    meaning:
      'The pool is too small, or statements take too long: a lock, a slow disk, a missing vacuum.',
    steps: [
      'In PostgreSQL: `select pid, state, now() - xact_start as since, pg_blocking_pids(pid) as blocked_by, left(query, 80) from pg_stat_activity where xact_start is not null order by xact_start` shows what takes long, `idle in transaction` included, and who blocks it.',
      'End what blocks, as its role or as a superuser: `select pg_terminate_backend(PID)`.',
      'If nothing does, raise the connections of the pool in the [settings](operating.md#settings), within `max_connections` of the server.',
    ],
    test: {
      labels: { pool: 'write' },
      firing: { 'linchpin_database_waiting{pool="write"}': '9x20' },
      healthy: { 'linchpin_database_waiting{pool="write"}': '0x20' },
    },
  },
  {
    name: 'LinchpinStorageNearlyFull',
    severity: 'page',
    for: '10m',
    expr: 'linchpin_database_free_bytes < 0.2 * linchpin_database_size_bytes or linchpin_database_free_bytes < 500e6',
    summary: 'The disk of the embedded database is nearly full.',
    meaning:
      'Once it is full, writes are rejected with 503 `storage_full`; reads go on, and nothing is lost.',
    steps: [
      '`df -h` and `du -sh` of the data folder: old backups and `linchpin.db.replaced-…` can go elsewhere.',
      'Shorten the retention of events, attempts and tombstones in the [settings](operating.md#settings). The file does not shrink, but Linchpin uses the space in it again.',
      'Enlarge the disk. Linchpin continues without a restart.',
    ],
    test: {
      firing: { linchpin_database_free_bytes: '100e6x30', linchpin_database_size_bytes: '1e9x30' },
      healthy: { linchpin_database_free_bytes: '50e9x30', linchpin_database_size_bytes: '1e9x30' },
    },
  },
  {
    name: 'LinchpinWalGrows',
    severity: 'ticket',
    for: '15m',
    expr: 'linchpin_database_wal_bytes > 1e9',
    summary: 'The write-ahead log of the embedded database is larger than 1 GB.',
    meaning:
      'Something reads the database for so long that the log cannot be shortened: a backup, an export, or `sqlite3` in a terminal.',
    steps: [
      'As root, `fuser -v linchpin.db` lists the programs that have it open; Linchpin is called `MainThread`. End the others.',
      'The log shrinks at the next checkpoint.',
    ],
    test: {
      minute: 30,
      firing: { linchpin_database_wal_bytes: '2e9x40' },
      healthy: { linchpin_database_wal_bytes: '4e6x40' },
    },
  },
  {
    name: 'LinchpinKeyRotationUnfinished',
    severity: 'ticket',
    for: '6h',
    expr: 'max by (state) (linchpin_data_keys_outdated) > 0',
    summary: 'A rotation of encryption keys has not ended.',
    meaning:
      'Some workspaces still depend on a former key. Everything works, but do not remove that key from LINCHPIN_KEYS.',
    steps: [
      '`state="other_key"`: run `linchpin keys rotate`. `state="being_replaced"`: run `linchpin keys rekey`. Both continue where they were interrupted ([keys](maintenance.md#keys)).',
      '`linchpin keys verify` names the keys that are still needed.',
    ],
    test: {
      labels: { state: 'other_key' },
      minute: 420,
      firing: { 'linchpin_data_keys_outdated{state="other_key"}': '3x480' },
      healthy: { 'linchpin_data_keys_outdated{state="other_key"}': '3x200 0x280' },
    },
  },
]
