import createClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi-typescript.ts'

type Account = components['schemas']['IntegrationAccount']

/** Calls as a user of openapi-typescript and openapi-fetch writes them. */
export async function call(baseUrl: string, token: string, definitionId: string): Promise<unknown> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })
  const credentials = { authType: 'Api Key', config: { api_key: 'key_that_works' } }

  const { data: user } = await client.GET('/api/v1/user')
  const { data: spec } = await client.GET(
    '/api/v1/integration_definition/{integrationDefinitionId}/spec',
    { params: { path: { integrationDefinitionId: definitionId } } },
  )
  const { data: check } = await client.POST('/api/v1/integration_account/check', {
    body: { integrationDefinitionId: definitionId, ...credentials },
  })
  // A union on `status`: only a refusal has a code.
  const refusal: string | undefined = check?.status === false ? check.code : undefined
  const { data: account } = await client.POST('/api/v1/integration_account', {
    body: {
      integrationDefinitionId: definitionId,
      integrationAccountName: 'Support desk',
      ...credentials,
    },
  })
  const integrationAccountId = account?.integrationAccountId ?? ''
  const { data: accounts, response } = await client.GET('/api/v1/integration_account', {
    params: { query: { status: 'active', limit: 1 } },
  })
  const statuses: Account['status'][] = accounts?.map(({ status }) => status) ?? []
  const { data: link } = await client.POST('/api/v1/link', {
    body: { linkName: 'Customers', category: ['TICKETING', { key: 'CRM' }] },
  })
  const { data: links } = await client.GET('/api/v1/link')
  const { data: answer } = await client.POST(
    '/api/v1/integration_account/{integrationAccountId}/proxy',
    {
      params: { path: { integrationAccountId } },
      body: { path: '/repos/acme%2Fdesk', query: { page: 2 } },
      parseAs: 'text',
    },
  )
  const { error } = await client.GET('/api/v1/integration_account/{integrationAccountId}', {
    params: { path: { integrationAccountId: 'acc_unknown' } },
  })
  const { data: session } = await client.POST('/api/v1/agent_session', {
    body: {
      integrationAccountIds: [integrationAccountId],
      rules: [{ effect: 'approve', methods: ['POST'], path: '/**' }],
      limits: { calls: 10 },
    },
  })
  const agentSessionId = session?.agentSessionId ?? ''
  const { data: access } = await client.POST(
    '/api/v1/integration_account/{integrationAccountId}/agent_access',
    { params: { path: { integrationAccountId } }, body: { access: 'read_only' } },
  )
  const { data: approvals } = await client.GET('/api/v1/agent_approval', {
    params: { query: { status: 'pending' } },
  })
  const { data: ended } = await client.DELETE('/api/v1/agent_session/{agentSessionId}', {
    params: { path: { agentSessionId } },
  })
  const { data: tombstone } = await client.DELETE(
    '/api/v1/integration_account/{integrationAccountId}',
    { params: { path: { integrationAccountId } } },
  )
  return {
    email: user?.email,
    authTypes: Object.keys(spec?.auth_specification ?? {}),
    check: check?.status,
    refusal: refusal ?? null,
    statuses,
    hasNextPage: response.headers.has('link'),
    categories: link?.category.map(({ key }) => key),
    lastLink: links?.at(-1)?.linkName,
    answer: JSON.parse(String(answer)),
    error: error?.error,
    agent: [
      session?.rules[0]?.effect,
      access?.access,
      approvals?.length,
      ended?.revokedAt === null,
    ],
    revocation: tombstone?.revocation ?? null,
  }
}
