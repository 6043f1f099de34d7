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
import type { TestAppOptions } from '../../../../test/test-app.ts'
import { type TestContext, testContext } from '../../../../test/test-context.ts'

/** A response of the proxy. */
export interface ProxyResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ProxyRequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: Uint8Array | undefined
  readonly token?: string
  readonly accountId?: string
}

/** A listening service with a provider and an account. */
export interface ProxyTestContext extends TestContext {
  readonly baseUrl: string
  /** URL of the provider, such as `http://127.0.0.1:4000`. */
  readonly providerUrl: string
  readonly accountId: string
  /** Sets the request handler of the provider. */
  setProviderHandler(listener: RequestListener): void
  /** Starts a request. The path after `/proxy/` is sent exactly as given. */
  openRequest(pathAndQuery: string, options?: ProxyRequestOptions): ClientRequest
  send(pathAndQuery: string, options?: ProxyRequestOptions): Promise<ProxyResponse>
}

/** Secrets that must never leak. */
export const API_KEY = 'key-PLANTED-5f1e'

export interface ProxyTestOptions extends TestAppOptions {
  /** Merged into the spec; `{provider}` is replaced. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** Starts the context. Close it in `after`. */
export async function startProxyTestContext({
  spec: specFields,
  ...options
}: ProxyTestOptions = {}): Promise<ProxyTestContext> {
  let providerHandler: RequestListener = (_request, response) => response.end()
  const server = createServer((incoming, response) => providerHandler(incoming, response)).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const providerUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = await testContext(options)
  const spec = JSON.stringify({ ...SPEC, api_base_url: '{provider}/v2', ...specFields })
  const code = bundleWithSpec(spec.replaceAll('{provider}', providerUrl))
  const { integrationDefinitionId } = await context.createDefinition({ code })
  const account = await context.createAccount(integrationDefinitionId, {
    config: { api_key: API_KEY },
  })
  const baseUrl = await context.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true })
  const accountId = account.integrationAccountId ?? ''
  const openRequest = (pathAndQuery: string, options: ProxyRequestOptions = {}) => {
    const { method = 'GET', headers, body, token = context.token } = options
    const { hostname, port } = new URL(baseUrl)
    const path = `/api/v1/integration_account/${options.accountId ?? accountId}/proxy/${pathAndQuery}`
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
  const { close } = context
  return Object.assign(context, {
    baseUrl,
    providerUrl,
    accountId,
    setProviderHandler: (listener: RequestListener) => {
      providerHandler = listener
    },
    openRequest,
    send: (pathAndQuery: string, options: ProxyRequestOptions = {}) =>
      readResponse(openRequest(pathAndQuery, options), options.body),
    async close() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await close()
    },
  })
}

async function readResponse(
  clientRequest: ClientRequest,
  body: Uint8Array | undefined,
): Promise<ProxyResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyResponse>()
  clientRequest.on('error', reject)
  clientRequest.on('response', (response) => {
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
  clientRequest.end(body)
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

function bundleWithSpec(spec: string): string {
  return `exports.default = async (command, { config } = {}) => {
    if (command === 'SPEC') return ${spec}
    if (command === 'CHECK') return { status: true, error: '' }
    if (command !== 'HEADERS') return { status: false, error: 'Command not found' }
    return { 'X-Api-Key': config.api_key, 'Content-Type': 'application/x-of-the-bundle', 'refresh-token': 'rt-PLANTED' }
  }`
}
