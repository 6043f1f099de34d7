import type { Kysely } from 'kysely'
import { createEpochTriggers } from './0020-definition-epochs.ts'

/** The epoch of a workspace changes with its OAuth apps. Nodes of 0001 go on: no column changes. */
export const minReader = '0001-initial'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createEpochTriggers(db, 'oauth_apps')
}
