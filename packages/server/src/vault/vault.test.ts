import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { temporaryDatabase } from '../storage/test-database.ts'
import type { Place } from './sealed-box.ts'
import { configPlace, makeWorkspace, randomKey } from './test-keys.ts'
import { createVault } from './vault.ts'
import { VaultError } from './vault-error.ts'

const now = () => 1_790_000_000_000

describe('seal and open', () => {
  it('gives back what was sealed: 2,000 random texts and bytes', async (t) => {
    const { vault, workspaceId } = await setUp(t)
    const seed = randomBytes(8).toString('hex')
    t.diagnostic(`seed ${seed}`)
    const seen = new Set<string>()
    for (let count = 0; count < 2000; count += 1) {
      const bytes = randomFrom(seed, count)
      const place = configPlace(workspaceId, `acc_${count % 7}`)
      const sealed = await vault.seal(place, bytes)
      assert.deepEqual(Buffer.from(await vault.open(place, sealed)), bytes, `case ${count}`)
      const text = bytes.toString('base64')
      assert.equal(await vault.openText(place, await vault.seal(place, text)), text)
      seen.add(Buffer.from(sealed.subarray(3, 15)).toString('hex'))
    }
    assert.equal(seen.size, 2000, 'a nonce came twice')
  })

  it('keeps empty and non-ASCII text', async (t) => {
    const { vault, workspaceId } = await setUp(t)
    for (const text of ['', '🜁 é \u0000', 'x'.repeat(64_000)]) {
      const place = configPlace(workspaceId)
      assert.equal(await vault.openText(place, await vault.seal(place, text)), text)
    }
  })

  it('refuses a sealed value with any byte changed, or cut anywhere', async (t) => {
    const { vault, workspaceId } = await setUp(t)
    const place = configPlace(workspaceId)
    const sealed = await vault.seal(place, '{"apiKey":"secret-123"}')
    for (let index = 0; index < sealed.length; index += 1) {
      for (const change of [1, 0x80, 0xff]) {
        const changed = Uint8Array.from(sealed)
        changed[index] = (changed[index] ?? 0) ^ change
        await refused(() => vault.open(place, changed), `byte ${index} ^ ${change}`)
      }
      await refused(() => vault.open(place, sealed.subarray(0, index)), `cut at ${index}`)
    }
    await refused(() => vault.open(place, Buffer.concat([sealed, Buffer.alloc(1)])), 'longer')
  })

  it('refuses a sealed value anywhere but in its place', async (t) => {
    const { database, vault, workspaceId } = await setUp(t)
    const other = await makeWorkspace(database, vault)
    const place = configPlace(workspaceId)
    const sealed = await vault.seal(place, 'secret')
    const elsewhere: Place[] = [
      { ...place, table: 'links' },
      { ...place, column: 'public_config' },
      { ...place, workspaceId: other },
      { ...place, rowId: 'acc_2' },
      // The same letters in a row, split at another point.
      { ...place, table: 'account', column: 'ssealed_config' },
    ]
    for (const moved of elsewhere) {
      await refused(() => vault.open(moved, sealed), JSON.stringify(moved))
    }
    assert.equal(await vault.openText(place, sealed), 'secret')
  })

  it('refuses a data key that was moved from another workspace', async (t) => {
    const { database, keys, vault, workspaceId } = await setUp(t)
    const victim = await makeWorkspace(database, vault)
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
    const fresh = createVault({ database, keys, now })
    await refused(() => fresh.seal(configPlace(victim), 'secret'), 'moved data key')
  })

  it('knows no key for a workspace that has none, and finds it once it is there', async (t) => {
    const { database, vault } = await setUp(t)
    await assert.rejects(vault.seal(configPlace('wsp_none'), 'x'), { kind: 'unknown_key' })
    const workspaceId = await makeWorkspace(database, vault)
    await database.transaction((trx) =>
      trx.deleteFrom('workspace_keys').where('workspace_id', '=', workspaceId).execute(),
    )
    await assert.rejects(vault.seal(configPlace(workspaceId), 'x'), { kind: 'unknown_key' })
    await database.transaction((trx) => vault.createWorkspaceKey(trx, workspaceId))
    assert.ok(await vault.seal(configPlace(workspaceId), 'x'))
  })

  it('opens right with far more workspaces than it keeps keys of', async (t) => {
    const { database, vault } = await setUp(t)
    const ids = await Promise.all(
      Array.from({ length: 1100 }, () => makeWorkspace(database, vault)),
    )
    const sealed = await Promise.all(ids.map((id) => vault.seal(configPlace(id), id)))
    const opened = await Promise.all(
      ids.map((id, index) => vault.openText(configPlace(id), sealed[index] ?? new Uint8Array())),
    )
    assert.deepEqual(opened, ids)
  })
})

async function setUp(t: TestContext) {
  const database = await temporaryDatabase(t)
  const keys = [randomKey('k1')] as const
  const vault = createVault({ database, keys, now })
  await vault.verify()
  return { database, keys, vault, workspaceId: await makeWorkspace(database, vault) }
}

/** Bytes of every length up to about 600, the same for the same seed. */
function randomFrom(seed: string, count: number): Buffer {
  const length =
    createHash('sha256').update(`${seed} length ${count}`).digest().readUInt16BE() % 600
  return createHash('shake256', { outputLength: length + 1 })
    .update(`${seed} ${count}`)
    .digest()
    .subarray(1)
}

async function refused(open: () => Promise<unknown>, what: string): Promise<void> {
  await assert.rejects(open, (error) => {
    assert.ok(error instanceof VaultError, what)
    assert.equal(error.kind, 'tampered', what)
    return true
  })
}
