import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createRandom } from './create-random.ts'
import { startLossyProxy } from './lossy-proxy.ts'
import { type SdkTestContext, startSdkTestContext } from './sdk-test-context.ts'

/** `npm run proof -- lost-responses` sends 1,000. */
const COUNT = Number(process.env.LINCHPIN_SDK_CREATES ?? 100)
const CONCURRENCY = 10
const LOST_SHARE = 0.2

describe(`${COUNT} creates through a proxy that loses 20 % of the responses`, () => {
  let context: SdkTestContext
  before(async () => {
    context = await startSdkTestContext()
  })
  after(() => context.t.close())

  it('create exactly as many accounts, each returned once', async () => {
    const { returned, stored, lost } = await createAccounts('with keys', false)
    assert.ok(lost > COUNT / 20, `${lost} responses were lost`)
    assert.deepEqual(stored.toSorted(), returned.toSorted())
    assert.equal(new Set(returned).size, COUNT)
  })

  it('would create more without keys, so the proxy loses responses after their effect', async () => {
    const { stored } = await createAccounts('without keys', true)
    assert.ok(stored.length > COUNT)
  })

  async function createAccounts(accountIdentifier: string, removesKeys: boolean) {
    const { t, baseUrl, linchpin } = context
    const seed = Math.floor(Math.random() * 2 ** 31)
    console.log(`seed ${seed}`)
    const random = createRandom(seed)
    const options = { target: baseUrl, share: LOST_SHARE, random, removesKeys }
    const proxy = await startLossyProxy(options)
    const lossy = context.connect({ baseUrl: proxy.url, maxRetries: 15 })
    const { integrationDefinitionId } = await t.createDefinition()
    const returned: string[] = []
    let started = 0
    const createSome = async () => {
      while (started++ < COUNT) {
        const account = await lossy.accounts.create({
          integrationDefinitionId,
          integrationAccountName: 'An account',
          authType: 'Api Key',
          config: { api_key: 'key_that_works' },
          accountIdentifier,
        })
        returned.push(account.integrationAccountId)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, createSome))
    await proxy.close()
    const stored = await linchpin.accounts.list({ accountIdentifier }).first(Infinity)
    const ids = stored.map(({ integrationAccountId }) => integrationAccountId)
    return { returned, stored: ids, lost: proxy.countLost() }
  }
})
