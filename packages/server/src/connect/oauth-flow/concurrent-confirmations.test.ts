import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { testContext } from '../../../test/test-context.ts'
import { getReturnParams, type StubProviderContext } from './test/stub-provider-context.ts'

/** Host applications may confirm many accounts at once, for example when they process a queue. */
function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: true, url: await newUrl() })
  })
  after(() => t.close())

  const confirm = async (confirmToken: string | undefined) => {
    const { status, body } = await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
    return status === 200 ? String(body.status) : String(body.error)
  }
  const createConfirmToken = async (body = {}) =>
    getReturnParams(await t.completeFlow({ confirm: true, ...body })).confirmToken

  it('accepts thirty tokens of thirty accounts concurrently', async () => {
    const tokens: (string | undefined)[] = []
    for (let count = 0; count < 30; count += 1) tokens.push(await createConfirmToken())
    const outcomes = await Promise.all(tokens.map(confirm))
    assert.deepEqual(new Set(outcomes), new Set(['active']))
  })

  for (const kind of ['an account', 'a reconnect'])
    it(`accepts a token of ${kind} once when sent many times concurrently, and rejects the others alike`, async () => {
      const { integrationAccountId } = getReturnParams(await t.completeFlow())
      const body = kind === 'a reconnect' ? { integrationAccountId } : {}
      const token = await createConfirmToken(body)
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => confirm(token)))
      assert.equal(outcomes.filter((outcome) => outcome === 'active').length, 1)
      assert.deepEqual(new Set(outcomes), new Set(['active', 'oauth_confirm_invalid']))
    })
}

describeOnBothDatabases('POST /v1/oauth/confirm, concurrently', defineTests)
