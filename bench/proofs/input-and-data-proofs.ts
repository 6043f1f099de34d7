import { SERVER_TESTS, type TestProof } from './test-proof.ts'

/** The proofs of hostile input, the audit trail, and data that leaves. */
export const INPUT_AND_DATA_PROOFS: readonly TestProof[] = [
  {
    name: 'mutants',
    promise: 'Planted defects are caught, each by a test that was named before.',
    attack:
      'A filter, a check or a flush is removed in a copy of the source, and the named test runs there, with the defect and without.',
    limitMinutes: 12,
    files: ['bench/mutants/mutants.proof.ts'],
    environment: {},
  },
  {
    name: 'fuzz',
    promise: 'No request causes a 5xx response or a malformed error.',
    attack: '57,500 hostile requests and 500 hostile sockets.',
    limitMinutes: 5,
    files: [
      `${SERVER_TESTS}/fuzz/requests.test.ts`,
      `${SERVER_TESTS}/fuzz/sockets.test.ts`,
      'packages/runner/src/guest/url-as-node.test.ts',
    ],
    environment: { FUZZ_RUNS: '50000', FUZZ_SOCKETS: '500', FUZZ_URLS: '20000' },
  },
  {
    name: 'memory',
    promise: 'Memory stays constant over bundle calls.',
    attack: '2,000 calls, including hostile ones.',
    limitMinutes: 5,
    files: [
      `${SERVER_TESTS}/reliability/memory.proof.ts`,
      'packages/runner/src/pool/create-runner.test.ts',
    ],
    environment: { MEMORY_CALLS: '2000' },
    brief: { MEMORY_CALLS: '1000' },
  },
  {
    name: 'audit',
    promise: 'Every change of an audit export is located.',
    attack: '10,000 single changes.',
    limitMinutes: 5,
    files: ['packages/server/src/activity/audit/verify/verify-export.test.ts'],
    environment: { AUDIT_RUNS: '10000' },
  },
  {
    name: 'audit-scale',
    promise: 'The audit trail stays usable with a million entries.',
    attack:
      'A million entries on each database: chained, listed by every filter, exported, verified.',
    limitMinutes: 8,
    isTimed: true,
    files: [`${SERVER_TESTS}/reliability/audit-scale.proof.ts`],
    environment: { AUDIT_ENTRIES: '1000000' },
    brief: { AUDIT_ENTRIES: '100000' },
  },
  {
    name: 'db-move',
    promise: 'A move between the databases changes no value.',
    attack:
      '1,000,000 accounts from SQLite to PostgreSQL and back, with 128 MB of heap; an import that is killed, and the service after it.',
    limitMinutes: 10,
    files: [
      'packages/server/test/reliability/move-scale.proof.ts',
      'packages/server/test/reliability/move-service.proof.ts',
    ],
    environment: { MOVE_ACCOUNTS: '1000000' },
    brief: { MOVE_ACCOUNTS: '100000' },
  },
  {
    name: 'packages',
    promise: 'The published packages work where they are used.',
    attack:
      'The packed SDK runs on Node 20 to 24, Deno, Bun and workerd and in Next.js; the client in Vite with React.',
    limitMinutes: 8,
    files: ['npm-pack', 'runtimes', 'frameworks', 'vendors'].map(
      (name) => `scripts/pack/proof/${name}.proof.ts`,
    ),
    environment: {},
  },
  {
    name: 'site',
    promise:
      'The documentation site has no broken link and no axe violation, and asks no other host.',
    attack:
      'It is built within 60 s, and each page is opened at 1280 and 320 px, in light and dark.',
    limitMinutes: 8,
    isTimed: true,
    files: ['scripts/site/proof/site.proof.ts'],
    environment: {},
  },
]
