import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { startTransitServer, type TransitServer } from '../../../test/transit-server.ts'
import { createTemporaryFolder } from '../../platform/storage/test/test-database.ts'
import { createTestWorkspace } from '../../platform/vault/test/test-keys.ts'
import { readEnvironment } from './environment.ts'
import { getExitCode } from './exit.ts'
import { openKeyRing, openServices } from './open-services.ts'

describe('LINCHPIN_TRANSIT_KEY', () => {
  let transit: TransitServer
  /** Settings of a ring whose only key, `k1`, is encrypted. */
  let env: Record<string, string>
  const NO_RETRY = { retryDelaysMs: [] as number[] }
  const open = (
    changes: Record<string, string> = {},
    options: typeof NO_RETRY | undefined = NO_RETRY,
  ) => openKeyRing(readEnvironment({ ...env, ...changes }), options)

  before(async () => {
    transit = await startTransitServer()
    transit.state.tokens.add('hvs.decrypts')
    env = {
      LINCHPIN_KEYS: await transit.createKey('k1'),
      LINCHPIN_TRANSIT_KEY: transit.keyUrl,
      LINCHPIN_TRANSIT_TOKEN: 'hvs.decrypts',
      LINCHPIN_EGRESS_ALLOW: `keys=${new URL(transit.keyUrl).host}`,
    }
  })
  after(() => transit.close())

  /** Asserts the exit code and sentence of a start, and that neither the token nor the ciphertext is in it. */
  async function assertFails(changes: Record<string, string>, exitCode: number, expected: RegExp) {
    const error = await open(changes).then(
      () => assert.fail(`opened with ${JSON.stringify(changes)}`),
      (each: Error) => each,
    )
    assert.match(error.message, expected)
    assert.equal(getExitCode(error), exitCode, error.message)
    assert.doesNotMatch(error.message, /hvs\.|vault:v/)
  }

  async function openVault(t: TestContext, changes: Record<string, string> = {}) {
    const settings = { ...env, ...changes, LINCHPIN_DATA_DIR: await createTemporaryFolder(t) }
    const options = { exclusive: false, onNotice: assert.fail, onFatal: assert.fail, now: Date.now }
    const services = await openServices(readEnvironment(settings), { ...options, exclusive: true })
    t.after(() => services.database.close())
    return { ...services, settings, options }
  }

  it('a service needs one request per encrypted key at start, and none afterwards', async (t) => {
    transit.requests.length = 0
    const { database, vault, settings, options } = await openVault(t)
    const workspaceId = await createTestWorkspace(database, vault)
    const context = { table: 'accounts', column: 'sealed_config', workspaceId, rowId: 'acc_1' }
    transit.state.isSealed = true
    t.after(() => {
      transit.state.isSealed = false
    })
    const sealed = await vault.seal(context, 'secret')
    assert.equal(await vault.openText(context, sealed), 'secret')
    assert.deepEqual(transit.requests, ['decrypt/linchpin'])
    transit.state.isSealed = false
    const again = await openServices(readEnvironment(settings), options)
    t.after(() => again.database.close())
    assert.equal(await again.vault.openText(context, sealed), 'secret')
  })

  it('a ring has both kinds of keys, so that keys rotate leads to a transit key and back', async (t) => {
    const plain = `k0:${randomBytes(32).toString('base64')}`
    const { database, vault, settings, options } = await openVault(t, { LINCHPIN_KEYS: plain })
    const workspaceId = await createTestWorkspace(database, vault)
    const context = { table: 'accounts', column: 'sealed_config', workspaceId, rowId: 'acc_1' }
    const sealed = await vault.seal(context, 'secret')
    const encrypted = await transit.createKey('k1')
    for (const keys of [`${encrypted},${plain}`, `${plain},${encrypted}`]) {
      const both = await openServices(
        readEnvironment({ ...settings, LINCHPIN_KEYS: keys }),
        options,
      )
      assert.equal(await both.vault.rotateKeys(), 1)
      await both.database.close()
      const first = keys.split(',')[0] ?? ''
      const alone = await openServices(
        readEnvironment({ ...settings, LINCHPIN_KEYS: first }),
        options,
      )
      assert.equal(await alone.vault.openText(context, sealed), 'secret')
      await alone.database.close()
    }
  })

  it('a rewrapped key is the same key, and opens when the former version is no longer allowed', async () => {
    const [before] = (await open()) ?? []
    const former = env.LINCHPIN_KEYS ?? ''
    await transit.write('keys/linchpin/rotate')
    const { ciphertext } = await transit.write('rewrap/linchpin', { ciphertext: former.slice(3) })
    assert.match(ciphertext, /^vault:v2:/)
    env.LINCHPIN_KEYS = `k1:${ciphertext}`
    await transit.write('keys/linchpin/config', { min_decryption_version: 2 })
    const [after] = (await open()) ?? []
    assert.ok(before !== undefined && after?.key.equals(before.key))
    await assertFails({ LINCHPIN_KEYS: former }, 78, /too old\)\. Lower min_decryption_version/)
  })

  it('with a namespace: sends it', async (t) => {
    transit.state.namespace = 'team/a'
    t.after(() => {
      transit.state.namespace = ''
    })
    assert.equal((await open({ LINCHPIN_TRANSIT_NAMESPACE: 'team/a' }))?.length, 1)
    await assertFails({}, 78, /answered 404: no handler for route/)
  })

  it('is tried again while the engine is sealed or a standby, and then a restart may help: exit code 1', async (t) => {
    t.after(() => Object.assign(transit.state, { isSealed: false, isStandby: false }))
    transit.state.isSealed = true
    await assertFails({}, 1, /does not decrypt the key k1 now: it answered 503: Vault is sealed\.$/)
    Object.assign(transit.state, { isSealed: false, isStandby: true })
    await assertFails({}, 1, /answered 473/)
    transit.requests.length = 0
    const opening = open({}, { retryDelaysMs: [1, 200] })
    while (transit.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    transit.state.isStandby = false
    assert.equal((await opening)?.length, 1)
    assert.equal(transit.requests.length, 3)
  })

  it('is tried again while nothing listens or answers', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1')
    t.after(() => silent.close())
    const port = await new Promise<number>((resolve) =>
      silent.once('listening', () => resolve((silent.address() as { port: number }).port)),
    )
    silent.once('connection', (socket) => socket.destroy())
    const LINCHPIN_TRANSIT_KEY = `http://127.0.0.1:${port}/v1/transit/keys/linchpin`
    const elsewhere = { LINCHPIN_TRANSIT_KEY, LINCHPIN_EGRESS_ALLOW: `keys=127.0.0.1:${port}` }
    await assertFails(elsewhere, 1, /now: The connection failed or was interrupted/)
    await new Promise((resolve) => silent.close(resolve))
    await assertFails(elsewhere, 1, /interrupted \(ECONNREFUSED\)\.$/)
  })

  it('what an operator has to change is a sentence with exit code 78', async () => {
    const other = await startTransitServer()
    await other.write('keys/linchpin/rotate')
    const foreign = await other.createKey('k1')
    await other.close()
    const { ciphertext } = await transit.write('datakey/wrapped/linchpin', { bits: 128 })
    await assertFails(
      { LINCHPIN_TRANSIT_TOKEN: 'hvs.expired' },
      78,
      /403: permission denied\. The token/,
    )
    await assertFails({ LINCHPIN_KEYS: foreign }, 78, /Is LINCHPIN_TRANSIT_KEY the key/)
    await assertFails({ LINCHPIN_KEYS: `k1:${ciphertext}` }, 78, /k1 is 16 bytes, not 32/)
    await assertFails({ LINCHPIN_TRANSIT_KEY: '' }, 78, /Set LINCHPIN_TRANSIT_KEY/)
    await assertFails({ LINCHPIN_EGRESS_ALLOW: '' }, 78, /127\.0\.0\.1.*such as keys=/)
    const otherPurpose = `source=${new URL(transit.keyUrl).host}`
    await assertFails({ LINCHPIN_EGRESS_ALLOW: otherPurpose }, 78, /such as keys=/)
    const missing = transit.keyUrl.replace('keys/linchpin', 'keys/other')
    await assertFails({ LINCHPIN_TRANSIT_KEY: missing }, 78, /400: encryption key not found/)
    for (const url of [
      'ftp://a/v1/transit/keys/x',
      'https://a/transit/keys/x',
      'https://u:p@a/v1/t/keys/x',
      'https://a/v1/t/keys/x?y',
    ])
      assert.throws(
        () => readEnvironment({ ...env, LINCHPIN_TRANSIT_KEY: url }),
        /LINCHPIN_TRANSIT_KEY: must be https:/,
      )
    for (const host of ['vault.internal:8200', '10.0.0.5:8200', '127.0.0.1.example.com'])
      assert.throws(
        () =>
          readEnvironment({
            ...env,
            LINCHPIN_TRANSIT_KEY: `http://${host}/v1/transit/keys/x`,
            LINCHPIN_EGRESS_ALLOW: 'keys=10.0.0.5:8200',
          }),
        /LINCHPIN_TRANSIT_KEY: must begin with https: http is for an agent on localhost only/,
      )
    assert.throws(
      () => readEnvironment({ ...env, LINCHPIN_KEYS: '' }),
      /LINCHPIN_KEYS: is required with/,
    )
  })
})
