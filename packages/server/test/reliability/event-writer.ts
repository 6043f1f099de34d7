/**
 * A process that kills itself: `node event-writer.ts <file or url> <ids as JSON> <kill before this statement> <mode>`. Makes
 * changes that are events, one of each kind, and prints how many statements that took. With the mode `separate` it records
 * a change after its transaction: the control.
 */

import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'
import {
  type NewAccount,
  NON_REFRESHABLE_DEFAULTS,
  toNewAccount,
} from '../../src/accounts/accounts/account.ts'
import { recordAccountChange } from '../../src/accounts/accounts/account-records.ts'
import { createAccountStore } from '../../src/accounts/accounts/account-store.ts'
import { insertAccount } from '../../src/accounts/accounts/create-account.ts'
import type { CheckedConfig } from '../../src/accounts/accounts/verification/check-config.ts'
import { createEventStore } from '../../src/activity/events/event-store.ts'
import { LINK, type Link } from '../../src/connect/links/link.ts'
import { insertLink, revokeLink } from '../../src/connect/links/link-store.ts'
import {
  recordExpiredLinks,
  recordIfFull,
  recordLinkChange,
} from '../../src/connect/links/record-link-change.ts'
import type { Transaction } from '../../src/platform/storage/database.ts'
import { newId, newLinkId } from '../../src/platform/storage/id.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'

const [, , location = '', ids = '{}', killAt = '0', mode = ''] = process.argv
const isUrl = location.startsWith('postgres:')
const { userId, workspaceId, definitionId } = JSON.parse(ids)
const database = await openDatabase(isUrl ? { url: location } : { file: location })
const accounts = createAccountStore(database)
const actor = { userId, tokenId: null, requestId: 'none' }
const access = { userId, boundWorkspaceId: null }

let statements = 0
const countStatement = () => {
  statements += 1
  if (statements === Number(killAt)) process.kill(process.pid, 'SIGKILL')
}
wrap(pg.Client.prototype, ['query'])
wrap(DatabaseSync.prototype, ['exec'])
wrap(StatementSync.prototype, ['run', 'get', 'all'])

const now = Date.now()
const deps = { baseUrl: () => 'http://localhost' }
const full = createLink({ maxAccounts: 1 })
await change(
  (trx) => insertLink(trx, full),
  (trx) => recordLinkChange(deps, trx, actor, now, { type: 'link.created', link: full }),
)
const account = createAccount(full)
await database.transaction(async (trx) => {
  const checked = { rotatedTokens: [], outcome: {} } as unknown as CheckedConfig
  await insertAccount(
    { accounts, rotations: never() },
    trx,
    { ...access, ...actor },
    account,
    checked,
  )
  await recordIfFull({ ...deps, accounts }, trx, actor, full, now)
})
await change(
  async (trx) => {
    const { accountId } = account
    await trx
      .updateTable('accounts')
      .set({ name: 'renamed' })
      .where('account_id', '=', accountId)
      .execute()
  },
  (trx) => {
    const action = 'account.updated'
    return recordAccountChange(trx, actor, now, {
      action,
      accountId: account.accountId,
      type: action,
    })
  },
)
await change(
  (trx) => revokeLink(trx, access, full.linkId, now),
  (trx) => recordLinkChange(deps, trx, actor, now, { type: 'link.revoked', link: full }),
)
const expired = createLink({ expiresAt: now })
await change(
  (trx) => insertLink(trx, expired),
  (trx) => recordLinkChange(deps, trx, actor, now, { type: 'link.created', link: expired }),
)
await recordExpiredLinks({ ...deps, database, now: () => now })
await createEventStore(database).number([workspaceId], 1_000)
process.stdout.write(`${statements}`)
process.exit(0)

async function change(
  write: (trx: Transaction) => Promise<unknown>,
  record: (trx: Transaction) => Promise<void>,
): Promise<void> {
  if (mode !== 'separate')
    return database.transaction(async (trx) => {
      await write(trx)
      await record(trx)
    })
  await database.transaction(write)
  await database.transaction(record)
}

function wrap(prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const original = Reflect.get(prototype, name)
    Reflect.set(prototype, name, function counted(this: unknown, ...args: unknown[]) {
      countStatement()
      return Reflect.apply(original, this, args)
    })
  }
}

function createLink(fields: Partial<Link>): Link {
  return LINK.create({
    linkId: newLinkId(),
    workspaceId,
    name: 'a',
    canExpire: false,
    expiresIn: 0,
    preferOAuth: false,
    categories: [],
    definitionIds: [],
    allowedOrigins: [],
    redirectUrls: [],
    scopes: {},
    sessionsOnly: false,
    requireCustomerApp: false,
    createdAt: now,
    updatedAt: now,
    ...fields,
  })
}

function createAccount({ linkId }: Link): NewAccount {
  return toNewAccount({
    accountId: newId('acc', now),
    workspaceId,
    definitionId,
    linkId,
    name: 'a',
    authType: 'Token',
    tags: {},
    publicConfig: {},
    credentialVersion: 1,
    sealedConfig: new Uint8Array([1]),
    ...NON_REFRESHABLE_DEFAULTS,
    createdAt: now,
    updatedAt: now,
  })
}

function never(): never {
  return undefined as never
}
