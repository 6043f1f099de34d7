import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'
import { createFanOut } from '../../../activity/webhooks/fan-out-store.ts'
import { endConnectSessions } from '../../../connect/connect-sessions/end-connect-sessions.ts'
import { createVisitedSessionStore } from '../../../connect/connect-sessions/visited-session-store.ts'
import type { Tables } from '../tables.ts'
import { createRowChanger, type RowChanger } from '../test/changed-rows.ts'

type CheckedTable = 'users' | 'workspaces' | 'webhook_endpoints' | 'oauth_apps' | 'connect_sessions'

/** A row, the requests that read it, and a change of each column that its checksum covers, except ids that it is found by. */
interface Sample {
  readonly key: string
  readonly id: string
  readonly paths: readonly string[]
  readonly changes: Readonly<Record<string, unknown>>
}

const ORIGINS = '["https://evil.example"]'
const ELSEWHERE = 'https://evil.example/hooks'

describeOnBothDatabases('A setting that has changed on the disk', (newUrl) => {
  let t: TestContext
  let rows: RowChanger
  const samples = new Map<CheckedTable, Sample>()
  before(async () => {
    t = await testContext({ url: await newUrl() })
    rows = createRowChanger(t.database)
    for (const [table, sample] of await createSamples()) samples.set(table, sample)
  })
  after(() => t.close())

  async function createSamples(): Promise<[CheckedTable, Sample][]> {
    const { workspaceId } = t
    const { integrationOAuthAppId = '' } = await registerOAuthApp(t)
    const endpoint = await create('/v1/webhook_endpoint', { workspaceId, url: t.stubServer.url })
    const session = await create('/v1/connect_session', { workspaceId })
    const named = (path: string) => [`${path}?workspaceId=${workspaceId}`]
    const { user_id } = await rows.find('workspaces', 'workspace_id', workspaceId)
    return [
      [
        'users',
        {
          key: 'user_id',
          id: user_id,
          paths: ['/v1/user'],
          changes: {
            email: 'eve@example.com',
            email_key: 'eve@example.com',
            firstname: 'Eve',
            lastname: 'Other',
            created_at: 1,
          },
        },
      ],
      [
        'workspaces',
        {
          key: 'workspace_id',
          id: workspaceId,
          paths: ['/v1/workspace', ...named('/v1/webhook_endpoint')],
          changes: {
            slug: 'other',
            name: 'Other',
            settings: `{"allowedFrameOrigins":${ORIGINS}}`,
            initial_setup_complete: 0,
            anonymous_data_collection: 1,
            created_at: 1,
          },
        },
      ],
      [
        'webhook_endpoints',
        {
          key: 'endpoint_id',
          id: endpoint.webhookEndpointId,
          paths: [
            `/v1/webhook_endpoint/${endpoint.webhookEndpointId}`,
            ...named('/v1/webhook_endpoint'),
          ],
          changes: {
            url: ELSEWHERE,
            description: 'other',
            types: '["link.*"]',
            version: 2,
            integration_definition_ids: '["def_1"]',
            payload: 'thin',
            ordering: 'none',
            signature: 'v1a',
            max_in_flight: 1,
            header_names: '["x"]',
            created_at: 1,
            public_keys: '["whpk_x"]',
          },
        },
      ],
      [
        'oauth_apps',
        {
          key: 'oauth_app_id',
          id: integrationOAuthAppId,
          paths: [
            `/v1/integration_oauth/${integrationOAuthAppId}`,
            ...named('/v1/integration_oauth'),
          ],
          changes: {
            name: 'other',
            client_id: 'other',
            scopes: '["admin"]',
            created_at: 1,
            secret_origins: ORIGINS,
            allowed_hosts: '["evil.example"]',
          },
        },
      ],
      [
        'connect_sessions',
        {
          key: 'connect_session_id',
          id: session.connectSessionId,
          paths: [
            `/v1/connect_session/${session.connectSessionId}`,
            ...named('/v1/connect_session'),
            `/connect/${session.token}`,
          ],
          changes: {
            mode: 'manage',
            account_identifier: 'other',
            account_id: 'acc_1',
            lang: 'de',
            definition_ids: '["def_1"]',
            category: '["CRM"]',
            config_fields: '[{}]',
            tags: '{"a":"b"}',
            redirect_url: ELSEWHERE,
            max_accounts: 9,
            created_at: 1,
            account_ids: '["acc_1"]',
            expires_at: 2 ** 50,
          },
        },
      ],
    ]
  }

  async function create(path: string, body: object) {
    return expectCreated(await t.call('POST', path, { body }))
  }

  const update = (table: CheckedTable, { key, id }: Sample, change: object) =>
    rows.update(table, key, id, change as Partial<Tables[CheckedTable]>)

  it('a row that another program changes loses its checksum', async () => {
    for (const [table, sample] of samples) {
      const before = await rows.find(table, sample.key, sample.id)
      assert.notEqual(before.row_checksum, null, table)
      for (const [column, value] of Object.entries(sample.changes)) {
        await update(table, sample, { [column]: value })
        const { row_checksum: cleared } = await rows.find(table, sample.key, sample.id)
        assert.equal(cleared, null, `${table}.${column}`)
        await update(table, sample, before)
      }
      await update(table, sample, { updated_at: 5 })
      assert.deepEqual(
        (await rows.find(table, sample.key, sample.id)).row_checksum,
        before.row_checksum,
      )
    }
  })

  it('a change through the API has a new checksum', async () => {
    const theme = { accentColor: '#123456' }
    for (const [table, path, body] of [
      ['workspaces', '/v1/workspace', { theme }],
      ['webhook_endpoints', '/v1/webhook_endpoint', { description: 'new' }],
      ['oauth_apps', '/v1/integration_oauth', { clientId: 'new' }],
    ] as const) {
      const { key, id } = getSample(table)
      const before = await rows.find(table, key, id)
      expectOk(await t.call('POST', `${path}/${id}`, { body }))
      const { row_checksum } = await rows.find(table, key, id)
      assert.ok(row_checksum !== null && row_checksum !== before.row_checksum, table)
    }
  })

  it('a row that changed without a statement is refused with 503, and named in the log', async () => {
    for (const [table, sample] of samples) {
      await rows.withoutTrigger(table)
      const before = await rows.find(table, sample.key, sample.id)
      for (const [column, value] of Object.entries({ ...sample.changes, row_checksum: 1 })) {
        await update(table, sample, { [column]: value })
        for (const path of sample.paths) {
          const from = t.logs.length
          assert.equal(await getStatus(path), 503, `${table}.${column}: ${path}`)
          assert.match(t.logs.slice(from).join(''), new RegExp(`${table}/${sample.id} is damaged`))
        }
        await update(table, sample, before)
      }
      for (const path of sample.paths) assert.equal(await getStatus(path), 200, path)
    }
  })

  it('a damaged row is not changed, which would make the damage seem sound', async () => {
    for (const [table, path, body] of [
      ['workspaces', '/v1/workspace', { name: 'new' }],
      ['webhook_endpoints', '/v1/webhook_endpoint', { description: 'newer' }],
      ['oauth_apps', '/v1/integration_oauth', { scopes: ['new'] }],
    ] as const) {
      const sample = getSample(table)
      await update(table, sample, { row_checksum: 1 })
      expectError(await t.call('POST', `${path}/${sample.id}`, { body }), 'storage_unavailable')
      assert.equal((await rows.find(table, sample.key, sample.id)).row_checksum, 1)
      await update(table, sample, { row_checksum: null })
    }
  })

  it('a damaged webhook endpoint gets no deliveries, and keeps no other from its own', async () => {
    const { workspaceId } = t
    const sample = getSample('webhook_endpoints')
    const accepted = () =>
      t.database.transaction((trx) => createFanOut(t.database, Date.now)(trx, workspaceId))
    assert.notEqual(await accepted(), undefined)
    await update('webhook_endpoints', sample, { row_checksum: 1 })
    assert.equal(await accepted(), undefined)
    const { webhookEndpointId } = await create('/v1/webhook_endpoint', {
      workspaceId,
      url: t.stubServer.url,
    })
    assert.notEqual(await accepted(), undefined)
    expectOk(await t.call('GET', `/v1/webhook_endpoint/${webhookEndpointId}`))
    await update('webhook_endpoints', sample, { row_checksum: null })
  })

  it('a damaged connect session keeps no other from its end, and is not recorded', async () => {
    const sessions = [
      await create('/v1/connect_session', {}),
      await create('/v1/connect_session', {}),
    ]
    const [damaged, sound] = sessions.map(({ connectSessionId: id }) => id)
    for (const [id, row_checksum] of [
      [damaged, 1],
      [sound, null],
    ])
      await rows.update('connect_sessions', 'connect_session_id', id, {
        expires_at: 1,
        row_checksum,
      })
    await endConnectSessions({
      database: t.database,
      now: Date.now,
      visitedSessions: createVisitedSessionStore(t.database),
    })
    const recorded = await t.database.read
      .selectFrom('events')
      .select('subject')
      .where('type', '=', 'connect_session.expired')
      .execute()
    assert.deepEqual(
      recorded.map(({ subject }) => subject),
      [sound],
    )
  })

  async function getStatus(path: string): Promise<number> {
    return path.startsWith('/v1/')
      ? (await t.call('GET', path)).status
      : (await t.app.inject(path)).statusCode
  }

  function getSample(table: CheckedTable): Sample {
    const sample = samples.get(table)
    assert.ok(sample)
    return sample
  }
})
