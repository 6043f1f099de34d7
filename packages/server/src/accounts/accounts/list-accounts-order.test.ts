import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'

describeOnBothDatabases('The order of GET /v1/integration_account', defineTests)

const PATH = '/v1/integration_account'
const COUNT = 9

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  const start = Date.parse('2026-11-21T10:00:00.000Z')
  let now = start
  const accounts: AnyBody[] = []
  before(async () => {
    t = await testContext({ url: await newUrl(), now: () => now })
    const { integrationDefinitionId } = await t.createDefinition()
    for (let index = 0; index < COUNT; index += 1) {
      // Three accounts per second, so that times are equal.
      now = start + Math.floor(index / 3) * 1_000
      const tags = { parity: String(index % 2), all: 'x' }
      accounts.push(await t.createAccount(integrationDefinitionId, { tags }))
    }
    now = start + 10_000
    for (const index of [4, 1, 7]) {
      now += index === 7 ? 1_000 : 0
      const path = `${PATH}/${accounts[index].integrationAccountId}`
      accounts[index] = expectOk(
        await t.call('POST', path, { body: { integrationAccountName: 'b' } }),
      )
    }
    now += 1_000
    await t.call('DELETE', `${PATH}/${accounts[8].integrationAccountId}`)
    now += 1_000
  })
  after(() => t.close())

  const ids = (list: AnyBody[]): string[] => list.map((one) => one.integrationAccountId)
  const list = async (query: string) => ids(expectOk(await t.call('GET', `${PATH}?${query}`)))
  const readPages = async (query: string, limit: number) => {
    const pages: string[] = []
    for (let next = `${query}&limit=${limit}`; next !== ''; ) {
      const response = await t.call('GET', `${PATH}?${next}`)
      pages.push(...ids(expectOk(response)))
      next = /\?([^>]*)>/.exec(String(response.headers.link ?? ''))?.[1] ?? ''
    }
    return pages
  }
  const sort = (list: AnyBody[], field: 'createdAt' | 'updatedAt') =>
    ids(
      list.toSorted((a, b) => {
        const [one, other] = [a, b].map((each) => `${each[field]} ${each.integrationAccountId}`)
        return String(one) < String(other) ? -1 : 1
      }),
    )
  const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

  it('is the same in one list and in pages of every size, forwards, backwards, with tags and with tombstones', async () => {
    const definition = `&integrationDefinitionId=${accounts[0].integrationDefinitionId}`
    const narrows = [
      ...['', '&tag=all:x', '&tag=all:x&tag=parity:1', '&includeDeleted=true', '&status=active'],
      ...[definition, `${definition}&includeDeleted=true&tag=parity:0`],
    ]
    for (const narrow of narrows)
      for (const field of ['createdAt', 'updatedAt'] as const) {
        const all: AnyBody[] = expectOk(await t.call('GET', `${PATH}?limit=1000${narrow}`))
        const oldestFirst = sort(all, field)
        assert.ok(all.length >= 4)
        for (const limit of [1, 2, 3, 5, 100]) {
          assert.deepEqual(await readPages(`order=${field}${narrow}`, limit), oldestFirst)
          assert.deepEqual(
            await readPages(`order=-${field}${narrow}`, limit),
            oldestFirst.toReversed(),
          )
        }
        assert.deepEqual(await list(`order=${field}${narrow}`), oldestFirst)
        assert.deepEqual(await list(`order=-${field}${narrow}`), oldestFirst.toReversed())
      }
  })

  it('starts after a time, which is not included, in both directions', async () => {
    const live = accounts.slice(0, 8)
    const created = start + 1_000
    const later = sort(live.slice(6), 'createdAt')
    const sameSecond = sort(live.slice(3), 'createdAt')
    for (const limit of [1, 2, 100]) {
      const read = (query: string) => readPages(query, limit)
      assert.deepEqual(await read(`createdAfter=${iso(created)}`), later)
      assert.deepEqual(await read(`createdAfter=${iso(created - 1)}`), sameSecond)
      assert.deepEqual(await read(`createdAfter=${iso(created)}&tag=all:x`), later)
      assert.deepEqual(
        await read(`order=-createdAt&createdAfter=${iso(created - 1)}&status=active`),
        sameSecond.toReversed(),
      )
      const updated = sort([accounts[4], accounts[1], accounts[7]], 'updatedAt')
      assert.deepEqual(await read(`updatedAfter=${iso(start + 9_999)}`), updated)
      assert.deepEqual(await read(`updatedAfter=${iso(start + 10_000)}`), updated.slice(2))
      assert.deepEqual(
        await read(`updatedAfter=${iso(start + 10_000)}&includeDeleted=true`),
        ids([accounts[7], accounts[8]]),
      )
      assert.deepEqual(
        await read(`order=-updatedAt&updatedAfter=${iso(start + 9_999)}&tag=parity:1`),
        ids([accounts[7], accounts[1]]),
      )
      assert.deepEqual(await read(`updatedAfter=${iso(start + 60_000)}`), [])
    }
    assert.deepEqual(await list(`createdAfter=${iso(created)}`), later)
  })

  it('does not pass its start with a cursor of an earlier position', async () => {
    const cursor = Buffer.from(`1.${accounts[0].integrationAccountId}`).toString('base64url')
    const query = `createdAfter=${iso(start + 1_000)}&limit=100&cursor=${cursor}`
    assert.deepEqual(await list(query), sort(accounts.slice(6, 8), 'createdAt'))
  })

  it('is refused with a time of another order', async () => {
    const invalid = [
      'order=name',
      'createdAfter=yesterday',
      'updatedAfter=2026-11-21',
      `order=updatedAt&createdAfter=${iso(start)}`,
      `order=createdAt&updatedAfter=${iso(start)}`,
      `createdAfter=${iso(start)}&updatedAfter=${iso(start)}`,
    ]
    for (const query of invalid)
      expectError(await t.call('GET', `${PATH}?${query}`), 'invalid_parameter')
  })
}
