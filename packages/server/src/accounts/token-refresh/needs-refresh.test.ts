import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountRow } from '../../storage/tables.ts'
import { NON_REFRESHABLE_DEFAULTS } from '../credentials/non-refreshable-defaults.ts'
import { isTokenValid, needsRefresh, type RefreshReason } from './refresh-schedule.ts'

const NOW = 1_800_000_000_000
const EXPIRES_LATER = NOW + 3_600_000

describe('needsRefresh', () => {
  it('is false for a token valid for a minute or more, and true below', () => {
    assert.equal(needsRefreshForUse({ token_expires_at: EXPIRES_LATER, renew_at: NOW - 1 }), false)
    assert.equal(needsRefreshForUse({ token_expires_at: NOW + 60_000, renew_at: NOW }), false)
    assert.equal(needsRefreshForUse({ token_expires_at: NOW + 59_999, renew_at: NOW }), true)
    assert.equal(needsRefreshForUse({ token_expires_at: NOW + 59_999, renew_at: NOW + 1 }), false)
    assert.equal(needsRefreshForUse({ token_expires_at: null, renew_at: null }), false)
  })

  it('is true for an expired token without a refresh token, so that the expiry is recorded', () => {
    assert.equal(needsRefreshForUse({ token_expires_at: NOW, renew_at: null }), true)
    assert.equal(needsRefreshForUse({ token_expires_at: NOW + 1, renew_at: null }), false)
  })

  it('is true in the background from the refresh time on, and never without one', () => {
    const reason = { kind: 'scheduled' } as const
    assert.equal(
      needsRefresh(accountRow({ token_expires_at: EXPIRES_LATER, renew_at: NOW }), NOW, reason),
      true,
    )
    assert.equal(
      needsRefresh(accountRow({ token_expires_at: EXPIRES_LATER, renew_at: NOW + 1 }), NOW, reason),
      false,
    )
    assert.equal(
      needsRefresh(accountRow({ token_expires_at: NOW - 1, renew_at: null }), NOW, reason),
      false,
    )
  })

  it('is true for a rejected token that is still the latest', () => {
    const validRow = accountRow({ token_expires_at: EXPIRES_LATER, renew_at: EXPIRES_LATER })
    assert.equal(needsRefresh(validRow, NOW, { kind: 'rejected', version: 3 }), true)
    assert.equal(needsRefresh(validRow, NOW, { kind: 'rejected', version: 2 }), false)
  })

  it('is true for a token issued in the future, because the clock was set back', () => {
    const issuedByFastClock = {
      token_expires_at: EXPIRES_LATER,
      token_life_ms: 1_800_000,
      renew_at: EXPIRES_LATER - 9,
    }
    assert.equal(needsRefreshForUse(issuedByFastClock), true)
    assert.equal(
      needsRefreshForUse({ ...issuedByFastClock, renew_at: EXPIRES_LATER }),
      false,
      'no refresh token',
    )
    assert.equal(
      needsRefreshForUse({ ...issuedByFastClock, token_life_ms: 3_550_000 }),
      false,
      'within the clock skew',
    )
    const longBackOff = { renew_failures: 1, renew_at: NOW + 25 * 3_600_000 }
    assert.equal(
      needsRefreshForUse({ ...issuedByFastClock, ...longBackOff }),
      true,
      'no wait is longer than a day',
    )
  })

  it('is true once after the OAuth app has changed, even while backing off', () => {
    const failed = accountRow({
      status: 'error',
      updated_at: NOW - 9,
      renew_failures: 2,
      renew_at: EXPIRES_LATER,
    })
    assert.equal(needsRefresh(failed, NOW, { kind: 'client_changed', failedAt: NOW - 9 }), true)
    assert.equal(needsRefresh(failed, NOW, { kind: 'client_changed', failedAt: NOW - 8 }), false)
    const activeRow = accountRow({ updated_at: NOW - 9 })
    assert.equal(needsRefresh(activeRow, NOW, { kind: 'client_changed', failedAt: NOW - 9 }), false)
  })

  const reasons: readonly RefreshReason[] = [
    { kind: 'use' },
    { kind: 'scheduled' },
    { kind: 'rejected', version: 3 },
  ]
  for (const reason of reasons) {
    it(`is false while backing off: ${reason.kind}`, () => {
      const failed = { token_expires_at: NOW - 1, renew_failures: 1 }
      assert.equal(needsRefresh(accountRow({ ...failed, renew_at: NOW + 1 }), NOW, reason), false)
      assert.equal(needsRefresh(accountRow({ ...failed, renew_at: NOW }), NOW, reason), true)
    })

    it(`is false without an OAuth app, without credentials or in needs_reauth: ${reason.kind}`, () => {
      const expired = { token_expires_at: NOW - 1, renew_at: NOW - 1 }
      assert.equal(needsRefresh(accountRow(expired), NOW, reason), true)
      for (const change of [
        { oauth_app_id: null },
        { sealed_config: null },
        { status: 'needs_reauth' },
      ])
        assert.equal(
          needsRefresh(accountRow({ ...expired, ...change }), NOW, reason),
          false,
          JSON.stringify(change),
        )
    })
  }
})

describe('isTokenValid', () => {
  it('is true until the expiry, and always when the expiry is unknown', () => {
    assert.equal(isTokenValid(accountRow({ token_expires_at: NOW }), NOW), false)
    assert.equal(isTokenValid(accountRow({ token_expires_at: NOW + 1 }), NOW), true)
    assert.equal(isTokenValid(accountRow({ token_expires_at: null }), NOW), true)
  })
})

const needsRefreshForUse = (change: Partial<AccountRow>) =>
  needsRefresh(accountRow(change), NOW, { kind: 'use' })

function accountRow(change: Partial<AccountRow>): AccountRow {
  return {
    ...NON_REFRESHABLE_DEFAULTS,
    account_id: 'acc_1',
    workspace_id: 'wsp_1',
    definition_id: 'def_1',
    link_id: null,
    name: 'Connected',
    auth_type: 'OAuth2',
    account_identifier: null,
    public_config: '{}',
    sealed_config: new Uint8Array(1),
    credential_version: 3,
    oauth_app_id: 'oap_1',
    created_at: 0,
    updated_at: 0,
    deleted_at: null,
    ...change,
  }
}
