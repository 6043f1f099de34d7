import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import { INITIAL_HASH, lockAuditChain } from '../../platform/storage/audit-inbox.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'
import { insertSampleRows } from '../../platform/storage/test/test-database.ts'
import { AUDIT_START, scrubAuditEvents } from '../../privacy/erasure/scrub-records-store.ts'
import { type AuditChainStore, createAuditChainStore, toChainedEntry } from './audit-chain-store.ts'
import { serializeAuditEntry } from './audit-entry.ts'
import {
  type AuditRetentionStore,
  createAuditRetention,
  createAuditRetentionStore,
} from './audit-retention-store.ts'
import { digestValue, hashEntry } from './hash-chain.ts'

const visitor = { userId: 'usr_owner', tokenId: null, requestId: 'request' } as const
const WRITERS = 8
const ENTRIES_PER_WRITER = 25

describeOnBothDatabases('The hash chain of the audit trail, with two processes', (newUrl) => {
  let folder: string
  let databases: [Database, Database]
  let retention: AuditRetentionStore
  let stores: [AuditChainStore, AuditChainStore]
  let workspaceId: `wsp_${string}`
  let accountId: `acc_${string}`
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linchpin-audit-'))
    const options = { url: await newUrl(), file: join(folder, 'linchpin.db') }
    const first = await openDatabase(options)
    await first.migrate()
    databases = [first, await openDatabase(options)]
    retention = createAuditRetentionStore(databases[0])
    stores = [createAuditChainStore(databases[0]), createAuditChainStore(databases[1])]
    const rows = await insertSampleRows(first, ['users', 'workspaces'])
    workspaceId = rows.workspaces.workspace_id
    accountId = newId('acc', Date.now())
  })
  after(async () => {
    for (const database of databases) await database.close()
    await rm(folder, { recursive: true })
  })

  const readChain = async (chainId: `wsp_${string}` | null = workspaceId) =>
    (
      await databases[0].read
        .selectFrom('audit_events')
        .selectAll()
        .where('workspace_id', chainId === null ? 'is' : '=', chainId)
        .where('sequence', 'is not', null)
        .orderBy('sequence')
        .execute()
    ).map(toChainedEntry)

  const assertChained = async (expected: number, chainId: `wsp_${string}` | null = workspaceId) => {
    const entries = await readChain(chainId)
    assert.equal(entries.length, expected)
    let previous = INITIAL_HASH
    for (const [index, entry] of entries.entries()) {
      const { ip, detail } = entry.personal
      assert.equal(entry.sequence, index + 1)
      const digests = { ip: ip?.digest ?? null, detail: detail.digest }
      assert.equal(entry.hash, hashEntry(previous, serializeAuditEntry(entry), digests))
      if (detail.salt !== null)
        assert.equal(detail.digest, digestValue(detail.salt, entry.detail), `${index}`)
      previous = entry.hash
    }
    return entries
  }

  it('contains every entry once, with those of earlier versions', async () => {
    const old = { event_id: newId('evt', 1), at: 1, workspace_id: workspaceId, user_id: '' }
    await databases[0].transaction((trx) =>
      trx
        .insertInto('audit_events')
        .values({
          ...old,
          token_id: '',
          action: 'account.error',
          subject: accountId,
          detail: '{}',
          request_id: '',
        })
        .execute(),
    )
    let isWriting = true
    const chain = async (store: AuditChainStore) => {
      while (isWriting) {
        await store.collectUnchained(7, Date.now())
        await store.chain([workspaceId], { limit: 7, now: Date.now() })
        await nextTurn()
      }
    }
    const write = async (writer: number) => {
      for (let count = 0; count < ENTRIES_PER_WRITER; count += 1)
        await databases[writer % 2 === 0 ? 0 : 1].transaction((trx) =>
          record(trx, { ...visitor, ip: `192.0.2.${writer}` }, Date.now(), {
            action: 'account.updated',
            workspaceId,
            subject: accountId,
            detail: { changed: ['name'], count },
          }),
        )
    }
    const background = [chain(stores[0]), chain(stores[1])]
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    while ((await stores[0].listUnchained(10)).length > 0) await nextTurn()
    isWriting = false
    await Promise.all(background)
    const entries = await assertChained(WRITERS * ENTRIES_PER_WRITER + 1)
    const earlier = entries.find(({ auditId }) => auditId === old.event_id)
    const { kind, via, userId, tokenId, requestId, subjectType, outcome } = earlier ?? {}
    assert.deepEqual(
      { kind, via, userId, tokenId, requestId, subjectType, outcome },
      {
        kind: 'system',
        via: 'background',
        userId: null,
        tokenId: null,
        requestId: null,
        subjectType: 'account',
        outcome: 'done',
      },
    )
  })

  it('remains valid when addresses and details are erased', async () => {
    const [subject, other, waiting] = [1, 2, 3].map((at) => newId('acc', at))
    assert.ok(subject && other && waiting)
    const before = (await readChain()).length
    const write = (...subjects: readonly string[]) =>
      databases[0].transaction(async (trx) => {
        for (const each of subjects)
          await record(trx, { ...visitor, ip: '192.0.2.9' }, Date.now(), {
            action: 'account.updated',
            workspaceId,
            subject: each,
            detail: { name: 'Ada' },
          })
      })
    const scrub = (each: string) =>
      databases[0].transaction((trx) => scrubAuditEvents(trx, workspaceId, each, AUDIT_START))
    await write(subject, other)
    await stores[0].chain([workspaceId], { limit: 10, now: Date.now() })
    assert.equal((await scrub(subject)).count, 1)
    await write(waiting)
    assert.equal((await scrub(waiting)).count, 1, 'also while it waits to be chained')
    await stores[0].chain([workspaceId], { limit: 10, now: Date.now() })
    const entries = (await assertChained(before + 3)).slice(before)
    assert.deepEqual(
      entries.map(({ ip, detail }) => [ip, detail]),
      [
        [null, undefined],
        ['192.0.2.9', { name: 'Ada' }],
        [null, {}],
      ],
    )
    assert.deepEqual(
      entries.map(({ personal }) => [personal.ip?.salt === null, personal.detail.salt === null]),
      [
        [true, true],
        [false, false],
        [false, false],
      ],
    )
  })

  it('of many workspaces grow in one transaction, except those that another transaction has locked', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => newId('wsp', at))
    const write = async () => {
      for (const id of ids)
        await databases[0].transaction((trx) =>
          record(trx, visitor, Date.now(), {
            action: 'link.created',
            workspaceId: id,
            subject: 'lnk_1',
          }),
        )
    }
    const chain = async () => (await stores[1].chain(ids, { limit: 200, now: Date.now() })).count
    await write()
    assert.equal(await chain(), ids.length)
    await write()
    const [locked = assert.fail(), ...others] = ids
    if (databases[0].dialect === 'postgres')
      assert.equal(await whileLocked(locked, chain), others.length)
    assert.equal(await chain(), databases[0].dialect === 'postgres' ? 1 : ids.length)
    assert.equal(await chain(), 0)
    for (const id of [locked, ...others]) await assertChained(2, id)
  })

  /** The result of `work`, which runs while another transaction of PostgreSQL has locked a chain. */
  const whileLocked = <T>(id: `wsp_${string}`, work: () => Promise<T>): Promise<T> =>
    databases[0].transaction(async (trx) => {
      await lockAuditChain(trx, id)
      return work()
    })

  it('exists for entries outside a workspace, too', async () => {
    await databases[0].transaction((trx) =>
      record(trx, SYSTEM_ACTOR, Date.now(), {
        action: 'token.created',
        workspaceId: null,
        subject: newId('tok', Date.now()),
      }),
    )
    assert.deepEqual(await stores[1].listUnchained(10), [null])
    await stores[1].chain([null], { limit: 10, now: Date.now() })
    await assertChained(1, null)
    assert.deepEqual(await stores[1].listUnchained(10), [])
  })

  it('publishes a signed checkpoint after 10 minutes with new entries, and none without', async () => {
    const signer = { keyId: 'key', sign: () => new Uint8Array([1]) }
    const later = Date.now() + 10 * 60_000
    assert.deepEqual(await stores[0].listDueCheckpoints(later - 10 * 60_000 - 60_000, 10), [])
    assert.ok((await stores[0].listDueCheckpoints(later, 10)).includes(workspaceId))
    const { due } = await stores[0].chain([workspaceId], { limit: 10, now: later })
    assert.deepEqual(due, [workspaceId])
    const [checkpoint] = await stores[0].publishCheckpoints(due, { now: later, signer })
    const last = (await readChain()).at(-1)
    assert.deepEqual(
      [checkpoint?.sequence, checkpoint?.hash, checkpoint?.signature],
      [last?.sequence, last?.hash, 'AQ'],
    )
    const again = await stores[0].chain([workspaceId], { limit: 10, now: later * 2 })
    assert.deepEqual(again, { count: 0, due: [] })
    const none = await stores[0].publishCheckpoints([workspaceId], { now: later * 2, signer })
    assert.deepEqual(none, [])
    const events = await databases[0].read.selectFrom('events').selectAll().execute()
    assert.deepEqual(
      events.map(({ type, data }) => [type, JSON.parse(data)]),
      [['audit.checkpoint', { checkpoint }]],
    )
  })

  it('keeps the hash of the last deleted entry as its base', async () => {
    const entries = await readChain()
    const deleted = await retention.deleteOld(workspaceId, Date.now() + 1, 3)
    assert.equal(deleted, 3)
    const chain = await databases[0].read
      .selectFrom('audit_chains')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    assert.deepEqual([chain.oldest, chain.base_hash], [4, entries[2]?.hash])
    assert.deepEqual((await readChain())[0]?.sequence, 4)
    assert.equal(await retention.deleteOld(workspaceId, 2, 100), 0, 'none is that old')
  })

  it('loses its oldest entries after LINCHPIN_AUDIT_DAYS, and none without', async () => {
    const DAY_MS = 24 * 60 * 60_000
    const before = await readChain()
    const deps = { store: retention, now: () => Date.now() + 91 * DAY_MS }
    await createAuditRetention(deps, undefined)()
    await createAuditRetention(deps, 92)()
    assert.equal((await readChain()).length, before.length)
    await createAuditRetention(deps, 90)()
    assert.deepEqual([await readChain(), await readChain(null)], [[], []])
    await databases[0].transaction((trx) =>
      record(trx, SYSTEM_ACTOR, Date.now(), {
        action: 'link.created',
        workspaceId,
        subject: 'lnk_1',
      }),
    )
    await stores[0].chain([workspaceId], { limit: 10, now: Date.now() })
    const [entry] = await readChain()
    const last = before.at(-1)
    assert.ok(entry && last)
    const { ip, detail } = entry.personal
    const digests = { ip: ip?.digest ?? null, detail: detail.digest }
    assert.equal(entry.hash, hashEntry(last.hash, serializeAuditEntry(entry), digests))
    assert.equal(entry.sequence, last.sequence + 1)
  })
})
