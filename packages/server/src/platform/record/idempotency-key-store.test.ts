import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { createStoredKeyLimit } from '../../app/idempotency/limit-stored-keys.ts'
import { createLog } from '../http/log.ts'
import type { Database } from '../storage/database.ts'
import { newId } from '../storage/id.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { IdempotencyKeyRow } from '../storage/tables.ts'
import type { IdempotencyClaim } from './change.ts'
import {
  createIdempotencyKeyStore,
  type IdempotencyKeyStore,
  settleIdempotencyKey,
} from './idempotency-key-store.ts'
import {
  createIdempotencyRetentionStore,
  deleteIdempotencyKeys,
  type IdempotencyRetentionStore,
} from './idempotency-retention-store.ts'

const REQUEST = { operation: 'createLink', fingerprint: new Uint8Array(32), scopes: ['read'] }

describeOnBothDatabases('Idempotency keys in the database', (newUrl) => {
  let folder: string
  let database: Database
  let store: IdempotencyKeyStore & IdempotencyRetentionStore
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linchpin-keys-'))
    database = await openDatabase({ url: await newUrl(), file: join(folder, 'linchpin.db') })
    await database.migrate()
    store = {
      ...createIdempotencyKeyStore(database, Date.now),
      ...createIdempotencyRetentionStore(database, Date.now),
    }
  })
  after(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  const newClaim = (fields: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
    userId: newId('usr', Date.now()),
    boundWorkspaceId: null,
    keyHash: crypto.getRandomValues(new Uint8Array(32)),
    owner: store.createOwner(),
    seal: () => ({ status: 201, sealed: new Uint8Array(100) }),
    ...fields,
  })
  const rival = (claim: IdempotencyClaim) => ({ ...claim, owner: store.createOwner() })
  const change = (claim: IdempotencyClaim, values: Partial<IdempotencyKeyRow>) =>
    database.transaction((trx) =>
      trx.updateTable('idempotency_keys').set(values).where('user_id', '=', claim.userId).execute(),
    )
  const settle = (claim: IdempotencyClaim, resource = 'acc_1') =>
    database.transaction((trx) =>
      settleIdempotencyKey(trx, claim, { workspaceId: 'wsp_1', resource, response: {} }),
    )
  const countKeys = async (claim: IdempotencyClaim) => (await store.measure(claim.userId)).keys

  it('one of fifty concurrent requests claims a key', async () => {
    const claim = newClaim()
    const rivals = Array.from({ length: 50 }, () => rival(claim))
    const outcomes = await Promise.all(rivals.map((each) => store.claim(each, REQUEST)))
    assert.equal(outcomes.filter((outcome) => outcome === 'claimed').length, 1)
    assert.equal(await countKeys(claim), 1)
  })

  it('a claim that has ended is taken over once, and its owner can neither settle nor free the key', async () => {
    const first = newClaim()
    assert.equal(await store.claim(first, REQUEST), 'claimed')
    await change(first, { claim_until: 1 })
    const rivals = Array.from({ length: 20 }, () => rival(first))
    const outcomes = await Promise.all(rivals.map((each) => store.claim(each, REQUEST)))
    assert.equal(outcomes.filter((outcome) => outcome === 'claimed').length, 1)
    await assert.rejects(settle(first), { code: 'idempotency_in_progress' })
    await store.release(first)
    await store.storeResponse(first, { status: 201, sealed: new Uint8Array(1) })
    const found = await store.claim(rival(first), REQUEST)
    assert.ok(found !== 'claimed' && found?.state === 'running')
  })

  it('a claim that is extended does not end', async () => {
    const claim = newClaim()
    await store.claim(claim, REQUEST)
    await change(claim, { claim_until: 1 })
    await store.extend(claim)
    assert.notEqual(await store.claim(rival(claim), REQUEST), 'claimed')
  })

  it('a request that takes over waits for the transaction of the first, and then finds its effect', async () => {
    const first = newClaim()
    await store.claim(first, REQUEST)
    await change(first, { claim_until: 1 })
    let second: ReturnType<IdempotencyKeyStore['claim']> | undefined
    await database.transaction(async (trx) => {
      await settleIdempotencyKey(trx, first, { workspaceId: null, resource: 'x', response: {} })
      second = store.claim(rival(first), REQUEST)
    })
    const found = await second
    assert.ok(found !== undefined && found !== 'claimed')
    assert.deepEqual([found.state, found.response?.status], ['done', 201])
  })

  it('a key without an effect is freed, and one with an effect is not', async () => {
    const claim = newClaim()
    await store.claim(claim, REQUEST)
    await store.release(claim)
    assert.equal(await countKeys(claim), 0)
    await store.claim(claim, REQUEST)
    await settle(claim)
    await store.release(claim)
    assert.equal(await countKeys(claim), 1)
  })

  it('an expired key can be claimed, and is deleted in batches', async () => {
    const claim = newClaim()
    await store.claim(claim, REQUEST)
    await settle(claim)
    await change(claim, { expires_at: 1 })
    const next = rival(claim)
    assert.equal(await store.claim(next, REQUEST), 'claimed')
    for (let count = 0; count < 4; count += 1)
      await store.claim(newClaim({ userId: claim.userId }), REQUEST)
    const rows = database.read.selectFrom('idempotency_keys').select('key_hash')
    const keys = await rows.where('user_id', '=', claim.userId).execute()
    for (const [index, { key_hash }] of keys.entries())
      await database.transaction((trx) =>
        trx
          .updateTable('idempotency_keys')
          .set({ expires_at: index + 1 })
          .where('key_hash', '=', key_hash)
          .execute(),
      )
    for (const deleted of [3, 2, 0]) assert.equal(await store.deleteExpired(3), deleted)
  })

  it('the keys of a resource or a workspace are deleted, and those of other users are not', async () => {
    const { userId } = newClaim()
    const other = newClaim()
    const add = async (claim: IdempotencyClaim, resource: string) => {
      await store.claim(claim, REQUEST)
      await settle(claim, resource)
    }
    await add(newClaim({ userId }), 'acc_1')
    await add(newClaim({ userId }), 'acc_2')
    await store.claim(newClaim({ userId, boundWorkspaceId: 'wsp_1' }), REQUEST)
    await store.claim(newClaim({ userId, boundWorkspaceId: 'wsp_2' }), REQUEST)
    await add(other, 'acc_1')
    const count = async () => (await store.measure(userId)).keys
    const remove = (filter: Parameters<typeof deleteIdempotencyKeys>[2]) =>
      database.transaction((trx) => deleteIdempotencyKeys(trx, { userId }, filter))
    await remove({ resources: ['acc_1', 'acc_9'] })
    assert.equal(await count(), 3)
    await remove({ workspaceId: 'wsp_1' })
    assert.equal(await count(), 1)
    assert.equal(await countKeys(other), 1)
  })

  it('the oldest keys of a user are deleted when there are too many, except running ones', async () => {
    const { userId } = newClaim()
    const limit = createStoredKeyLimit({
      store,
      log: createLog('silent'),
      maxKeys: 5,
      interval: 10,
    })
    const running = newClaim({ userId })
    await store.claim(running, REQUEST)
    for (let count = 0; count < 9; count += 1) {
      const claim = newClaim({ userId })
      await store.claim(claim, REQUEST)
      await settle(claim)
      limit.count(userId, 100)
    }
    await limit.stop()
    assert.deepEqual(await store.measure(userId), { keys: 10, bytes: 900 })
    limit.count(userId, 100)
    await limit.stop()
    assert.ok((await store.measure(userId)).keys <= 5)
    const found = await store.claim(rival(running), REQUEST)
    assert.ok(found !== 'claimed' && found?.state === 'running')
  })
})
