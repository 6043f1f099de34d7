import type { Mutant } from './mutant.ts'

const AGENTS = 'packages/server/src/accounts/agents'
const APPROVALS = `${AGENTS}/agent-approvals.test.ts`
const TOOLS = 'packages/server/src/accounts/mcp-client'
const AGENT_TOOLS = `${TOOLS}/agent-tools.test.ts`
const PAGE = 'packages/server/src/connect/agent-page'
const SIGN_IN = `${PAGE}/client-sign-in.test.ts`

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
  {
    name: 'tools of MCP servers are pinned by their names only',
    file: `${TOOLS}/list-account-tools.ts`,
    original: "state: pin.sha256 === tool.sha256 ? 'accepted' : 'suspended'",
    replacement: "state: pin.name === tool.name ? 'accepted' : 'suspended'",
    caughtBy: {
      file: `${TOOLS}/pinned-tools.test.ts`,
      test: 'is never called after any of 1,000 changes, however long its server says that a list is fresh',
    },
  },
  {
    name: 'a rule that names no tools allows them',
    file: `${AGENTS}/agent-policy.ts`,
    original: "tools !== undefined && effect !== 'deny'",
    replacement: "effect !== 'deny'",
    caughtBy: {
      file: AGENT_TOOLS,
      test: 'call no tool without a rule for it, and ask the server for nothing',
    },
  },
  {
    name: 'an agent sends the messages of MCP itself',
    file: `${AGENTS}/agent-policy.ts`,
    original: 'request.isMcpServer && !isRead(request.method)',
    replacement: 'request.isMcpServer && isRead(request.method)',
    caughtBy: {
      file: AGENT_TOOLS,
      test: 'send no request of their own to the server but reads',
    },
  },
  {
    name: 'a code is read, then used: two nodes can both do that',
    file: `${AGENTS}/oauth-server-record-store.ts`,
    original: 'return numUpdatedRows > 0n',
    replacement: 'return numUpdatedRows >= 0n',
    caughtBy: { file: SIGN_IN, test: 'lets one of two nodes redeem a code, 10 times' },
  },
  {
    name: 'a refresh token that was replaced can be used for ever',
    file: 'packages/server/src/accounts/mcp/authorization/record-adapter.ts',
    original: 'RefreshToken: { uses: 5, graceMs: 60_000 },',
    replacement: 'RefreshToken: { uses: 500, graceMs: 60_000_000 },',
    caughtBy: {
      file: SIGN_IN,
      test: 'ends the session if it is used later: it was stolen, here or there',
    },
  },
  {
    name: 'a person answers for the authorization request of another browser',
    file: 'packages/server/src/accounts/mcp/authorization/authorization-server.ts',
    original: 'return toSubject(interaction.uid) === subject ? interaction : undefined',
    replacement: "return subject !== '' ? interaction : undefined",
    caughtBy: {
      file: SIGN_IN,
      test: 'shows and grants nothing: Bob has the cookie of the page, and that of his own authorization request',
    },
  },
  {
    name: 'a client writes with the consent to read',
    file: 'packages/server/src/accounts/mcp/adapter.ts',
    original: 'if (getCaller(request).isReadOnly && isWrite(request.body)) {',
    replacement: 'if (getCaller(request).isReadOnly && isWrite(undefined)) {',
    caughtBy: {
      file: SIGN_IN,
      test: 'allows what the person has chosen: reading, or changes too',
    },
  },
  {
    name: 'calls of tools have no headers with their names',
    file: `${TOOLS}/mcp-client.ts`,
    original: "...(isStateless ? ['Mcp-Method', method, ...rawHeaders] : []),",
    replacement: "...(isStateless ? ['Mcp-Method', method] : []),",
    caughtBy: {
      file: `${TOOLS}/hostile-servers.test.ts`,
      test: 'gets calls of tools with names that URLs and headers cannot carry as they are',
    },
  },
]
