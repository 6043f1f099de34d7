import { isDeepStrictEqual } from 'node:util'
import {
  assertNoMissingSecrets,
  type DestinationChange,
  listMissingSecrets,
} from '../../../access/auth/stored-secrets.ts'
import type { Actor } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Account } from '../account.ts'
import { redactConfig } from './account-config.ts'
import type { ConfigFields } from './validate-config.ts'

export interface AssertChangeAllowedDeps {
  readonly database: Database
  readonly now: () => number
}

/** A change of an account's configuration, before it takes effect. */
export interface RequestedChange extends DestinationChange {
  readonly account: Pick<Account, 'workspaceId' | 'accountId'>
  readonly through: 'update' | 'sign_in'
}

/** The requester of a change. A caller without an access token has no scopes. */
export type ChangeCaller = Actor & { readonly scopes?: ReadonlySet<string> }

/**
 * Asserts that a caller may change a stored configuration. Records the attempt with the names of the changed fields
 * before any code or provider receives the result. A changed field may redirect a stored secret to another host, so a
 * caller that cannot read stored secrets must send them again (decision 021).
 *
 * @throws ApiError `secret_required` naming the fields to send
 */
export async function assertChangeAllowed(
  { database, now }: AssertChangeAllowedDeps,
  caller: ChangeCaller,
  { account, through, changed, reused }: RequestedChange,
): Promise<void> {
  const missing = listMissingConfigSecrets(caller, { changed, reused })
  await database.transaction((trx) =>
    record(trx, caller, now(), {
      action: 'account.change_requested',
      workspaceId: account.workspaceId,
      subject: account.accountId,
      outcome: missing.length === 0 ? 'done' : 'refused',
      detail: {
        through,
        changed: listAuditNames(changed),
        ...(missing.length === 0
          ? {}
          : { refused: 'secret_required', missing: listAuditNames(missing) }),
      },
    }),
  )
  assertNoMissingSecrets(
    missing.map((name) => `config.${name}`),
    'This request changes the configuration and would reuse stored secrets. Include the fields listed in `errors` in the same request, or use a token with the scope credentials:read.',
  )
}

/** The stored secrets that this caller must send again for this change. */
export function listMissingConfigSecrets(
  { scopes }: ChangeCaller,
  change: DestinationChange,
): readonly string[] {
  return listMissingSecrets(change, { mayRead: scopes?.has('credentials:read') === true })
}

/** Callers choose the names of fields, so their number and length are bounded. */
function listAuditNames(names: readonly string[]): string[] {
  return names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH))
}

const MAX_NAMES = 200
const MAX_NAME_LENGTH = 100

type Config = Readonly<Record<string, unknown>>

/** The configurations to compare. */
export interface ConfigMerge {
  readonly stored: Config
  /** What the caller sent. A stored secret included here counts as sent even if its value is unchanged. */
  readonly sent: Config
  /** The result of merging both. */
  readonly merged: Config
}

/**
 * Compares a merged configuration with the stored one: changed are fields whose value differs from the stored one, and
 * fields that were added or removed. A nested value is compared as a whole. A value counts as
 * secret unless responses may show it (`redactConfig`), it is empty, or it is a parameter that describes a token.
 */
export function compareConfig(
  { stored, sent, merged }: ConfigMerge,
  fields: ConfigFields,
): DestinationChange {
  const names = new Set([...Object.keys(stored), ...Object.keys(merged)])
  const changed = [...names].filter(
    (name) => !isDeepStrictEqual(getValueAt(stored, name), getValueAt(merged, name)),
  )
  const reused = Object.keys(stored).filter(
    (name) =>
      isSecret(name, stored[name], fields) &&
      !Object.hasOwn(sent, name) &&
      Object.hasOwn(merged, name),
  )
  return { changed: changed.sort(), reused: reused.sort() }
}

function getValueAt(config: Config, name: string): unknown {
  return Object.hasOwn(config, name) ? (config[name] ?? undefined) : undefined
}

function isSecret(name: string, value: unknown, fields: ConfigFields): boolean {
  if (value === undefined || value === null || value === '') return false
  if (TOKEN_PARAMETERS.has(name) && !fields.properties.has(name)) return false
  return !Object.hasOwn(redactConfig({ [name]: value }, fields), name)
}

/** Parameters of a token response that are not credentials (RFC 6749 section 5.1). */
const TOKEN_PARAMETERS: ReadonlySet<string> = new Set(['scope', 'scopes', 'token_type'])
