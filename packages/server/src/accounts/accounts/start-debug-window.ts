import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { DebugRecorder } from '../../activity/requests/debug-recorder.ts'
import type { DebugWindowStore } from '../../activity/requests/debug-window-store.ts'
import { notFound } from '../../platform/errors.ts'
import { Nullable, StrictObject, Timestamp, toTimestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { AccountId } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { AccountParams } from './schemas.ts'

const StartDebugWindow = StrictObject(
  {
    seconds: Type.Integer({
      minimum: 0,
      maximum: 900,
      description: 'How long it is open, from now; 0 ends the one that is open.',
    }),
  },
  { $id: 'StartDebugWindow', examples: [{ seconds: 900 }] },
)
type StartDebugWindow = Static<typeof StartDebugWindow>

const DebugWindow = StrictObject(
  { until: Nullable(Timestamp('When it ends; null: none is open now.')) },
  {
    $id: 'DebugWindow',
    description: 'A time in which headers and bodies of the requests of an account are recorded.',
    examples: [{ until: '2026-11-22T10:15:00.000Z' }],
  },
)
type DebugWindow = Static<typeof DebugWindow>

export interface StartDebugWindowDeps {
  readonly database: Database
  readonly accounts: Pick<AccountStore, 'find'>
  readonly debugWindows: Pick<DebugWindowStore, 'open' | 'end'>
  /** Of this node: the others notice by themselves. Absent: nothing is captured here. */
  readonly debugRecorder?: Pick<DebugRecorder, 'flush'> | undefined
  readonly now: () => number
}

export const startDebugWindowOperation = defineOperation({
  id: 'startDebugWindow',
  sdk: 'accounts.startDebugWindow',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId/debug',
  tag: 'Integration accounts',
  summary: 'Record the requests of an integration account for a while',
  description:
    'While the window is open, headers and bodies of its requests to the provider are recorded without credentials, encrypted, for 24 hours: up to 32 kB of each body, and 200 exchanges. Get a request returns them. Another call lets the window end at another time; 0 seconds end it.',
  scope: 'credentials:read',
  params: AccountParams,
  body: StartDebugWindow,
  response: DebugWindow,
  returns: 'When the window ends.',
  errors: ['integration_account_not_found'],
  audit: 'account.debug_started',
  handle: (deps: StartDebugWindowDeps, caller, { params, body }) =>
    startDebugWindow(deps, caller, params.integrationAccountId, body),
})

/** Opens, prolongs, shortens or ends the debug window of a live account. @throws ApiError `integration_account_not_found` */
export async function startDebugWindow(
  { database, accounts, debugWindows, debugRecorder, now }: StartDebugWindowDeps,
  caller: Caller,
  accountId: AccountId,
  { seconds }: StartDebugWindow,
): Promise<DebugWindow> {
  const account = isId('acc', accountId) ? await accounts.find(caller, accountId) : undefined
  if (account === undefined || account.deletedAt !== null) throw notFound('integration_account')
  const at = now()
  const endsAt = at + seconds * 1_000
  const response = { until: seconds === 0 ? null : toTimestamp(endsAt) }
  await database.transaction(async (trx) => {
    if (seconds === 0) await debugWindows.end(trx, accountId, at)
    else await debugWindows.open(trx, account, { now: at, endsAt })
    await record(trx, caller, at, {
      action: seconds === 0 ? 'account.debug_ended' : 'account.debug_started',
      workspaceId: account.workspaceId,
      subject: accountId,
      ...(seconds === 0 ? {} : { detail: { seconds } }),
      response,
    })
  })
  await debugRecorder?.flush()
  return response
}
