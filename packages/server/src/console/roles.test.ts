import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../test/test-app.ts'
import type { Level, Role } from '../access/members/roles.ts'
import { FORWARDED_OPERATIONS } from '../accounts/proxy/operations.ts'
import { OPERATIONS } from '../app/operations.ts'
import { createFormToken } from './sign-in/form-guard.ts'
import { SESSION_COOKIE } from './sign-in/session.ts'
import { type ConsoleVisitor, signIn } from './test/console-visitor.ts'
import { elevate } from './test/elevate.ts'

const ROLES: readonly Role[] = ['viewer', 'support', 'developer', 'admin', 'owner']
const LEVELS: readonly Level[] = ['normal', 'elevated']

/** Who may call what in the console: the table of its design. A new operation fails until it is in one of these lists. */
const OPERATIONS_OF: Readonly<
  Record<string, { readonly from: Role | 'no one'; readonly level: Level; readonly ids: string }>
> = {
  'every member': {
    from: 'viewer',
    level: 'normal',
    ids: `getAgentAccess getAgentSession getUser countAccounts exportCustomer getAccount getAccountHealth getConnectSession getDefinition getDefinitionHealth getDefinitionPreview
      getBulkJob listIntegrationAccountTools getDefinitionEntry getDefinitionSpec getEvent getLink getOAuthApp getRequest getStatistics listRequests getWebhookDelivery getWebhookEndpoint listAccountHistory listAccounts
      countAttempts listAgentApprovals listAgentSessions listAttempts listConnectSessions listCustomers listDefinitions listEvents listLinks listOAuthAppIds listOAuthApps
      listWebhookDeliveries listWebhookEndpoints listWorkspaces`,
  },
  support: {
    from: 'support',
    level: 'normal',
    ids: 'createBulkJob createConnectSession createLink deleteConnectSession deleteLink recheckAccount updateLink',
  },
  developers: {
    from: 'developer',
    level: 'normal',
    // Create agent session also requires proxy, which only the elevated owner has.
    ids: `acceptIntegrationAccountTool checkAccount checkDefinition createAgentSession confirmConnectSession confirmOAuth createAccount createAccountThroughLink deleteAccount
      eraseCustomer startOAuth updateAccount createOAuthApp deleteOAuthApp testOAuthApp updateOAuthApp createDefinition
      deleteDefinition overrideDefinition previewDefinition rollbackDefinition setDefinitionIcon trustDefinition upgradeDefinition createWebhookEndpoint
      deleteAgentSession deleteWebhookEndpoint replayWebhookEvents rotateWebhookSecret testWebhookEndpoint updateWebhookEndpoint`,
  },
  'elevated developers': {
    from: 'developer',
    level: 'elevated',
    ids: 'createToken confirmSignInRequest decideAgentApproval deleteToken getAgentApproval getSignInRequest listTokens refuseSignInRequest updateAgentAccess',
  },
  admins: {
    from: 'admin',
    level: 'normal',
    ids: 'exportAuditEvents listAuditEvents listMembers createWorkspace deleteWorkspace updateWorkspace',
  },
  'elevated admins': {
    from: 'admin',
    level: 'elevated',
    ids: 'inviteMember updateMember deleteMember',
  },
  'the elevated owner': {
    from: 'owner',
    level: 'elevated',
    ids: 'getAccountCredentials startDebugWindow callIntegrationAccountTool sendProxyRequest proxyGet proxyPost proxyPut proxyPatch proxyDelete',
  },
  // It takes an access token that is bound to no workspace.
  'no one': {
    from: 'no one',
    level: 'elevated',
    ids: 'createUser importAccount getInstance',
  },
}

const ALL = [
  ...OPERATIONS.map(({ id, method, path }) => ({ id, method, path })),
  ...FORWARDED_OPERATIONS.map(({ id, method }) => ({
    id,
    method,
    path: '/v1/integration_account/none/proxy/none',
  })),
]

const DECIDED = Object.values(OPERATIONS_OF).flatMap(({ ids, ...rule }) =>
  ids.split(/\s+/).map((id) => ({ id, ...rule })),
)

describe('The roles of the console', () => {
  let t: TestApp
  /** The header of the console's calls, by role and level. */
  const headers = new Map<string, string>()
  before(async () => {
    t = await testApp()
    for (const role of ROLES)
      for (const level of LEVELS) headers.set(`${role} ${level}`, await readHeader(t, role, level))
  })
  after(() => t.close())

  it('are decided for each operation, once', () => {
    const all = ALL.map(({ id }) => id)
    assert.deepEqual(DECIDED.map(({ id }) => id).toSorted(), all.toSorted())
  })

  for (const role of ROLES)
    for (const level of LEVELS)
      it(`let a session of role ${role} and level ${level} call what is theirs, and the API refuses the rest with 403`, async () => {
        const found = []
        const expected = []
        for (const { id, method, path } of ALL) {
          const rule = DECIDED.find((each) => each.id === id)
          assert.ok(rule, id)
          expected.push(`${id}: ${isAllowed(rule, role, level) ? 'allowed' : 'insufficient_scope'}`)
          const { statusCode, body } = await t.app.inject({
            method,
            url: `/api${path.replace(/:\w+/g, 'none')}`,
            headers: {
              authorization: headers.get(`${role} ${level}`),
              'content-type': 'text/none',
            },
          })
          const isRefused = statusCode === 403 && JSON.parse(body).error === 'insufficient_scope'
          assert.notEqual(statusCode, 401, id)
          found.push(`${id}: ${isRefused ? 'insufficient_scope' : 'allowed'}`)
        }
        assert.deepEqual(found, expected)
      })
})

function isAllowed(
  { from, level: needed }: (typeof DECIDED)[number],
  role: Role,
  level: Level,
): boolean {
  if (from === 'no one') return false
  return ROLES.indexOf(role) >= ROLES.indexOf(from) && (level === 'elevated' || needed === 'normal')
}

/** The header with which the console calls the API for a new session. */
async function readHeader(t: TestApp, role: Role, level: Level): Promise<string> {
  const visitor = await signIn(t, { role })
  if (level === 'elevated') await elevate(t, visitor)
  const { inject } = t.app
  const seen: string[] = []
  Object.assign(t.app, {
    inject(options: { headers?: Record<string, string> }) {
      const { authorization } = options.headers ?? {}
      if (authorization !== undefined) seen.push(authorization)
      return Reflect.apply(inject, t.app, [options])
    },
  })
  if (level === 'normal') await visitor.get('/console/links')
  else await sendTestRequest(t, visitor)
  Object.assign(t.app, { inject })
  const [header] = seen
  assert.ok(header, `${role} ${level}`)
  return header
}

/** Begins with the elevated call, whatever the page offers to the role. */
async function sendTestRequest(
  { workspaceId }: Pick<TestApp, 'workspaceId'>,
  visitor: ConsoleVisitor,
): Promise<void> {
  const path = '/console/connections/acc_none/request'
  const secret = visitor.cookies.get(SESSION_COOKIE) ?? ''
  const form = {
    form_token: createFormToken({ secret, membership: { workspaceId } }, path),
    method: 'GET',
    path: '/',
  }
  await visitor.send(path, form)
}
