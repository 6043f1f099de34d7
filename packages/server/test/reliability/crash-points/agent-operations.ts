import assert from 'node:assert/strict'
import type { Operation, OperationContext } from './operations.ts'
import { create, createAccount } from './operations.ts'

/** What a product, a person and an agent do: sessions, approvals, sign-in requests, and what customers let agents do. */
export const AGENT_OPERATIONS: readonly Operation[] = [
  {
    name: 'create an agent session',
    prepare: async (context, name) => ({
      method: 'POST',
      path: '/v1/agent_session',
      body: describeSession(await createAccount(context, name)),
    }),
    // The session and its token.
    effects:
      'SELECT count(*) AS count FROM agent_sessions JOIN tokens ON tokens.token_id = agent_sessions.token_id',
    action: 'agent_session.created',
    hasEvent: true,
  },
  {
    name: 'end an agent session',
    prepare: async (context, name) => {
      const { agentSessionId } = await createSession(context, name)
      return { method: 'DELETE', path: `/v1/agent_session/${agentSessionId}` }
    },
    effects:
      'SELECT count(*) AS count FROM agent_sessions JOIN tokens ON tokens.token_id = agent_sessions.token_id WHERE revoked_at = agent_sessions.expires_at',
    action: 'agent_session.revoked',
    hasEvent: true,
  },
  {
    name: 'approve a request of an agent',
    prepare: async (context, name) => {
      const { approvalId } = await askForApproval(context, name)
      return {
        method: 'POST',
        path: `/v1/agent_approval/${approvalId}`,
        body: { decision: 'approve' },
      }
    },
    effects: "SELECT count(*) AS count FROM agent_approvals WHERE status = 'approved'",
    action: 'agent.approval_decided',
    hasEvent: true,
  },
  {
    name: 'ask for an approval',
    prepare: async (context, name) => ({
      method: 'POST',
      ...(await prepareRequest(context, name)),
      refusal: 409,
    }),
    effects: 'SELECT count(*) AS count FROM agent_approvals',
    action: 'agent.approval_requested',
    hasEvent: true,
  },
  {
    name: 'confirm a sign-in request',
    prepare: async (context, name) => {
      const url = await openSignIn(context, name)
      return {
        method: 'POST',
        path: `/v1/sign_in_request/${url.split('/').at(-1)}/confirm`,
        body: { accountIdentifier: name },
      }
    },
    effects: 'SELECT count(code_hash) AS count FROM sign_in_requests',
    action: 'agent.sign_in_confirmed',
    hasEvent: false,
  },
  {
    name: 'refuse a sign-in request',
    prepare: async (context, name) => {
      const { url } = await askForApproval(context, name, { approver: 'person' })
      return { method: 'POST', path: `/v1/sign_in_request/${url.split('/').at(-1)}/refuse` }
    },
    effects: "SELECT count(*) AS count FROM sign_in_requests WHERE status = 'refused'",
    action: 'agent.sign_in_refused',
    hasEvent: false,
  },
  {
    name: 'say what agents may do with an account',
    prepare: async (context, name) => ({
      method: 'POST',
      path: `${await createAccount(context, name)}/agent_access`,
      body: { access: 'read_only' },
    }),
    effects: "SELECT count(*) AS count FROM accounts WHERE agent_access = 'read_only'",
    action: 'account.agent_access_changed',
    hasEvent: true,
  },
]

function describeSession(accountPath: string, more: object = {}) {
  return {
    integrationAccountIds: [accountPath.split('/').at(-1)],
    rules: [{ effect: 'approve', methods: ['POST'] }],
    ...more,
  }
}

async function createSession(context: OperationContext, name: string, more: object = {}) {
  const path = await createAccount(context, name)
  return {
    path,
    ...(await create(context.service, '/v1/agent_session', describeSession(path, more))),
  }
}

/** A request that has to be approved, described in a body: an approval is bound to the headers of one that is forwarded. */
async function prepareRequest(context: OperationContext, name: string, more: object = {}) {
  const { path, token } = await createSession(context, name, more)
  const body = { method: 'POST', path: '/tickets', body: { subject: name } }
  return { path: `${path}/proxy`, body, token: String(token) }
}

async function askForApproval(context: OperationContext, name: string, more: object = {}) {
  if ('approver' in more) await setSignInUrl(context)
  const person = 'approver' in more && { accountIdentifier: name }
  const { path, body, token } = await prepareRequest(context, name, { ...more, ...person })
  const response = await context.service.call('POST', path, body, token)
  assert.equal(response.status, 409, JSON.stringify(response.body))
  const { approvalId, url } = response.body.errors
  return { approvalId: String(approvalId[0].value), url: String(url?.[0].value) }
}

async function setSignInUrl({ service }: OperationContext): Promise<void> {
  const { body } = await service.call('GET', '/v1/workspace')
  const agents = { signInURL: 'https://app.example.com/sign-in' }
  const { workspaceId } = body[0]
  const changed = await service.call('POST', `/v1/workspace/${workspaceId}`, {
    name: 'Acme',
    agents,
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
}

/** Presses the button of the page that an agent links to. @returns its URL */
async function openSignIn(context: OperationContext, name: string): Promise<string> {
  const { url } = await askForApproval(context, name, { approver: 'person' })
  const page = context.service.url + new URL(url).pathname
  const start = await fetch(page)
  const [, visit = ''] = /name="visit" value="([^"]+)"/.exec(await start.text()) ?? []
  const cookie = start.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const pressed = await fetch(page, {
    method: 'POST',
    headers: { cookie: cookie.join('; '), 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ visit }),
    redirect: 'manual',
  })
  assert.equal(pressed.status, 303, await pressed.text())
  return url
}
