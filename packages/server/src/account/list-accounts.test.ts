import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  created,
  fine,
  hasKeys,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'

describe('GET /v1/integration_account', () => {
  promises(() => undefined)
})

describePostgres('GET /v1/integration_account on PostgreSQL', (server) => {
  promises(() => server().createDatabase('list_accounts'))
})

function promises(url: () => Promise<string> | undefined): void {
  let t: World
  let first: string
  let second: string
  let linkId: string
  const made: Record<string, string>[] = []
  let tombstone: Record<string, string>
  before(async () => {
    const database = await url()
    t = await startWorld(database === undefined ? {} : { url: database })
    first = String((await t.define()).integrationDefinitionId)
    second = String((await t.define()).integrationDefinitionId)
    linkId = created(await t.call('POST', '/v1/link', { body: { linkName: 'a' } })).linkId
    for (let index = 0; index < 25; index += 1) {
      const body = {
        accountIdentifier: index % 5 === 0 ? 'five & co' : null,
        integrationAccountName: `Account ${index}`,
      }
      made.push(await t.connect(index % 3 === 0 ? second : first, body))
    }
    const gone = await t.connect(first)
    const path = `/v1/integration_account/${gone.integrationAccountId}`
    const { revocation: _revocation, ...left } = fine(await t.call('DELETE', path))
    tombstone = left
    const stranger = await t.stranger()
    const theirs = await t.define({ token: stranger.token })
    await t.connect(String(theirs.integrationDefinitionId), {}, stranger.token)
  })
  after(() => t.close())

  const list = (query = '', token = t.token) =>
    t.call('GET', `/v1/integration_account${query}`, { token })
  const where = (test: (account: Record<string, string>, index: number) => boolean) =>
    made.filter(test)

  it('200: answers a bare array of the live ones, oldest first, as create did', async () => {
    const answer = await list()
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(answer.headers.link, undefined)
    assert.deepEqual(fine(answer), made)
    for (const account of answer.body) hasKeys(account, KEYS.account)
    assert.deepEqual(fine(await list(`?workspaceId=${t.workspaceId}`)), made)
  })

  it('200: only those with a status', async () => {
    assert.deepEqual(fine(await list('?status=active')), made)
    assert.deepEqual(fine(await list('?status=needs_reauth')), [])
    refused(await list('?status=dead'), 'invalid_parameter')
  })

  it('200: tombstones too when asked for', async () => {
    assert.deepEqual(fine(await list('?includeDeleted=true')), [...made, tombstone])
    assert.deepEqual(fine(await list('?includeDeleted=false')), made)
  })

  it('200: an empty workspace has an empty array, with and without a limit', async () => {
    const { workspaceId } = created(await t.call('POST', '/v1/workspace', {}))
    for (const more of ['', '&limit=10', '&includeDeleted=true'])
      assert.equal((await list(`?workspaceId=${workspaceId}${more}`)).text, '[]')
    assert.deepEqual(fine(await list('', await t.mint({ workspaceId }))), [])
  })

  it('200: narrows by definition, group and link, and by all at once', async () => {
    const added = created(
      await t.call('POST', `/v1/integration_account/link/${linkId}`, {
        body: {
          integrationDefinitionId: first,
          integrationAccountName: 'through a link',
          authType: 'Api Key',
          config: { api_key: 'key_that_works' },
        },
      }),
    )
    assert.deepEqual(fine(await list(`?linkId=${linkId}`)), [added])
    await t.call('DELETE', `/v1/integration_account/${added.integrationAccountId}`)
    assert.deepEqual(fine(await list(`?linkId=${linkId}`)), [])
    const ofSecond = where((_, index) => index % 3 === 0)
    assert.deepEqual(fine(await list(`?integrationDefinitionId=${second}`)), ofSecond)
    const ofGroup = where((_, index) => index % 5 === 0)
    const group = 'accountIdentifier=five%20%26%20co'
    assert.deepEqual(fine(await list(`?${group}`)), ofGroup)
    const both = where((_, index) => index % 15 === 0)
    assert.deepEqual(fine(await list(`?${group}&integrationDefinitionId=${second}`)), both)
    assert.deepEqual(fine(await list(`?${group}&linkId=${linkId}`)), [])
  })

  it('200: a filter that names nothing, or something foreign, finds nothing', async () => {
    const stranger = await t.stranger()
    const theirs = await t.define({ token: stranger.token })
    for (const query of [
      `integrationDefinitionId=${theirs.integrationDefinitionId}`,
      `integrationDefinitionId=def_${'0'.repeat(26)}`,
      'integrationDefinitionId=nonsense',
      'linkId=nonsense',
      'accountIdentifier=nobody',
      'accountIdentifier=',
    ])
      assert.deepEqual(fine(await list(`?${query}`)), [], query)
  })

  it('200: pages of 7 give each of 25 once; next pages keep the filters', async () => {
    for (const [query, expected, pages] of [
      ['limit=7', made, 4],
      ['limit=5', made, 5],
      ['limit=25', made, 1],
      ['limit=1000', made, 1],
      ['limit=7&includeDeleted=true', undefined, 4],
      [`limit=2&accountIdentifier=five%20%26%20co`, where((_, index) => index % 5 === 0), 3],
    ] as const) {
      const walked = await walk(`/v1/integration_account?${query}`)
      assert.equal(walked.pages, pages, query)
      if (expected !== undefined) assert.deepEqual(walked.accounts, expected)
    }
  })

  it('200: a page is not shifted by accounts that come and go between pages', async () => {
    const head = await list('?limit=10')
    const added = await t.connect(first)
    const rest = await walk(nextPath(head) ?? '')
    assert.deepEqual([...head.body, ...rest.accounts], [...made, added])
    await t.call('DELETE', `/v1/integration_account/${added.integrationAccountId}`)
  })

  it('200: a cursor without a limit answers all that is left', async () => {
    const next = nextPath(await list('?limit=20'))?.replace('limit=20&', '')
    assert.deepEqual(fine(await t.call('GET', String(next))), made.slice(20))
  })

  it('400: bad limits, cursors, booleans and names', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=1e2',
      'limit=',
      'limit=7.0',
      'cursor=x',
      'cursor=',
      `cursor=${Buffer.from('1.acc_0').toString('base64url')}`,
      'includeDeleted=1',
      'includeDeleted=',
      'includeDeleted=TRUE',
      'offset=1',
      'limit=1&limit=2',
      'accountIdentifier=%00',
      `accountIdentifier=${'x'.repeat(256)}`,
    ])
      refused(await list(`?${query}`), 'invalid_parameter')
  })

  it('403: a workspace that the token does not reach, whether it exists or not', async () => {
    const { workspaceId } = await t.stranger()
    for (const id of [workspaceId, `wsp_${'0'.repeat(26)}`, 'nonsense', ''])
      refused(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
  })

  itGuards(() => t, 'GET', '/v1/integration_account', { scope: 'read' })

  async function walk(start: string) {
    const accounts: Record<string, string>[] = []
    let pages = 0
    for (let next: string | undefined = start; next !== undefined; pages += 1) {
      const answer: Awaited<ReturnType<typeof list>> = await t.call('GET', next)
      accounts.push(...fine(answer))
      next = nextPath(answer)
    }
    return { accounts, pages }
  }

  function nextPath(answer: Awaited<ReturnType<typeof list>>): string | undefined {
    const { link } = answer.headers
    if (link === undefined) return undefined
    const path = /^<http:\/\/localhost:3000\/api([^>]+)>; rel="next"$/.exec(String(link))?.[1]
    assert.ok(path, 'the Link header has the form of RFC 8288')
    return path
  }
}
