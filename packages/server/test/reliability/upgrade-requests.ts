import assert from 'node:assert/strict'
import type { AnyBody } from '../any-body.ts'
import type { LoadRequest } from './request-load.ts'
import type { ServiceProcess } from './service-process.ts'

/**
 * Creates a resource of each kind, and returns requests that read, list, create, change and delete such resources. They are the same in
 * the old version and in this one.
 */
export async function createUpgradeRequests(service: ServiceProcess): Promise<LoadRequest[]> {
  const { integrationDefinitionId } = await findDefinition(service)
  const link = await create(service, LINKS, { linkName: 'read' })
  const endpoint = await create(service, ENDPOINTS, NEW_ENDPOINT)
  const app = await create(service, APPS, { integrationDefinitionId, ...CLIENT })
  const session = await create(service, SESSIONS, { linkId: link.linkId })
  const [workspace] = (await service.call('GET', '/v1/workspace')).body
  return [
    get('User', '/v1/user'),
    get('Link', `${LINKS}/${link.linkId}`),
    list('Links', LINKS),
    post('createLink', LINKS, { linkName: 'new' }, ({ linkId }) => [
      post('updateLink', `${LINKS}/${linkId}`, { linkName: 'renamed' }),
      remove('Link', `${LINKS}/${linkId}`),
    ]),
    get('Workspaces', '/v1/workspace', 'list'),
    post('updateWorkspace', `/v1/workspace/${workspace.workspaceId}`, SETTINGS),
    get('Tokens', TOKENS, 'list'),
    post('createToken', TOKENS, { name: 'new', scopes: ['read'] }, ({ tokenId }) => [
      remove('Token', `${TOKENS}/${tokenId}`),
    ]),
    get('WebhookEndpoint', `${ENDPOINTS}/${endpoint.webhookEndpointId}`),
    list('WebhookEndpoints', ENDPOINTS),
    post('createWebhookEndpoint', ENDPOINTS, NEW_ENDPOINT, ({ webhookEndpointId }) => [
      post('updateWebhookEndpoint', `${ENDPOINTS}/${webhookEndpointId}`, { description: 'new' }),
      remove('WebhookEndpoint', `${ENDPOINTS}/${webhookEndpointId}`),
    ]),
    get('ConnectSession', `${SESSIONS}/${session.connectSessionId}`),
    list('ConnectSessions', SESSIONS),
    post('createConnectSession', SESSIONS, { linkId: link.linkId }, ({ connectSessionId }) => [
      remove('ConnectSession', `${SESSIONS}/${connectSessionId}`),
    ]),
    get('OAuthApp', `${APPS}/${app.integrationOAuthAppId}`),
    list('OAuthApps', APPS),
    post('updateOAuthApp', `${APPS}/${app.integrationOAuthAppId}`, { scopes: ['read'] }),
    list('Definitions', DEFINITIONS),
    get('Definition', `${DEFINITIONS}/${integrationDefinitionId}`),
    get('DefinitionSpec', `${DEFINITIONS}/${integrationDefinitionId}/spec`),
  ]
}

const LINKS = '/v1/link'
const TOKENS = '/v1/user/token'
const ENDPOINTS = '/v1/webhook_endpoint'
const SESSIONS = '/v1/connect_session'
const APPS = '/v1/integration_oauth'
const DEFINITIONS = '/v1/integration_definition'

// Of a type that does not happen: nothing is sent.
const NEW_ENDPOINT = { url: 'http://127.0.0.1:9/hooks', types: ['account.deleted'] }
const CLIENT = { clientId: 'client', clientSecret: 'secret' }
const SETTINGS = { allowedRedirectURLs: ['https://app.example.com/done'] }

function get(thing: string, path: string, verb = 'get'): LoadRequest {
  return { operation: verb + thing, method: 'GET', path }
}

const list = (things: string, path: string) => get(things, `${path}?limit=20`, 'list')

function remove(thing: string, path: string): LoadRequest {
  return { operation: `delete${thing}`, method: 'DELETE', path }
}

function post(
  operation: string,
  path: string,
  body: object,
  then: (response: AnyBody) => readonly LoadRequest[] = () => [],
): LoadRequest {
  return { operation, method: 'POST', path, body, then }
}

async function create(service: ServiceProcess, path: string, body: object): Promise<AnyBody> {
  const response = await service.call('POST', path, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

/** A definition of the catalogue that connects with OAuth. */
async function findDefinition(service: ServiceProcess): Promise<AnyBody> {
  const { body } = await service.call('GET', DEFINITIONS)
  const found = body.find(({ key }: AnyBody) => key === 'github')
  assert.ok(found)
  return found
}
