import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  countRows,
  created,
  fine,
  hasKeys,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'
import { buildVersion, smallCatalogue } from '../../test/small-catalogue.ts'

const DEFINITION = '/v1/integration_definition'

describe('the catalogue in a workspace, on SQLite', () => promises(async () => undefined))
describePostgres('the catalogue in a workspace, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('catalogue')),
)

function promises(url: () => Promise<string> | Promise<undefined>): void {
  let t: World
  before(async () => {
    const catalogue = await smallCatalogue(
      await Promise.all([
        buildVersion('desk', '1.0.0'),
        buildVersion('desk', '1.1.0', { path: '/v2' }),
        buildVersion('mail', '1.0.0'),
      ]),
    )
    const database = await url()
    t = await startWorld({ catalogue, ...(database && { url: database }) })
  })
  after(() => t.close())
  const list = async (token = t.token, query = '') =>
    fine(await t.call('GET', DEFINITION + query, { token }))
  const desk = async (token = t.token) =>
    (await list(token)).find(({ key }: { key: string }) => key === 'desk')

  it('is there for every workspace, shown as its own, and copied for none', async () => {
    const stranger = await t.stranger()
    const rows = await countRows(t, 'definitions')
    for (const { token, workspaceId } of [t, stranger]) {
      const definitions = await list(token)
      assert.deepEqual(
        definitions.map(({ key }: { key: string }) => key),
        ['desk', 'mail'].toSorted((a, b) => (idOf(definitions, a) < idOf(definitions, b) ? -1 : 1)),
      )
      for (const definition of definitions) {
        hasKeys(definition, KEYS.definition)
        assert.equal(definition.workspaceId, workspaceId)
        assert.equal(definition.releaseStage.key, 'ALPHA')
      }
    }
    assert.equal(await countRows(t, 'definitions'), rows)
    assert.equal(rows, 2)
  })

  it('shows the newest version, and where it and its icon are', async () => {
    const { integrationDefinitionId: id, ...shown } = await desk()
    assert.equal(shown.version, '1.1.0')
    assert.equal(shown.sourceUrl, 'http://localhost:3000/catalogue/desk/1.1.0/index.js')
    assert.equal(shown.icon, 'http://localhost:3000/catalogue/icons/desk.svg')
    assert.deepEqual(shown.integrationType, { key: 'SUPPORT', name: 'Support' })
    const whole = fine(await t.call('GET', `${DEFINITION}/${id}`))
    assert.equal(whole.isLatest, true)
    assert.equal(whole.latestVersion, '1.1.0')
    assert.equal(whole.latestVersionSource, shown.sourceUrl)
    const spec = fine(await t.call('GET', `${DEFINITION}/${id}/spec`))
    assert.deepEqual(Object.keys(spec.auth_specification), ['Api Key'])
  })

  it('narrows by category and by the workspace that is named, which must be reachable', async () => {
    assert.equal((await list(t.token, '?category=SUPPORT')).length, 2)
    assert.equal((await list(t.token, '?category=CRM')).length, 0)
    const { integrationDefinitionId: id } = await desk()
    const second = created(await t.call('POST', '/v1/workspace')).workspaceId
    const shown = fine(await t.call('GET', `${DEFINITION}/${id}?workspaceId=${second}`))
    assert.equal(shown.workspaceId, second)
    assert.equal(fine(await t.call('GET', `${DEFINITION}/${id}`)).workspaceId, t.workspaceId)
    const bound = await t.mint({ workspaceId: second })
    assert.equal((await desk(bound)).workspaceId, second)
    const { workspaceId } = await t.stranger()
    refused(
      await t.call('GET', `${DEFINITION}/${id}?workspaceId=${workspaceId}`),
      'workspace_not_accessible',
    )
    refused(
      await t.call('GET', `${DEFINITION}/${id}?category=CRM`),
      'integration_definition_not_found',
    )
  })

  it('pages together with custom definitions', async () => {
    const stranger = await t.stranger()
    const mine = await t.define({ token: stranger.token, name: 'desk' })
    const all = await list(stranger.token)
    assert.deepEqual(new Set(all.map(({ key }: { key: string }) => key)), new Set(['desk', 'mail']))
    assert.equal(all.length, 3)
    assert.ok(
      all.some((one: typeof mine) => one.integrationDefinitionId === mine.integrationDefinitionId),
    )
    const seen: string[] = []
    let next: string | undefined = `${DEFINITION}?limit=1`
    while (next !== undefined) {
      const answer = await t.call('GET', next, { token: stranger.token })
      seen.push(...fine(answer).map((one: typeof mine) => one.integrationDefinitionId))
      next = /<[^>]*\/api(\/[^>]+)>/.exec(String(answer.headers.link ?? ''))?.[1]
    }
    assert.deepEqual(
      seen,
      all.map((one: typeof mine) => one.integrationDefinitionId),
    )
  })

  it('takes accounts and links, each in its own workspace', async () => {
    const stranger = await t.stranger()
    const { integrationDefinitionId: id } = await desk()
    t.origin.serve('/v2', (_request, response) => response.end('{}'))
    const config = { api_key: 'key', base_url: t.origin.url }
    const account = await t.connect(id, { config }, stranger.token)
    assert.equal(account.workspaceId, stranger.workspaceId)
    const accounts = fine(await t.call('GET', '/v1/integration_account'))
    assert.deepEqual(accounts, [])
    const link = created(
      await t.call('POST', '/v1/link', { body: { linkName: 'all' }, token: stranger.token }),
    )
    const shown = fine(await t.call('GET', `/v1/link/${link.linkId}`, { token: stranger.token }))
    assert.ok(shown.integrationDefinitions.length >= 2)
    const body = {
      integrationDefinitionId: id,
      integrationAccountName: 'a',
      authType: 'Api Key',
      config,
    }
    const through = created(
      await t.call('POST', `/v1/integration_account/link/${link.linkId}`, {
        body,
        token: stranger.token,
      }),
    )
    assert.equal(through.linkId, link.linkId)
  })

  it('cannot be deleted, whatever the token', async () => {
    const { integrationDefinitionId: id } = await desk()
    refused(await t.call('DELETE', `${DEFINITION}/${id}`), 'definition_from_catalogue')
    const readOnly = await t.mint({ scopes: ['read'] })
    refused(
      await t.call('DELETE', `${DEFINITION}/${id}`, { token: readOnly }),
      'insufficient_scope',
    )
  })

  it('belongs to a workspace that nobody can be told of', async () => {
    const workspaces = fine(await t.call('GET', '/v1/workspace'))
    assert.ok(!JSON.stringify(workspaces).includes('00000000'))
    refused(
      await t.call('GET', `${DEFINITION}?workspaceId=wsp_${'0'.repeat(26)}`),
      'workspace_not_accessible',
    )
  })
}

function idOf(
  definitions: { key: string; integrationDefinitionId: string }[],
  key: string,
): string {
  return definitions.find((one) => one.key === key)?.integrationDefinitionId ?? ''
}
