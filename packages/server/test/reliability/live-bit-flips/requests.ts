import assert from 'node:assert/strict'
import { createDeskCredentials } from '../desk-provider.ts'
import type { ServiceProcess } from '../service-process.ts'

const LINKS = 20

/** A request of the comparison, and what decides in its response. */
export interface Request {
  readonly key: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly token?: string
  readonly select: (body: Record<string, unknown>) => unknown
}

/** The settings of a link. */
const SETTINGS = [
  ...['linkId', 'linkName', 'canExpire', 'expiresIn', 'preferOAuth', 'category', 'workspaceId'],
  ...['integrationDefinitionIds', 'maxAccounts', 'maxAccountsPerIdentifier', 'allowedOrigins'],
  ...['redirectURLs', 'sessionsOnly', 'createdAt'],
]

/** Creates links, tokens, and an account, and returns the requests that read and use them. */
export async function fill(
  service: ServiceProcess,
  definitionId: string,
  provider: { readonly url: string },
): Promise<Request[]> {
  const create = async (path: string, body: object) => {
    const response = await service.call('POST', path, body)
    assert.equal(response.status, 201, JSON.stringify(response.body))
    return response.body
  }
  const requests: Request[] = [
    get(`/v1/integration_definition/${definitionId}/spec`, (body) => body),
    get(`/v1/integration_definition/${definitionId}`, () => null),
  ]
  for (let index = 0; index < LINKS; index += 1) {
    const settings = { allowedOrigins: ['https://app.example'], maxAccounts: 100 }
    const { linkId } = await create('/v1/link', { linkName: `Link ${index}`, ...settings })
    const { tokenId, token } = await create('/v1/user/token', {
      ...{ name: `Token ${index}`, scopes: ['read'] },
    })
    requests.push(get(`/v1/link/${linkId}`, (body) => SETTINGS.map((name) => body[name])))
    requests.push({ ...get('/v1/workspace', () => null), key: `read ${tokenId}`, token })
    // Refused, because the token may only read.
    requests.push({
      ...get('/v1/link', () => null),
      key: `write ${tokenId}`,
      method: 'POST',
      token,
    })
  }
  const { integrationAccountId } = await create('/v1/integration_account', {
    ...createDeskCredentials(definitionId, provider, 'desk_live_flips'),
    integrationAccountName: 'Account',
  })
  requests.push(get(`/v1/integration_account/${integrationAccountId}`, () => null))
  return requests
}

function get(path: string, select: Request['select']): Request {
  return { key: path, path, method: 'GET', select }
}
