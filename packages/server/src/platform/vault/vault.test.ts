import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { openTemporaryDatabase } from '../storage/test/test-database.ts'
import { VaultError } from './sealed-box.ts'
import { createSealContext, createTestWorkspace, generateKey } from './test/test-keys.ts'
import { createVault, type WorkspaceSealContext } from './vault.ts'

const now = () => 1_790_000_000_000

describe('Vault', () => {
  it('the vault opens what it sealed: 2,000 random strings and byte arrays', async (t) => {
    const { vault, workspaceId } = await setUp(t)
    const seed = randomBytes(8).toString('hex')
    t.diagnostic(`seed ${seed}`)
    const nonces = new Set<string>()
    for (let count = 0; count < 2000; count += 1) {
      const bytes = generateBytes(seed, count)
      const context = createSealContext(workspaceId, `acc_${count % 7}`)
      const sealed = await vault.seal(context, bytes)
      assert.deepEqual(Buffer.from(await vault.open(context, sealed)), bytes, `case ${count}`)
      const text = bytes.toString('base64')
      assert.equal(await vault.openText(context, await vault.seal(context, text)), text)
      nonces.add(Buffer.from(sealed.subarray(3, 15)).toString('hex'))
    }
    assert.equal(nonces.size, 2000, 'a nonce was used twice')
  })

  it('the vault derives a key per purpose from its first key, and the same after a restart', async (t) => {
    const database = await openTemporaryDatabase(t)
    const [key, other] = [generateKey('first'), generateKey('other')]
    const derive = (purpose: string, ...ring: [typeof key, ...(typeof key)[]]) =>
      createVault({ database, keys: ring, now }).deriveKey(purpose).export().toString('hex')
    assert.equal(derive('one', key), derive('one', key, other))
    const derived = [derive('one', key), derive('two', key), derive('one', other)]
    assert.equal(new Set([...derived, key.key.export().toString('hex')]).size, 4)
  })

  it('the vault preserves empty and non-ASCII text', async (t) => {
    const { vault, workspaceId } = await setUp(t)
    for (const text of ['', '🜁 é \u0000', 'x'.repeat(64_000)]) {
      const context = createSealContext(workspaceId)
      assert.equal(await vault.openText(context, await vault.seal(context, text)), text)
    }
  })

  it('the vault rejects a sealed value with any byte changed or truncated anywhere', async (t) => {
    const { vault, workspaceId } = await setUp(t)
    const context = createSealContext(workspaceId)
    const sealed = await vault.seal(context, '{"apiKey":"secret-123"}')
    for (let index = 0; index < sealed.length; index += 1) {
      for (const change of [1, 0x80, 0xff]) {
        const changed = Uint8Array.from(sealed)
        changed[index] = (changed[index] ?? 0) ^ change
        await assertTampered(() => vault.open(context, changed), `byte ${index} ^ ${change}`)
      }
      await assertTampered(() => vault.open(context, sealed.subarray(0, index)), `cut at ${index}`)
    }
    await assertTampered(
      () => vault.open(context, Buffer.concat([sealed, Buffer.alloc(1)])),
      'longer',
    )
  })

  it('the vault rejects a sealed value in any other context', async (t) => {
    const { database, vault, workspaceId } = await setUp(t)
    const other = await createTestWorkspace(database, vault)
    const context = createSealContext(workspaceId)
    const sealed = await vault.seal(context, 'secret')
    const otherContexts: WorkspaceSealContext[] = [
      { ...context, table: 'links' },
      { ...context, column: 'public_config' },
      { ...context, workspaceId: other },
      { ...context, rowId: 'acc_2' },
      // The same characters, split at another position.
      { ...context, table: 'account', column: 'ssealed_config' },
    ]
    for (const otherContext of otherContexts) {
      await assertTampered(() => vault.open(otherContext, sealed), JSON.stringify(otherContext))
    }
    assert.equal(await vault.openText(context, sealed), 'secret')
  })

  it('the vault rejects a data key moved from another workspace', async (t) => {
    const { database, keys, vault, workspaceId } = await setUp(t)
    const victim = await createTestWorkspace(database, vault)
    await database.transaction(async (trx) => {
      const row = await trx
        .selectFrom('workspace_keys')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow()
      await trx
        .updateTable('workspace_keys')
        .set({ wrapped_key: row.wrapped_key })
        .where('workspace_id', '=', victim)
        .execute()
    })
    const freshVault = createVault({ database, keys, now })
    await assertTampered(
      () => freshVault.seal(createSealContext(victim), 'secret'),
      'moved data key',
    )
  })

  it('the vault throws unknown_key for a workspace without a key, until it has one', async (t) => {
    const { database, vault } = await setUp(t)
    await assert.rejects(vault.seal(createSealContext('wsp_none'), 'x'), { kind: 'no_data_key' })
    const workspaceId = await createTestWorkspace(database, vault)
    await database.transaction((trx) =>
      trx.deleteFrom('workspace_keys').where('workspace_id', '=', workspaceId).execute(),
    )
    await assert.rejects(vault.seal(createSealContext(workspaceId), 'x'), { kind: 'no_data_key' })
    await database.transaction((trx) => vault.createWorkspaceKey(trx, workspaceId))
    assert.ok(await vault.seal(createSealContext(workspaceId), 'x'))
  })

  it('the vault opens values of more workspaces than its key cache holds', async (t) => {
    const { database, vault } = await setUp(t)
    const ids = await Promise.all(
      Array.from({ length: 1100 }, () => createTestWorkspace(database, vault)),
    )
    const sealed = await Promise.all(ids.map((id) => vault.seal(createSealContext(id), id)))
    const opened = await Promise.all(
      ids.map((id, index) =>
        vault.openText(createSealContext(id), sealed[index] ?? new Uint8Array()),
      ),
    )
    assert.deepEqual(opened, ids)
  })
})

async function setUp(t: TestContext) {
  const database = await openTemporaryDatabase(t)
  const keys = [generateKey('k1')] as const
  const vault = createVault({ database, keys, now })
  await vault.verify()
  return { database, keys, vault, workspaceId: await createTestWorkspace(database, vault) }
}

/** Deterministic bytes of lengths up to about 600, depending on the seed. */
function generateBytes(seed: string, count: number): Buffer {
  const length =
    createHash('sha256').update(`${seed} length ${count}`).digest().readUInt16BE() % 600
  return createHash('shake256', { outputLength: length + 1 })
    .update(`${seed} ${count}`)
    .digest()
    .subarray(1)
}

async function assertTampered(open: () => Promise<unknown>, label: string): Promise<void> {
  await assert.rejects(open, (error) => {
    assert.ok(error instanceof VaultError, label)
    assert.equal(error.kind, 'tampered', label)
    return true
  })
}
