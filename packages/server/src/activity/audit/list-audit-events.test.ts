import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { digestValue, hashEntry, hashHeader } from './hash-chain.ts'

interface Listed {
  readonly auditId: string
  readonly sequence: number
  readonly action: string
  readonly subject: string
  readonly actor: Record<string, unknown>
  readonly timestamp: string
  readonly requestId: string
}

const KEYS = [
  ...['auditId', 'timestamp', 'workspaceId', 'sequence', 'actor', 'action', 'outcome'],
  ...['subject', 'subjectType', 'detail', 'requestId'],
]

describeOnBothDatabases('GET /v1/audit', (newUrl) => {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const createWorkspace = async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const scopes = ['read', 'write', 'audit:read', 'tokens']
    return { workspaceId, token: await t.createToken({ workspaceId, scopes }) }
  }
  const list = (token: string, query = '') => t.call('GET', `/v1/audit${query}`, { token })
  /** Waits until as many entries are chained. */
  const listAll = async (token: string, count: number, query = ''): Promise<Listed[]> => {
    for (;;) {
      const entries = expectOk(await list(token, query)) as Listed[]
      if (entries.length >= count) return entries
      await sleep(20)
    }
  }
  const createLinks = async (token: string, count: number) => {
    for (let index = 0; index < count; index += 1)
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' }, token }))
  }

  it('GET /v1/audit: 200 with who, what, when, from where and the request, newest first', async () => {
    const { workspaceId, token } = await createWorkspace()
    const response = await t.call('POST', '/v1/link', { body: { linkName: 'a' }, token })
    const [entry] = await listAll(token, 3)
    assert.ok(entry)
    expectKeys(entry, KEYS)
    const { userId, tokenId } = entry.actor
    const user = expectOk(await t.call('GET', '/v1/user')).userId
    assert.deepEqual(entry.actor, { kind: 'token', via: 'api', userId, tokenId, ip: '127.0.0.1' })
    assert.deepEqual(
      { ...entry, auditId: '', timestamp: '', actor: userId },
      {
        auditId: '',
        timestamp: '',
        workspaceId,
        sequence: 3,
        actor: user,
        action: 'link.created',
        outcome: 'done',
        detail: {},
        subject: response.body.linkId.slice(0, 8),
        subjectType: 'link',
        requestId: response.headers['x-request-id'],
      },
    )
    assert.deepEqual(
      (await listAll(token, 3)).map(({ action }) => action),
      ['link.created', 'token.created', 'workspace.created'],
    )
  })

  it('GET /v1/audit: 200 with the pages of all entries that match', async () => {
    const { token } = await createWorkspace()
    await createLinks(token, 7)
    const [newest] = await listAll(token, 9)
    assert.ok(newest)
    const actions: number[] = []
    let query: string | undefined = '?limit=3&action=link.created'
    for (let pages = 0; query !== undefined; pages += 1) {
      const page = await list(token, query)
      actions.push(...(expectOk(page) as Listed[]).map(({ sequence }) => sequence))
      query = /\/v1\/audit(\?[^>]*)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1]
      assert.ok(pages < 5)
    }
    assert.deepEqual(actions, [9, 8, 7, 6, 5, 4, 3])
    const { userId, tokenId, ip } = newest.actor
    const count = async (filter: string) => (expectOk(await list(token, filter)) as Listed[]).length
    const { subject, timestamp } = newest
    assert.deepEqual(
      [
        await count(`?subject=${subject}`),
        await count(`?tokenId=${tokenId}`),
        await count(`?actor=${userId}`),
        await count(`?ip=${ip}`),
        await count(`?requestId=${newest.requestId}`),
        await count('?requestId=unknown'),
        await count('?outcome=refused'),
        await count('?outcome=done'),
        await count(`?to=${timestamp}&from=2026-01-01T00:00:00Z&limit=1`),
        await count('?from=2999-01-01T00:00:00Z'),
        await count('?to=2001-01-01T00:00:00Z'),
      ],
      [1, 7, 9, 9, 1, 0, 0, 9, 1, 0, 0],
    )
  })

  it('GET /v1/audit: 400 for an invalid cursor, time or parameter', async () => {
    for (const query of ['?cursor=x', '?from=yesterday', '?limit=0', '?outcome=maybe', '?x=1'])
      expectError(await list(t.token, query), 'invalid_parameter')
  })

  it('GET /v1/audit: entries outside a workspace are for administrators of the instance', async () => {
    await t.createToken()
    const entries = await listAll(t.token, 1, '?instance=true')
    assert.equal(entries[0]?.action, 'token.created')
    const { token } = await createWorkspace()
    expectError(await list(token, '?instance=true'), 'insufficient_scope')
  })

  it('GET /v1/audit: 403 for the workspace of another user', async () => {
    const { token, workspaceId } = await t.otherUser()
    expectOk(await list(token))
    expectError(await list(token, `?workspaceId=${t.workspaceId}`), 'workspace_not_accessible')
    expectError(await list(t.token, `?workspaceId=${workspaceId}`), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'GET', '/v1/audit', { scope: 'audit:read' })

  it('GET /v1/audit/export: 200 with lines that form a chain, and an entry about itself', async () => {
    const { workspaceId, token } = await createWorkspace()
    await createLinks(token, 3)
    await listAll(token, 5)
    const response = await t.call('GET', '/v1/audit/export', { token })
    assert.equal(response.status, 200)
    const [header, ...rest] = response.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const end = rest.pop()
    assert.deepEqual(
      [header.type, header.version, header.workspaceId, header.base.sequence],
      ['linchpin-audit-export', 2, workspaceId, 0],
    )
    const { hash: lastHash } = rest.at(-1)
    const headerHash = hashHeader(header)
    assert.deepEqual(end, { type: 'end', sequence: 5, hash: lastHash, headerHash })
    let previous = header.base.hash
    for (const { personal, previousHash, hash, ...entry } of rest) {
      assert.equal(previousHash, previous)
      assert.equal(digestValue(personal.ip.salt, entry.actor.ip), personal.ip.digest)
      assert.equal(digestValue(personal.detail.salt, entry.detail), personal.detail.digest)
      const digests = { ip: personal.ip.digest, detail: personal.detail.digest }
      assert.equal(hashEntry(previous, entry, digests), hash)
      previous = hash
    }
    const [entry] = await listAll(token, 6)
    assert.deepEqual([entry?.action, entry?.subject], ['audit.exported', workspaceId])
  })

  it('GET /v1/audit/export: 200 with the entries of a time range', async () => {
    const { token } = await createWorkspace()
    await createLinks(token, 1)
    await listAll(token, 3)
    await sleep(2)
    const from = new Date().toISOString()
    await createLinks(token, 2)
    await listAll(token, 5)
    const { text } = await t.call('GET', `/v1/audit/export?from=${from}`, { token })
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      [lines[0].base.sequence, ...lines.slice(1).map(({ sequence }) => sequence)],
      [3, 4, 5, 5],
    )
  })

  it('GET /v1/audit/export: 400 for an invalid time, 403 for the workspace of another user', async () => {
    const { workspaceId } = await t.otherUser()
    expectError(await t.call('GET', '/v1/audit/export?from=x'), 'invalid_parameter')
    const path = `/v1/audit/export?workspaceId=${workspaceId}`
    expectError(await t.call('GET', path), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'GET', '/v1/audit/export', { scope: 'audit:read' })

  it('GET /audit/jwks.json: 200 with the key that signs checkpoints, without a token', async () => {
    const { status, body } = await t.call('GET', '!/audit/jwks.json', { token: null })
    assert.equal(status, 200)
    assert.deepEqual(
      [body.keys.length, body.keys[0].crv, body.keys[0].x.length],
      [1, 'Ed25519', 43],
    )
  })
})
