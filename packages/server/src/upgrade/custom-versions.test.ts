import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { auditOf, fine, refused, startWorld, type World } from '../../test/fixtures.ts'
import { MINI_SPEC, miniBundle } from '../../test/mini-bundle.ts'
import { describePostgres } from '../../test/postgres.ts'

const DEFINITION = '/v1/integration_definition'

describe('versions of a custom definition, on SQLite', () => promises(async () => undefined))
describePostgres('versions of a custom definition, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('custom_versions')),
)

function promises(url: () => Promise<string> | Promise<undefined>): void {
  let t: World
  let id: string
  let code = ''
  let address: string
  const bundle = (version?: string, note = '') =>
    `${miniBundle({ ...MINI_SPEC, ...(version && { version }) })}\n// ${note}`
  const upgrade = (body?: object) =>
    t.call('POST', `${DEFINITION}/${id}`, body === undefined ? {} : { body })
  const rollback = (body?: object) =>
    t.call('POST', `${DEFINITION}/${id}/rollback`, body === undefined ? {} : { body })
  const shown = async () => fine(await t.call('GET', `${DEFINITION}/${id}`))

  before(async () => {
    const database = await url()
    t = await startWorld({ ...(database && { url: database }) })
    address = t.origin.serve('/custom.js', (_request, response) => response.end(code))
    code = bundle('1.0.0')
    id = (await t.define({ sourceUrl: address })).integrationDefinitionId ?? ''
    await t.connect(id, { config: { api_key: 'key', base_url: t.origin.url } })
  })
  after(() => t.close())

  it('stay the same while the address gives the same', async () => {
    const before = await shown()
    assert.deepEqual(fine(await upgrade()), before)
    refused(await rollback(), 'nothing_to_roll_back')
  })

  it('are what the address gives now, and its accounts stay', async () => {
    code = bundle('1.1.0')
    const upgraded = fine(await upgrade())
    assert.deepEqual(
      [upgraded.version, upgraded.isLatest, upgraded.latestVersion],
      ['1.1.0', true, '1.1.0'],
    )
    const accounts = fine(
      await t.call('GET', `/v1/integration_account?integrationDefinitionId=${id}`),
    )
    assert.equal(accounts.length, 1)
    assert.equal((await auditOf(t, id)).at(-1), 'definition.upgraded')
  })

  it('whose bytes have changed are refused and reported', async () => {
    const before = await shown()
    for (const version of ['1.1.0', '1.0.0']) {
      code = bundle(version, 'other bytes')
      refused(await upgrade(), 'bundle_changed')
    }
    assert.deepEqual(await shown(), before)
    assert.equal((await auditOf(t, id)).at(-1), 'definition.bundle_changed')
  })

  it('may come from another address', async () => {
    const sourceUrl = t.origin.bundle(bundle('1.2.0'))
    const upgraded = fine(await upgrade({ sourceUrl, version: '1.2.0' }))
    assert.deepEqual([upgraded.version, upgraded.sourceUrl], ['1.2.0', sourceUrl])
  })

  it('go back one by one, without a download', async () => {
    t.origin.requests.length = 0
    const back = fine(await rollback())
    assert.deepEqual([back.version, back.sourceUrl], ['1.1.0', address])
    assert.equal(fine(await rollback({ version: '1.0.0' })).version, '1.0.0')
    refused(await rollback(), 'nothing_to_roll_back')
    assert.deepEqual(t.origin.requests, [])
  })

  it('stay known by their bytes when they are gone back from', async () => {
    for (const version of ['1.1.0', '1.2.0']) {
      code = bundle(version, 'since the rollback')
      const body = version === '1.2.0' ? { sourceUrl: address } : {}
      const answer = await upgrade(body)
      if (version === '1.1.0') refused(answer, 'bundle_changed')
      else assert.equal(fine(answer).version, '1.2.0', 'another address')
    }
    code = bundle('1.1.0')
    assert.equal(fine(await upgrade()).version, '1.1.0', 'the very bytes')
    for (const version of ['1.2.0', '1.0.0']) assert.equal(fine(await rollback()).version, version)
    refused(await rollback(), 'nothing_to_roll_back')
  })

  it('that were chosen before there were accounts are not gone back to without credentials:read', async () => {
    const token = await t.mint({ scopes: ['read', 'write'] })
    const { integrationDefinitionId: own } = await t.define({
      sourceUrl: t.origin.bundle(bundle()),
    })
    const to = (rest: string, body?: object) =>
      t.call('POST', `${DEFINITION}/${own}${rest}`, { token, ...(body && { body }) })
    const sourceUrl = t.origin.bundle(bundle('2.0.0'))
    fine(await to('', { sourceUrl }))
    fine(await to('/rollback'))
    fine(await to('', { sourceUrl }))
    await t.connect(String(own), { config: { api_key: 'key', base_url: t.origin.url } })
    refused(await to('/rollback'), 'insufficient_scope')
    fine(await t.call('POST', `${DEFINITION}/${own}/rollback`))
  })

  it('are not chosen without credentials:read when accounts came during the download', async () => {
    const token = await t.mint({ scopes: ['read', 'write'] })
    const { integrationDefinitionId: own } = await t.define({
      sourceUrl: t.origin.bundle(bundle()),
    })
    const config = { api_key: 'key', base_url: t.origin.url }
    const connected = new Set<string>()
    const sourceUrl = t.origin.serve('/late.js', async (_request, response) => {
      await t.connect(String(own), { config })
      connected.add(String(own))
      response.end(bundle('9.9.9'))
    })
    for (const rest of ['', '/preview']) {
      const body = { sourceUrl }
      const live = fine(
        await t.call('GET', `/v1/integration_account?integrationDefinitionId=${own}`),
      )
      for (const { integrationAccountId } of live)
        fine(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
      refused(
        await t.call('POST', `${DEFINITION}/${own}${rest}`, { token, body }),
        'insufficient_scope',
      )
    }
    assert.equal(connected.size, 1)
  })

  it('are named by the caller where the bundle names none, and never otherwise', async () => {
    code = bundle(undefined, 'first')
    assert.equal(fine(await upgrade({ version: '3' })).version, '3')
    code = bundle(undefined, 'second')
    refused(await upgrade({ version: '3' }), 'bundle_changed')
    assert.equal(fine(await upgrade({ version: '4' })).version, '4')
    code = bundle('5.0.0')
    refused(await upgrade({ version: '6' }), 'validation_failed')
  })

  it('that cannot be had or used change nothing', async () => {
    const before = await shown()
    refused(await upgrade({ sourceUrl: `${t.origin.url}/nowhere.js` }), 'source_unreachable')
    refused(await upgrade({ sourceUrl: 'ftp://example.com/x.js' }), 'source_url_forbidden')
    refused(await upgrade({ sourceUrl: t.origin.bundle('nonsense(') }), 'bundle_invalid')
    assert.deepEqual(await shown(), before)
  })

  it('are of live definitions only', async () => {
    const { integrationDefinitionId: gone } = await t.define()
    fine(await t.call('DELETE', `${DEFINITION}/${gone}`))
    for (const rest of ['', '/rollback', '/preview'])
      refused(
        await t.call('POST', `${DEFINITION}/${gone}${rest}`),
        'integration_definition_not_found',
      )
  })

  it('let one of two upgrades at once win', async () => {
    const sources = [t.origin.bundle(bundle('7.0.0')), t.origin.bundle(bundle('8.0.0'))]
    const answers = await Promise.all(sources.map((sourceUrl) => upgrade({ sourceUrl })))
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, 409])
    const lost = answers.find(({ status }) => status === 409)
    assert.ok(lost)
    refused(lost, 'concurrent_update')
  })
}
