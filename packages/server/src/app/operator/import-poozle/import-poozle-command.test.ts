import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { describePostgres, type PostgresDatabases } from '../../../../test/postgres.ts'
import { expectOk } from '../../../../test/test-context.ts'
import { getValidCredentials } from '../../../accounts/accounts/token-refresh/get-valid-credentials.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../../accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { newBrowser } from '../../../connect/oauth-flow/test/browser.ts'
import { createTemporaryFolder } from '../../../platform/storage/test/test-database.ts'
import type { PoozleReportLine } from '../../poozle-import/import-row.ts'
import { createPoozleReplica, type PoozleReplica } from '../../poozle-import/test/poozle-replica.ts'
import { BASE, runImportPoozle } from './test/run-import-poozle.ts'

const CREATED = '2023-08-01 09:30:00'

for (const target of ['SQLite', 'PostgreSQL'])
  describePostgres(`import poozle (into ${target})`, (server) => defineTests(server, target))

function defineTests(server: () => PostgresDatabases, target: string): void {
  let context: RefreshTestContext
  let poozle: PoozleReplica
  let ids: Awaited<ReturnType<typeof fill>>
  before(async () => {
    const url = target === 'SQLite' ? undefined : await server().createMigratedDatabase()
    context = await startRefreshTestContext({ url })
    poozle = await createPoozleReplica(await server().createDatabase('poozle'))
    ids = await fill()
  })
  after(async () => {
    await poozle.close()
    await context.close()
  })

  async function fill() {
    const { t, provider } = context
    const { workspaceId } = poozle
    const spec = createOAuthSpec(provider)
    Object.assign(spec.auth_specification, { 'Api Key': MINI_SPEC.auth_specification['Api Key'] })
    const sourceUrl = t.stubServer.bundle(createMiniBundle(spec))
    const shared = { key: 'desk', integrationType: 'TICKETING', workspaceId }
    const insertDefinition = (name: string, url: string) =>
      poozle.insert('IntegrationDefinition', 'integrationDefinitionId', {
        ...shared,
        name,
        sourceUrl: url,
      })
    const definition = await insertDefinition('Desk', sourceUrl)
    const broken = await insertDefinition('Gone', `${t.stubServer.url}/gone.js`)
    const app = { integrationOAuthAppName: 'Desk', clientId: 'c', clientSecret: 'a-poozle-secret' }
    await poozle.insert('IntegrationOAuthApp', 'integrationOAuthAppId', {
      ...app,
      integrationDefinitionId: definition,
      scopes: 'read,write',
      workspaceId,
    })
    const insertLink = (row: object) =>
      poozle.insert('Link', 'linkId', {
        linkName: 'Customers',
        expiresIn: 0,
        category: [],
        workspaceId,
        createdAt: CREATED,
        ...row,
      })
    const link = await insertLink({ category: ['TICKETING'], integrationDefinitionId: definition })
    const expired = await insertLink({ canExpire: true, expiresIn: 3_600 })
    const orphan = await insertLink({ integrationDefinitionId: broken })
    const family = provider.newFamily()
    const insertAccount = (row: object) =>
      poozle.insert('IntegrationAccount', 'integrationAccountId', {
        integrationDefinitionId: definition,
        workspaceId,
        createdAt: CREATED,
        integrationAccountName: 'Customer',
        authType: 'Api Key',
        integrationConfiguration: { api_key: 'a-poozle-key', base_url: t.stubServer.url },
        ...row,
      })
    const signedIn = await insertAccount({
      authType: 'OAuth2',
      linkId: link,
      accountIdentifier: 'customer-1',
      integrationConfiguration: {
        scope: 'read',
        refresh_token: family.refreshToken,
        client_id: 'c',
        client_secret: 'a-poozle-secret',
      },
    })
    const keyed = await insertAccount({})
    const gone = await insertAccount({ integrationDefinitionId: broken })
    await insertAccount({ deleted: CREATED })
    return { definition, broken, link, expired, orphan, signedIn, keyed, gone, family, sourceUrl }
  }

  const insert = (table: string, row: Record<string, unknown>) => {
    const { workspaceId } = poozle
    const id = `${table.charAt(0).toLowerCase()}${table.slice(1)}Id`
    return poozle.insert(table, id, { workspaceId, createdAt: CREATED, ...row })
  }
  const insertAccount = (row: Record<string, unknown>) =>
    insert('IntegrationAccount', {
      integrationDefinitionId: ids.definition,
      integrationAccountName: 'Customer',
      authType: 'Api Key',
      ...row,
    })
  const insertLink = (row: Record<string, unknown>) =>
    insert('Link', { linkName: 'Customers', expiresIn: 0, category: [], ...row })
  const signedInWith = (client_id: string | undefined, refresh_token: string) => ({
    authType: 'OAuth2',
    integrationConfiguration: { client_id, client_secret: 'a-poozle-secret', refresh_token },
  })
  const findLine = (rows: readonly PoozleReportLine[], id: string) => {
    const line = rows.find((one) => one.id === id)
    assert.ok(line)
    return line
  }

  const run = (args: readonly string[], env?: Record<string, string>) =>
    runImportPoozle(context, poozle, args, env)
  const outcomes = (rows: readonly PoozleReportLine[]) =>
    Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]))
  const newIds = (rows: readonly PoozleReportLine[]) =>
    Object.fromEntries(rows.map(({ id, newId }) => [id, newId ?? '']))
  const countAccounts = async () =>
    expectOk(await context.t.call('GET', '/v1/integration_account')).length

  it('a dry run stores nothing', async () => {
    const { code, rows, errors } = await run([])
    assert.deepEqual([code, new Set(Object.values(outcomes(rows)))], [0, new Set(['would_import'])])
    assert.equal(rows.length, 9)
    assert.match(errors, /This was a dry run/)
    assert.equal(await countAccounts(), 0)
  })

  it('imports definitions, OAuth apps, links and accounts, and reports the rows that fail', async () => {
    const before = await poozle.hash()
    const { code, rows, text, errors } = await run(['--apply', '--from', 'acme'])
    const { broken, orphan, gone, signedIn, keyed, link, expired, definition } = ids
    assert.equal(code, 1, errors)
    const result = outcomes(rows)
    for (const id of [definition, signedIn, keyed, link, expired])
      assert.equal(result[id], 'imported', text)
    for (const id of [broken, orphan, gone]) assert.equal(result[id], 'failed', text)
    for (const secret of ['a-poozle-secret', 'a-poozle-key', 'refresh-'])
      assert.ok(!`${text}${errors}`.includes(secret))
    assert.equal(await poozle.hash(), before, 'Poozle is only read')
    await assertImported(newIds(rows))
  })

  async function assertImported(id: Record<string, string>): Promise<void> {
    const { t, provider } = context
    const get = async (of: string) =>
      expectOk(await t.call('GET', `/v1/integration_account/${id[of]}`))
    const account = await get(ids.signedIn)
    const expected = ['2023-08-01T09:30:00.000Z', 'customer-1', id[ids.link], 'unchecked']
    const { createdAt, accountIdentifier, linkId, statusReason } = account
    assert.deepEqual([createdAt, accountIdentifier, linkId, statusReason], expected)
    const { integrationAccountId } = account
    assert.deepEqual(await context.config(integrationAccountId), {
      token_type: 'Bearer',
      scope: 'read',
      refresh_token: ids.family.refreshToken,
    })
    await getValidCredentials(context.node(), integrationAccountId)
    assert.equal(provider.reuseCount(), 0)
    const path = `/v1/integration_account/${id[ids.keyed]}`
    assert.equal(expectOk(await t.call('POST', path, { body: { config: {} } })).statusReason, null)
    const history = expectOk(await t.call('GET', `${path}/history`))
    assert.deepEqual(history.at(-1).cause, { kind: 'system', via: 'cli', requestId: null })
    const browser = newBrowser(t.app)
    const page = await browser.get(`${BASE}/link/${ids.link}`)
    assert.equal(page.location, `${BASE}/link/${id[ids.link]}`)
    assert.equal((await browser.get(page.location ?? '')).status, 200)
    const expired = expectOk(await t.call('GET', `/v1/link/${id[ids.expired]}`))
    assert.deepEqual([expired.expired, expired.expiresIn], [true, 3_600])
    const link = expectOk(await t.call('GET', `/v1/link/${id[ids.link]}`))
    assert.deepEqual(link.integrationDefinitionIds, [id[ids.definition]])
  }

  it('a second run finds everything and stores nothing twice', async () => {
    const count = await countAccounts()
    const { rows } = await run(['--apply'])
    const found = Object.entries(outcomes(rows)).filter(([, outcome]) => outcome !== 'failed')
    assert.equal(found.length, 6)
    assert.deepEqual(new Set(found.map(([, outcome]) => outcome)), new Set(['found']))
    assert.equal(await countAccounts(), count)
  })

  it('--map uses a definition that exists here', async () => {
    const { rows } = await run(['--map', 'desk=desk'])
    const mapped = newIds(rows)
    assert.equal(mapped[ids.broken], mapped[ids.definition])
  })

  it('never stores a refresh token whose OAuth client is not that of the app, in the first run or the second', async () => {
    const { provider } = context
    const { sourceUrl } = ids
    const shared = { integrationType: 'TICKETING', sourceUrl }
    const second = await poozle.insert('IntegrationDefinition', 'integrationDefinitionId', {
      ...shared,
      key: 'desk_two',
      name: 'Desk two',
      workspaceId: poozle.workspaceId,
    })
    const app = await poozle.insert('IntegrationOAuthApp', 'integrationOAuthAppId', {
      integrationOAuthAppName: 'Desk two',
      clientId: 'other',
      clientSecret: 's',
      scopes: '',
      integrationDefinitionId: second,
      workspaceId: poozle.workspaceId,
    })
    const own = await insertAccount(signedInWith('own', provider.newFamily().refreshToken))
    const unknown = await insertAccount(signedInWith(undefined, provider.newFamily().refreshToken))
    const other = await insertAccount({
      ...signedInWith('other', provider.newFamily().refreshToken),
      integrationDefinitionId: second,
    })
    const same = await insertAccount({
      ...signedInWith('c', provider.newFamily().refreshToken),
      integrationDefinitionId: second,
    })
    const count = await countAccounts()
    for (const args of [[], ['--apply'], ['--apply']]) {
      const { rows, code } = await run(args)
      assert.equal(code, 1)
      assert.match(findLine(rows, app).reason ?? '', /another client ID/)
      assert.match(findLine(rows, own).reason ?? '', /its OAuth client is not that/)
      assert.match(findLine(rows, other).reason ?? '', /its OAuth client is not that/)
      assert.match(findLine(rows, unknown).reason ?? '', /has no client_id/)
      assert.notEqual(findLine(rows, same).outcome, 'failed')
    }
    assert.equal(await countAccounts(), count + 1)
    assert.ok(provider.families.every((family) => !family.isRevoked))
  })

  it('a row with values that its schema allows and that cannot be imported fails alone, in the dry run too', async () => {
    const nothing = await insertLink({ category: null })
    const text = await insertAccount({ integrationConfiguration: '"text"' })
    const list = await insertAccount({ integrationConfiguration: '[]' })
    const long = await insertAccount({ accountIdentifier: 'x'.repeat(256) })
    const kind = await insertAccount({ authType: 'Unknown', integrationConfiguration: {} })
    const empty = await insertAccount({ integrationConfiguration: null })
    const payments = await insertLink({ category: ['PAYMENTS'] })
    const after = await insertAccount({ integrationConfiguration: { api_key: 'k' } })
    for (const args of [[], ['--apply']]) {
      const { rows } = await run(args)
      assert.notEqual(
        findLine(rows, nothing).outcome,
        'failed',
        JSON.stringify(findLine(rows, nothing)),
      )
      assert.match(findLine(rows, text).reason ?? '', /configuration is not an object/)
      assert.match(findLine(rows, list).reason ?? '', /configuration is not an object/)
      assert.match(findLine(rows, long).reason ?? '', /more than 255 characters/)
      assert.equal(findLine(rows, kind).reason, 'auth_type_not_allowed authType')
      assert.equal(findLine(rows, empty).reason, 'validation_failed config.api_key')
      assert.match(findLine(rows, payments).reason ?? '', /none of its definitions/)
      assert.equal(findLine(rows, after).outcome, args.length === 0 ? 'would_import' : 'imported')
    }
  })

  it('a link offers the definitions that Poozle shows, expires as there, and redirects to the given URLs', async () => {
    const { t } = context
    const open = await insertLink({})
    const ticketing = await insertLink({ category: ['TICKETING'] })
    const ended = await insertLink({ canExpire: true, expiresIn: 0, category: ['TICKETING'] })
    const url = 'https://app.example.com/connected?tab=1'
    const { rows } = await run(['--apply', '--allow-redirects', url])
    const get = async (id: string) =>
      expectOk(await t.call('GET', `/v1/link/${findLine(rows, id).newId}`))
    const definitionId = findLine(rows, ids.definition).newId
    for (const id of [open, ticketing, ended]) {
      const link = await get(id)
      assert.deepEqual(link.integrationDefinitionIds, [definitionId])
      assert.deepEqual(
        link.integrationDefinitions.map(
          (one: { integrationDefinitionId: string }) => one.integrationDefinitionId,
        ),
        [definitionId],
      )
      assert.deepEqual(link.redirectURLs, [url])
      assert.equal(link.expired, id === ended)
    }
    assert.match(findLine(rows, open).warning ?? '', /does not offer desk/)
    const refused = await run(['--allow-redirects', 'http://app.example.com'])
    assert.equal(refused.code, 64)
    assert.match(refused.errors, /--allow-redirects/)
  })

  it('an account is found by its old ID', async () => {
    const tag = encodeURIComponent(`poozle.account_id:${ids.keyed}`)
    const found = expectOk(await context.t.call('GET', `/v1/integration_account?tag=${tag}`))
    assert.equal(found.length, 1)
  })

  it('64 for wrong arguments, 69 for a database that cannot be opened, and never prints the URL', async (t) => {
    for (const [args, message] of [
      [['--database-url', 'postgres://a:hidden@b/c'], /Unknown option '--database-url'/],
      [['--from', 'other'], /one of the workspaces of Poozle: acme/],
      [['--into', 'wsp_none'], /--into/],
      [['--map', 'a'], /--map/],
      [['--database-url-file', '/nowhere'], /cannot be read/],
    ] as const) {
      const { code, errors } = await run(args)
      assert.deepEqual([code, message.test(errors)], [64, true], errors)
    }
    const wrong = { POOZLE_DATABASE_URL: '' }
    assert.equal((await run([], wrong)).code, 64)
    const file = path.join(await createTemporaryFolder(t), 'url')
    await writeFile(file, 'postgres://poozle:a-hidden-password@127.0.0.1:1/poozle\n')
    const closed = await run(['--database-url-file', file])
    assert.equal(closed.code, 69)
    assert.ok(!`${closed.text}${closed.errors}`.includes('hidden'), closed.errors)
    const help = await run(['--help'])
    assert.deepEqual([help.code, help.rows, help.errors], [0, [], ''])
    assert.match(help.text, /^Usage: linchpin import poozle \[options\]\n/)
  })
}
