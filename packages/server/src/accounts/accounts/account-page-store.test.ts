import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  insertSampleRows,
  openTemporaryDatabase,
} from '../../platform/storage/test/test-database.ts'
import { createAccountPages } from './account-page-store.ts'

describe('Account pages', () => {
  it('contain no account of a workspace that the caller does not own or whose token is bound to another', async (t) => {
    const database = await openTemporaryDatabase(t)
    const { users, workspaces } = await insertSampleRows(database)
    const other = await insertSampleRows(database)
    const pages = createAccountPages(database)
    const workspaceId = workspaces.workspace_id
    const countFor = async (userId: typeof users.user_id, boundWorkspaceId: WorkspaceId | null) => {
      const { count } = await pages.readPage(
        { userId, boundWorkspaceId },
        { workspaceId },
        10,
        undefined,
      )
      return count
    }
    assert.equal(await countFor(users.user_id, null), 1)
    assert.equal(await countFor(users.user_id, workspaceId), 1)
    assert.equal(await countFor(other.users.user_id, null), 0)
    assert.equal(await countFor(users.user_id, other.workspaces.workspace_id), 0)
    const start = { createdAt: 0, id: '' }
    const hasAccounts = (userId: typeof users.user_id) =>
      pages.hasAccountsAfter({ userId, boundWorkspaceId: null }, { workspaceId }, start)
    assert.deepEqual(
      [await hasAccounts(users.user_id), await hasAccounts(other.users.user_id)],
      [true, false],
    )
  })
})
