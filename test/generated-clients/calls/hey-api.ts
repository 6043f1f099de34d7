import { createClient } from '../generated/hey-api/client'
import {
  checkAccount,
  createAccount,
  createLink,
  deleteAccount,
  getAccount,
  getDefinitionSpec,
  getUser,
  type IntegrationAccount,
  listAccounts,
  listLinks,
  sendProxyRequest,
} from '../generated/hey-api/index'

/** Ten calls as a user of Hey API writes them. */
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
    revocation: tombstone?.revocation ?? null,
  }
}
