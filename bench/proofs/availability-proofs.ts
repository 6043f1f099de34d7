import { SERVER_TESTS, type TestProof } from './test-proof.ts'

/** The proofs of that the service can be reached. */
export const AVAILABILITY_PROOFS: readonly TestProof[] = [
  {
    name: 'rolling-restarts',
    promise: 'No request fails while nodes are restarted.',
    attack:
      '20 restarts of two nodes behind a load balancer that retries nothing, and 20 behind one that retries refused connections. The control, without a drain delay, must fail.',
    limitMinutes: 10,
    files: [`${SERVER_TESTS}/reliability/rolling-restarts.proof.ts`],
    environment: { ROLLING_RESTARTS: '20', ROLLING_CLIENTS: '16', ROLLING_CONTROL: '1' },
  },
  {
    name: 'failover',
    promise:
      'A failover of PostgreSQL loses no acknowledged write, and nodes write again within 5 s of the move of the address.',
    attack:
      'A synchronous standby is promoted 20 times under load: the primary is killed, silent, or stale and reached again.',
    limitMinutes: 8,
    isTimed: true,
    files: [`${SERVER_TESTS}/reliability/failover/failover.proof.ts`],
    environment: { FAILOVERS: '20' },
    brief: { FAILOVERS: '3' },
  },
  {
    name: 'restarts',
    promise: 'A service with 100,000 accounts is ready within 500 ms after kill -9.',
    attack: 'It is killed five times after it has written.',
    limitMinutes: 3,
    isTimed: true,
    files: [`${SERVER_TESTS}/reliability/restarts.proof.ts`],
    environment: {
      RESTART_ACCOUNTS: '100000',
      RESTART_KILLS: '5',
      LINCHPIN_TEST_PROGRAMS: 'bundled',
    },
  },
  {
    name: 'throughput',
    promise:
      'Reads have a p99 below 25 ms at 5,000 requests/s, durable writes one below 50 ms at 2,000/s.',
    attack:
      '64 readers and 32 writers of a service on SQLite, with a flush to the disk before each response to a write; beside a bare server of node:http.',
    limitMinutes: 3,
    isTimed: true,
    files: ['bench/throughput.proof.ts'],
    environment: { THROUGHPUT_SECONDS: '3', LINCHPIN_TEST_PROGRAMS: 'bundled' },
  },
  {
    name: 'locked-table',
    promise: 'A locked table fails no read of another, and leaves the node ready.',
    attack: 'A table is locked for 14 s while requests write to it.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/locked-table.proof.ts`],
    environment: { LOCK_SECONDS: '14' },
  },
  {
    name: 'alerts',
    promise:
      'Each alert about outages, overload, background work and token refresh fires for its cause, alone, and none fires for a healthy service.',
    attack:
      'The causes are created from outside: a killed and a stalled process, locks, refused tokens, a proxy that ends, too many checks. A real Prometheus watches, with rules that a script has shortened.',
    limitMinutes: 8,
    files: ['alerts', 'background-alerts'].map(
      (name) => `${SERVER_TESTS}/reliability/alerts/${name}.proof.ts`,
    ),
    environment: { LINCHPIN_TEST_PROGRAMS: 'bundled' },
  },
  {
    name: 'upgrade',
    promise:
      'No request fails during a rolling upgrade, and its p99 stays below 3 times that before.',
    attack:
      'Two nodes are replaced under load, with 1,000,000 accounts on PostgreSQL: nodes of the release before this one, or, before the first release, of the same version.',
    limitMinutes: 12,
    isTimed: true,
    files: [`${SERVER_TESTS}/reliability/upgrade.proof.ts`],
    environment: { UPGRADE_ACCOUNTS: '1000000', UPGRADE_CLIENTS: '4', UPGRADE_SECONDS: '20' },
    brief: { UPGRADE_ACCOUNTS: '100000', UPGRADE_SECONDS: '10' },
  },
  {
    name: 'pooler',
    promise: 'Linchpin works behind a pooler in transaction mode.',
    attack:
      'The tests of storage, accounts, OAuth, events, webhooks and idempotency run behind pgbouncer.',
    limitMinutes: 8,
    sharesProcess: true,
    files: [
      'src/platform/storage/postgres.test.ts',
      'src/accounts/accounts/*.test.ts',
      'src/accounts/accounts/token-refresh/*.test.ts',
      'src/activity/events/*.test.ts',
      'src/app/idempotency/*.test.ts',
      'src/connect/oauth-flow/happy-path.test.ts',
      'src/accounts/proxy/proxy-concurrent-refresh.test.ts',
      'src/activity/webhooks/*.test.ts',
      'src/activity/webhooks/dispatch/dispatcher.test.ts',
    ].map((file) => `packages/server/${file}`),
    environment: { LINCHPIN_TEST_POOLER: '1' },
  },
  {
    name: 'release',
    promise:
      'The tarball and the image serve within 2 s: read-only, unprivileged, offline. Both are reproducible.',
    attack:
      'They start in an empty Debian without a network, for ARM64 under emulation; both are built twice.',
    limitMinutes: 12,
    isTimed: true,
    files: ['release', 'manifests'].map((name) => `scripts/release/proof/${name}.proof.ts`),
    environment: { RELEASE_STARTS: '5', RELEASE_READY_MS: '2000' },
  },
  {
    name: 'systemd',
    promise:
      'The commands of docs/self-hosting.md install a hardened service that survives kills, outages and upgrades.',
    attack:
      'A Debian with a live systemd runs them; the service is killed, misconfigured, without its database, upgraded and taken back.',
    limitMinutes: 10,
    files: ['scripts/release/proof/systemd.proof.ts'],
    environment: { SYSTEMD_RESTARTS: '7' },
  },
  {
    name: 'containers',
    promise:
      'The image serves in Docker: read-only, unprivileged, healthy; bundles run inside bubblewrap where the guide lets them.',
    attack: 'Docker runs the commands of docs/self-hosting.md, and is restarted.',
    limitMinutes: 10,
    files: ['scripts/release/proof/containers.proof.ts'],
    environment: {},
  },
  {
    name: 'disks',
    promise:
      'Without space, writes are refused, reads go on, and nothing is lost; with space again, writes work without a restart.',
    attack: 'The disk is filled while the service writes.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/disk-full.test.ts`],
    environment: {},
  },
  {
    name: 'file-descriptors',
    promise: 'A process without file descriptors says so, and serves again.',
    attack: 'The limit is lowered below what the load needs.',
    limitMinutes: 5,
    files: ['packages/server/src/app/start/no-file-descriptors.test.ts'],
    environment: {},
  },
  {
    name: 'clock-jumps',
    promise: 'A clock that is set forwards or back breaks nothing.',
    attack:
      'faketime moves the clock of a running service by an hour, a day and 100 days, and back.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/clock-jumps.proof.ts`],
    environment: { CLOCK_STAY_MS: '3000' },
  },
  {
    name: 'soak',
    promise:
      'Under load for 20 minutes, no request fails, and memory grows by less than 1 MB per minute.',
    attack:
      'Reads, writes, checks, connects and deletions; child processes and open files are measured, too.',
    limitMinutes: 25,
    files: [`${SERVER_TESTS}/reliability/soak.proof.ts`],
    isLong: true,
    environment: { SOAK_MINUTES: '20', SOAK_CLIENTS: '4' },
  },
]
