import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  request,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { startWorld, type World } from '../../../test/fixtures.ts'
import type { TestAppOptions } from '../../../test/test-app.ts'

/** What came back through the proxy. */
export interface ProxyAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: Uint8Array | undefined
  readonly token?: string
  readonly accountId?: string
}

/** A service that listens, a provider of its own beside it, and an account there. */
export interface ProxyWorld extends World {
  readonly base: string
  /** Of the provider, such as `http://127.0.0.1:4000`. */
  readonly provider: string
  readonly accountId: string
  /** What the provider does from now on. */
  play(listener: RequestListener): void
  /** Starts a request; the path behind `/proxy/` goes out exactly as given. */
  open(tail: string, asked?: Asked): ClientRequest
  ask(tail: string, asked?: Asked): Promise<ProxyAnswer>
}

/** Secrets that must never come out. */
export const API_KEY = 'key-PLANTED-5f1e'

export interface ProxyWorldOptions extends TestAppOptions {
  /** Laid over the spec; `{provider}` is filled. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** Starts one. Close it in `after`. */
export async function startProxyWorld(options: ProxyWorldOptions = {}): Promise<ProxyWorld> {
  let play: RequestListener = (_request, response) => response.end()
  const server = createServer((asked, response) => play(asked, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const world = await startWorld(options)
  const spec = JSON.stringify({ ...SPEC, api_base_url: '{provider}/v2', ...options.spec })
  const code = bundle(spec.replaceAll('{provider}', provider))
  const { integrationDefinitionId = '' } = await world.define({ code })
  const account = await world.connect(integrationDefinitionId, { config: { api_key: API_KEY } })
  const base = await world.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true })
  const accountId = account.integrationAccountId ?? ''
  const open = (tail: string, asked: Asked = {}) => {
    const { method = 'GET', headers, body, token = world.token } = asked
    const { hostname, port } = new URL(base)
    const path = `/api/v1/integration_account/${asked.accountId ?? accountId}/proxy/${tail}`
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    return request({
      agent,
      hostname,
      port,
      path,
      method,
      headers: { authorization: `Bearer ${token}`, ...length, ...headers },
    })
  }
  return {
    ...world,
    base,
    provider,
    accountId,
    play: (listener) => {
      play = listener
    },
    open,
    ask: (tail, asked = {}) => finish(open(tail, asked), asked.body),
    async close() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await world.close()
    },
  }
}

async function finish(sent: ClientRequest, body: Uint8Array | undefined): Promise<ProxyAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyAnswer>()
  sent.on('error', reject)
  sent.on('response', (response) => {
    response.toArray().then(
      (chunks) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      reject,
    )
  })
  sent.end(body)
  return await promise
}

const SPEC = {
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: { api_key: { type: 'string', format: 'password' } },
      },
    },
  },
}

function bundle(spec: string): string {
  return `exports.default = async (command, { config } = {}) => {
    if (command === 'SPEC') return ${spec}
    if (command === 'CHECK') return { status: true, error: '' }
    if (command !== 'HEADERS') return { status: false, error: 'Command not found' }
    return { 'X-Api-Key': config.api_key, 'Content-Type': 'application/x-of-the-bundle', 'refresh-token': 'rt-PLANTED' }
  }`
}
