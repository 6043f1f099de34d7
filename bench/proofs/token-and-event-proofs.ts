import { SERVER_TESTS, type TestProof } from './test-proof.ts'

/** The proofs of token refresh and events. */
export const TOKEN_AND_EVENT_PROOFS: readonly TestProof[] = [
  {
    name: 'refresh-races',
    promise: 'No refresh token is used twice, and no grant ends by mistake.',
    attack:
      '200 expiries under 100 callers on two nodes; nodes are stopped (SIGSTOP) and killed while they refresh.',
    limitMinutes: 15,
    files: ['token-refresh-two-nodes.proof.ts', 'lease-holder-sigstop.proof.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/${file}`,
    ),
    environment: { RENEWAL_ROUNDS: '200' },
    brief: { RENEWAL_ROUNDS: '60' },
  },
  {
    name: 'refresh-scale',
    promise: 'Nodes share due refreshes, and a host that hangs delays no other.',
    attack:
      'A million due accounts on each database, a host that hangs, nodes that are killed and stopped.',
    limitMinutes: 30,
    isTimed: true,
    files: ['refresh-throughput.proof.ts', 'refresh-scale.proof.ts'].map(
      (file) => `${SERVER_TESTS}/reliability/refresh-scale/${file}`,
    ),
    environment: { REFRESH_KILL_ACCOUNTS: '4000' },
    brief: { REFRESH_ACCOUNTS: '20000', REFRESH_KILL_ACCOUNTS: '400' },
  },
  {
    name: 'app-migration',
    promise:
      'Accounts move from one OAuth app to its successor, none is lost, and no client receives a token of the other.',
    attack:
      '1,000 accounts are reconnected while their tokens expire every two seconds, and the service is killed 10 times; the control, tokens that are refreshed with the successor, ends its grant.',
    limitMinutes: 20,
    files: [`${SERVER_TESTS}/reliability/app-migration/app-migration.test.ts`],
    environment: { MIGRATED_ACCOUNTS: '1000', MIGRATION_KILLS: '10' },
  },
  {
    name: 'events',
    promise: 'A reader misses no event.',
    attack: '100,000 events of 8 writers and 3 nodes on PostgreSQL.',
    limitMinutes: 5,
    files: ['packages/server/src/activity/events/follow-events.test.ts'],
    environment: { EVENT_COUNT: '100000' },
    brief: { EVENT_COUNT: '50000' },
  },
  {
    name: 'events-tail',
    promise: 'The SDK yields each event once, in order.',
    attack: 'The network is cut 100 times, and the process of the reader sleeps for 10 s.',
    limitMinutes: 5,
    files: ['packages/sdk/test/tail/tail-cuts.test.ts'],
    environment: { TAIL_EVENTS: '1000', TAIL_CUTS: '100', TAIL_SLEEP_MS: '10000' },
  },
  {
    name: 'webhook-stops',
    promise: 'A node that was stopped changes no webhook that another node has sent meanwhile.',
    attack:
      'Of two nodes on PostgreSQL, one is stopped (SIGSTOP) while it sends, for longer than its lease, and finds failures in its sockets when it resumes.',
    limitMinutes: 5,
    files: [`${SERVER_TESTS}/reliability/webhook-stops.proof.ts`],
    environment: { WEBHOOK_STOPS: '4', WEBHOOK_STOP_EVENTS: '800' },
  },
  {
    name: 'webhook-load',
    promise:
      'Neither dead nor hanging endpoints nor a million deliveries of one tenant delay others.',
    attack: '500 endpoints, a backlog of a million deliveries, 20,000 races for claims.',
    limitMinutes: 5,
    files: ['throughput.test.ts', 'fairness.test.ts', 'held-deliveries.test.ts'].map(
      (file) => `packages/server/src/activity/webhooks/dispatch/${file}`,
    ),
    environment: {
      WEBHOOK_LOAD: '500',
      WEBHOOK_BACKLOG_ENDPOINTS: '100',
      WEBHOOK_BACKLOG: '10000',
      WEBHOOK_RACES: '20000',
    },
    brief: { WEBHOOK_LOAD: '200', WEBHOOK_BACKLOG_ENDPOINTS: '20' },
  },
]
