import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import { listSettings } from '../../app/start/environment.ts'
import { listMigrationNames } from '../../platform/storage/migrate.ts'

const PATH = '/v1/instance'

describeOnBothDatabases('GET /v1/instance', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestApp
  const now = Date.parse('2026-11-22T10:00:00.000Z')
  before(async () => {
    t = await testApp({ url: await newUrl(), now: () => now })
  })
  after(() => t.close())

  it('GET /v1/instance: 200 with version, database, migrations and keys', async () => {
    const { body } = await t.call('GET', PATH)
    const { database, migrations, keys, ...others } = expectOk({
      ...(await t.call('GET', PATH)),
      body,
    })
    assert.match(others.version, /^\d+\.\d+\.\d+$/)
    assert.match(others.commit, /^(?:[\da-f]{40}|unknown)$/)
    assert.equal(others.startedAt, '2026-11-22T10:00:00.000Z')
    assert.equal(database.kind, t.database.dialect === 'postgres' ? 'postgresql' : 'sqlite')
    assert.ok(database.bytes > 10_000)
    assert.deepEqual(
      migrations.map(({ name }: { name: string }) => name),
      listMigrationNames(),
    )
    assert.equal(keys.length, 1)
    assert.equal(keys[0].isFirst, true)
    assert.ok(keys[0].workspaces >= 0)
  })

  it('GET /v1/instance: 200 warns while only browsers on this machine reach the pages', async () => {
    const { warnings } = expectOk(await t.call('GET', PATH))
    assert.deepEqual(
      warnings.map(({ code }: { code: string }) => code),
      ['public_url_local'],
    )
  })

  it('GET /v1/instance: 200 warns about data keys that another key wraps', async () => {
    const { call, database } = t
    await call('POST', '/v1/webhook_endpoint', { body: { url: 'https://example.com/hooks' } })
    await database.transaction((trx) =>
      trx.updateTable('workspace_keys').set({ key_id: 'former' }).execute(),
    )
    const { warnings, keys } = expectOk(await call('GET', PATH))
    assert.ok(warnings.some(({ code }: { code: string }) => code === 'keys_outdated'))
    assert.deepEqual(keys.at(-1), { keyId: 'former', isFirst: false, workspaces: 1 })
  })

  it('GET /v1/instance: 403 for an administrator whose token is bound to a workspace', async () => {
    const token = await t.createToken({ scopes: ['admin'], workspaceId: t.workspaceId })
    expectError(await t.call('GET', PATH, { token }), 'insufficient_scope')
  })

  it('GET /v1/instance: 400 for a query', async () => {
    expectError(await t.call('GET', `${PATH}?workspaceId=x`), 'invalid_parameter')
  })

  itRequiresScope(() => t, 'GET', PATH, { scope: 'admin' })
}

describe('The settings of an instance', () => {
  it('are set by a variable, by a file, and by a former name, and their values are not told', () => {
    const env = {
      LINCHPIN_METRICS_TOKEN: 'planted-secret',
      LINCHPIN_KEYS_FILE: '/run/secrets/keys',
      LINCHPIN_JAIL: 'auto',
      PORT: ' ',
    }
    const states = listSettings(env)
    assert.ok(states.length > 20)
    assert.deepEqual(
      states
        .filter(({ isSet }) => isSet)
        .map(({ name }) => name)
        .toSorted(),
      ['LINCHPIN_ISOLATION', 'LINCHPIN_KEYS', 'LINCHPIN_METRICS_TOKEN'],
    )
    assert.ok(!JSON.stringify(states).includes('planted-secret'))
  })
})
