import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { createUserStore } from '../../access/users/user-store.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import { createConsoleAddress, createStartAddress } from './console-code.ts'

describe('The code for the console', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  it('createStartAddress: an address with a code until the owner has a passkey; the command still prints one', async () => {
    const deps = { database: t.database, now: Date.now }
    const url = 'https://example.com'
    const first = await createStartAddress(deps, url)
    assert.match(first.url, /^https:\/\/example\.com\/console\/open#[\w-]{29}$/)
    assert.equal(first.signsIn, true)
    const owner = await createUserStore(t.database).findOwner(t.database.read)
    assert.ok(owner)
    const { passkeys: passkey } = createSampleRows()
    await t.database.transaction((trx) =>
      trx
        .insertInto('passkeys')
        .values({ ...passkey, user_id: owner.userId })
        .execute(),
    )
    assert.deepEqual(await createStartAddress(deps, url), {
      url: 'https://example.com/console',
      signsIn: false,
    })
    assert.match((await createConsoleAddress(deps, url)) ?? '', /#/)
  })
})
