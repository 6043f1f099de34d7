import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../errors.ts'
import { TemplateError } from '../../../oauth/template/template-error.ts'
import { fillText } from '../../../oauth/template/template-value.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { type FreshConfig, type FreshOptions, freshConfig } from '../fresh-credentials.ts'
import { bundleConfig, configText, type Grant, openGrant } from '../grant/open-grant.ts'
import { tokenColumns } from '../grant/settle-renewal.ts'
import { type HeldLease, RELEASED, takeLease } from '../lease/held-lease.ts'
import { underLease } from '../renew-account.ts'
import { RENEWAL_TIMES, type RenewalDeps } from '../renewal-deps.ts'
import { renewalInProgress } from '../renewal-errors.ts'
import { shareFlight } from '../renewal-state.ts'
import { LEAST_LIFE_MS } from '../renewal-times.ts'
import { type HeadersAnswer, NO_HEADERS, runHeaders } from './run-headers.ts'

/** Credentials that work now, and the headers that carry them. */
export interface AccountHeaders {
  /** As it was when the headers were made: `credential_version` is theirs. */
  readonly row: AccountRow
  readonly grant: Grant
  /** What the bundle's HEADERS, else the templates of its spec, say; null when it has neither. */
  readonly headers: Readonly<Record<string, string>> | null
}

/**
 * The headers that authenticate a request of this account now. A bundle that may renew tokens by itself gets the
 * refresh token only under the account's lease, and what it rotated is stored before its headers are used.
 *
 * @throws ApiError as freshConfig; `integration_bad_output`; RunnerError
 */
export async function accountHeaders(
  deps: RenewalDeps,
  accountId: string,
  options: FreshOptions = {},
): Promise<AccountHeaders> {
  const fresh = await freshConfig(deps, accountId, options)
  if (deps.renewalState.headerless.has(bundleKey(fresh.row, fresh.grant)))
    return withTemplates(fresh.row, fresh.grant, NO_HEADERS)
  const isRefused =
    fresh.row.oauth_app_id === null && options.refusedVersion === fresh.row.credential_version
  const kept = isRefused ? undefined : keptHeaders(deps, fresh)
  if (kept !== undefined) return { ...fresh, headers: kept }
  return (await quietHeaders(deps, fresh)) ?? leasedHeaders(deps, fresh)
}

/** Headers from before, with the newest access token in them. */
function keptHeaders({ renewalState }: RenewalDeps, { row, grant, at }: FreshConfig) {
  const kept = renewalState.headers.get(row.account_id)
  const accessToken = configText(grant.config, 'access_token')
  if (kept?.key !== keyOf(row, grant) || accessToken === undefined) return undefined
  if (row.token_expires_at === null || row.token_expires_at - at < LEAST_LIFE_MS) return undefined
  return Object.fromEntries(
    Object.entries(kept.headers).map(([name, value]) => [
      name,
      value.replaceAll(kept.accessToken, () => accessToken),
    ]),
  )
}

/** Without a lease, where the bundle cannot rotate: it has no refresh token. Undefined: it needs one. */
async function quietHeaders(
  deps: RenewalDeps,
  { row, grant }: FreshConfig,
): Promise<AccountHeaders | undefined> {
  const { refresh_token: refreshToken, ...config } = bundleConfig(grant)
  const subject = subjectOf(row, grant)
  if (refreshToken === undefined)
    return withTemplates(row, grant, await runHeaders(deps, { ...subject, config }))
  if (!deps.renewalState.quietBundles.has(bundleKey(row, grant))) return undefined
  const answer = await runHeaders(deps, { ...subject, config }).catch(() => undefined)
  return answer?.isQuiet ? withTemplates(row, grant, answer) : undefined
}

async function leasedHeaders(deps: RenewalDeps, seen: FreshConfig): Promise<AccountHeaders> {
  const { row } = seen
  const { headerFlights } = deps.renewalState
  return shareFlight(headerFlights, `${row.account_id} ${row.credential_version}`, async () => {
    const until = performance.now() + (deps.renewalTimes ?? RENEWAL_TIMES).waitMs
    let latest: Pick<AccountRow, 'account_id' | 'credential_version'> = row
    while (performance.now() < until) {
      const held = await takeLease(deps, latest)
      if (held !== undefined) return underLease(held, () => headersUnderLease(deps, held))
      await sleep(40 + Math.random() * 120)
      latest = (await deps.renewals.find(row.account_id))?.row ?? latest
    }
    throw renewalInProgress()
  })
}

async function headersUnderLease(deps: RenewalDeps, held: HeldLease): Promise<AccountHeaders> {
  const { row } = held
  const grant = await openGrant(deps, row)
  if (!(await held.write({ renewal_sent_at: held.now() }))) throw renewalInProgress()
  const answer = await runHeaders(deps, { ...subjectOf(row, grant), config: bundleConfig(grant) })
  const { accessToken, refreshToken, lifeMs } = answer
  if (answer.isQuiet) remember(deps.renewalState.quietBundles, bundleKey(row, grant))
  if (answer.isUnknown) remember(deps.renewalState.headerless, bundleKey(row, grant))
  const isNew =
    (refreshToken ?? grant.config.refresh_token) !== grant.config.refresh_token ||
    (!answer.isQuiet && accessToken !== undefined)
  if (!isNew) {
    if (!(await held.write({ renewal_sent_at: row.renewal_sent_at, ...RELEASED })))
      throw renewalInProgress()
    return withTemplates(row, grant, answer)
  }
  const config = {
    ...grant.config,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  }
  const now = held.now()
  const expiresAt = accessToken === undefined || lifeMs === undefined ? null : now + lifeMs
  const columns = await tokenColumns(deps, row, grant, config, expiresAt, now)
  const change = row.oauth_app_id === null ? { ...columns, renew_at: null } : columns
  if (!(await held.write(change))) throw renewalInProgress()
  const made = { row: { ...row, ...change }, grant: { ...grant, config } }
  keep(deps, made.row, made.grant, answer)
  return withTemplates(made.row, made.grant, answer)
}

function bundleKey(row: AccountRow, { bundleSha256 }: Grant): string {
  return `${bundleSha256} ${row.auth_type}`
}

function subjectOf(row: AccountRow, { bundleSha256, spec }: Grant) {
  return { sha256: bundleSha256, hosts: spec['x-hosts'], authType: row.auth_type }
}

function withTemplates(row: AccountRow, grant: Grant, { headers }: HeadersAnswer): AccountHeaders {
  const templates = grant.spec.auth_specification[row.auth_type]?.headers
  if (headers !== null || templates === undefined) return { row, grant, headers }
  try {
    const filled = Object.entries(templates).map(
      ([name, template]) => [name, fillText(String(template), bundleConfig(grant))] as const,
    )
    return { row, grant, headers: Object.fromEntries(filled) }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError(
      'integration_bad_output',
      "The headers of the integration's spec need more.",
      {
        cause: error,
      },
    )
  }
}

/** Only headers whose token is known and has a known end can be brought up to date later. */
function keep(
  { renewalState: { headers: all } }: RenewalDeps,
  row: AccountRow,
  grant: Grant,
  { headers, accessToken, lifeMs }: HeadersAnswer,
): void {
  if (headers === null || accessToken === undefined || lifeMs === undefined) return
  if (all.size >= MOST_KEPT) all.clear()
  all.set(row.account_id, { key: keyOf(row, grant), accessToken, headers })
}

function remember(set: Set<string>, key: string): void {
  if (set.size >= MOST_KEPT) set.clear()
  set.add(key)
}

/** Tells whether anything but the tokens has changed. */
function keyOf(row: AccountRow, { bundleSha256, config, client }: Grant): string {
  const { access_token: _access, refresh_token: _refresh, ...rest } = config
  return hash('sha256', JSON.stringify([bundleSha256, row.auth_type, rest, client?.clientId]))
}

const MOST_KEPT = 10_000
