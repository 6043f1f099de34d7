import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { EgressGateway } from '@linchpin/runner'
import {
  FIXED_NOW,
  MALFORMED_RESPONSES,
  type MalformedResponse,
} from '../test/malformed-responses.ts'
import { buildOAuthType, openEgressGateway, serve, suiteCleanup } from '../test/servers.ts'
import { ANY_ENDPOINT } from '../token/client-request.ts'
import { refreshTokens } from '../token/token-endpoint.ts'
import type { TokenResult } from './token-result.ts'

let origin: string
let egressGateway: EgressGateway

describe('refreshTokens with a malformed response', () => {
  const suite = suiteCleanup()
  before(async () => {
    origin = await serve(suite, (request, response) => {
      const malformed = MALFORMED_RESPONSES[Number(request.url?.slice(1))]
      if (!malformed) return response.writeHead(404).end()
      const { type = 'application/json', body } = malformed
      response.writeHead(malformed.status ?? 200, {
        ...(type && { 'content-type': type }),
        ...malformed.headers,
      })
      response.end(
        typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      )
    })
    egressGateway = openEgressGateway(suite)
  })

  for (const [index, malformed] of MALFORMED_RESPONSES.entries()) {
    it(`returns "${malformed.expected}" for ${malformed.title}`, async () => {
      const type = buildOAuthType(origin, { token_url: `${origin}/${index}` })
      const client = { clientId: 'c', clientSecret: 'a-client-secret', endpoints: ANY_ENDPOINT }
      const refresh = { type, client, refreshToken: 'rt-1', values: {} }
      const result = await refreshTokens({ egressGateway, now: () => FIXED_NOW }, refresh)
      assert.equal(summarize(result), malformed.expected, JSON.stringify(result))
      if (result.kind === 'tokens') assertTokens(result.tokens, malformed)
    })
  }
})

function summarize(result: TokenResult): string {
  if (result.kind === 'tokens') return 'tokens'
  if (result.kind === 'refused') return `refused ${result.error}`
  const retryAfter = result.retryAfterMs === undefined ? '' : ` after ${result.retryAfterMs}`
  return `unavailable ${result.reason}${result.replyMayBeLost ? ' lost' : ''}${retryAfter}`
}

function assertTokens(tokens: object, { tokens: expectedTokens = {} }: MalformedResponse): void {
  const actual = Object.fromEntries(Object.entries(tokens))
  for (const [name, value] of Object.entries(expectedTokens)) {
    if (name === 'expiresIn') {
      const instant = value === null ? undefined : FIXED_NOW + Math.floor(Number(value) * 1_000)
      assert.equal(actual.expiresAt, instant)
    } else if (name === 'extra') {
      assert.deepEqual(JSON.stringify(actual.extra), JSON.stringify(value))
    } else assert.deepEqual(actual[name], value, name)
  }
}
