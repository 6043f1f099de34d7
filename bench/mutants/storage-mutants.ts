import type { Mutant } from './mutant.ts'

const SERVER = 'packages/server/src'

export const UNSYNCED_COMMITS: Mutant = {
  name: 'a service acknowledges commits that it has not synced',
  file: `${SERVER}/platform/storage/sqlite-database.ts`,
  original: 'log.sync().then(snapshot.release)',
  replacement: 'Promise.resolve().then(snapshot.release)',
  caughtBy: {
    file: `${SERVER}/platform/storage/sqlite-database.test.ts`,
    test: 'is synced beside the event loop before a transaction resolves, and read as it was before until then',
  },
}

/** What is stored, and stays stored. */
export const STORAGE_MUTANTS: readonly Mutant[] = [
  UNSYNCED_COMMITS,
  {
    name: 'SQLite acknowledges commits of a command that it has not flushed',
    file: `${SERVER}/platform/storage/sqlite-database.ts`,
    original: "'PRAGMA synchronous = FULL'",
    replacement: "'PRAGMA synchronous = NORMAL'",
    caughtBy: {
      file: `${SERVER}/platform/storage/sqlite-database.test.ts`,
      test: 'is synced at every commit of a command, enforces foreign keys and needs no temporary files',
    },
  },
  {
    name: 'reads see commits that are not durable',
    file: `${SERVER}/platform/storage/sqlite-database.ts`,
    original: 'log === undefined ? snapshot.leave : () => snapshot.hold(writer)',
    replacement: 'snapshot.leave',
    caughtBy: {
      file: `${SERVER}/platform/storage/sqlite-database.test.ts`,
      test: 'is synced beside the event loop before a transaction resolves, and read as it was before until then',
    },
  },
  {
    name: 'a snapshot that is held during a sync outlives the commit of another process',
    file: `${SERVER}/platform/storage/sqlite-connection.ts`,
    original: '    if (hasOtherCommit?.()) release()\n',
    replacement: '',
    caughtBy: {
      file: `${SERVER}/platform/storage/sqlite-database.test.ts`,
      test: 'is read as another process has left it, at once, even while a commit is being synced',
    },
  },
  {
    name: 'a write is acknowledged before its commit',
    file: `${SERVER}/platform/storage/group-commit.ts`,
    original: '    for (const pending of batch) await pending.run(connection)\n',
    replacement:
      '    for (const pending of batch) {\n      await pending.run(connection)\n      pending.settle(undefined)\n    }\n',
    caughtBy: {
      file: `${SERVER}/platform/storage/group-commit.test.ts`,
      test: 'settles no transaction before the commit',
    },
  },
  {
    name: 'a failed transaction of a group is committed',
    file: `${SERVER}/platform/storage/group-commit.ts`,
    original: "connection.exec('ROLLBACK TO work; RELEASE work')",
    replacement: "connection.exec('RELEASE work')",
    caughtBy: {
      file: `${SERVER}/platform/storage/group-commit.test.ts`,
      test: 'commits 200 transactions of one iteration together, without the failing ones',
    },
  },
  {
    name: 'a failure is stored with its idempotency key',
    file: `${SERVER}/app/idempotency/handle-idempotency-keys.ts`,
    original: 'if (actualStatus !== status) return',
    replacement: 'if (actualStatus < 400 && actualStatus !== status) return',
    caughtBy: {
      file: `${SERVER}/app/idempotency/handle-idempotency-keys.test.ts`,
      test: 'runs again after a failure',
    },
  },
  {
    name: 'an idempotency key is not settled with its effect',
    file: `${SERVER}/platform/record/record-store.ts`,
    original: '  await settleKey(trx, actor, change)\n',
    replacement: '',
    caughtBy: {
      file: `${SERVER}/app/idempotency/crash-points.test.ts`,
      test: 'createLink: a retry finds or makes exactly one effect',
    },
  },
  {
    name: 'a change publishes no event',
    file: `${SERVER}/platform/record/record-store.ts`,
    original: 'if (event !== undefined) await',
    replacement: 'if (event === null) await',
    caughtBy: {
      file: 'packages/server/test/event-types.test.ts',
      test: 'are published through HTTP as their schemas say',
    },
  },
  {
    name: 'the place of a sealed value is not authenticated',
    file: `${SERVER}/platform/vault/sealed-box.ts`,
    original: '[table, column, workspaceId, rowId].map',
    replacement: '[table, column, workspaceId, rowId].slice(4).map',
    caughtBy: {
      file: `${SERVER}/platform/vault/vault.test.ts`,
      test: 'the vault rejects a sealed value in any other context',
    },
  },
  {
    name: 'the tag of a sealed value is not checked',
    file: `${SERVER}/platform/vault/sealed-box.ts`,
    original: '  decipher.setAuthTag(tag)\n',
    replacement:
      '  decipher.setAuthTag(tag)\n  if (sealed.length > 0) return decipher.update(sealed)\n',
    caughtBy: {
      file: `${SERVER}/platform/vault/sealed-box.test.ts`,
      test: 'openBox rejects another key id, even with the same key',
    },
  },
  {
    name: 'an audit entry does not depend on the one before',
    file: `${SERVER}/activity/audit/hash-chain.ts`,
    original: "    .update(Buffer.from(previousHash, 'base64url'))\n",
    replacement: '    .update(previousHash.slice(0, 0))\n',
    caughtBy: {
      file: `${SERVER}/activity/audit/verify/verify-export.test.ts`,
      test: 'locates each of 300 single changes, deletions, swaps and insertions',
    },
  },
  {
    name: 'an erasure keeps the name that the provider gave the user',
    file: `${SERVER}/accounts/accounts/account.ts`,
    original: "column: 'identity_label', type: nullable(text('scrubbed'))",
    replacement: "column: 'identity_label', type: nullable(text('none'))",
    caughtBy: {
      file: `${SERVER}/privacy/erasure/erased-columns.test.ts`,
      test: 'that can name a customer does so after real use, and no longer after the erasure; nor do the bytes of the file',
    },
  },
]
