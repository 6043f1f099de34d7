import type { Mutant } from './mutant.ts'

const AGENTS = 'packages/server/src/accounts/agents'
const APPROVALS = `${AGENTS}/agent-approvals.test.ts`
const PAGE = 'packages/server/src/connect/agent-page'

/** The controls of what holds for agents: without each check, a way in is open. */
export const AGENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'an approval is not bound to the body of the request',
    file: `${AGENTS}/request-approval.ts`,
    original: ".update(body ?? '')",
    replacement: ".update('')",
    caughtBy: {
      file: APPROVALS,
      test: 'are bound to everything that is sent, to the session and to the account',
    },
  },
  {
    name: 'an approval can be used twice',
    file: `${AGENTS}/agent-approval-store.ts`,
    original: ".set({ status: 'used' })",
    replacement: ".set({ status: 'approved' })",
    caughtBy: {
      file: APPROVALS,
      test: 'let an agent send a request once, after a person has seen and approved it',
    },
  },
  {
    name: 'a rule that requires an approval matches the path in its own spelling only',
    file: `${AGENTS}/agent-policy.ts`,
    original: "const isLenient = effect !== 'allow'",
    replacement: "const isLenient = effect === 'deny'",
    caughtBy: {
      file: APPROVALS,
      test: 'are required before a rule that allows, and in every spelling of a path',
    },
  },
  {
    name: 'a person returns from the product in any browser',
    file: `${PAGE}/routes.ts`,
    original: 'const isBrowser = session !== undefined && isOpenedBy(signIn, session)',
    replacement: 'const isBrowser = session !== undefined || signIn !== undefined',
    caughtBy: {
      file: `${PAGE}/agent-page.test.ts`,
      test: 'shows and accepts nothing: Bob opens it, Alice is lured to the address of the product (login CSRF)',
    },
  },
  {
    name: 'the product can name another customer than the one whom the agent works for',
    file: `${PAGE}/routes.ts`,
    original: 'if (isBrowser && signIn.isCustomer) {',
    replacement: 'if (isBrowser) {',
    caughtBy: {
      file: `${PAGE}/agent-page.test.ts`,
      test: 'shows and accepts nothing: Bob opens it and signs in as himself',
    },
  },
]
