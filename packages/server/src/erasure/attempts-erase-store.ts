import type { EraseStep } from './erase-step.ts'

/** Deletes the attempts to connect an account that have the identifier of the customer. */
export const eraseAttempts: EraseStep = async (trx, { workspaceId, identifier }) => {
  const { numDeletedRows } = await trx
    .deleteFrom('connect_attempts')
    .where('attempt_id', 'in', (eb) =>
      eb
        .selectFrom('connect_attempts')
        .select('attempt_id')
        .where('workspace_id', '=', workspaceId)
        .where('account_identifier', '=', identifier)
        .limit(PAGE),
    )
    .executeTakeFirst()
  const attempts = Number(numDeletedRows)
  return { counts: { attempts }, next: attempts === PAGE ? 'more' : undefined }
}

const PAGE = 100
