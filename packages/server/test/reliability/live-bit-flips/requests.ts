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

/** Creates links, tokens, an account and settings, and returns the requests that read and use them. */
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
      name: `Token ${index}`,
      scopes: ['read'],
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
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const { integrationAccountId: id } = await create('/v1/integration_account', {
      ...createDeskCredentials(definitionId, provider, 'desk_live_flips'),
      integrationAccountName: `Account ${index}`,
      accountIdentifier: `customer-${index}`,
    })
    requests.push(get(`/v1/integration_account/${id}`, (body) => body))
  }
  requests.push(get('/v1/integration_account', selectUnknown()))
  requests.push(...(await fillSettings(create, provider.url)))
  return requests
}

/** Creates rows that decide where data and visitors go. */
async function fillSettings(
  create: (path: string, body: object) => Promise<Record<string, unknown>>,
  providerUrl: string,
): Promise<Request[]> {
  const requests: Request[] = [
    get('/v1/user', (body) => USER_FIELDS.map((name) => body[name])),
    // The time of the last change is not verified.
    get('/v1/workspace', (body) =>
      (Object.values(body) as object[]).map((workspace) => ({
        ...workspace,
        updatedAt: undefined,
      })),
    ),
    // That of the sandbox.
    get('/v1/integration_oauth', (body) => body),
  ]
  for (let index = 0; index < SETTINGS_ROWS; index += 1) {
    const endpoint = await create('/v1/webhook_endpoint', {
      url: `${providerUrl}/hooks/${index}`,
      types: ['definition.deleted'],
    })
    requests.push(
      get(`/v1/webhook_endpoint/${endpoint.webhookEndpointId}`, (body) =>
        ENDPOINT_FIELDS.map((name) => body[name]),
      ),
    )
    const session = await create('/v1/connect_session', {
      accountIdentifier: `customer-${index}`,
      maxAccounts: 3,
    })
    requests.push(
      get(`/v1/connect_session/${session.connectSessionId}`, (body) =>
        SESSION_FIELDS.map((name) => body[name]),
      ),
    )
  }
  return requests
}

const ACCOUNTS = 10
const SETTINGS_ROWS = 10

const USER_FIELDS = ['id', 'email', 'firstname', 'lastname', 'createdAt']

const ENDPOINT_FIELDS = [
  ...['webhookEndpointId', 'workspaceId', 'url', 'types', 'integrationDefinitionIds', 'payload'],
  ...['version', 'ordering', 'signature', 'maxInFlight', 'headerNames', 'publicKeys'],
]

const SESSION_FIELDS = [
  ...['connectSessionId', 'workspaceId', 'linkId', 'mode', 'accountIdentifier', 'redirectURL'],
  ...['maxAccounts', 'expiresAt', 'integrationAccountIds', 'tags'],
]

/** The accounts of a list that the first list did not have. An index may lose an account, which nothing shows. */
function selectUnknown(): Request['select'] {
  let known: Set<string> | undefined
  return (body) => {
    const texts = (body as unknown as object[]).map((account) => JSON.stringify(account))
    known ??= new Set(texts)
    return texts.filter((text) => !known?.has(text))
  }
}

function get(path: string, select: Request['select']): Request {
  return { key: path, path, method: 'GET', select }
}
