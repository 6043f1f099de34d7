import { refreshTokensIn, textsIn } from '@linchpin/runner'
import type { Caller } from '../caller/caller.ts'
import { referencedDefinition } from '../definition/referenced-definition.ts'
import { readOAuthType } from '../oauth/spec/auth-type.ts'
import type { AccountRow, DefinitionRow } from '../storage/tables.ts'
import { changedColumns } from './changed-columns.ts'
import type { CheckConfigOptions, CheckedConfig } from './check/check-config.ts'
import { proveConfig } from './check/prove-config.ts'
import { senderOf } from './check/rotation-binding.ts'
import type { ConnectAccountDeps } from './connect-account.ts'
import { admitPlan, type PlannedChange, planChange } from './plan-change.ts'
import { abandonedGrant } from './renewal/grant/abandoned-grant.ts'
import { fetchTokens } from './renewal/grant/fetch-tokens.ts'
import { observedColumns } from './renewal/grant/observed-columns.ts'
import { configText } from './renewal/grant/open-grant.ts'
import { revokeAbandoned } from './renewal/grant/revoke-abandoned.ts'
import { leaseWhenFree } from './renewal/lease/lease-when-free.ts'
import { underLease } from './renewal/renew-account.ts'
import { renewBeforeCheck } from './renewal/renew-before-check.ts'
import type { RenewalDeps } from './renewal/renewal-deps.ts'
import { accountPending } from './renewal/renewal-errors.ts'
import type { UpdateAccount } from './wire/account-requests.ts'

export interface ReplaceCredentialsDeps extends ConnectAccountDeps, RenewalDeps {}

/** Stores credentials, and deletes what was stored of their tokens until then. */
type StoreCredentials = (
  row: AccountRow,
  credentials: Partial<AccountRow>,
  proven: CheckedConfig,
) => Promise<void>

/**
 * Proves changed credentials to work and has them stored in place of the old ones. Where an OAuth app renews the
 * account, its client stands in for the one of the configuration, as in every use. Where tokens could be renewed meanwhile,
 * all of it happens under the account's lease: two must not use one refresh token.
 *
 * @param store gets the account as it was when its credentials were read
 * @throws ApiError as proveConfig, planChange, admitPlan and renewBeforeCheck; `unknown_reference`, `account_pending`
 */
export async function replaceCredentials(
  deps: ReplaceCredentialsDeps,
  caller: Caller,
  seen: AccountRow,
  input: UpdateAccount,
  store: StoreCredentials,
): Promise<void> {
  if (seen.status === 'pending') throw accountPending()
  const { workspace_id: workspaceId, definition_id: definitionId } = seen
  const { read } = deps.database
  const definition = await referencedDefinition(deps, read, caller, workspaceId, definitionId)
  const replace = async (row: AccountRow, plan: PlannedChange) => {
    await proveChange(deps, caller, row, { definition, plan }, async (proven) =>
      store(row, await changedColumns(deps, row, plan, await proven.newest()), proven),
    )
    if (plan.authType !== row.auth_type) await leaveGrant(deps, row)
  }
  const plan = await planChange(deps, definition, seen, input)
  await admitPlan(deps, caller, seen, plan)
  if (!mayRefresh(definition, seen, plan)) return replace(seen, plan)
  if (keepsTokens(seen, input)) await renewBeforeCheck(deps, seen)
  const held = await leaseWhenFree(deps, seen)
  return underLease(held, async () => {
    // Another request may have stored other secrets since.
    const current = await planChange(deps, definition, held.row, input)
    await admitPlan(deps, caller, held.row, current, true)
    await replace(held.row, current)
  })
}

/** Whether CHECK will be asked about the tokens that are there. */
function keepsTokens(seen: AccountRow, { authType, config }: UpdateAccount): boolean {
  const isSameType = (authType ?? seen.auth_type) === seen.auth_type
  return isSameType && config?.access_token == null && config?.refresh_token == null
}

/** Under another auth type nobody keeps the tokens of a sign-in. */
async function leaveGrant(deps: ReplaceCredentialsDeps, row: AccountRow): Promise<void> {
  const left = { subject: row.account_id, open: () => abandonedGrant(deps, row) }
  await revokeAbandoned(deps, left)
}

/**
 * As proveConfig. A refresh token that came alone gets its access token first, which most integrations CHECK with. Tokens
 * that replace stored ones are stored with the account at once: from then on they are the only good ones, whatever CHECK
 * answers.
 */
async function proveChange(
  deps: ReplaceCredentialsDeps,
  caller: Caller,
  row: AccountRow,
  { definition, plan }: { readonly definition: DefinitionRow; readonly plan: PlannedChange },
  use: (proven: CheckedConfig) => Promise<void>,
): Promise<void> {
  const { authType, stored, prepared, client, isNewGrant } = plan
  const spec = JSON.parse(definition.spec)
  const type = readOAuthType(spec, authType)
  const options: CheckConfigOptions = {
    sender: senderOf(caller),
    async fetchFirst(config) {
      const isAlone = isNewGrant && configText(config, 'access_token') === undefined
      return isAlone ? fetchTokens(deps, { type, client, config }, prepared.tenant) : undefined
    },
    async storeWithAccount(tokens) {
      if (!textsIn(stored).some(([, text]) => text === tokens.given)) return false
      const grant = { spec, config: stored }
      const columns = await observedColumns(deps, row, grant, [tokens], deps.now())
      return deps.database.transaction((trx) => deps.accounts.update(trx, caller, row, columns))
    },
  }
  await proveConfig(deps, row.workspace_id, prepared, use, options)
}

/** Whether CHECK, or a use of the account meanwhile, may refresh tokens. */
function mayRefresh({ spec }: DefinitionRow, row: AccountRow, plan: PlannedChange): boolean {
  const { auth_specification: types } = JSON.parse(spec)
  if (Object.hasOwn(types, row.auth_type) && types[row.auth_type].token_url) return true
  return row.sealed_headers !== null || refreshTokensIn([plan.stored, plan.merged]).length > 0
}
