import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

/** Tests at full length: the same files as in `npm test` with larger numbers, or files that are too long for it. */
export interface TestProof {
  readonly name: string
  readonly description: string
  readonly files: readonly string[]
  /** The full length. A variable of the caller's environment takes precedence. */
  readonly environment: Readonly<Record<string, string>>
}

const SERVER_TESTS = 'packages/server/test'

/** The proofs of `npm run proof` that `node --test` runs. */
export const TEST_PROOFS: readonly TestProof[] = [
  {
    name: 'kills',
    description:
      'no acknowledged write is lost in 60 kills on each database (KILL_ROUNDS, KILL_SEED)',
    files: ['kill-sqlite.test.ts', 'kill-postgres.test.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: { KILL_ROUNDS: '60' },
  },
  {
    name: 'bit-flips',
    description:
      'a closed database file with one of 300 bits flipped is refused (BIT_FLIPS, BIT_FLIPS_SEED)',
    files: ['packages/server/src/storage/integrity/bit-flips.test.ts'],
    environment: { BIT_FLIPS: '300' },
  },
  {
    name: 'rolling-restarts',
    description:
      'no request fails over 20 restarts of two nodes behind a load balancer that retries nothing; some do without a drain delay (ROLLING_RESTARTS, ROLLING_CLIENTS)',
    files: [`${SERVER_TESTS}/reliability/rolling-restarts.test.ts`],
    environment: { ROLLING_RESTARTS: '20', ROLLING_CLIENTS: '16', ROLLING_CONTROL: '1' },
  },
  {
    name: 'event-kills',
    description:
      'an event exists if and only if its change does: 300 kills on each database, before each statement (EVENT_KILLS)',
    files: [`${SERVER_TESTS}/reliability/event-kills.test.ts`],
    environment: { EVENT_KILLS: '300' },
  },
  {
    name: 'reconnect-kills',
    description:
      'a reconnect on the page is stored with one event, or can be repeated: kills before each write (RECONNECT_KILLS)',
    files: [`${SERVER_TESTS}/reliability/reconnect-kills.test.ts`],
    environment: { RECONNECT_KILLS: 'all' },
  },
  {
    name: 'db-move',
    description:
      'the hashes of 1,000,000 accounts are equal after SQLite → PostgreSQL → SQLite, with 128 MB of heap (MOVE_ACCOUNTS)',
    files: ['packages/server/test/reliability/move-scale.proof.ts'],
    environment: { MOVE_ACCOUNTS: '1000000' },
  },
  {
    name: 'events',
    description:
      'a reader misses none of 100,000 events of 8 writers and 3 nodes on PostgreSQL (EVENT_COUNT)',
    files: ['packages/server/src/events/follow-events.test.ts'],
    environment: { EVENT_COUNT: '100000' },
  },
  {
    name: 'events-tail',
    description:
      'the SDK yields each of 1,000 events once, in order, while the network is cut 100 times and its process sleeps for 10 s (TAIL_EVENTS, TAIL_CUTS, TAIL_SLEEP_MS, TAIL_SEED)',
    files: ['packages/sdk/test/tail/tail-cuts.test.ts'],
    environment: { TAIL_EVENTS: '1000', TAIL_CUTS: '100', TAIL_SLEEP_MS: '10000' },
  },
  {
    name: 'lost-responses',
    description:
      '1,000 creates of the SDK through a proxy that loses 20 % of the responses are 1,000 accounts (LINCHPIN_SDK_CREATES)',
    files: ['packages/sdk/test/lost-responses.test.ts'],
    environment: { LINCHPIN_SDK_CREATES: '1000' },
  },
  {
    name: 'import-nango',
    description:
      '500 connections of a Nango replica are 500 accounts, although the import is killed 10 times (IMPORT_CONNECTIONS, IMPORT_KILLS)',
    files: ['packages/cli/test/import/import-nango.test.ts'],
    environment: { IMPORT_CONNECTIONS: '500', IMPORT_KILLS: '10' },
  },
  {
    name: 'packages',
    description:
      'the packed SDK does everything on Node 20 to 24, Deno, Bun and workerd, and works in Next.js; the client in Vite with React; openai; npm pack in each package',
    files: ['npm-pack', 'runtimes', 'frameworks', 'vendors'].map(
      (name) => `scripts/pack/proof/${name}.proof.ts`,
    ),
    environment: {},
  },
  {
    name: 'fuzz',
    description:
      '23,000 hostile requests and 500 hostile sockets (FUZZ_RUNS, FUZZ_SOCKETS, FUZZ_SEED)',
    files: [
      `${SERVER_TESTS}/fuzz/requests.test.ts`,
      `${SERVER_TESTS}/fuzz/sockets.test.ts`,
      'packages/runner/src/guest/url-as-node.test.ts',
    ],
    environment: { FUZZ_RUNS: '20000', FUZZ_SOCKETS: '500', FUZZ_URLS: '20000' },
  },
  {
    name: 'refresh-races',
    description:
      '200 expiries under 100 callers on two nodes; nodes stopped and killed for 40 s (RENEWAL_ROUNDS)',
    files: ['token-refresh-two-nodes.test.ts', 'lease-holder-sigstop.proof.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: { RENEWAL_ROUNDS: '200' },
  },
  {
    name: 'refresh-scale',
    description:
      'a million due OAuth accounts on each database: claims, refreshes per second of 1 to 3 nodes, beside a host that hangs; nodes killed and stopped (REFRESH_ACCOUNTS, REFRESH_SECONDS, REFRESH_KILL_ACCOUNTS)',
    files: ['refresh-throughput.proof.ts', 'refresh-scale.test.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/refresh-scale/${file}`,
    ),
    environment: { REFRESH_KILL_ACCOUNTS: '4000' },
  },
  {
    name: 'idempotency',
    description:
      '5,000 requests with 1,000 keys have 1,000 effects, on 3 nodes, with kills (IDEMPOTENCY_KEYS, …_SENDS, …_NODES, …_KILLS)',
    files: [`${SERVER_TESTS}/reliability/idempotency-keys.test.ts`],
    environment: {
      IDEMPOTENCY_KEYS: '1000',
      IDEMPOTENCY_SENDS: '5',
      IDEMPOTENCY_NODES: '3',
      IDEMPOTENCY_KILLS: '12',
      IDEMPOTENCY_CUT_MS: '0',
    },
  },
  {
    name: 'erasure',
    description:
      'erasures survive 10 kills each; 10,000 accounts leave others a p99 of 20 ms (ERASURE_KILLS, …_SEED, …_ACCOUNTS, …_LOAD_ACCOUNTS, …_P99_MS)',
    files: ['erasure-kills.test.ts', 'erasure-load.proof.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: { ERASURE_KILLS: '10', ERASURE_ACCOUNTS: '2000' },
  },
  {
    name: 'webhook-kills',
    description:
      'no webhook is lost or out of order in 10 kills of its sender (WEBHOOK_EVENTS, WEBHOOK_KILLS)',
    files: [`${SERVER_TESTS}/reliability/webhook-kills.test.ts`],
    environment: { WEBHOOK_EVENTS: '5000', WEBHOOK_KILLS: '10' },
  },
  {
    name: 'webhook-load',
    description:
      'neither dead and hanging endpoints nor a million deliveries of one tenant delay others; claims with 50,000 held deliveries; throughput (WEBHOOK_LOAD, WEBHOOK_BACKLOG_ENDPOINTS, WEBHOOK_BACKLOG, WEBHOOK_RACES)',
    files: ['throughput.test.ts', 'fairness.test.ts', 'held-deliveries.test.ts'].map(
      (file) => `packages/server/src/webhooks/dispatch/${file}`,
    ),
    environment: {
      WEBHOOK_LOAD: '500',
      WEBHOOK_BACKLOG_ENDPOINTS: '100',
      WEBHOOK_BACKLOG: '10000',
      WEBHOOK_RACES: '20000',
    },
  },
  {
    name: 'locked-table',
    description:
      'a table that is locked for 14 s fails no read of another and leaves the node ready (LOCK_SECONDS)',
    files: [`${SERVER_TESTS}/reliability/locked-table.test.ts`],
    environment: { LOCK_SECONDS: '14' },
  },
  {
    name: 'upgrade',
    description:
      'a rolling upgrade of two nodes with 1,000,000 accounts fails no request; p99 below 3 times that before (UPGRADE_FROM, …_FOLDER, …_ACCOUNTS, …_CLIENTS, …_SECONDS)',
    files: [`${SERVER_TESTS}/reliability/upgrade.proof.ts`],
    environment: { UPGRADE_ACCOUNTS: '1000000', UPGRADE_CLIENTS: '4', UPGRADE_SECONDS: '20' },
  },
  {
    name: 'schemas',
    description:
      'every released schema migrates to the newest on each database without changing a row, killed 20 times (FIXTURE_KILLS)',
    files: [`${SERVER_TESTS}/schema-fixtures/schema-fixtures.test.ts`],
    environment: { FIXTURE_KILLS: '20' },
  },
  {
    name: 'pooler',
    description:
      'storage, accounts, OAuth, token refresh, events, webhooks and idempotency on PostgreSQL behind pgbouncer in transaction mode',
    files: [
      'src/storage/postgres.test.ts',
      'src/accounts/*.test.ts',
      'src/accounts/token-refresh/*.test.ts',
      'src/events/*.test.ts',
      'src/idempotency/*.test.ts',
      'src/oauth-flow/happy-path.test.ts',
      'src/proxy/proxy-concurrent-refresh.test.ts',
      'src/webhooks/*.test.ts',
      'src/webhooks/dispatch/dispatcher.test.ts',
    ].map((file) => `packages/server/${file}`),
    environment: { LINCHPIN_TEST_POOLER: '1' },
  },
  {
    name: 'memory',
    description:
      'memory stays constant over 2,000 bundle calls, including hostile ones (MEMORY_CALLS)',
    files: [
      `${SERVER_TESTS}/reliability/memory.test.ts`,
      'packages/runner/src/pool/create-runner.test.ts',
    ],
    environment: { MEMORY_CALLS: '2000' },
  },
  {
    name: 'release',
    description:
      'the tarball in an empty Debian and the image serve within 2 s: read-only, unprivileged, offline; both are reproducible (RELEASE_STARTS, RELEASE_READY_MS)',
    files: ['release', 'manifests'].map((name) => `scripts/release/proof/${name}.proof.ts`),
    environment: { RELEASE_STARTS: '5', RELEASE_READY_MS: '2000' },
  },
  {
    name: 'site',
    description:
      'the documentation site builds within 60 s and has no broken link, no axe violation at 1280 and 320 px in light and dark, and no request to another host (SITE_PAGES)',
    files: ['scripts/site/proof/site.proof.ts'],
    environment: {},
  },
  {
    name: 'audit',
    description: '10,000 single changes of an audit export are each located (AUDIT_RUNS)',
    files: ['packages/server/src/audit/verify/verify-export.test.ts'],
    environment: { AUDIT_RUNS: '10000' },
  },
  {
    name: 'audit-scale',
    description:
      'a million entries of the audit trail on each database: chained, listed by every filter, exported, verified (AUDIT_ENTRIES)',
    files: [`${SERVER_TESTS}/reliability/audit-scale.test.ts`],
    environment: { AUDIT_ENTRIES: '1000000' },
  },
]

const TIMEOUT_FLAG = '--test-timeout=1800000'

/** Runs a proof on this terminal; `args` go to `node --test`. Returns its exit code. */
export async function runTestProof(proof: TestProof, args: readonly string[]): Promise<number> {
  const flags = ['--test', TIMEOUT_FLAG, '--test-concurrency=1', ...args]
  const cache = { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/node') }
  const child = spawn(process.execPath, [...flags, ...proof.files], {
    stdio: 'inherit',
    env: { ...cache, ...proof.environment, ...process.env },
  })
  const [code] = await once(child, 'close')
  return typeof code === 'number' ? code : 1
}
