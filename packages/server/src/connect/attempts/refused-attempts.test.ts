import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'
import type { ErrorCode } from '../../platform/error-codes.ts'
import { newId, newLinkId } from '../../platform/storage/id.ts'
import { createValidFormValues, defineDesk } from '../connect-page/test/desk.ts'
import type { PageTestContext } from '../connect-page/test/page-test-context.ts'
import type { StubProviderContext } from '../oauth-flow/test/stub-provider-context.ts'

/** A name that would forge lines, labels and terminal output where it is not escaped. */
const HOSTILE = 'a"}\n{"level":"info"}\r\u001b[31m\u202e\\x'

describeOnBothDatabases('Refused attempts', (newUrl) => {
  let t: StubProviderContext & PageTestContext
  let deskId: string
  let now = Date.now()
  before(async () => {
    t = await testContext({ pages: true, provider: true, now: () => now, url: await newUrl() })
    deskId = (await defineDesk(t)).definitionId
  })
  after(() => t.close())

  const list = async (query = '', token = t.token) =>
    expectOk(await t.call('GET', `/v1/attempt?limit=1000&${query}`, { token }))
  const startBody = (body: AnyBody = {}) => ({
    integrationDefinitionId: t.definitionId,
    integrationAccountName: 'a',
    confirm: false,
    ...body,
  })
  const start = (body: AnyBody, token = t.token) =>
    t.call('POST', '/v1/oauth', { body: startBody(body), token })
  const pick = ({ via, outcome, code, integrationDefinitionName, linkId }: AnyBody) => ({
    via,
    outcome,
    code,
    tool: integrationDefinitionName,
    linkId,
  })
  const toLinkId = (path: string) => path.slice('/link/'.length)

  it('POST /v1/oauth: lists why a start was refused, for which tool and through which link', async () => {
    const withoutApp = await t.createDefinition({ name: 'Appless' })
    const fullId = toLinkId(await t.link({ maxAccounts: 1 }))
    const account = {
      integrationDefinitionId: deskId,
      integrationAccountName: 'a',
    }
    const config = {
      api_key: 'key_that_works',
      base_url: t.stubServer.url,
      mode: 'answer',
      answer: { status: true },
    }
    const body = { ...account, authType: 'Api Key', config }
    expectCreated(await t.call('POST', `/v1/integration_account/link/${fullId}`, { body }))
    const otherId = toLinkId(await t.link({ integrationDefinitionId: deskId }))
    const cases: [AnyBody, ErrorCode, string | null, string | null][] = [
      [
        { integrationDefinitionId: withoutApp.integrationDefinitionId },
        'oauth_app_missing',
        'Appless',
        null,
      ],
      [{ linkId: fullId }, 'link_full', 'Stub', fullId],
      [{ linkId: otherId }, 'unknown_reference', 'Stub', otherId],
      [{ authType: HOSTILE }, 'auth_type_not_allowed', 'Stub', null],
      [{ redirectURL: 'https://evil.example/' }, 'redirect_url_not_allowed', 'Stub', null],
      [{ integrationAccountId: newId('acc', now) }, 'unknown_reference', 'Stub', null],
      [{ integrationDefinitionId: newId('def', now) }, 'unknown_reference', null, null],
    ]
    for (const [index, [part, code, tool, linkId]] of cases.entries()) {
      const accountIdentifier = `refused-${index} ${HOSTILE.replaceAll(/\p{Cc}/gu, '')}`
      const response = await start({ ...part, accountIdentifier })
      expectError(response, code)
      const [attempt, ...others] = await list(
        `accountIdentifier=${encodeURIComponent(accountIdentifier)}`,
      )
      assert.deepEqual(others, [])
      assert.deepEqual(pick(attempt), { via: 'oauth', outcome: 'failed', code, tool, linkId })
      assert.equal(attempt.requestId, response.headers['x-request-id'])
    }
    assertLogIsIntact()
  })

  it('POST /v1/oauth: lists nothing for what the caller cannot access, in no workspace', async () => {
    const before = await list()
    const foreign = await t.otherUser()
    const foreignLink = { body: { linkName: 'a' }, token: foreign.token }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', foreignLink))
    for (const body of [{ linkId }, { linkId: newLinkId() }, { workspaceId: foreign.workspaceId }])
      assert.ok((await start(body)).status >= 400)
    const foreignDesk = await t.createDefinition({ name: 'Foreign', token: foreign.token })
    expectError(
      await start({ integrationDefinitionId: foreignDesk.integrationDefinitionId }),
      'unknown_reference',
    )
    assert.deepEqual(await list('', foreign.token), [])
    const [added, ...rest] = await list()
    assert.deepEqual(rest, before)
    assert.equal(added.integrationDefinitionId, null)
  })

  it('the connect page: lists a form of a tool that is no longer offered', async () => {
    const path = await t.link({ integrationDefinitionId: t.definitionId })
    const visitor = t.visitor()
    const form = await visitor.get(`${path}?accountIdentifier=page-1`)
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${t.appId}`))
    const refused = await visitor.submit(form)
    assert.equal(refused.state, 'notOffered')
    const listed = await list(`linkId=${toLinkId(path)}`)
    const expected = { via: 'link', outcome: 'failed', code: 'unknown_reference' }
    assert.deepEqual(listed.map(pick), [{ ...expected, tool: 'Stub', linkId: toLinkId(path) }])
    assert.equal(listed[0].accountIdentifier, 'page-1')
  })

  it('the connect page: lists a form beyond the rate limit once a minute, and one of a closed link', async () => {
    const path = await t.link({ integrationDefinitionId: deskId })
    const linkId = toLinkId(path)
    const visitor = t.visitor()
    const url = `${path}/connect?accountIdentifier=limited`
    const pages = await Promise.all(Array.from({ length: 40 }, () => visitor.post(url, {})))
    assert.equal(pages.filter(({ status }) => status === 429).length, 10)
    const limited = await list(`linkId=${linkId}`)
    const expected = { via: 'link', outcome: 'failed', tool: null }
    assert.deepEqual(limited.map(pick), [{ ...expected, code: 'rate_limited', linkId }])
    assert.equal(limited[0].accountIdentifier, 'limited')
    const lines = t.logs.filter((line) => line.includes('"error":"rate_limited"'))
    assert.equal(lines.length, 10)
    assert.ok(lines.every((line) => line.includes(`"link":"${linkId.slice(0, 8)}"`)))

    const closed = await t.link({ integrationDefinitionId: deskId })
    const form = await visitor.get(closed)
    expectOk(await t.call('DELETE', `/v1/link/${toLinkId(closed)}`))
    assert.equal((await visitor.submit(form, createValidFormValues(t))).state, 'revoked')
    const [attempt] = await list(`linkId=${toLinkId(closed)}`)
    assert.equal(attempt.code, 'link_revoked')
  })

  it('the connect page: lists a form beyond the limit of failed checks, with its tool', async () => {
    const path = await t.link({ integrationDefinitionId: deskId })
    const visitor = t.visitor()
    t.stubServer.serve('/no/told', (_request, response) =>
      response.end(JSON.stringify({ status: false, error: 'wrong' })),
    )
    const values = { 'field.api_key': 'wrong-key-1', 'field.base_url': `${t.stubServer.url}/no` }
    let page = await visitor.get(path)
    for (let tried = 0; tried < 11; tried += 1) page = await visitor.submit(page, values)
    assert.equal(page.state, 'tooManyFailed')
    const listed = await list(`linkId=${toLinkId(path)}`)
    assert.equal(listed.length, 11)
    const codes = listed.map(({ code }: AnyBody) => code)
    assert.equal(codes.filter((code: string) => code === 'rate_limited').length, 1)
    const refused = listed.find(({ code }: AnyBody) => code === 'rate_limited')
    const { integrationDefinitionName, authType, providerStatus } = refused
    assert.deepEqual(
      [integrationDefinitionName, authType, providerStatus],
      ['Desk', 'Api Key', null],
    )
  })

  it('in a flood: 20 a minute of one token are listed, and half of the room of an hour is left to others', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
    const token = await t.createToken({ workspaceId })
    const count = async () => (await list(`workspaceId=${workspaceId}`)).length
    const flood = async (times: number, name: string) => {
      for (let sent = 0; sent < times; sent += 25)
        await Promise.all(
          Array.from({ length: 25 }, (_, index) =>
            start({ accountIdentifier: `${name}-${sent + index}` }, token),
          ),
        )
    }
    const heapBefore = process.memoryUsage().heapUsed
    await flood(FLOOD, 'flood')
    assert.equal(await count(), 20)
    assert.ok(process.memoryUsage().heapUsed - heapBefore < 150e6)
    for (let minute = 0; minute < 26; minute += 1) {
      now += 60_000
      await flood(25, `minute-${minute}`)
    }
    assert.equal(await count(), 500)
    // What was tried has the other half.
    const definition = await t.createDefinition({ token, workspaceId })
    const { integrationDefinitionId } = definition
    const account = { integrationDefinitionId, workspaceId, integrationAccountName: 'a' }
    const response = await t.call('POST', '/v1/integration_account', {
      body: { ...account, authType: 'Nope', config: {} },
      token,
    })
    expectError(response, 'auth_type_not_allowed')
    assert.equal(await count(), 501)
  })

  /** Every line is one JSON document without control characters. */
  function assertLogIsIntact(): void {
    for (const line of t.logs) {
      assert.ok(line.endsWith('}\n'), line)
      assert.equal(typeof JSON.parse(line).level, 'string')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the log must not contain them
      assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f]/)
    }
  }
})

/** Requests of the flood. */
const FLOOD = 500
