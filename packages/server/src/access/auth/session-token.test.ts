import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import { deriveAccessToken, hashSecret, isAccessToken } from './access-token.ts'
import {
  formatConsoleAuthorization,
  hashSessionToken,
  readConsoleAuthorization,
} from './session-token.ts'

const KEY = 'k'.repeat(43)
const TOKEN = deriveAccessToken(new Uint8Array(32).fill(7))

describe('A token of a console session', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  it('has the form of other tokens, and differs for each secret', () => {
    const tokens = Array.from({ length: 256 }, (_, byte) =>
      deriveAccessToken(new Uint8Array(32).fill(byte)),
    )
    assert.ok(tokens.every(isAccessToken))
    assert.equal(new Set(tokens).size, 256)
  })

  it('is rejected from a socket, even if its value is known: as Bearer, and with a key of another process', async () => {
    await insertSessionToken(t)
    for (const authorization of [
      `Bearer ${TOKEN}`,
      `Console ${TOKEN}`,
      `Console  ${TOKEN}`,
      formatConsoleAuthorization(KEY, TOKEN),
      formatConsoleAuthorization('', TOKEN),
      `Bearer console session ${TOKEN}`,
    ])
      expectError(
        await t.call('GET', '/v1/user', { token: null, headers: { authorization } }),
        'token_invalid',
      )
  })

  it('is found only in the header of the console, with its key', () => {
    assert.deepEqual(
      readConsoleAuthorization(formatConsoleAuthorization(KEY, TOKEN), KEY),
      hashSessionToken(TOKEN),
    )
    assert.notDeepEqual(hashSessionToken(TOKEN), hashSecret(TOKEN))
    for (const header of [
      `console ${KEY} ${TOKEN}`,
      `Console ${KEY} ${TOKEN} `,
      `Console ${KEY} ${TOKEN.slice(0, -1)}x`,
      `Console ${KEY}x ${TOKEN}`,
      `Bearer ${TOKEN}`,
    ])
      assert.equal(readConsoleAuthorization(header, KEY), undefined, header)
  })
})

/** As if a session of another node had it. */
async function insertSessionToken(t: TestApp): Promise<void> {
  const ordinary = await t.createToken({ scopes: ['read'] })
  expectOk(await t.call('GET', '/v1/user', { token: ordinary }))
  await t.database.transaction((trx) =>
    trx
      .updateTable('tokens')
      .set({ token_hash: hashSessionToken(TOKEN), origin: 'session' })
      .where('token_hash', '=', hashSecret(ordinary))
      .execute(),
  )
}
