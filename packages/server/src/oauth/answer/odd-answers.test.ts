import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Gate } from '@linchpin/runner'
import { ODD_ANSWERS, ODD_NOW, type OddAnswer } from '../test/odd-answers.ts'
import { oauthType, openGate, serve, suiteCleanup } from '../test/servers.ts'
import { ANY_ENDPOINT } from '../token/client-request.ts'
import { refreshTokens } from '../token/token-endpoint.ts'
import type { TokenResult } from './token-result.ts'

let origin: string
let gate: Gate

describe('a token endpoint that answers oddly', () => {
  const suite = suiteCleanup()
  before(async () => {
    origin = await serve(suite, (request, response) => {
      const odd = ODD_ANSWERS[Number(request.url?.slice(1))]
      if (!odd) return response.writeHead(404).end()
      const { type = 'application/json', body } = odd
      response.writeHead(odd.status ?? 200, {
        ...(type && { 'content-type': type }),
        ...odd.headers,
      })
      response.end(
        typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      )
    })
    gate = openGate(suite)
  })

  for (const [index, odd] of ODD_ANSWERS.entries()) {
    it(`ends as "${odd.ends}" for ${odd.title}`, async () => {
      const type = oauthType(origin, { token_url: `${origin}/${index}` })
      const client = { clientId: 'c', clientSecret: 'a-client-secret', endpoints: ANY_ENDPOINT }
      const refresh = { type, client, refreshToken: 'rt-1', values: {} }
      const result = await refreshTokens({ gate, now: () => ODD_NOW }, refresh)
      assert.equal(ending(result), odd.ends, JSON.stringify(result))
      if (result.kind === 'tokens') checkTokens(result.tokens, odd)
    })
  }
})

function ending(result: TokenResult): string {
  if (result.kind === 'tokens') return 'tokens'
  if (result.kind === 'refused') return `refused ${result.error}`
  const wait = result.retryAfterMs === undefined ? '' : ` after ${result.retryAfterMs}`
  return `unavailable ${result.reason}${result.replyMayBeLost ? ' lost' : ''}${wait}`
}

function checkTokens(tokens: object, { tokens: wanted = {} }: OddAnswer): void {
  const got = Object.fromEntries(Object.entries(tokens))
  for (const [name, value] of Object.entries(wanted)) {
    if (name === 'expiresIn') {
      const instant = value === null ? undefined : ODD_NOW + Math.floor(Number(value) * 1_000)
      assert.equal(got.expiresAt, instant)
    } else if (name === 'extra') {
      assert.deepEqual(JSON.stringify(got.extra), JSON.stringify(value))
    } else assert.deepEqual(got[name], value, name)
  }
}
