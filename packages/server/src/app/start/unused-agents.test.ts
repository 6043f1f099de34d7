import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { createDataFolder, type MainProcess, startMain } from '../../../test/main-process.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { startStubServer } from '../../../test/stub-server.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'

const TOKEN = generateAccessToken()
const UNKNOWN = 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t'

/** Prints the URL of every module that is loaded. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  process.stdout.write('loaded ' + url + '\\n')
  return next(url, context)
} })`)}`

/** A customer of a workspace, without any agent. */
async function startService(t: TestContext) {
  const stub = await startStubServer()
  t.after(() => stub.close())
  const service = await startMain(t, {
    LINCHPIN_DATA_DIR: await createDataFolder(),
    LINCHPIN_TOKEN: TOKEN,
    LINCHPIN_EGRESS_ALLOW: '127.0.0.0/8',
    LINCHPIN_MCP_REGISTRATION: 'on',
    NODE_OPTIONS: `--import=${PRELOAD}`,
  })
  const call = async (method: string, path: string, body?: object): Promise<AnyBody> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${text}`)
    return JSON.parse(text) as AnyBody
  }
  const definition = await call('POST', '/integration_definition', {
    name: 'Mini',
    integrationType: 'TICKETING',
    sourceUrl: stub.bundle(createMiniBundle()),
  })
  const [workspace] = (await call('GET', '/workspace')) as unknown as AnyBody[]
  const workspaceId = String(workspace?.workspaceId)
  await call('POST', '/integration_account', {
    workspaceId,
    integrationDefinitionId: definition.integrationDefinitionId,
    integrationAccountName: 'Ada',
    accountIdentifier: 'ada',
    authType: 'Api Key',
    config: { api_key: 'key_that_works' },
  })
  return { service, call, workspaceId }
}

const countModules = ({ stdout }: MainProcess, pattern = /^loaded /gm) =>
  [...stdout().matchAll(pattern)].length
const SDK = /^loaded .*(?:mcp-sdk\.mjs|@modelcontextprotocol\/server\/.*)$/gm
const AUTHORIZATION_SERVER = /^loaded .*(?:oidc-provider\.mjs|oidc-provider\/lib\/.*)$/gm

/** What a client, a scanner and a page send to each route that agents have. */
function listRequests(workspaceId: string): [path: string, init: RequestInit][] {
  const message = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const bearer = { ...json, authorization: `Bearer ${TOKEN}` }
  const mcp = `/mcp/${workspaceId}`
  const wellKnown = ['', mcp, '/mcp', '/x'].flatMap((path) =>
    ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'].map(
      (name) => `/.well-known/${name}${path}`,
    ),
  )
  const defaults = ['/authorize', '/token', '/register']
  const pages = ['authorize', 'authorize/x', 'token', 'revoke', 'jwks', 'register', 'x'].map(
    (name) => `/mcp-auth/${name}`,
  )
  const agent = ['', '/return', '/answer'].map((path) => `/agent/sir${UNKNOWN.slice(3)}${path}`)
  const anything = ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS'] as const
  return [
    [mcp, { method: 'POST', headers: json, body: message }],
    [mcp, { method: 'POST', headers: bearer, body: message }],
    [mcp, { method: 'POST', headers: { ...bearer, authorization: 'Bearer x' }, body: message }],
    [mcp, { method: 'POST', headers: { ...json, origin: 'https://a.example' }, body: message }],
    [mcp, { method: 'POST', headers: json, body: '{' }],
    ['/mcp-auth/token', { method: 'POST', headers: form, body: 'grant_type=x' }],
    ['/mcp-auth/register', { method: 'POST', headers: json, body: '{}' }],
    ...[mcp, `${mcp}/x`, ...wellKnown, ...defaults, ...pages, ...agent].flatMap((path) =>
      anything.map((method): [string, RequestInit] => [path, { method }]),
    ),
  ]
}

describe('A service without agents', () => {
  it('responds with 404 on every route that agents have, and loads no module for them', async (t) => {
    const { service, call, workspaceId } = await startService(t)
    const request = async ([path, init]: [string, RequestInit]) => {
      const response = await fetch(service.url + path, { ...init, redirect: 'manual' })
      const { status, headers } = response
      const text = (await response.text())
        .replaceAll(workspaceId, UNKNOWN)
        .replace(/"timestamp":"[^"]+"|nonce="[^"]+"/g, '')
      const known = ['allow', 'www-authenticate', 'location'].map((name) => headers.get(name))
      return { status, known, text }
    }
    const expectNothing = async (id: string) => {
      const texts: string[] = []
      for (const each of listRequests(id)) {
        const { status, known, text } = await request(each)
        assert.equal(status, 404, `${each[1].method} ${each[0]}: ${status}`)
        assert.deepEqual(known, [null, null, null])
        texts.push(text)
      }
      return texts
    }
    // Pages load what they show only once.
    await fetch(`${service.url}/agent/x`)
    const before = countModules(service)
    const texts = await expectNothing(workspaceId)
    const others = await expectNothing(UNKNOWN)
    for (const [index, text] of texts.entries()) assert.equal(text, others[index])
    assert.equal(countModules(service), before)

    const mcp: [string, RequestInit] = [`/mcp/${workspaceId}`, { method: 'POST' }]
    const session = await call('POST', '/agent_session', { accountIdentifier: 'ada' })
    assert.equal((await request(mcp)).status, 401)
    assert.equal((await request([mcp[0], { method: 'GET' }])).status, 405)
    assert.equal((await request([`/mcp/${UNKNOWN}`, { method: 'POST' }])).status, 404)
    assert.equal((await request(['/mcp-auth/jwks', {}])).status, 404)
    assert.equal(countModules(service, SDK), 0)
    const listed = await fetch(session.mcpURL.replace(/^.*\/mcp\//, `${service.url}/mcp/`), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${session.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    assert.equal(listed.status, 200)
    assert.notEqual(countModules(service, SDK), 0)

    await call('DELETE', `/agent_session/${session.agentSessionId}`)
    await expectNothing(workspaceId)
    assert.equal(countModules(service, AUTHORIZATION_SERVER), 0)
    const signInURL = 'https://app.example.com/sign-in'
    await call('POST', `/workspace/${workspaceId}`, { name: 'Acme', agents: { signInURL } })
    assert.equal((await request(mcp)).status, 401)
    assert.equal((await request(['/mcp-auth/jwks', {}])).status, 200)
    assert.notEqual(countModules(service, AUTHORIZATION_SERVER), 0)
  })
})
