// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { expectError, expectOk, testContext } from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { RevocationTestContext } from './test/revocation-test-context.ts'
import { getReturnParams, ISSUER, respondWithJson } from './test/stub-provider-context.ts'

/** Jira's have about 2,400 characters, Microsoft's up to 3,300; 16,384 is our own limit. */
const LENGTHS = [2_049, 2_400, 3_300, 4_096, 8_192, 16_384]

/** CHECK requests `/me` with the token. With `HEADERS` the bundle creates the header itself. */
const createCode = (hasHeaders: boolean) => (url: string, auth: Record<string, unknown>) => {
  const templates = {
    headers: { Authorization: 'Bearer ${access_token}', 'X-Second': '${access_token}' },
    'x-headers': 'complete',
  }
  const oauth = {
    ...auth,
    ...(hasHeaders ? {} : templates),
    revocation_url: `${url}/revoke`,
    refresh_params: { old_token: '${access_token}' },
  }
  const spec = { api_base_url: `${url}/api`, auth_specification: { OAuth2: oauth } }
  return `
    const headers = ({ access_token }) => ({ Authorization: 'Bearer ' + access_token, 'X-Second': access_token })
    exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(spec)}
      if (command === 'CHECK') {
        const response = await fetch('${url}/me', { headers: headers(config) })
        return { status: response.ok, error: 'refused' }
      }
      ${hasHeaders ? "if (command === 'HEADERS') return headers(config)" : ''}
      return { status: false, error: 'Command not found' }
    }`
}

const createToken = (kind: string, length: number) => kind.padEnd(length, 'x')

for (const hasHeaders of [false, true])
  describe(`A long token, with headers from ${hasHeaders ? 'HEADERS' : 'templates'}`, () => {
    let t: RevocationTestContext
    const received: string[] = []
    before(async () => {
      t = await testContext({ provider: { revocation: true, code: createCode(hasHeaders) } })
      t.stubServer.serve('/api/items', (request, response) => {
        received.push(String(request.headers.authorization), String(request.headers['x-second']))
        response.end('{}')
      })
    })
    after(() => t.close())
    beforeEach(() => {
      received.length = 0
      t.revoked.length = 0
    })

    const respond = (generation: number, length: number) =>
      respondWithJson(200, {
        access_token: createToken(`access-${generation}-`, length),
        refresh_token: createToken(`refresh-${generation}-`, length),
        expires_in: 3_600,
      })
    const expireToken = (id: AccountId) =>
      t.database.transaction((trx) =>
        trx
          .updateTable('account_tokens')
          .set({ token_expires_at: 1, refresh_at: 1 })
          .where('account_id', '=', id)
          .execute(),
      )

    for (const length of LENGTHS)
      it(`of ${length} characters works in sign-in, CHECK, proxy, credentials, refresh and revocation`, async () => {
        t.respondToToken = respond(1, length)
        const id = getReturnParams(await t.completeFlow()).integrationAccountId
        const account = `/v1/integration_account/${id}`
        expectOk(await t.call('GET', `${account}/proxy/items`))
        const first = createToken('access-1-', length)
        assert.deepEqual(received.splice(0), [`Bearer ${first}`, first])
        t.respondToToken = respond(2, length)
        t.tokenRequests.length = 0
        await expireToken(id)
        expectOk(await t.call('GET', `${account}/proxy/items`))
        const second = createToken('access-2-', length)
        assert.deepEqual(received.splice(0), [`Bearer ${second}`, second])
        const [refresh] = t.tokenRequests
        assert.equal(refresh?.get('refresh_token'), createToken('refresh-1-', length))
        assert.equal(refresh?.get('old_token'), first)
        const { config, headers } = expectOk(await t.call('GET', `${account}/credentials`)) as {
          config: Record<string, unknown>
          headers: Record<string, string>
        }
        assert.equal(config.access_token, second)
        assert.deepEqual(headers, { Authorization: `Bearer ${second}`, 'X-Second': second })
        expectOk(await t.call('DELETE', account))
        assert.deepEqual(t.revoked, [createToken('refresh-2-', length), second])
      })

    it('of 16,385 characters is refused at sign-in', async () => {
      t.respondToToken = respond(1, 16_385)
      assert.equal(getReturnParams(await t.completeFlow()).error, 'token_exchange_failed')
    })

    for (const length of [1_200, 4_096, 8_192])
      it(`comes with a code of ${length} characters`, async () => {
        t.respondToToken = respond(1, 100)
        const state = await t.begin(await t.start())
        t.tokenRequests.length = 0
        const code = createToken('code', length)
        getReturnParams(await t.callback({ state, code, iss: ISSUER }))
        assert.equal(t.tokenRequests[0]?.get('code'), code)
      })
  })

describe('A value that no header can carry', () => {
  let t: RevocationTestContext
  before(async () => {
    t = await testContext({
      provider: {
        revocation: true,
        code: (url, auth) => `
          const spec = { api_base_url: '${url}/api', auth_specification: {
            OAuth2: { ...${JSON.stringify(auth)}, headers: { 'X-Pair': '\${access_token}\${refresh_token}\${tenant_name}' } },
            Key: {
              input_specification: { type: 'object', required: ['api_key'], properties: { api_key: { type: 'string' } } },
              headers: { 'X-Key': 'Key \${api_key}' },
              'x-headers': 'complete',
            },
          } }
          exports.default = async (command) => command === 'SPEC' ? spec : { status: true, error: '' }`,
      },
    })
  })
  after(() => t.close())

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['is too long', 'k'.repeat(32_769), /^api_key is too long for a header: at most 32768 char/],
    ['makes the header too long', 'k'.repeat(32_767), /^api_key is too long for a header/],
    ['has several lines', 'a\nb', /^api_key contains characters that a header can't carry/],
    ['is not Latin-1', 'key\u2026', /^api_key contains characters that a header can't carry/],
    [
      'has a control character',
      'a\u0007b',
      /^api_key contains characters that a header can't carry/,
    ],
  ]
  for (const [title, key, message] of refused)
    it(`is refused by check and create, with the reason, if it ${title}`, async () => {
      const body = {
        integrationDefinitionId: t.definitionId,
        authType: 'Key',
        config: { api_key: key },
        workspaceId: t.workspaceId,
      }
      for (const [path, more] of [
        ['/v1/integration_account/check', {}],
        ['/v1/integration_account', { integrationAccountName: 'K' }],
      ] as const) {
        const response = await t.call('POST', path, { body: { ...body, ...more } })
        const { errors } = expectError(response, 'validation_failed') as {
          errors: Record<string, { message: string }[]>
        }
        assert.match(String(errors['config.api_key']?.[0]?.message), message)
      }
    })

  it('is refused at sign-in, and its tokens are revoked', async () => {
    t.respondToToken = (response: ServerResponse) =>
      respondWithJson(200, {
        access_token: 'a'.repeat(16_384),
        refresh_token: 'r'.repeat(16_384),
        tenant_name: 'Acme',
        expires_in: 3_600,
      })(response)
    assert.equal(getReturnParams(await t.completeFlow()).error, 'token_exchange_failed')
  })
})
