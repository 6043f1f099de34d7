import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { createMiniBundle } from '../../../server/test/mini-bundle.ts'
import { testContext } from '../../../server/test/test-context.ts'
import { type Account, Linchpin } from '../../src/index.ts'

/** A request as the provider received it. */
export interface ProviderRequest {
  readonly method: string
  /** Path and query, exactly as sent. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ProviderResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is bytes. */
  readonly body?: unknown
}

/** A service, a server that stands in for a provider, two of its accounts, and a token that is bound to the first. */
export interface VendorTestContext {
  readonly baseUrl: string
  readonly providerUrl: string
  /** What the provider received so far. */
  readonly requests: ProviderRequest[]
  /** The first account, with the bound token. */
  readonly desk: Account
  /** The second account, with the same token. */
  readonly otherDesk: Account
  /** The scope is `proxy`. */
  readonly boundToken: string
  /** The provider has received its secret with each request and no token of the service; the product has not seen the secret. */
  assertNoLeaks(...seenByProduct: unknown[]): void
  close(): Promise<void>
}

const SECRET = 'provider-PLANTED-0f3a'

/** Starts the context. Close it in `after`. `basePath` is the path of the provider's base URL. */
export async function startVendorTestContext(
  respond: (request: ProviderRequest, providerUrl: string) => ProviderResponse,
  basePath = '',
): Promise<VendorTestContext> {
  const requests: ProviderRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body: await buffer(incoming) }
    requests.push(request)
    const { status = 200, headers: sent = {}, body = {} } = respond(request, providerUrl)
    const isBytes = body instanceof Uint8Array
    const type = isBytes ? 'application/octet-stream' : 'application/json'
    outgoing.writeHead(status, { 'content-type': type, ...sent })
    outgoing.end(isBytes ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const providerUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const t = await testContext({ logLevel: 'warn' })
  const baseUrl = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const code = createMiniBundle(createSpec(providerUrl + basePath))
  const { integrationDefinitionId } = await t.createDefinition({ code })
  const [accountId = '', otherId = ''] = await Promise.all(
    [SECRET, 'another'].map(async (api_key) => {
      const account = await t.createAccount(integrationDefinitionId, { config: { api_key } })
      return account.integrationAccountId
    }),
  )
  const owner = new Linchpin({ baseUrl, token: t.token })
  const { token } = await owner.tokens.create({
    name: 'For one account',
    scopes: ['proxy'],
    integrationAccountIds: [accountId],
  })
  const bound = new Linchpin({ baseUrl, token })
  return {
    baseUrl,
    providerUrl,
    requests,
    desk: bound.account(accountId),
    otherDesk: bound.account(otherId),
    boundToken: token,
    assertNoLeaks(...seenByProduct) {
      assert.ok(requests.length > 0)
      for (const { url, headers, body } of requests) {
        assert.equal(headers.authorization, `Bearer ${SECRET}`)
        assert.doesNotMatch(`${url}${JSON.stringify(headers)}${body}`, /lp_|unused/)
      }
      assert.doesNotMatch(inspect(seenByProduct, { depth: 10 }), new RegExp(SECRET))
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await t.close()
    },
  }
}

function createSpec(baseUrl: string): object {
  return {
    api_base_url: baseUrl,
    auth_specification: {
      'Api Key': {
        headers: { Authorization: `Bearer \${api_key}` },
        'x-headers': 'complete',
        input_specification: {
          type: 'object',
          required: ['api_key'],
          properties: { api_key: { type: 'string', format: 'password' } },
        },
      },
    },
  }
}
