import { createClient } from '../generated/hey-api/client'
import {
  checkAccount,
  createAccount,
  createAgentSession,
  createLink,
  deleteAccount,
  deleteAgentSession,
  getAccount,
  getDefinitionSpec,
  getUser,
  type IntegrationAccount,
  listAccounts,
  listAgentApprovals,
  listLinks,
  sendProxyRequest,
  updateAgentAccess,
} from '../generated/hey-api/index'

/** Calls as a user of Hey API writes them. */
export async function call(baseUrl: string, token: string, definitionId: string): Promise<unknown> {
  const client = createClient({ baseUrl, auth: () => token })
  const credentials = { authType: 'Api Key', config: { api_key: 'key_that_works' } }

  const { data: user } = await getUser({ client })
  const { data: spec } = await getDefinitionSpec({
    client,
    path: { integrationDefinitionId: definitionId },
  })
  const { data: check } = await checkAccount({
    client,
    body: { integrationDefinitionId: definitionId, ...credentials },
  })
  // A union on `status`: only a refusal has a code.
  const refusal: string | undefined = check?.status === false ? check.code : undefined
  const { data: account } = await createAccount({
    client,
    body: {
      integrationDefinitionId: definitionId,
      integrationAccountName: 'Support desk',
      ...credentials,
    },
  })
  const path = { integrationAccountId: account?.integrationAccountId ?? '' }
  const { data: accounts, response } = await listAccounts({
    client,
    query: { status: 'active', limit: 1 },
  })
  const statuses: IntegrationAccount['status'][] = accounts?.map(({ status }) => status) ?? []
  const { data: link } = await createLink({
    client,
    body: { linkName: 'Customers', category: ['TICKETING', { key: 'CRM' }] },
  })
  const { data: links } = await listLinks({ client })
  const { data: answer } = await sendProxyRequest({
    client,
    path,
    body: { path: '/repos/acme%2Fdesk', query: { page: 2 } },
    parseAs: 'json',
  })
  const { error } = await getAccount({ client, path: { integrationAccountId: 'acc_unknown' } })
  const { data: session } = await createAgentSession({
    client,
    body: {
      integrationAccountIds: [path.integrationAccountId],
      rules: [{ effect: 'approve', methods: ['POST'], path: '/**' }],
      limits: { calls: 10 },
    },
  })
  const { data: access } = await updateAgentAccess({ client, path, body: { access: 'read_only' } })
  const { data: approvals } = await listAgentApprovals({ client, query: { status: 'pending' } })
  const { data: ended } = await deleteAgentSession({
    client,
    path: { agentSessionId: session?.agentSessionId ?? '' },
  })
  const { data: tombstone } = await deleteAccount({ client, path })
  return {
    email: user?.email,
    authTypes: Object.keys(spec?.auth_specification ?? {}),
    check: check?.status,
    refusal: refusal ?? null,
    statuses,
    hasNextPage: response?.headers.has('link'),
    categories: link?.category.map(({ key }) => key),
    lastLink: links?.at(-1)?.linkName,
    answer,
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
