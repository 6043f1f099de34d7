// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { auditOf, fine, refused } from '../../../../test/fixtures.ts'
import { miniBundle } from '../../../../test/mini-bundle.ts'
import { describePostgres } from '../../../../test/postgres.ts'
import { freshConfig } from '../fresh-credentials.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { quietBundle, rotatingBundle } from '../test/rotating-bundle.ts'
import { accountHeaders } from './account-headers.ts'

describe('accountHeaders', () => {
  promises(async () => undefined)
})

describePostgres('accountHeaders on PostgreSQL', (server) => {
  promises(() => server().createDatabase('account_headers'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  before(async () => {
    world = await startRenewalWorld({ url: await url() })
  })
  after(() => world.close())
  beforeEach(() => {
    world.provider.beforeRotation = undefined
    world.provider.expiresIn = 3_600
    world.provider.calls.length = 0
  })
  const rotating = () => rotatingBundle(oauthSpec(world.provider))
  const unmanaged = { hasApp: false, row: { token_expires_at: null, renew_at: null } }

  it('stores what the bundle has rotated before its headers are used', async () => {
    const config = { desk: 7 }
    const { id, family } = await world.account({ ...unmanaged, code: rotating(), config })
    const { headers } = await accountHeaders(world.node(), id)
    assert.deepEqual(headers, { 'x-desk': '7', Authorization: `Bearer ${family.accessToken}` })
    const stored = await world.config(id)
    assert.deepEqual(stored, {
      desk: 7,
      scope: 'all',
      refresh_token: family.refreshToken,
      access_token: family.accessToken,
    })
    const { credential_version, lease_owner, renewal_sent_at } = await world.row(id)
    assert.deepEqual([credential_version, lease_owner, renewal_sent_at], [2, null, null])
  })

  it('fills templates that the spec calls complete without calling the bundle', async () => {
    const headers = { Authorization: 'Bearer ${access_token}', 'X-Scope': '${scope}' }
    const code = (more: object) => `exports.default = async (command) => {
      if (command === 'SPEC') return ${JSON.stringify(oauthSpec(world.provider, { headers, ...more }))}
      return command === 'CHECK' ? { status: true, error: '' } : { Authorization: 'of HEADERS' }
    }`
    const row = { token_expires_at: null, renew_at: null }
    const { id, family } = await world.account({ code: code({ 'x-headers': 'complete' }), row })
    const made = await accountHeaders(world.node(), id)
    const filled = { Authorization: `Bearer ${family.accessToken}`, 'X-Scope': 'all' }
    assert.deepEqual(made.headers, filled)
    const other = await world.account({ code: code({}), row })
    const { headers: called } = await accountHeaders(world.node(), other.id)
    assert.deepEqual(called, { Authorization: 'of HEADERS' })
  })

  it('calls HEADERS of a bundle that does not have it once, for all accounts of a process', async () => {
    const code = `let calls = 0
    exports.default = async (command) => {
      if (command === 'SPEC') return ${JSON.stringify(oauthSpec(world.provider, { headers: { 'X-A': 'a' } }))}
      throw new Error('Command not found')
    }`
    const row = { token_expires_at: null, renew_at: null }
    const node = world.node()
    let runs = 0
    const runner = {
      ...node.runner,
      run: (call: Parameters<typeof node.runner.run>[0]) => {
        runs += 1
        return node.runner.run(call)
      },
    }
    for (let accounts = 0; accounts < 3; accounts++) {
      const { id } = await world.account({ code, row })
      const { headers } = await accountHeaders({ ...node, runner }, id)
      assert.deepEqual(headers, { 'X-A': 'a' })
    }
    assert.equal(runs, 1)
  })

  it('lets a bundle rotate once for many callers, and uses its headers again while they live', async () => {
    const { id, family } = await world.account({ ...unmanaged, code: rotating() })
    const node = world.node()
    const all = await Promise.all(Array.from({ length: 30 }, () => accountHeaders(node, id)))
    for (const { headers } of [...all, await accountHeaders(node, id)])
      assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
    assert.equal(world.provider.calls.length, 1)
  })

  it('never uses a refresh token twice, on two nodes that both let the bundle rotate', async () => {
    world.provider.expiresIn = undefined
    const { id, family } = await world.account({ ...unmanaged, code: rotating() })
    const nodes = [world.node(), world.node()]
    for (let round = 0; round < 5; round += 1)
      await Promise.all(nodes.map((node) => accountHeaders(node, id)))
    assert.equal(new Set(world.provider.calls).size, world.provider.calls.length)
    assert.equal(world.provider.kills(), 0)
    assert.equal((await world.config(id)).refresh_token, family.refreshToken)
  })

  it('puts renewed tokens into the headers that such a bundle once made', async () => {
    const { id, family } = await world.account({ code: rotating() })
    const node = world.node()
    await accountHeaders(node, id)
    world.provider.calls.length = 0
    await world.change(id, { token_expires_at: Date.now() - 1, renew_at: 1 })
    const { headers } = await accountHeaders(node, id)
    assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
    assert.equal(world.provider.calls.length, 1)
  })

  it('leaves an expiry to a bundle that renews by itself: one request for all', async () => {
    const { id, family } = await world.account({ code: rotating() })
    const node = world.node()
    for (let expiry = 0; expiry < 3; expiry += 1) {
      world.provider.calls.length = 0
      await world.change(id, { token_expires_at: Date.now() - 1, renew_at: 1 })
      const all = await Promise.all(Array.from({ length: 20 }, () => accountHeaders(node, id)))
      for (const { headers } of [...all, await accountHeaders(node, id)])
        assert.equal(headers?.Authorization, `Bearer ${family.accessToken}`)
      assert.equal(world.provider.calls.length, 1)
    }
    assert.equal(world.provider.kills(), 0)
  })

  it('asks once per expiry of a minute or less, on two nodes whose bundle renews by itself', async () => {
    world.provider.expiresIn = 20
    const { id } = await world.account({ code: rotating() })
    const nodes = [world.node(), world.node()]
    for (const node of nodes) await accountHeaders(node, id)
    world.provider.calls.length = 0
    await world.change(id, { token_expires_at: Date.now() - 1, renew_at: 1 })
    const all = Array.from({ length: 20 }, (_, index) =>
      accountHeaders(nodes[index % 2] ?? world.node(), id),
    )
    assert.equal(
      new Set((await Promise.all(all)).map(({ headers }) => headers?.Authorization)).size,
      1,
    )
    assert.equal(world.provider.calls.length, 1)
    assert.equal(world.provider.kills(), 0)
  })

  it('still finds out that the grant is dead when the bundle cannot renew', async () => {
    const { id, family } = await world.account({ code: rotating() })
    const node = world.node()
    await accountHeaders(node, id)
    family.isDead = true
    await world.change(id, { token_expires_at: Date.now() - 1, renew_at: 1 })
    await assert.rejects(accountHeaders(node, id), { code: 'needs_reauth' })
    assert.equal((await world.row(id)).status_reason, 'invalid_grant')
    await world.change(id, { deleted_at: 1 })
  })

  it('answers 502 when such a bundle gets nothing, and leaves the lease to others', async () => {
    const { id } = await world.account({ ...unmanaged, code: rotating() })
    world.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    await assert.rejects(accountHeaders(world.node(), id), { code: 'provider_error' })
    const { lease_owner, status } = await world.row(id)
    assert.deepEqual([lease_owner, status], [null, 'active'])
  })

  it('gives a bundle that asks nobody the client, and the refresh token not at all from then on', async () => {
    const code = quietBundle(oauthSpec(world.provider))
    const { id, family } = await world.account({ code })
    const node = world.node()
    for (let times = 0; times < 3; times += 1) {
      const { headers } = await accountHeaders(node, id)
      const expected = {
        Authorization: `Bearer ${family.accessToken}`,
        'x-client': 'client-of-ours',
      }
      assert.deepEqual(headers, expected)
    }
    assert.equal(world.provider.calls.length, 1)
    assert.equal((await world.row(id)).credential_version, 2)
  })

  it('fills the headers of the spec where the bundle has none', async () => {
    const headers = { Authorization: 'Bearer ${access_token}', 'x-scope': '${scope}' }
    const code = miniBundle(oauthSpec(world.provider, { headers }))
    const { id, family } = await world.account({ code })
    const node = world.node()
    const first = await accountHeaders(node, id)
    const expected = { Authorization: `Bearer ${family.accessToken}`, 'x-scope': 'all' }
    assert.deepEqual(first.headers, expected)
    assert.deepEqual((await accountHeaders(node, id)).headers, expected)
  })

  it('renews once when the API refuses a token that seems to live, and a few times only when it refuses all', async () => {
    const { id, family } = await world.account({ row: { token_expires_at: Date.now() + 900_000 } })
    const node = world.node()
    const { row } = await freshConfig(node, id)
    const refusedVersion = row.credential_version
    const refused = Array.from({ length: 20 }, () => freshConfig(node, id, { refusedVersion }))
    const versions = (await Promise.all(refused)).map((each) => each.row.credential_version)
    assert.deepEqual(new Set(versions), new Set([refusedVersion + 1]))
    const second = await freshConfig(node, id)
    assert.equal(second.grant.config.access_token, family.accessToken)
    assert.equal(second.row.credential_version, refusedVersion + 1)
    for (let more = 1; more < 10; more += 1) {
      const { credential_version } = await world.row(id)
      await freshConfig(node, id, { refusedVersion: credential_version })
    }
    assert.equal(world.provider.calls.length, 3)
  })

  it('finds out at once about a grant that ended right after a renewal', async () => {
    const { id, family } = await world.account({ row: { token_expires_at: Date.now() + 900_000 } })
    const node = world.node()
    await freshConfig(node, id, { refusedVersion: 1 })
    family.isDead = true
    await assert.rejects(freshConfig(node, id, { refusedVersion: 2 }), { code: 'needs_reauth' })
    assert.equal((await world.row(id)).status_reason, 'invalid_grant')
    await world.change(id, { deleted_at: 1 })
  })

  it('is what the credentials of an account are made of, without the secret of the app', async () => {
    const { id, family } = await world.account()
    const path = `/v1/integration_account/${id}/credentials`
    const body = fine(await world.t.call('GET', path))
    assert.deepEqual(body, {
      integrationAccountId: id,
      authType: 'OAuth2',
      config: body.config,
      headers: null,
    })
    assert.equal(body.config.access_token, family.accessToken)
    assert.doesNotMatch(JSON.stringify(body), /app-secret/)
    assert.deepEqual(await auditOf(world.t, id), ['account.credentials_read'])
  })

  it('says 424 for a dead grant and 400 for an account that waits to be confirmed', async () => {
    const dead = await world.account()
    dead.family.isDead = true
    const path = `/v1/integration_account/${dead.id}`
    refused(await world.t.call('GET', `${path}/credentials`), 'needs_reauth')
    const { status, statusReason } = fine(await world.t.call('GET', path))
    assert.deepEqual([status, statusReason], ['needs_reauth', 'invalid_grant'])
    const listed = fine(await world.t.call('GET', '/v1/integration_account?status=needs_reauth'))
    assert.deepEqual(
      listed.map((account: Record<string, string>) => account.integrationAccountId),
      [dead.id],
    )
    const pending = await world.account({ row: { status: 'pending' } })
    const answer = await world.t.call('GET', `/v1/integration_account/${pending.id}/credentials`)
    refused(answer, 'account_pending')
  })

  describe('delete', () => {
    const spec = (more: object) => miniBundle(oauthSpec(world.provider, { ...more }))
    const remove = (id: string) => world.t.call('DELETE', `/v1/integration_account/${id}`)

    it('revokes the refresh token first, then the access token, and says so', async () => {
      const code = spec({ revocation_url: `${world.provider.url}/revoke` })
      const { id, family } = await world.account({ code })
      assert.equal(fine(await remove(id)).revocation, 'revoked')
      const { refreshToken, accessToken } = family
      const expected = [`refresh_token ${refreshToken}`, `access_token ${accessToken}`]
      assert.deepEqual(world.provider.revoked, expected)
      assert.equal((await world.row(id)).sealed_config, null)
      assert.equal(fine(await remove(id)).revocation, null)
      assert.equal(world.provider.revoked.length, 2)
    })

    it('erases although the provider fails, or has no revocation', async () => {
      const failing = await world.account({
        code: spec({ revocation_url: `${world.provider.url}/nothing-here` }),
      })
      assert.equal(fine(await remove(failing.id)).revocation, 'failed')
      assert.equal((await world.row(failing.id)).sealed_config, null)
      const without = await world.account()
      assert.equal(fine(await remove(without.id)).revocation, 'unsupported')
    })

    it('waits five seconds at most', async () => {
      const silent = world.t.origin.serve('/silent', () => sleep(60_000, undefined, { ref: false }))
      const { id } = await world.account({ code: spec({ revocation_url: silent }) })
      const startedAt = performance.now()
      assert.equal(fine(await remove(id)).revocation, 'failed')
      assert.ok(performance.now() - startedAt < 20_000)
    })
  })
}
