import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectOk, testContext } from '../../../test/test-context.ts'
import type { StubProviderContext } from './test/stub-provider-context.ts'
import { getReturnParams, respondWithJson } from './test/stub-provider-context.ts'

const SCOPES = ['openid', 'mail', 'calendar', 'contacts', 'files']
/** Those that a person may leave out. */
const CHOICES = SCOPES.slice(1)
const ACCOUNTS = 200
const seed = Number(process.env.SEED ?? 20_261_128)

describeOnBothDatabases(
  `People who grant a random part of what was requested (seed ${seed})`,
  (newUrl) => {
    let t: StubProviderContext
    before(async () => {
      t = await testContext({ url: await newUrl(), provider: { auth: { default_scopes: SCOPES } } })
    })
    after(() => t.close())

    const listMissing = async (scope: string): Promise<string[]> => {
      const path = `/v1/integration_account?missingScope=${scope}`
      const accounts: AnyBody[] = expectOk(await t.call('GET', path))
      return accounts.map(({ integrationAccountId }) => integrationAccountId).sort()
    }

    it('each lack is listed before a request needs the scope, and no account that has it', async () => {
      const random = createRandom(seed)
      const lacking = new Map<string, string[]>(CHOICES.map((scope) => [scope, []]))
      for (let index = 0; index < ACCOUNTS; index += 1) {
        const granted = SCOPES.filter((scope) => scope === 'openid' || random() < 0.8)
        const tokens = {
          access_token: `at_${index}`,
          refresh_token: `rt_${index}`,
          expires_in: 3_600,
        }
        t.respondToToken = respondWithJson(200, { ...tokens, scope: granted.join(' ') })
        const { integrationAccountId: id } = getReturnParams(await t.completeFlow())
        for (const scope of CHOICES) if (!granted.includes(scope)) lacking.get(scope)?.push(id)
      }
      let total = 0
      for (const [scope, ids] of lacking) {
        assert.deepEqual(await listMissing(scope), ids.sort(), scope)
        total += ids.length
      }
      // The control: if what was requested counted as granted, none of them would be listed.
      assert.ok(total > ACCOUNTS / 2, `${total}`)
      assert.deepEqual(await listMissing('openid'), [])
    })
  },
)

/** Numbers from 0 to 1 (mulberry32). */
function createRandom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
