import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hashAccessToken } from '../src/caller/access-token.ts'
import { newId, newLinkId } from '../src/storage/id.ts'
import { created, digest, fine, startWorld, type World } from './fixtures.ts'
import { MINI_SPEC, miniBundle } from './mini-bundle.ts'
import { registerApp } from './oauth-app-fixtures.ts'
import { describePostgres } from './postgres.ts'
import { type Reference, references } from './references.ts'
import type { Answer } from './test-app.ts'

type Kind =
  | 'workspaceId'
  | 'integrationDefinitionId'
  | 'integrationAccountId'
  | 'integrationOAuthAppId'
  | 'linkId'
  | 'tokenId'
  | 'previewId'
type Ids = Readonly<Record<Kind, string>>

/** What refuses a reference that leads nowhere: code by place and name. `empty`: a filter that finds nothing. */
const REFUSALS: Readonly<Record<string, string>> = {
  'path workspaceId': 'workspace_not_found',
  'path integrationDefinitionId': 'integration_definition_not_found',
  'path integrationAccountId': 'integration_account_not_found',
  'path integrationOAuthAppId': 'oauth_app_not_found',
  'path linkId': 'link_not_found',
  'path tokenId': 'token_not_found',
  'path previewId': 'preview_not_found',
  'query workspaceId': 'workspace_not_accessible',
  'query integrationDefinitionId': 'empty',
  'query linkId': 'empty',
  'body workspaceId': 'workspace_not_accessible',
  'body integrationDefinitionId': 'unknown_reference',
  'body integrationAccountId': 'unknown_reference',
  'body integrationOAuthAppId': 'unknown_reference',
  'body linkId': 'unknown_reference',
}

describe('ids that lead nowhere', () => {
  matrix(() => undefined)
})

describePostgres('ids that lead nowhere, on PostgreSQL', (server) => {
  matrix(() => server().createDatabase('id_matrix'))
})

function matrix(url: () => Promise<string> | undefined): void {
  let t: World
  let now = Date.now()
  let all: Reference[]
  let live: Ids
  let gone: Ids
  let actors: readonly { readonly token: string; readonly own: Ids }[]
  let cases = 0
  before(async () => {
    const database = await url()
    t = await startWorld({ now: () => now, ...(database === undefined ? {} : { url: database }) })
    all = await references(t)
    const made = await things(t, t.token, t.workspaceId)
    live = made.live
    const lost = created(await t.call('POST', '/v1/workspace', {})).workspaceId
    gone = { ...made.gone, workspaceId: lost }
    const deleted = { deleted_at: now }
    await t.database.transaction((trx) =>
      trx.updateTable('workspaces').set(deleted).where('workspace_id', '=', lost).execute(),
    )
    const stranger = await t.stranger()
    const own = (await things(t, stranger.token, stranger.workspaceId)).live
    const second = created(await t.call('POST', '/v1/workspace', {})).workspaceId
    const scopes = ['read', 'write', 'credentials:read', 'tokens', 'proxy']
    const bound = await t.mint({ workspaceId: second, scopes })
    const widest = await widen(t, stranger.token)
    actors = [
      { token: widest, own },
      { token: bound, own: (await things(t, bound, second)).live },
    ]
  })
  after(() => t.close())

  it('finds the references in the OpenAPI document, and knows each kind of them', () => {
    assert.ok(all.length >= 47, `${all.length}`)
    for (const { place, name, operation } of all)
      assert.ok(REFUSALS[`${place} ${name}`], `${operation} ${place}.${name} has no row`)
  })

  it('are refused alike, foreign or not, deleted or not, and nothing happens', async () => {
    t.origin.requests.length = 0
    for (const { token, own } of actors)
      for (const reference of all) {
        const kind = reference.name as Kind
        const ids = [
          live[kind],
          gone[kind],
          unknownId(kind),
          'nonsense',
          unknownId(kind).slice(0, -1),
        ]
        const before = await digest(t)
        const answers: string[] = []
        for (const id of ids) {
          const answer = await send(reference, own, id, token)
          expected(reference, answer)
          answers.push(comparable(answer))
        }
        const title = `${reference.operation} ${reference.place}.${reference.name}`
        assert.equal(new Set(answers).size, 1, `${title}\n${[...new Set(answers)].join('\n')}`)
        assert.equal(await digest(t), before, title)
      }
    assert.deepEqual(t.origin.requests, [], 'no bundle was fetched and no provider asked')
  })

  it('with U+0000, bad escapes or 300 characters are refused: 404 in a path, 400 elsewhere', async () => {
    const before = await digest(t)
    for (const { token, own } of actors)
      for (const reference of all)
        for (const [id, raw] of [
          ['a\0b', '%00'],
          ['\ud800', '%zz'],
          ['x'.repeat(300), 'x'.repeat(300)],
        ] as const) {
          const answer = await send(reference, own, id, token, raw)
          if (reference.place === 'path') expected(reference, answer)
          else assert.equal(answer.status, 400, answer.text)
        }
    assert.equal(await digest(t), before)
  })

  it('mixed with what is one’s own are refused: own workspace and foreign definition, and the reverse', async () => {
    const before = await digest(t)
    for (const { token, own } of actors)
      for (const reference of all.filter(
        ({ place, name }) => `${place} ${name}` === 'body integrationDefinitionId',
      )) {
        if (reference.operation === 'createAccountThroughLink') continue
        const workspace = { ...reference, name: 'workspaceId' }
        for (const id of [live, gone]) {
          const foreign = await send(reference, own, id.integrationDefinitionId, token)
          expected(reference, foreign)
          expected(workspace, await send(workspace, own, id.workspaceId, token))
        }
      }
    assert.equal(await digest(t), before)
  })

  it('are refused before they are looked at, without a token that is good for it', async () => {
    const brief = await t.mint({ seconds: 1 })
    const revoked = created(await t.call('POST', '/v1/user/token', { body: { name: 'x' } }))
    fine(await t.call('DELETE', `/v1/user/token/${revoked.tokenId}`))
    const readOnly = await t.mint({ scopes: ['read'] })
    now += 2_000
    const before = await digest(t)
    const tokens = [
      brief,
      revoked.token,
      null,
      'garbage',
      `lp_${'0'.repeat(36)}`,
      live.linkId,
      readOnly,
    ]
    for (const token of tokens)
      for (const reference of all) {
        if (token === readOnly && reference.method === 'GET') continue
        const kind = reference.name as Kind
        const answers: string[] = []
        for (const id of [live[kind], gone[kind], unknownId(kind), 'nonsense']) {
          const answer = await send(reference, live, id, token)
          const code = token === null ? 'token_missing' : 'token_invalid'
          assert.equal(answer.body.error, token === readOnly ? 'insufficient_scope' : code)
          answers.push(comparable(answer))
        }
        assert.equal(new Set(answers).size, 1, reference.operation)
      }
    assert.equal(await digest(t), before)
  })

  it('were tried in 2,000 cases or more', () => {
    assert.ok(cases >= 2_000, `${cases}`)
  })

  async function send(
    reference: Reference,
    own: Ids,
    id: string,
    token: string | null,
    raw = encodeURIComponent(id),
  ): Promise<Answer> {
    cases += 1
    const { method, place, name } = reference
    const path = reference.path
      .slice('/api'.length)
      .replaceAll(/\{(\w+)\}/g, (_, param: Kind) =>
        place === 'path' && param === name ? raw : (own[param] ?? 'me'),
      )
    const query = place === 'query' ? `?${name}=${raw}` : ''
    const base = body(reference, own)
    const given = place === 'body' ? { ...base, [name]: id } : base
    return t.call(method, path + query, { token, ...(given === undefined ? {} : { body: given }) })
  }

  /** A body that would do, were it not for the reference. */
  function body({ operation, name }: Reference, own: Ids): Record<string, unknown> | undefined {
    const { integrationDefinitionId, workspaceId } = own
    const config = { api_key: 'works', base_url: t.origin.url }
    const check = { integrationDefinitionId, authType: 'Api Key', config }
    const bodies: Record<string, Record<string, unknown>> = {
      updateWorkspace: {},
      createToken: { name: 'a', workspaceId },
      createDefinition: {
        name: 'Matrix',
        sourceUrl: `${t.origin.url}/bundle.js`,
        integrationType: 'CRM',
        workspaceId,
      },
      createAccount: { ...check, integrationAccountName: 'a', workspaceId },
      createAccountThroughLink: { ...check, integrationAccountName: 'a' },
      checkAccount: { ...check, workspaceId },
      updateAccount: { config },
      createLink: { linkName: 'a', workspaceId, integrationDefinitionId },
      createOAuthApp: { clientId: 'a', workspaceId, integrationDefinitionId },
      updateOAuthApp: {},
      startOAuth: {
        integrationAccountName: 'a',
        // A link knows its workspace; an app and an account know their definition.
        ...(name === 'linkId' ? {} : { workspaceId }),
        ...(/App|Account/.test(name) ? {} : { integrationDefinitionId }),
      },
    }
    return bodies[operation]
  }
}

function expected({ operation, place, name }: Reference, answer: Answer): void {
  const wanted = REFUSALS[`${place} ${name}`]
  if (wanted === 'empty') assert.deepEqual([answer.status, answer.body], [200, []])
  else assert.equal(answer.body?.error, wanted, `${operation} ${place}.${name}: ${answer.text}`)
}

/** An answer without what differs from one request to the next. */
function comparable(answer: Answer): string {
  const { 'x-request-id': _, date: __, 'content-length': ___, ...headers } = answer.headers
  if (Array.isArray(answer.body)) return JSON.stringify([answer.status, headers, answer.body])
  return JSON.stringify([answer.status, headers, { ...answer.body, timestamp: '', path: '' }])
}

function unknownId(kind: Kind): string {
  if (kind === 'linkId') return newLinkId()
  const prefix = {
    workspaceId: 'wsp',
    tokenId: 'tok',
    integrationAccountId: 'acc',
    integrationDefinitionId: 'def',
    integrationOAuthAppId: 'oap',
    previewId: 'pvw',
  } as const
  return newId(prefix[kind], Date.now())
}

/** One of everything in a workspace, and one of everything that was deleted there. */
async function things(
  t: World,
  token: string,
  workspaceId: string,
): Promise<{ live: Ids; gone: Ids }> {
  const make = async (): Promise<Ids> => {
    const { integrationDefinitionId = '' } = await t.define({ token, code: signInAt(t.origin.url) })
    const app = await registerApp(t, { token, integrationDefinitionId })
    const account = await t.connect(integrationDefinitionId, {}, token)
    const link = created(await t.call('POST', '/v1/link', { token, body: { linkName: 'a' } }))
    const body = { name: 'a', workspaceId }
    const minted = await t.call('POST', '/v1/user/token', { token: await widen(t, token), body })
    const integrationAccountId = String(account.integrationAccountId)
    const { tokenId } = created(minted)
    const preview = `/v1/integration_definition/${integrationDefinitionId}/preview`
    const { previewId } = fine(await t.call('POST', preview, { token: await widen(t, token) }))
    return {
      workspaceId,
      integrationDefinitionId,
      integrationAccountId,
      integrationOAuthAppId: String(app.integrationOAuthAppId),
      linkId: link.linkId,
      tokenId,
      previewId,
    }
  }
  const live = await make()
  const gone = await make()
  for (const path of [
    `integration_account/${gone.integrationAccountId}`,
    `integration_oauth/${gone.integrationOAuthAppId}`,
    `integration_definition/${gone.integrationDefinitionId}`,
    `link/${gone.linkId}`,
  ])
    fine(await t.call('DELETE', `/v1/${path}`, { token }))
  fine(await t.call('DELETE', `/v1/user/token/${gone.tokenId}`, { token: await widen(t, token) }))
  return { live, gone }
}

/** The mini bundle with its OAuth endpoints where they would be seen. */
function signInAt(url: string): string {
  const { OAuth2, ...others } = MINI_SPEC.auth_specification
  const here = { ...OAuth2, authorization_url: `${url}/authorize`, token_url: `${url}/token` }
  return miniBundle({ auth_specification: { ...others, OAuth2: here } })
}

/** The same token with every scope but admin: a user who was made by API starts with fewer. */
async function widen(t: World, token: string): Promise<string> {
  await t.database.transaction((trx) =>
    trx
      .updateTable('tokens')
      .set({ scopes: 'read write credentials:read tokens proxy' })
      .where('token_hash', '=', hashAccessToken(token))
      .where('scopes', 'not like', '%admin%')
      .execute(),
  )
  return token
}
