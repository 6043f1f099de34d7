import { hash } from 'node:crypto'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersAnswer } from '../../check/run-headers.ts'
import type { FreshConfig } from '../fresh-credentials.ts'
import { configText, type Grant } from '../grant/open-grant.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { LEAST_LIFE_MS } from '../renewal-times.ts'

/** Headers from before, with the newest access token in them; undefined when they would not work any more. */
export function keptHeaders(
  { renewalState }: RenewalDeps,
  { row, grant, at }: FreshConfig,
): Record<string, string> | undefined {
  const kept = renewalState.headers.get(row.account_id)
  const accessToken = configText(grant.config, 'access_token')
  if (kept?.key !== keyOf(row, grant) || accessToken === undefined) return undefined
  // With an app the token was renewed before, where it had to be; its provider may give less than a minute.
  const leastMs = row.oauth_app_id === null ? LEAST_LIFE_MS : 1
  if (row.token_expires_at === null || row.token_expires_at - at < leastMs) return undefined
  return Object.fromEntries(
    Object.entries(kept.headers).map(([name, value]) => [
      name,
      value.replaceAll(kept.accessToken, () => accessToken),
    ]),
  )
}

/** Keeps headers for the next use. Only headers whose token is known and has a known end can be brought up to date later. */
export function keepHeaders(
  { renewalState: { headers: all } }: RenewalDeps,
  row: AccountRow,
  grant: Grant,
  { headers, accessToken, lifeMs }: HeadersAnswer,
): void {
  if (headers === null || accessToken === undefined || lifeMs === undefined) return
  if (all.size >= MOST_KEPT) all.clear()
  all.set(row.account_id, { key: keyOf(row, grant), accessToken, headers })
}

/** Tells whether anything but the tokens has changed. */
function keyOf(row: AccountRow, { bundleSha256, config, client }: Grant): string {
  const { access_token: _access, refresh_token: _refresh, ...rest } = config
  return hash('sha256', JSON.stringify([bundleSha256, row.auth_type, rest, client?.clientId]))
}

const MOST_KEPT = 10_000
