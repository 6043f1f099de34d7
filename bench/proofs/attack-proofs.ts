import { SERVER_TESTS, type TestProof } from './test-proof.ts'

/** The proofs of what attackers can reach: the whole tests, which `npm test` runs as well. */
export const ATTACK_PROOFS: readonly TestProof[] = [
  {
    name: 'tenants',
    promise: 'No token reaches what belongs to others, or learns whether it exists.',
    attack:
      'Foreign, deleted, unknown and malformed ids at every reference of the OpenAPI document, with the tokens of other users, workspaces and scopes; all tables are compared.',
    limitMinutes: 5,
    sharesProcess: true,
    files: ['id-matrix', 'scopes', 'error-precedence'].map(
      (file) => `${SERVER_TESTS}/${file}.test.ts`,
    ),
    environment: {},
  },
  {
    name: 'hostile-bundles',
    promise: 'No bundle leaves the sandbox, reads what is not its own, or ends the service.',
    attack:
      'Bundles that escape, spin, allocate, flood, leak and tamper with the language, each beside others that must go on.',
    limitMinutes: 8,
    files: ['packages/runner/test/hostile/*.test.ts', 'packages/runner/src/guest/hostile.test.ts'],
    environment: {},
  },
  {
    name: 'ssrf',
    promise: 'No request leaves for an address that is not allowed.',
    attack:
      'More than 250 URLs for each purpose, redirects to them, and 1,000 names whose addresses change, with servers that count what arrives.',
    limitMinutes: 5,
    files: ['ssrf', 'dial', 'redirects'].map(
      (file) => `packages/runner/src/egress/${file}.test.ts`,
    ),
    environment: {},
  },
  {
    name: 'oauth',
    promise: 'No attack on a sign-in connects an account to the wrong person, or leaks a token.',
    attack:
      'Forged, replayed and mixed-up states, codes and responses, against servers that follow the RFCs and servers that do not.',
    limitMinutes: 8,
    sharesProcess: true,
    files: [
      'integrations/oauth/*/*.test.ts',
      'connect/oauth-flow/*.test.ts',
      'connect/oauth-flow/callback/*.test.ts',
      'connect/oauth-flow/session/*.test.ts',
    ].map((files) => `packages/server/src/${files}`),
    environment: {},
  },
  {
    name: 'agents',
    promise:
      'An agent sees no credential, makes exactly as many calls as it may on all nodes, loses none, and a code is redeemed once.',
    attack:
      'A provider echoes credentials in every place and encoding in responses of 64 kB; nodes restart while 40 sessions call tools through three of them; each code is redeemed at two nodes at once. The controls: what an agent would see without the search, and the requests that the provider receives.',
    limitMinutes: 12,
    files: [
      'packages/server/src/accounts/agents/echoed-credentials.test.ts',
      'packages/server/src/connect/agent-page/client-sign-in.test.ts',
      `${SERVER_TESTS}/reliability/agent-calls.proof.ts`,
    ],
    environment: {
      LINCHPIN_TEST_ECHOES: '10000',
      LINCHPIN_TEST_CODES: '1000',
      AGENT_CALLS: '10000',
    },
    brief: { LINCHPIN_TEST_ECHOES: '2000', LINCHPIN_TEST_CODES: '100', AGENT_CALLS: '2000' },
  },
  {
    name: 'secrets',
    promise: 'No secret is stored, logged or returned in plain text, and no changed one is opened.',
    attack:
      'Every operation with canaries, which are searched for in responses, logs and files; 10,000 changes of sealed values and of their places.',
    limitMinutes: 5,
    sharesProcess: true,
    files: [
      `${SERVER_TESTS}/secrets.test.ts`,
      'packages/server/src/connect/oauth-flow/secrets.test.ts',
      'packages/server/src/platform/vault/*.test.ts',
    ],
    environment: { TAMPERED_VALUES: '10000' },
  },
  {
    name: 'pages',
    promise: 'No text of others runs on a page, and everyone can use it.',
    attack:
      '120 hostile texts in every field that a page shows, in Chromium; axe on every state of the connect page.',
    limitMinutes: 8,
    files: [
      `${SERVER_TESTS}/browser/injection.test.ts`,
      `${SERVER_TESTS}/browser/frame-messages.test.ts`,
      `${SERVER_TESTS}/browser/states/*.test.ts`,
    ],
    environment: {},
  },
]
