import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { insertBoundedAttempt } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import { newId, newLinkId } from '../../platform/storage/id.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import type { LinkId } from '../links/link.ts'
import { createAttemptStore } from './attempt-store.ts'

describeOnBothDatabases('GET /v1/attempt', (newUrl) => {
  let t: TestContext
  let now = Date.now()
  let definitionId: string
  let linkId: string
  before(async () => {
    t = await testContext({ now: () => now++, url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
    const body = { linkName: 'a', integrationDefinitionId: definitionId }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
  })
  after(() => t.close())

  const list = async (query = '') => expectOk(await t.call('GET', `/v1/attempt?${query}`))
  const createBody = (config: AnyBody = {}) => ({
    integrationDefinitionId: definitionId,
    authType: 'Api Key',
    integrationAccountName: 'Desk',
    accountIdentifier: 'customer-1',
    config: { api_key: 'secret-canary-0123', base_url: t.stubServer.url, ...config },
  })

  it('200 with requests that created, checked or failed, newest first, without secrets', async () => {
    const account = expectCreated(
      await t.call('POST', `/v1/integration_account/link/${linkId}`, { body: createBody() }),
    )
    const rejected = t.stubServer.serve('/rejected/check', (_request, response) =>
      response.writeHead(503).end('provider says secret-canary-0123'),
    )
    const body = createBody({ base_url: rejected.replace('/check', '') })
    expectError(await t.call('POST', '/v1/integration_account', { body }), 'provider_error')
    const { integrationAccountName: _, accountIdentifier: __, ...check } = createBody()
    expectOk(await t.call('POST', '/v1/integration_account/check', { body: check }))
    const attempts = await list()
    assert.deepEqual(
      attempts.map((a: AnyBody) => [a.via, a.outcome, a.code, a.providerStatus, a.linkId]),
      [
        ['api', 'accepted', null, attempts[0].providerStatus, null],
        ['api', 'failed', 'provider_error', 503, null],
        ['api', 'connected', null, attempts[2].providerStatus, linkId],
      ],
    )
    const connected = attempts[2]
    assert.equal(connected.integrationAccountId, account.integrationAccountId)
    assert.equal(connected.integrationDefinitionId, definitionId)
    assert.equal(connected.accountIdentifier, 'customer-1')
    assert.equal(connected.authType, 'Api Key')
    assert.ok(connected.requestId)
    assert.ok(!JSON.stringify(attempts).includes('canary'))
  })

  it('200: each filter and the pages', async () => {
    const all = await list()
    assert.deepEqual(await list(`linkId=${linkId}`), [all[2]])
    assert.deepEqual(await list('code=provider_error'), [all[1]])
    assert.deepEqual(await list('accountIdentifier=customer-1'), all.slice(1))
    assert.deepEqual(await list(`integrationDefinitionId=${definitionId}`), all)
    assert.deepEqual(await list(`connectSessionId=${newId('cns', now)}`), [])
    assert.deepEqual(await list(`from=${all[1].at}`), all.slice(0, 2))
    assert.deepEqual(await list(`to=${all[1].at}`), [all[2]])
    assert.deepEqual(await list(`integrationAccountId=${all[2].integrationAccountId}`), [all[2]])
    assert.deepEqual(await list('outcome=failed'), [all[1]])
    assert.deepEqual(await list('outcome=connected'), [all[2]])
    assert.deepEqual(await list(`requestId=${all[1].requestId}`), [all[1]])
    assert.deepEqual(await list('requestId=unknown'), [])
    const pages: AnyBody[] = []
    let path: string | undefined = '/v1/attempt?limit=1'
    while (path !== undefined) {
      const response = await t.call('GET', path)
      pages.push(...expectOk(response))
      const next = /<[^>]*\/api([^>]*)>/.exec(String(response.headers.link ?? ''))
      path = next?.[1]
    }
    assert.deepEqual(pages, all)
  })

  it('400, 401, and nothing of another workspace', async () => {
    for (const query of ['from=x', 'cursor=x', 'limit=0', 'unknown=1', 'outcome=lost'])
      expectError(await t.call('GET', `/v1/attempt?${query}`), 'invalid_parameter')
    expectError(await t.call('GET', '/v1/attempt', { token: null }), 'token_missing')
    const { token, workspaceId } = await t.otherUser()
    assert.deepEqual(expectOk(await t.call('GET', '/v1/attempt', { token })), [])
    assert.deepEqual(expectOk(await t.call('GET', `/v1/attempt?linkId=${linkId}`, { token })), [])
    const foreign = await t.call('GET', `/v1/attempt?workspaceId=${workspaceId}`)
    expectError(foreign, 'workspace_not_accessible')
  })

  it('200 with the attempts of a tool by its id or its key; a key of another workspace or of no tool is alike', async () => {
    const other = await t.otherUser()
    const own = await t.createDefinition({ name: 'Own desk' })
    const foreign = await t.createDefinition({ name: 'Foreign desk', token: other.token })
    for (const integrationDefinitionId of [own.integrationDefinitionId, definitionId]) {
      const body = { ...createBody(), integrationDefinitionId }
      expectCreated(await t.call('POST', '/v1/integration_account', { body }))
    }
    const byId = await list(`integrationDefinitionId=${own.integrationDefinitionId}`)
    assert.equal(byId.length, 1)
    assert.equal(byId[0].integrationDefinitionKey, own.key)
    assert.deepEqual(await list(`integrationDefinitionId=${own.key}`), byId)
    for (const unknown of [foreign.key, 'no_desk', foreign.integrationDefinitionId, 'def_x'])
      assert.deepEqual(await list(`integrationDefinitionId=${unknown}`), [], unknown)
  })

  it('stores at most 500 failures of one link and 1,000 of a workspace per hour, and deletes old ones', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
    const attempt = {
      definitionId: null,
      authType: null,
      via: 'link' as const,
      outcome: 'failed' as const,
      workspaceId,
      code: 'credentials_rejected',
      providerStatus: null,
      accountId: null,
      connectSessionId: null,
      accountIdentifier: null,
    }
    const hammer = (id: LinkId, times: number) =>
      t.database.transaction(async (trx) => {
        for (let index = 0; index < times; index++)
          await insertBoundedAttempt(trx, { requestId: 'r' }, now, { ...attempt, linkId: id })
      })
    const fill = async (id: LinkId, count: number) => {
      const { connect_attempts: sample } = createSampleRows(now)
      const rows = Array.from({ length: count }, () => ({
        ...sample,
        attempt_id: newId('cna', now),
        at: now,
        workspace_id: workspaceId,
        link_id: id,
      }))
      await t.database.transaction((trx) =>
        trx.insertInto('connect_attempts').values(rows).execute(),
      )
    }
    const count = async () => (await list(`workspaceId=${workspaceId}&limit=1000`)).length
    const hammered = newLinkId()
    await fill(hammered, 499)
    await hammer(hammered, 5)
    assert.equal(await count(), 500)
    await fill(newLinkId(), 495)
    await hammer(newLinkId(), 10)
    assert.equal(await count(), 1_000)
    now += 3_600_001
    await hammer(hammered, 1)
    assert.equal(
      (await list(`workspaceId=${workspaceId}&limit=1000&linkId=${hammered}`)).length,
      501,
    )
    now += 30 * 86_400_000 - 1_000
    const attempts = createAttemptStore(t.database)
    const before = now - 30 * 86_400_000
    await inBatches({ size: 500, max: 20 }, (size) => attempts.deleteOld(before, size))
    assert.equal(await count(), 1)
  })
})
