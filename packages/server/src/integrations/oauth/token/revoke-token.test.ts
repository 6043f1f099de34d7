// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { EgressGateway } from '@linchpin/runner'
import type { OAuthType } from '../spec/parse-oauth-type.ts'
import {
  buildOAuthType,
  openEgressGateway,
  readRequestText,
  serve,
  suiteCleanup,
} from '../test/servers.ts'
import { ANY_ENDPOINT } from './client-request.ts'
import { type GrantTokens, type RevocationOutcome, revokeTokens } from './revoke-token.ts'

const RESPONSES: readonly [status: number, body: string, outcome: RevocationOutcome][] = [
  [200, '', 'revoked'],
  [200, '{}', 'revoked'],
  [200, '{"ok":true,"revoked":true}', 'revoked'],
  [200, '<html>', 'revoked'],
  [204, '', 'revoked'],
  [200, '{"ok":false,"error":"token_revoked"}', 'revoked'],
  [400, '{"error":"invalid_token"}', 'revoked'],
  [401, '{"error":"invalid_token"}', 'failed'],
  [200, '{"error":"invalid_client"}', 'failed'],
  [302, '', 'failed'],
  [400, '{"error":"unsupported_token_type"}', 'unsupported'],
  [400, '{"error":"invalid_request"}', 'failed'],
  [400, '<html>', 'failed'],
  [401, '{"error":"invalid_client"}', 'failed'],
  [404, '', 'failed'],
  [429, '', 'failed'],
  [500, '{"error":"unsupported_token_type"}', 'failed'],
  [503, '', 'failed'],
]

let origin: string
let egressGateway: EgressGateway
let bodies: string[] = []
const client = { clientId: 'c', clientSecret: 's', endpoints: ANY_ENDPOINT }
const tokens: GrantTokens = { refreshToken: 'rt 1', accessToken: undefined }
const revoke = (type: OAuthType) =>
  revokeTokens({ egressGateway }, { type, client, values: {} }, tokens)

describe('revokeTokens', () => {
  const suite = suiteCleanup()
  before(async () => {
    egressGateway = openEgressGateway(suite)
    origin = await serve(suite, async (request, response) => {
      bodies.push(await readRequestText(request))
      const [status, body] = RESPONSES[Number(request.url?.slice(1))] ?? [404, '']
      if (status === 302) response.setHeader('location', '/0')
      response.writeHead(status).end(status === 204 ? undefined : body)
    })
  })

  for (const [index, [status, body, outcome]] of RESPONSES.entries()) {
    it(`returns ${outcome} for ${status} "${body}"`, async () => {
      bodies = []
      const type = buildOAuthType(origin, { revocation_url: `${origin}/${index}` })
      assert.equal(await revoke(type), outcome)
      assert.deepEqual(bodies, [
        'token=rt+1&token_type_hint=refresh_token&client_id=c&client_secret=s',
      ])
    })
  }

  it('sends a form even if the token endpoint takes JSON', async () => {
    bodies = []
    const type = buildOAuthType(origin, { revocation_url: `${origin}/0`, body_format: 'json' })
    assert.equal(type.bodyFormat, 'json')
    assert.equal(await revoke(type), 'revoked')
    assert.deepEqual(bodies, [
      'token=rt+1&token_type_hint=refresh_token&client_id=c&client_secret=s',
    ])
  })

  it('returns unsupported without a revocation URL', async () => {
    assert.equal(await revoke(buildOAuthType(origin)), 'unsupported')
  })

  it('returns failed if the host is unreachable or the config lacks a field', async () => {
    for (const url of ['http://127.0.0.1:1/revoke', 'http://10.0.0.1/', `${origin}/\${tenant}`]) {
      const type = buildOAuthType(origin, { revocation_url: url })
      assert.equal(await revoke(type), 'failed', url)
    }
  })
})
