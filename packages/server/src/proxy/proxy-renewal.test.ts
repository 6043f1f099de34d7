// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { miniBundle } from '../../test/mini-bundle.ts'
import {
  type Connected,
  oauthSpec,
  type RenewalWorld,
  startRenewalWorld,
} from '../account/renewal/test/renewal-world.ts'

describe('the proxy of an OAuth account', () => {
  let world: RenewalWorld
  let base: string
  let seen: { bearer: string; size: number }[] = []
  /** Tokens that the API takes. */
  let isGood: (bearer: string) => boolean
  before(async () => {
    world = await startRenewalWorld()
    base = await world.t.app.listen({ port: 0, host: '127.0.0.1' })
    world.t.origin.serve('/api/me', async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const bearer = String(request.headers.authorization)
      seen.push({ bearer, size: Buffer.concat(chunks).length })
      response.writeHead(isGood(bearer) ? 200 : 401).end(bearer)
    })
  })
  after(() => world.close())
  beforeEach(() => {
    seen = []
    world.provider.calls.length = 0
  })

  async function connected(row = {}): Promise<Connected> {
    const code = miniBundle(
      oauthSpec(world.provider, {
        api_base_url: `${world.t.origin.url}/api`,
        headers: { Authorization: 'Bearer ${access_token}' },
      }),
    )
    const expires = { token_expires_at: Date.now() + 3_600_000, renew_at: Date.now() + 3_000_000 }
    return world.account({ code, row: { ...expires, ...row } })
  }

  async function ask(id: string, body?: Buffer<ArrayBuffer>) {
    const answer = await fetch(`${base}/api/v1/integration_account/${id}/proxy/me`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.t.token}` },
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    return { status: answer.status, text, by: answer.headers.get('linchpin-proxy') }
  }

  it('fills the headers of the spec with a token that works', async () => {
    isGood = () => true
    const { id, family } = await connected()
    const { status, text } = await ask(id)
    assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.deepEqual(world.provider.calls, [])
  })

  it('renews before it sends when the token is about to end', async () => {
    isGood = () => true
    const { id, family } = await connected({ token_expires_at: Date.now() + 1_000, renew_at: 1 })
    const old = family.accessToken
    const { text } = await ask(id)
    assert.equal(text, `Bearer ${family.accessToken}`)
    assert.notEqual(family.accessToken, old)
    assert.equal(seen.length, 1)
  })

  it('renews on a 401 and sends the request once more, body and all', async () => {
    for (const body of [undefined, Buffer.from('hello'), Buffer.alloc(1_000_000)]) {
      seen = []
      const { id, family } = await connected()
      const old = `Bearer ${family.accessToken}`
      isGood = (bearer) => bearer !== old
      const { status, text, by } = await ask(id, body)
      assert.deepEqual([status, text, by], [200, `Bearer ${family.accessToken}`, 'provider'])
      assert.deepEqual(
        seen.map(({ size }) => size),
        [body?.length ?? 0, body?.length ?? 0],
      )
    }
    assert.equal(world.provider.calls.length, 3)
  })

  it('sends no long body twice', async () => {
    isGood = () => false
    const { id } = await connected()
    const { status, by } = await ask(id, Buffer.alloc(2_000_000))
    assert.deepEqual([status, by, seen.length], [401, 'provider', 1])
    assert.deepEqual(world.provider.calls, [])
  })

  it('tries once: a 401 to the new token is the answer', async () => {
    isGood = () => false
    const { id } = await connected()
    const first = await ask(id)
    assert.deepEqual([first.status, first.by, seen.length], [401, 'provider', 2])
    assert.equal(first.text, seen[1]?.bearer)
    await ask(id)
    assert.equal(world.provider.calls.length, 1)
  })

  it('passes the 401 on while the provider does not renew', async () => {
    isGood = () => false
    const { id } = await connected()
    world.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    const { status, by } = await ask(id)
    world.provider.beforeRotation = undefined
    assert.deepEqual([status, by, seen.length], [401, 'provider', 1])
  })

  it('says needs_reauth once the grant is dead, and asks nobody from then on', async () => {
    isGood = () => false
    const { id, family } = await connected()
    family.isDead = true
    for (const expected of [1, 1]) {
      const { status, text, by } = await ask(id)
      assert.deepEqual([status, JSON.parse(text).error, by], [424, 'needs_reauth', 'linchpin'])
      assert.deepEqual([seen.length, world.provider.calls.length], [expected, expected])
      assert.equal(text.includes(family.accessToken), false)
    }
  })

  it('sends nothing for an account that waits to be confirmed', async () => {
    const { id } = await connected({ status: 'pending' })
    const { status, text } = await ask(id)
    assert.deepEqual([status, JSON.parse(text).error], [400, 'account_pending'])
    assert.deepEqual(seen, [])
  })
})
