import { SERVER_TESTS, type TestProof } from './test-proof.ts'

/** The proofs of what is stored, and stays stored. */
export const DURABILITY_PROOFS: readonly TestProof[] = [
  {
    name: 'kills',
    promise: 'No acknowledged write is lost.',
    attack:
      'The service is killed (SIGKILL) at random moments of its writes, on each database; PostgreSQL is killed, too.',
    limitMinutes: 30,
    files: ['kill-sqlite.test.ts', 'kill-postgres.test.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: { KILL_ROUNDS: '150', KILL_WRITES: '85' },
    brief: { KILL_ROUNDS: '30', KILL_WRITES: '10' },
  },
  {
    name: 'event-kills',
    promise: 'An event exists if and only if its change does.',
    attack: 'The process is killed before each statement of the transactions, on each database.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/event-kills.test.ts`],
    environment: { EVENT_KILLS: '300' },
    // As many as there are statements: each of them once.
    brief: { EVENT_KILLS: '60' },
  },
  {
    name: 'reconnect-kills',
    promise: 'A reconnect on the page is stored with one event, or can be repeated.',
    attack: 'The process is killed before each of its writes.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/reconnect-kills.test.ts`],
    environment: { RECONNECT_KILLS: 'all' },
  },
  {
    name: 'crash-points',
    promise:
      'The effect of a request is stored with its audit entry and event, or not at all, and the repeated request has one effect.',
    attack:
      'The service is killed before each statement that writes for one of fourteen kinds of requests, and before their responses, on each database. On PostgreSQL, a POST is repeated only once its effect is stored. The control, a link that is recorded in a transaction of its own, must be found.',
    limitMinutes: 16,
    files: [`${SERVER_TESTS}/reliability/crash-points/crash-points.proof.ts`],
    environment: { LINCHPIN_TEST_PROGRAMS: 'bundled' },
  },
  {
    name: 'power-cuts',
    promise: 'A power cut loses no acknowledged write, and leaves none half there.',
    attack:
      'Every write of a service to its SQLite files is recorded; the files are rebuilt as they may be after a cut at any moment: without some of the sectors that were not flushed. Creations, renamed links and deleted accounts must be there from their response on. The control, without a flush per commit, must lose writes.',
    limitMinutes: 15,
    files: [`${SERVER_TESTS}/reliability/power-cuts/power-cuts.proof.ts`],
    environment: { POWER_CUTS: '5000', POWER_CUT_WRITES: '300' },
  },
  {
    name: 'lost-responses',
    promise: 'Creates of the SDK have one effect each.',
    attack: 'A proxy loses 20 % of the responses.',
    limitMinutes: 5,
    files: ['packages/sdk/test/lost-responses.test.ts'],
    environment: { LINCHPIN_SDK_CREATES: '1000' },
  },
  {
    name: 'import-nango',
    promise: '500 connections of a Nango replica are 500 accounts.',
    attack: 'The import is killed 10 times.',
    limitMinutes: 5,
    files: ['packages/cli/test/import/import-nango.test.ts'],
    environment: { IMPORT_CONNECTIONS: '500', IMPORT_KILLS: '10' },
  },
  {
    name: 'idempotency',
    promise: 'Each idempotency key has one effect.',
    attack: '5,000 requests with 1,000 keys on three nodes, which are killed.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/idempotency-keys.test.ts`],
    environment: {
      IDEMPOTENCY_KEYS: '1000',
      IDEMPOTENCY_SENDS: '5',
      IDEMPOTENCY_NODES: '3',
      IDEMPOTENCY_KILLS: '12',
      IDEMPOTENCY_CUT_MS: '0',
    },
    brief: { IDEMPOTENCY_KEYS: '400' },
  },
  {
    name: 'erasure',
    promise: 'An erasure ends although it is killed, and leaves others a p99 below 20 ms.',
    attack:
      'The process is killed while it erases; a customer with 10,000 accounts is erased under load.',
    limitMinutes: 5,
    isTimed: true,
    files: ['erasure-kills.proof.ts', 'erasure-load.proof.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: { ERASURE_KILLS: '10', ERASURE_ACCOUNTS: '2000' },
  },
  {
    name: 'webhook-kills',
    promise: 'No webhook is lost or out of order.',
    attack: 'Its sender is killed while it delivers.',
    limitMinutes: 15,
    files: [`${SERVER_TESTS}/reliability/webhook-kills.proof.ts`],
    environment: { WEBHOOK_EVENTS: '5000', WEBHOOK_KILLS: '10' },
    brief: { WEBHOOK_EVENTS: '600' },
  },
  {
    name: 'keys',
    promise:
      'keys rotate, rekey and forget make no value unreadable but those of a lost key, and leave others a p99 below twice that beside keys verify (brief: four times).',
    attack:
      'They are killed at random moments, on each database, while requests read and write what they seal again.',
    limitMinutes: 25,
    isTimed: true,
    files: ['key-kills.proof.ts', 'key-loss.proof.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: {
      KEY_ACCOUNTS: '10000',
      KEY_KILLS: '10',
      KEY_LOSS_ACCOUNTS: '2000',
      KEY_P99_RATIO: '2',
    },
    brief: { KEY_ACCOUNTS: '1000', KEY_KILLS: '1', KEY_LOSS_ACCOUNTS: '500', KEY_P99_RATIO: '4' },
  },
  {
    name: 'schemas',
    promise: 'Every released schema migrates to the newest without changing a row.',
    attack: 'The migration is killed at random moments, on each database.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/schema-fixtures/schema-fixtures.test.ts`],
    environment: { FIXTURE_KILLS: '20' },
  },
  {
    name: 'bit-flips',
    promise: 'A closed database file that has changed is refused.',
    attack: 'One of 300 bits is flipped at a time.',
    limitMinutes: 5,
    files: ['packages/server/src/platform/storage/integrity/bit-flips.test.ts'],
    environment: { BIT_FLIPS: '300' },
  },
]
