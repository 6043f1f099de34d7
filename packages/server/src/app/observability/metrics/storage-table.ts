import type { MetricDefinitions } from './metric.ts'

/** The metrics of the database, the keys and background work. */
export const STORAGE_METRICS = {
  linchpin_database_transaction_duration_seconds: {
    type: 'histogram',
    help: 'Duration of transactions, until the commit is durable.',
    labels: {
      outcome:
        '`committed`, `rolled_back` (the request was rejected), `unavailable`, `full` (no space is left) or `failed`',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  linchpin_database_read_duration_seconds: {
    type: 'histogram',
    help: 'Duration of reads that wait for PostgreSQL, their wait for a connection included, or for the thread of the embedded database. Its other reads take microseconds of the event loop.',
    labels: {
      kind: '`lookup` (few rows by their key), `list`, or `aside` (on the thread of the embedded database)',
    },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  linchpin_database_connections: {
    type: 'gauge',
    help: 'Connections of this node to PostgreSQL.',
    labels: { pool: '`read`, `write` or `health`', state: '`used` or `idle`' },
  },
  linchpin_database_waiting: {
    type: 'gauge',
    help: 'Statements and transactions that wait for a connection to PostgreSQL.',
    labels: { pool: '`read`, `write` or `health`' },
  },
  linchpin_database_size_bytes: {
    type: 'gauge',
    help: 'Size of the database, measured at most once a minute.',
  },
  linchpin_database_wal_bytes: {
    type: 'gauge',
    help: 'Size of the write-ahead log of the embedded database.',
  },
  linchpin_database_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the embedded database.',
  },
  linchpin_encryption_key_info: {
    type: 'gauge',
    help: 'Always 1: the key that encrypts data keys now, the first of LINCHPIN_KEYS.',
    labels: { key_id: 'the ID of the key' },
  },
  linchpin_data_keys_outdated: {
    type: 'gauge',
    help: 'Data keys of workspaces that a rotation has left, up to 1000 of each state.',
    labels: {
      state:
        '`other_key` (wrapped by another key than the first of LINCHPIN_KEYS) or `being_replaced` (by `keys rekey`)',
    },
  },
  linchpin_background_job_runs_total: {
    type: 'counter',
    help: 'Runs of background jobs on this node.',
    labels: { name: 'the name of the job', outcome: '`done` or `failed` (see the log)' },
  },
  linchpin_background_job_seconds_total: {
    type: 'counter',
    help: 'Time that background jobs have taken on this node.',
    labels: { name: 'the name of the job' },
  },
  linchpin_background_job_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a job last ended without an error on this node, or since when it runs, in seconds since 1970.',
    labels: { name: 'the name of the job' },
  },
} as const satisfies MetricDefinitions
