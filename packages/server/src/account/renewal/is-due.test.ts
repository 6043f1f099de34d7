import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountRow } from '../../storage/tables.ts'
import { UNRENEWED } from '../connect-account.ts'
import { isAlive, isDue, type Wish } from './is-due.ts'

const AT = 1_800_000_000_000
const LIVES = AT + 3_600_000

describe('isDue', () => {
  it('uses a token that lives for a minute or more, and renews one that does not', () => {
    assert.equal(use({ token_expires_at: LIVES, renew_at: AT - 1 }), false)
    assert.equal(use({ token_expires_at: AT + 60_000, renew_at: AT }), false)
    assert.equal(use({ token_expires_at: AT + 59_999, renew_at: AT }), true)
    assert.equal(use({ token_expires_at: AT + 59_999, renew_at: AT + 1 }), false)
    assert.equal(use({ token_expires_at: null, renew_at: null }), false)
  })

  it('has it said that a token has ended which nothing renews', () => {
    assert.equal(use({ token_expires_at: AT, renew_at: null }), true)
    assert.equal(use({ token_expires_at: AT + 1, renew_at: null }), false)
  })

  it('renews early when the time has come, not before, and never without one', () => {
    const early = { kind: 'early' } as const
    assert.equal(isDue(row({ token_expires_at: LIVES, renew_at: AT }), AT, early), true)
    assert.equal(isDue(row({ token_expires_at: LIVES, renew_at: AT + 1 }), AT, early), false)
    assert.equal(isDue(row({ token_expires_at: AT - 1, renew_at: null }), AT, early), false)
  })

  it('renews a refused token that is still the newest', () => {
    const lives = row({ token_expires_at: LIVES, renew_at: LIVES })
    assert.equal(isDue(lives, AT, { kind: 'refused', version: 3 }), true)
    assert.equal(isDue(lives, AT, { kind: 'refused', version: 2 }), false)
  })

  it('does not believe an end that was told by a clock which is ahead of this one', () => {
    const ahead = { token_expires_at: LIVES, token_life_ms: 1_800_000, renew_at: LIVES - 9 }
    assert.equal(use(ahead), true)
    assert.equal(use({ ...ahead, renew_at: LIVES }), false, 'nothing renews it')
    assert.equal(use({ ...ahead, token_life_ms: 3_550_000 }), false, 'within the slack of clocks')
    const waits = { renew_failures: 1, renew_at: AT + 25 * 3_600_000 }
    assert.equal(use({ ...ahead, ...waits }), true, 'nobody waits for more than a day')
  })

  it('tries an app that was mended once, even while backing off', () => {
    const failed = row({ status: 'error', updated_at: AT - 9, renew_failures: 2, renew_at: LIVES })
    assert.equal(isDue(failed, AT, { kind: 'repaired', failedAt: AT - 9 }), true)
    assert.equal(isDue(failed, AT, { kind: 'repaired', failedAt: AT - 8 }), false)
    const works = row({ updated_at: AT - 9 })
    assert.equal(isDue(works, AT, { kind: 'repaired', failedAt: AT - 9 }), false)
  })

  const wishes: readonly Wish[] = [
    { kind: 'use' },
    { kind: 'early' },
    { kind: 'refused', version: 3 },
  ]
  for (const wish of wishes) {
    it(`asks nobody while backing off: ${wish.kind}`, () => {
      const failed = { token_expires_at: AT - 1, renew_failures: 1 }
      assert.equal(isDue(row({ ...failed, renew_at: AT + 1 }), AT, wish), false)
      assert.equal(isDue(row({ ...failed, renew_at: AT }), AT, wish), true)
    })

    it(`asks nobody without an app, without credentials, or for a dead grant: ${wish.kind}`, () => {
      const ended = { token_expires_at: AT - 1, renew_at: AT - 1 }
      assert.equal(isDue(row(ended), AT, wish), true)
      for (const change of [
        { oauth_app_id: null },
        { sealed_config: null },
        { status: 'needs_reauth' },
      ])
        assert.equal(isDue(row({ ...ended, ...change }), AT, wish), false, JSON.stringify(change))
    })
  }
})

describe('isAlive', () => {
  it('holds until the end, and always when the end is unknown', () => {
    assert.equal(isAlive(row({ token_expires_at: AT }), AT), false)
    assert.equal(isAlive(row({ token_expires_at: AT + 1 }), AT), true)
    assert.equal(isAlive(row({ token_expires_at: null }), AT), true)
  })
})

const use = (change: Partial<AccountRow>) => isDue(row(change), AT, { kind: 'use' })

function row(change: Partial<AccountRow>): AccountRow {
  return {
    ...UNRENEWED,
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
    oauth_app_id: 'app_1',
    created_at: 0,
    updated_at: 0,
    deleted_at: null,
    ...change,
  }
}
