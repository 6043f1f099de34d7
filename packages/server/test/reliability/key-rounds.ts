import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AccountId } from '../../src/accounts/accounts/account.ts'
import { createEncryptionContext } from '../../src/accounts/accounts/credentials/account-config.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { newId } from '../../src/platform/storage/id.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { parseKeys } from '../../src/platform/vault/key-ring.ts'
import {
  createSealedValueStore,
  SEALED_COLUMNS,
} from '../../src/platform/vault/sealed-value-store.ts'
import { createTestWorkspace } from '../../src/platform/vault/test/test-keys.ts'
import { createVault, type Vault } from '../../src/platform/vault/vault.ts'
import { programEnvironment } from '../program-environment.ts'
import type { ServiceSetup } from './service-process.ts'

// The sources, which `young-data-keys.ts` can change: `npm test` may have built programs.
export const SOURCE_MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SOURCE_CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
export const YOUNG_DATA_KEYS = ['--import', new URL('young-data-keys.ts', import.meta.url).href]

const ACCOUNTS_PER_WORKSPACE = 50
const BATCH = 500

interface OpenSetup {
  readonly database: Database
  readonly vault: Vault
}

/** Opens the database of a service with a key ring, and closes it after `work`. */
export async function withVault<T>(
  { databaseUrl: url, dataDir }: ServiceSetup,
  keys: string,
  work: (open: OpenSetup) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ url, file: join(dataDir, 'linchpin.db') })
  try {
    return await work({
      database,
      vault: createVault({ database, keys: parseKeys(keys), now: Date.now }),
    })
  } finally {
    await database.close()
  }
}

/** Copies an account until there are `count`; one in two is in its workspace, the others in new ones. Returns the new IDs. */
export async function fillSealedAccounts(
  { database, vault }: OpenSetup,
  accountId: AccountId,
  count: number,
): Promise<AccountId[]> {
  const account = await database.read
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const config = await vault.openText(
    createEncryptionContext({ ...account, workspaceId: account.workspace_id, accountId }),
    account.sealed_config ?? Buffer.alloc(0),
  )
  const others: (typeof account.workspace_id)[] = []
  for (let index = 0; index < count / ACCOUNTS_PER_WORKSPACE; index += 1)
    others.push(await createTestWorkspace(database, vault))
  const rows: (typeof account)[] = []
  for (let index = 0; index < count; index += 1) {
    const id = newId('acc', Date.now())
    const other = others[Math.floor(index / 2) % others.length] ?? account.workspace_id
    const workspaceId = index % 2 === 0 ? account.workspace_id : other
    const context = createEncryptionContext({ workspaceId, accountId: id })
    rows.push({
      ...account,
      account_id: id,
      workspace_id: workspaceId,
      name: `account ${index}`,
      link_id: null,
      response_json: null,
      sealed_config: await vault.seal(context, config),
    })
  }
  for (let from = 0; from < count; from += BATCH)
    await database.transaction(async (trx) => {
      for (const row of rows.slice(from, from + BATCH))
        await trx.insertInto('accounts').values(row).execute()
    })
  return rows.flatMap((row) => (row.workspace_id === account.workspace_id ? row.account_id : []))
}

/** Opens every sealed value. Returns how many there are; and asserts that none is unreadable. */
export async function openEverything({ database, vault }: OpenSetup): Promise<number> {
  let count = 0
  for (const column of SEALED_COLUMNS) {
    const values = createSealedValueStore(database)
    for (let after: Parameters<typeof values.list>[1]['after']; ; ) {
      const rows = await values.list(column, { after, limit: 1_000 })
      after = rows.at(-1)
      if (after === undefined) break
      for (const row of rows) {
        const sealed = row.sealed as Uint8Array
        if (sealed.length === 0) continue
        await vault.open(column.getContext(row) as Parameters<Vault['open']>[0], sealed)
        count += 1
      }
    }
  }
  return count
}

/** Runs a command of the operator; killed after `killAfterMs`, if it has not ended by then. */
export async function runKeyCommand(
  args: readonly string[],
  setup: ServiceSetup,
  { keys, killAfterMs }: { readonly keys: string; readonly killAfterMs?: number },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child: ChildProcess = spawn(process.execPath, [...YOUNG_DATA_KEYS, SOURCE_CLI, ...args], {
    env: {
      ...programEnvironment(),
      LINCHPIN_DATA_DIR: setup.dataDir,
      LINCHPIN_KEYS: keys,
      ...(setup.databaseUrl === undefined ? {} : { DATABASE_URL: setup.databaseUrl }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  await once(child, 'close')
  clearTimeout(timer)
  return { code: child.exitCode, output }
}

/**
 * Runs a command until it has been killed `kills` times, each time at a random moment, and then to its end. `next` is
 * called after a run that has ended by itself, so that there is work again.
 */
export async function runUntilKilled(
  run: (killAfterMs?: number) => ReturnType<typeof runKeyCommand>,
  { kills, longestMs, next }: { kills: number; longestMs: () => number; next: () => void },
): Promise<{ readonly ended: number }> {
  let ended = 0
  for (let killed = 0; killed < kills; ) {
    const { code, output } = await run(100 + Math.random() * longestMs())
    if (code === null) killed += 1
    else {
      assert.equal(code, 0, output)
      ended += 1
      next()
    }
  }
  const { code, output } = await run()
  assert.equal(code, 0, output)
  return { ended: ended + 1 }
}
