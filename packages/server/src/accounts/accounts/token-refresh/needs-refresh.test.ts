import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Account,
  type AccountUpdate,
  NON_REFRESHABLE_DEFAULTS,
  toNewAccount,
} from '../account.ts'
import { isTokenValid, needsRefresh, type RefreshReason } from './refresh-schedule.ts'

const NOW = 1_800_000_000_000
const EXPIRES_LATER = NOW + 3_600_000

describe('needsRefresh', () => {
  it('is false for a token valid for a minute or more, and true below', () => {
    assert.equal(needsRefreshForUse({ tokenExpiresAt: EXPIRES_LATER, refreshAt: NOW - 1 }), false)
    assert.equal(needsRefreshForUse({ tokenExpiresAt: NOW + 60_000, refreshAt: NOW }), false)
    assert.equal(needsRefreshForUse({ tokenExpiresAt: NOW + 59_999, refreshAt: NOW }), true)
    assert.equal(needsRefreshForUse({ tokenExpiresAt: NOW + 59_999, refreshAt: NOW + 1 }), false)
    assert.equal(needsRefreshForUse({ tokenExpiresAt: null, refreshAt: null }), false)
  })

  it('is true for an expired token without a refresh token, so that the expiry is recorded', () => {
    assert.equal(needsRefreshForUse({ tokenExpiresAt: NOW, refreshAt: null }), true)
    assert.equal(needsRefreshForUse({ tokenExpiresAt: NOW + 1, refreshAt: null }), false)
  })

  it('is true in the background from the refresh time on, and never without one', () => {
    const reason = { kind: 'scheduled' } as const
    assert.equal(
      needsRefresh(toAccount({ tokenExpiresAt: EXPIRES_LATER, refreshAt: NOW }), NOW, reason),
      true,
    )
    assert.equal(
      needsRefresh(toAccount({ tokenExpiresAt: EXPIRES_LATER, refreshAt: NOW + 1 }), NOW, reason),
      false,
    )
    assert.equal(
      needsRefresh(toAccount({ tokenExpiresAt: NOW - 1, refreshAt: null }), NOW, reason),
      false,
    )
  })

  it('is true for a rejected token that is still the latest', () => {
    const validRow = toAccount({ tokenExpiresAt: EXPIRES_LATER, refreshAt: EXPIRES_LATER })
    assert.equal(needsRefresh(validRow, NOW, { kind: 'rejected', version: 3 }), true)
    assert.equal(needsRefresh(validRow, NOW, { kind: 'rejected', version: 2 }), false)
  })

  it('is true for a token issued in the future, because the clock was set back', () => {
    const issuedByFastClock = {
      tokenExpiresAt: EXPIRES_LATER,
      tokenTtlMs: 1_800_000,
      refreshAt: EXPIRES_LATER - 9,
    }
    assert.equal(needsRefreshForUse(issuedByFastClock), true)
    assert.equal(
      needsRefreshForUse({ ...issuedByFastClock, refreshAt: EXPIRES_LATER }),
      false,
      'no refresh token',
    )
    assert.equal(
      needsRefreshForUse({ ...issuedByFastClock, tokenTtlMs: 3_550_000 }),
      false,
      'within the clock skew',
    )
    const longBackOff = { refreshFailures: 1, refreshAt: NOW + 25 * 3_600_000 }
    assert.equal(
      needsRefreshForUse({ ...issuedByFastClock, ...longBackOff }),
      true,
      'no wait is longer than a day',
    )
  })

  it('is true once after the OAuth app has changed, even while backing off', () => {
    const failed = toAccount({
      status: 'error',
      updatedAt: NOW - 9,
      refreshFailures: 2,
      refreshAt: EXPIRES_LATER,
    })
    assert.equal(needsRefresh(failed, NOW, { kind: 'client_changed', failedAt: NOW - 9 }), true)
    assert.equal(needsRefresh(failed, NOW, { kind: 'client_changed', failedAt: NOW - 8 }), false)
    const activeRow = toAccount({ updatedAt: NOW - 9 })
    assert.equal(needsRefresh(activeRow, NOW, { kind: 'client_changed', failedAt: NOW - 9 }), false)
  })

  it('is true for one use after the access token of an account in error has expired', () => {
    const failed: AccountUpdate = { status: 'error', refreshFailures: 1, refreshAt: NOW + 900_000 }
    const justExpired = { ...failed, updatedAt: NOW - 9, tokenExpiresAt: NOW - 1 }
    assert.equal(needsRefreshForUse(justExpired), true)
    assert.equal(needsRefreshForUse({ ...justExpired, updatedAt: NOW }), false, 'it was tried')
    assert.equal(needsRefreshForUse({ ...justExpired, tokenExpiresAt: NOW + 1 }), false)
    assert.equal(needsRefreshForUse({ ...justExpired, tokenExpiresAt: null }), false)
    assert.equal(needsRefresh(toAccount(justExpired), NOW, { kind: 'scheduled' }), false)
    assert.equal(needsRefreshForUse({ ...justExpired, status: 'active' }), false)
  })

  const reasons: readonly RefreshReason[] = [
    { kind: 'use' },
    { kind: 'scheduled' },
    { kind: 'rejected', version: 3 },
  ]
  for (const reason of reasons) {
    it(`is false while backing off: ${reason.kind}`, () => {
      const failed = { tokenExpiresAt: NOW - 1, refreshFailures: 1 }
      assert.equal(needsRefresh(toAccount({ ...failed, refreshAt: NOW + 1 }), NOW, reason), false)
      assert.equal(needsRefresh(toAccount({ ...failed, refreshAt: NOW }), NOW, reason), true)
    })

    it(`is false without an OAuth app, without credentials or in needs_reauth: ${reason.kind}`, () => {
      const expired = { tokenExpiresAt: NOW - 1, refreshAt: NOW - 1 }
      assert.equal(needsRefresh(toAccount(expired), NOW, reason), true)
      const changes: readonly AccountUpdate[] = [
        { oauthAppId: null },
        { sealedConfig: null },
        { status: 'needs_reauth' },
      ]
      for (const change of changes)
        assert.equal(
          needsRefresh(toAccount({ ...expired, ...change }), NOW, reason),
          false,
          JSON.stringify(change),
        )
    })
  }
})

describe('isTokenValid', () => {
  it('is true until the expiry, and always when the expiry is unknown', () => {
    assert.equal(isTokenValid(toAccount({ tokenExpiresAt: NOW }), NOW), false)
    assert.equal(isTokenValid(toAccount({ tokenExpiresAt: NOW + 1 }), NOW), true)
    assert.equal(isTokenValid(toAccount({ tokenExpiresAt: null }), NOW), true)
  })
})

const needsRefreshForUse = (change: AccountUpdate) =>
  needsRefresh(toAccount(change), NOW, { kind: 'use' })

function toAccount(change: AccountUpdate): Account {
  return toNewAccount({
    ...NON_REFRESHABLE_DEFAULTS,
    accountId: 'acc_1',
    workspaceId: 'wsp_1',
    definitionId: 'def_1',
    name: 'Connected',
    authType: 'OAuth2',
    tags: {},
    sealedConfig: new Uint8Array(1),
    credentialVersion: 3,
    oauthAppId: 'oap_1',
    createdAt: 0,
    updatedAt: 0,
    ...change,
  })
}
