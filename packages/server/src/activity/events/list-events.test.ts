import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'

interface Listed {
  readonly id: string
  readonly type: string
  readonly sequence: number
  readonly subject: string
  readonly accountIdentifier: string | null
  readonly data: Record<string, Record<string, unknown>>
}

const KEYS = [
  ...['id', 'type', 'version', 'timestamp', 'workspaceId', 'sequence'],
  ...['subject', 'accountIdentifier', 'cause', 'data'],
]

describeOnBothDatabases('GET /v1/event', (newUrl) => {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const createWorkspace = async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    return { workspaceId, token: await t.createToken({ workspaceId }) }
  }
  const list = (query: string, token = t.token) => t.call('GET', `/v1/event${query}`, { token })
  /** Waits until as many events are listed, since they get their numbers after the commit. */
  const listAll = async (token: string, count: number, query = ''): Promise<Listed[]> => {
    const events: Listed[] = []
    while (events.length < count) {
      const after = events.at(-1)?.sequence ?? 0
      const page = expectOk(await list(`?wait=20&after=${after}${query}`, token)) as Listed[]
      assert.notEqual(page.length, 0, `${events.length} of ${count} events`)
      events.push(...page)
    }
    return events
  }
  const createLink = async (token: string) =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' }, token }))

  it('GET /v1/event: 200 with order=-sequence begins with the newest event and continues by before', async () => {
    const { token } = await createWorkspace()
    for (let index = 0; index < 5; index += 1) await createLink(token)
    const all = await listAll(token, 5)
    const first = await list('?order=-sequence&limit=2', token)
    const newest = expectOk(first) as Listed[]
    assert.deepEqual(newest, all.toReversed().slice(0, 2))
    const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1]
    assert.match(next ?? '', /before=/)
    const second = expectOk(await list(`?${next}`, token)) as Listed[]
    assert.deepEqual(second, all.toReversed().slice(2, 4))
    const last = await list(`?order=-sequence&before=${second.at(-1)?.sequence}`, token)
    assert.deepEqual(expectOk(last), all.toReversed().slice(4))
    assert.equal(last.headers.link, undefined)
  })

  it('GET /v1/event: 200 with order=-sequence applies the filters and after', async () => {
    const { token } = await createWorkspace()
    const link = await createLink(token)
    await createLink(token)
    const all = await listAll(token, 2)
    const own = expectOk(await list(`?order=-sequence&subject=${link.linkId}`, token))
    assert.deepEqual(own, all.slice(0, 1))
    assert.deepEqual(expectOk(await list('?order=-sequence&types=account.*', token)), [])
    const later = expectOk(await list(`?order=-sequence&after=${all[0]?.sequence}`, token))
    assert.deepEqual(later, all.slice(1))
  })

  it('GET /v1/event: 400 for before without order, for wait with it, and for an unknown order', async () => {
    for (const query of ['?before=3', '?order=-sequence&wait=1', '?order=sequence'])
      expectError(await list(query), 'invalid_parameter')
  })

  it('GET /v1/event: 200 with the life of an account, without its configuration', async () => {
    const { workspaceId, token } = await createWorkspace()
    const { integrationDefinitionId } = await t.createDefinition({ token })
    const body = {
      integrationDefinitionId,
      integrationAccountName: 'a',
      authType: 'Api Key',
      accountIdentifier: 'customer-1',
      config: { api_key: 'works', base_url: t.stubServer.url },
    }
    const account = expectCreated(await t.call('POST', '/v1/integration_account', { body, token }))
    const id = account.integrationAccountId
    const path = `/v1/integration_account/${id}`
    expectOk(await t.call('POST', path, { body: { integrationAccountName: 'b' }, token }))
    expectOk(await t.call('DELETE', path, { token }))
    const events = await listAll(token, 4)
    for (const event of events) expectKeys(event, KEYS)
    assert.deepEqual(
      events.map(({ type, sequence }) => [type, sequence]),
      [
        ['definition.created', 1],
        ['account.created', 2],
        ['account.updated', 3],
        ['account.deleted', 4],
      ],
    )
    const [, created, updated, deleted] = events
    const snapshot = { ...account, integrationConfiguration: null }
    assert.deepEqual(created?.data, { account: snapshot, connectSessionId: null })
    assert.equal(created?.accountIdentifier, 'customer-1')
    assert.deepEqual(updated?.data.changed, ['integrationAccountName'])
    assert.equal(updated?.data.account?.integrationAccountName, 'b')
    assert.deepEqual([deleted?.data.by, deleted?.data.account?.status], ['api', 'deleted'])
    assert.ok(!JSON.stringify(events).includes('"works"'))
    assert.deepEqual(expectOk(await t.call('GET', `/v1/event/${created?.id}`, { token })), created)
    const query = `?workspaceId=${workspaceId}&types=account.*&accountIdentifier=customer-1`
    assert.deepEqual(expectOk(await list(query)), events.slice(1))
    assert.deepEqual(expectOk(await list('?types=definition.created,link.*', token)), [events[0]])
    assert.deepEqual(expectOk(await list(`?subject=${id}&after=3`, token)), [deleted])
    const history = expectOk(await t.call('GET', `${path}/history`, { token }))
    assert.deepEqual(
      history.map(({ action, status }: { action: string; status: string }) => [action, status]),
      [
        ['account.deleted', 'deleted'],
        ['account.updated', 'active'],
        ['account.created', 'active'],
      ],
    )
  })

  it('GET /v1/event: 200 pages contain each event once, numbered without gaps', async () => {
    const { token } = await createWorkspace()
    const links = await Promise.all(Array.from({ length: 25 }, () => createLink(token)))
    await listAll(token, 25)
    const seen: Listed[] = []
    let next = '/v1/event?limit=7'
    for (let page = 0; page < 5; page += 1) {
      const response = await t.call('GET', next, { token })
      seen.push(...expectOk(response))
      next = String(/\/api([^>]+)>; rel="next"$/.exec(String(response.headers.link))?.[1])
    }
    assert.deepEqual(
      seen.map(({ sequence }) => sequence),
      Array.from({ length: 25 }, (_, index) => index + 1),
    )
    assert.deepEqual(
      seen.map(({ subject }) => subject).toSorted(),
      links.map(({ linkId }) => linkId).toSorted(),
    )
  })

  it('GET /v1/event: 200 as soon as the next event is committed, with wait', async () => {
    const { token } = await createWorkspace()
    const waiting = list('?wait=25', token)
    const link = await createLink(token)
    const [event] = expectOk(await waiting) as Listed[]
    assert.equal(event?.subject, link.linkId)
    assert.deepEqual(expectOk(await list('?after=1', token)), [])
  })

  it('GET /v1/event: 200 without an event of a change that was rolled back', async () => {
    const { token, workspaceId } = await createWorkspace()
    const { database } = t
    await assert.rejects(
      database.transaction(async (trx) => {
        await record(trx, SYSTEM_ACTOR, Date.now(), {
          action: 'link.created',
          workspaceId,
          subject: 'lnk_1',
          event: { type: 'link.created', subject: 'lnk_1', data: {} },
        })
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    const link = await createLink(token)
    const events = await listAll(token, 1)
    assert.deepEqual(
      events.map(({ subject, sequence }) => [subject, sequence]),
      [[link.linkId, 1]],
    )
  })

  it('GET /v1/event: 400 for invalid parameters, and for events that are no longer retained', async () => {
    const { token, workspaceId } = await createWorkspace()
    for (const query of [
      'limit=0',
      'limit=1001',
      'wait=26',
      'after=-1',
      'types=a',
      'types=',
      'x=1',
    ])
      expectError(await list(`?${query}`, token), 'invalid_parameter')
    await createLink(token)
    await listAll(token, 1)
    await t.database.transaction((trx) =>
      trx
        .updateTable('event_sequences')
        .set({ oldest: 12, last: 40 })
        .where('workspace_id', '=', workspaceId)
        .execute(),
    )
    const error = expectError(await list('?after=3', token), 'events_gone')
    assert.deepEqual(error.errors, { after: [{ code: 'gone', message: '12' }] })
    assert.deepEqual(expectOk(await list('?after=11', token)), [])
  })

  it('GET /v1/event: 403 for foreign and unknown workspaces; GET /v1/event/{eventId}: 404', async () => {
    const other = await t.otherUser()
    for (const id of [other.workspaceId, `wsp_${'0'.repeat(26)}`])
      expectError(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
    await createLink(other.token)
    const [event] = await listAll(other.token, 1)
    for (const id of [event?.id, 'evt_1', `evt_${'0'.repeat(26)}`])
      expectError(await t.call('GET', `/v1/event/${id}`), 'event_not_found')
  })

  itRequiresScope(() => t, 'GET', '/v1/event', { scope: 'read' })
})
