import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { before, describe, it } from 'node:test'
import type { EgressGateway } from '@linchpin/runner'
import { createRandom } from '../../../../test/create-random.ts'
import { isJsonObject, parseJson } from '../../../platform/json.ts'
import { isValidIssuer } from '../authorize/authorization-response.ts'
import { parseOAuthType } from '../spec/parse-oauth-type.ts'
import { openEgressGateway, readRequestText, serve, suiteCleanup } from '../test/servers.ts'
import { exchangeCode, refreshTokens } from '../token/token-endpoint.ts'
import { bindToServer, type DiscoveredServer } from './authorization-server.ts'
import { discoverServer, isMcpServerInvalid } from './discover-server.ts'

const DOCUMENTS = 500
const CODE = 'a-code-of-the-honest-server'
const REFRESH_TOKEN = 'a-refresh-token-of-the-honest-server'

/** What one hostile server says. */
interface Scenario {
  readonly resource: unknown
  readonly issuers: unknown
  readonly document: Readonly<Record<string, unknown>>
  readonly transport: 'usual' | 'redirect' | 'large' | 'endless' | 'silent' | 'text'
}

describe('metadata of hostile servers', () => {
  const cleanup = suiteCleanup()
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  let gateway: EgressGateway
  let honest: string
  let hostile: string
  let scenario: Scenario
  let requests = 0
  /** Requests to the hostile server with the code or the token of the honest one. */
  let stolen = 0

  before(async () => {
    gateway = openEgressGateway(cleanup, undefined, 'oauth=127.0.0.0/8,bundle=127.0.0.0/8')
    honest = await serve(cleanup, (request, response) => {
      requests += 1
      const isMetadata = request.url === '/.well-known/oauth-authorization-server'
      answer(response, isMetadata ? 200 : 404, describeServer(honest))
    })
    hostile = await serve(cleanup, (request, response) => void beHostile(request, response))
  })

  async function beHostile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1
    const text = `${request.headers.authorization} ${request.url} ${await readRequestText(request)}`
    if (text.includes(CODE) || text.includes(REFRESH_TOKEN)) stolen += 1
    const { resource, issuers, document, transport } = scenario
    if (request.url === '/mcp') {
      response.setHeader('www-authenticate', `Bearer resource_metadata="${hostile}/resource"`)
      return answer(response, 401, {})
    }
    if (request.url === '/resource')
      return answer(response, 200, { resource, authorization_servers: issuers })
    if (transport === 'usual') return answer(response, 200, document)
    if (transport === 'redirect') return void response.writeHead(302, { location: honest }).end()
    if (transport === 'text') return void response.end('<html>')
    if (transport === 'silent') return
    if (transport === 'large')
      return answer(response, 200, { ...document, x: 'x'.repeat(10_000_000) })
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '.repeat(65_536)), 1)
    response.on('close', () => clearInterval(timer))
  }

  /** A person connects the hostile server; and an account of the honest one, whose server has become hostile, is refreshed. */
  async function connect(at: number, gatewayOfTest: EgressGateway, comparesIssuers: boolean) {
    const found = await discover(at, gatewayOfTest)
    if (found === undefined) return false
    const { server } = found
    const request = { type: bindToServer(TYPE, found), client: { clientId: 'ours' }, values: {} }
    const deps = { egressGateway: gatewayOfTest, now: Date.now }
    // Each server issues codes to who signs in there, and says who it is.
    const isHonest = new URL(server.authorizationEndpoint).origin === honest
    const iss = isHonest ? honest : server.issuer
    const expected = { issuer: server.issuer, isAdvertised: server.isIssAdvertised }
    if (!comparesIssuers || isValidIssuer(iss, expected)) {
      const code = isHonest ? CODE : 'a-code-of-the-hostile-server'
      await exchangeCode(deps, {
        ...request,
        code,
        codeVerifier: 'v',
        redirectUri: 'https://x.example/',
      })
    }
    if (!comparesIssuers || server.issuer === honest)
      await refreshTokens(deps, { ...request, refreshToken: REFRESH_TOKEN })
    return true
  }

  async function discover(
    at: number,
    egressGateway: EgressGateway,
  ): Promise<DiscoveredServer | undefined> {
    const tenant = { workspaceId: `wsp_${at}` }
    const signal = scenario.transport === 'silent' ? AbortSignal.timeout(200) : undefined
    const before = requests
    try {
      return await discoverServer({ egressGateway }, `${hostile}/mcp`, {
        tenant,
        hosts: undefined,
        signal,
      })
    } catch (error) {
      assert.ok(isMcpServerInvalid(error), String(error))
      return undefined
    } finally {
      assert.ok(requests - before <= 8, `${requests - before} requests`)
    }
  }

  it(`get no code and no token of another server: ${DOCUMENTS} documents`, async (test) => {
    const random = createRandom(seed)
    let accepted = 0
    for (let at = 0; at < DOCUMENTS; at += 1) {
      scenario = createScenario(random, { honest, hostile })
      if (await connect(at, gateway, true)) accepted += 1
    }
    test.diagnostic(`seed ${seed}: ${accepted} of ${DOCUMENTS} accepted, ${stolen} stolen`)
    assert.equal(stolen, 0)
    assert.ok(accepted > 10, `${accepted} accepted`)
  })

  it('get them if any issuer is accepted, which proves the test', async (test) => {
    const random = createRandom(seed)
    const credulous = { ...gateway, request: acceptAnyIssuer(gateway) }
    for (let at = 0; at < 200; at += 1) {
      scenario = createScenario(random, { honest, hostile })
      await connect(DOCUMENTS + at, credulous, false)
    }
    test.diagnostic(`${stolen} stolen`)
    assert.ok(stolen > 0)
    stolen = 0
  })
})

const TYPE =
  parseOAuthType(
    { auth_specification: { OAuth2: { discovery: 'mcp', server_url: 'https://mcp.example.com' } } },
    'OAuth2',
  ) ?? assert.fail()

function describeServer(origin: string): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}

function createScenario(
  random: () => number,
  { honest, hostile }: { readonly honest: string; readonly hostile: string },
): Scenario {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const often = <T>(usual: T, others: readonly T[]): T => (random() < 0.7 ? usual : pick(others))
  const { host } = new URL(hostile)
  const lookalikes = [
    honest,
    `${honest}/`,
    honest.toUpperCase(),
    `${honest}.${host}`,
    `${honest}@${host}`,
    `${honest}:443`,
    `${honest}/../`,
    `${honest}#@${host}`,
    `${honest}\\@${host}`,
    honest.replace('127.0.0.1', 'localhost'),
  ]
  const listed = pick([hostile, `${hostile}/a`, `${hostile}/a/b`, ...lookalikes])
  const endpoints = (name: string) => [
    `${hostile}/${name}`,
    `${honest}/${name}`,
    `http://host.evil/${name}`,
    `https://user:password@${host}/${name}`,
    `${hostile}/${name}?a=\${client_secret}`,
    'javascript:alert(1)',
    { href: hostile },
    undefined,
  ]
  return {
    resource: often<unknown>(`${hostile}/mcp`, [
      hostile,
      honest,
      `${honest}/mcp`,
      `${hostile}/mcp-evil`,
      `${hostile}/other`,
      `http://user@${host}/mcp`,
      `https://${host}/mcp`,
      [hostile],
      undefined,
    ]),
    issuers: often<unknown>(
      [listed],
      [
        [],
        listed,
        [{ issuer: listed }, 1, null],
        Array.from({ length: 1_000 }, (_, at) => `${hostile}/loop/${at}`),
        [listed, hostile, honest],
      ],
    ),
    document: {
      ...describeServer(hostile),
      issuer: often<unknown>(pick([honest, listed]), [...lookalikes, hostile, undefined, [listed]]),
      authorization_endpoint: often<unknown>(`${honest}/authorize`, endpoints('authorize')),
      token_endpoint: often<unknown>(`${hostile}/token`, endpoints('token')),
      code_challenge_methods_supported: often<unknown>(
        ['S256'],
        [['plain'], [], 'S256', undefined],
      ),
      authorization_response_iss_parameter_supported: pick([true, false, undefined]),
    },
    transport:
      random() < 0.95 ? 'usual' : pick(['redirect', 'large', 'endless', 'silent', 'text'] as const),
  }
}

/** Answers each request for metadata with the issuer that is expected there. */
function acceptAnyIssuer(gateway: EgressGateway): EgressGateway['request'] {
  return async (request, policy) => {
    const response = await gateway.request(request, policy)
    const { origin, pathname } = new URL(request.url)
    const [isMetadata, path = ''] =
      /^\/\.well-known\/oauth-authorization-server(.*)$/.exec(pathname) ?? []
    const document = parseJson(Buffer.from(response.body).toString())
    if (isMetadata === undefined || !isJsonObject(document)) return response
    const body = Buffer.from(JSON.stringify({ ...document, issuer: origin + path }))
    return { ...response, body }
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
