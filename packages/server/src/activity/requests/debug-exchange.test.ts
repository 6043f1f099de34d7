import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { sharedRunner } from '../../../test/shared-runner.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { getValidCredentials } from '../../accounts/accounts/token-refresh/get-valid-credentials.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../accounts/accounts/token-refresh/test/refresh-test-context.ts'
import {
  type CapturedExchange,
  createExchangeScrubber,
  listSecretValues,
  redactExchange,
} from './debug-exchange.ts'
import { recordProviderRequests } from './record-requests.ts'

describe('redactExchange', () => {
  const JSON_TYPE = ['content-type', 'application/json']
  const redact = async (
    operation: CapturedExchange['operation'],
    { body, status = 200, request = '' }: { body: string; status?: number; request?: string },
  ) => {
    const toBody = (text: string) => ({
      bytes: Buffer.from(text),
      size: Buffer.byteLength(text),
      isDecoded: true,
    })
    const values = listSecretValues({ api_key: 'config-secret' }, new Set())
    const exchange = await redactExchange(
      {
        operation,
        url: 'https://user:pass@a.example/token?client_secret=q&page=2',
        request: { rawHeaders: [], body: toBody(request) },
        response: { status, rawHeaders: JSON_TYPE, body: toBody(body) },
      },
      createExchangeScrubber(values),
    )
    return { ...exchange, text: exchange.response?.body.text, sent: exchange.request.body.text }
  }

  it('keeps of a token response what cannot be a token, at any depth', async () => {
    const body = {
      access_token: 'a1',
      custom: 'b2',
      nested: { key: 'c3', scope: 'read' },
      list: ['d4', 5],
      token_type: 'Bearer',
      expires_in: 60,
      ok: true,
    }
    const { text, url } = await redact('oauth', { body: JSON.stringify(body) })
    assert.deepEqual(JSON.parse(text ?? ''), {
      access_token: '[removed]',
      custom: '[removed]',
      nested: { key: '[removed]', scope: 'read' },
      list: ['[removed]', '[removed]'],
      token_type: 'Bearer',
      expires_in: 60,
      ok: true,
    })
    assert.equal(url, 'https://a.example/token?client_secret=[removed]&page=2')
    assert.equal((await redact('oauth', { body: '"bare-token"' })).text, '"[removed]"')
  })

  it('keeps of a token request its type and scope, and why it was refused', async () => {
    const { sent, text } = await redact('oauth', {
      request: 'grant_type=refresh_token&refresh_token=r1&scope=read&client_secret=s1&x=y',
      body: '{"error":"invalid_grant","error_description":"It has expired.","trace":"t1"}',
      status: 400,
    })
    assert.equal(
      sent,
      'grant_type=refresh_token&refresh_token=[removed]&scope=read&client_secret=[removed]&x=[removed]',
    )
    assert.deepEqual(JSON.parse(text ?? ''), {
      error: 'invalid_grant',
      error_description: 'It has expired.',
      trace: '[removed]',
    })
  })

  it('omits a token response that it cannot read, and shows a page with an error', async () => {
    assert.equal((await redact('oauth', { body: '{"access_token":"a1"' })).text, null)
    assert.equal((await redact('oauth', { body: 'a1 token' })).text, null)
    const page = '<h1>Down</h1>'
    assert.equal((await redact('oauth', { body: page, status: 503 })).text, page)
  })

  it('removes fields with names of secrets that the code of an integration gets, in lists and objects too', async () => {
    const body = { id: 'u1', sessionToken: 's1', secrets: ['x1', { y: 'y1' }], name: 'Ada' }
    const { text } = await redact('integration', { body: JSON.stringify(body) })
    assert.deepEqual(JSON.parse(text ?? ''), {
      id: 'u1',
      sessionToken: '[removed]',
      secrets: ['[removed]', { y: '[removed]' }],
      name: 'Ada',
    })
  })

  it('changes nothing but credentials in what was proxied', async () => {
    const body = '{ "next_token": "page-2", "echo": "config-secret" }'
    assert.equal(
      (await redact('proxy', { body })).text,
      '{ "next_token": "page-2", "echo": "[removed]" }',
    )
  })
})

describe('listSecretValues', () => {
  it('has values at any depth and both halves of HTTP Basic; not what responses show, nor scopes', () => {
    const basic = Buffer.from('client-1:s3cret-value').toString('base64')
    const values = listSecretValues(
      [
        { a: { b: ['deep'] }, scope: 'read', region: 'eu-west' },
        { authorization: `Basic ${basic}`, 'X-Other': 'Bearer tok-1' },
      ],
      new Set(['eu-west']),
    )
    const expected = [`Basic ${basic}`, basic, 'client-1', 's3cret-value', 'Bearer tok-1', 'tok-1']
    assert.deepEqual([...values].toSorted(), ['deep', ...expected].toSorted())
  })
})

describeOnBothDatabases('A debug window during a token refresh', (newUrl) => {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())

  it('has the request and the response, with neither old nor new tokens nor the client secret', async () => {
    const { t } = context
    const { id, family } = await context.account()
    expectOk(await t.call('POST', `/v1/integration_account/${id}/debug`, { body: { seconds: 60 } }))
    const egressGateway = recordProviderRequests(sharedRunner().egressGateway, {
      ...t,
      now: Date.now,
    })
    await getValidCredentials(context.node({ egressGateway }), id)
    await t.debugRecorder.flush()
    const [entry] = expectOk(await t.call('GET', `/v1/request?integrationAccountId=${id}`))
    assert.equal(entry.operation, 'oauth')
    const { exchange } = expectOk(await t.call('GET', `/v1/request/${entry.requestLogId}`))
    assert.match(exchange.request.body.text, /grant_type=refresh_token/)
    assert.match(exchange.response.body.text, /"token_type":"[Bb]earer"/)
    const text = JSON.stringify(exchange)
    const config = await context.config(id)
    for (const secret of [
      family.refreshToken,
      family.accessToken,
      config.access_token,
      config.refresh_token,
      'app-secret',
    ])
      assert.ok(!text.includes(String(secret)), String(secret))
  })
})

describe('A debug window', () => {
  let t: TestContext
  before(async () => {
    t = await testContext({ sharesRunner: false })
  })
  after(() => t.close())

  it('has the requests of the code of the integration', async () => {
    t.stubServer.serve('/check', (request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ sent: request.headers, session_token: 'issued-PLANTED' })),
    )
    const { integrationDefinitionId } = await t.createDefinition()
    const config = { api_key: 'key-PLANTED-1', base_url: t.stubServer.url }
    const account = await t.createAccount(integrationDefinitionId, { config })
    const path = `/v1/integration_account/${account.integrationAccountId}`
    expectOk(await t.call('POST', `${path}/debug`, { body: { seconds: 60 } }))
    expectOk(await t.call('POST', `${path}/check`))
    await t.debugRecorder.flush()
    const entries: AnyBody[] = expectOk(
      await t.call('GET', `/v1/request?integrationAccountId=${account.integrationAccountId}`),
    )
    const { exchange } = expectOk(await t.call('GET', `/v1/request/${entries[0]?.requestLogId}`))
    assert.equal(entries[0]?.operation, 'integration')
    assert.ok(exchange.url.endsWith('/check'), exchange.url)
    assert.match(exchange.response.body.text, /"session_token":"\[removed\]"/)
    assert.ok(!JSON.stringify(exchange).includes('PLANTED'))
  })
})
