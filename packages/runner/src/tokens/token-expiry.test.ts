import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getJwtExpiry, getTokenExpiry } from './token-response.ts'

const NOW = Date.UTC(2026, 6, 20, 13)
const IN_AN_HOUR = NOW + 3_600_000
const EPOCH = IN_AN_HOUR / 1_000

/** Seconds from now; undefined for unknown. */
const cases: readonly [title: string, fields: object, expected: number | undefined][] = [
  [
    'seconds beside milliseconds, as Zoho sends them',
    { expires_in: 3_600_000, expires_in_sec: 3_600 },
    3_600,
  ],
  ['expires_in', { expires_in: 3_600 }, 3_600],
  ['expires_in with a unit', { expires_in: '3600s' }, 3_600],
  ['60 days', { expires_in: 5_184_000 }, 5_184_000],
  ['expires_in_seconds', { expires_in_seconds: '3600' }, 3_600],
  ['camel case', { expiresIn: 3_600 }, 3_600],
  ['expires_in as an instant', { expires_in: EPOCH }, 3_600],
  ['access_token_expiration in seconds', { access_token_expiration: EPOCH }, 3_600],
  ['access_token_expires_in', { access_token_expires_in: 3_600 }, 3_600],
  ['access_token_expires_at', { access_token_expires_at: '2026-07-20T14:00:00Z' }, 3_600],
  ['expires_on as text', { expires_on: String(EPOCH) }, 3_600],
  ['expires_at in milliseconds', { expires_at: IN_AN_HOUR }, 3_600],
  ['expiry_date', { expiry_date: IN_AN_HOUR }, 3_600],
  ['expires', { expires: 5_183_999 }, 5_183_999],
  ['an HTTP date', { expires_at: 'Mon, 20 Jul 2026 14:00:00 GMT' }, 3_600],
  ['a date with an offset', { expires_at: '2026-07-20T16:00:00+02:00' }, 3_600],
  ['a date without an offset, which is UTC', { expires_at: '2026-07-20 14:00:00' }, 3_600],
  ['seven digits of a second', { expires_at: '2026-07-20T14:00:00.0000000Z' }, 3_600],
  [
    'the expiry of the refresh token alone',
    { refresh_token_expires_in: 99, refresh_expires_in: 99, ext_expires_in: 99 },
    undefined,
  ],
  ['an expiry of zero and a valid one', { expires_in: 0, expires_at: EPOCH }, 3_600],
  ['the past', { expires_at: 1_600_000_000 }, undefined],
  ['words', { expires_in: 'soon', expires_at: 'tomorrow', expires: '07/20/2026' }, undefined],
  [
    'other types',
    { expires_in: { a: 1 }, expires_at: [3_600], expires: true, expiry: null },
    undefined,
  ],
  ['huge numbers', { expires_in: 1e308, expires_at: Number.NaN }, undefined],
]

describe('getTokenExpiry', () => {
  for (const [title, fields, expected] of cases)
    it(`parses ${title}`, () => {
      const expiresAt = expected === undefined ? undefined : NOW + expected * 1_000
      assert.equal(getTokenExpiry('opaque', [{ ...fields }], NOW), expiresAt)
    })

  it('is `exp` of a JWT without a reported expiry, also in the past', () => {
    assert.equal(
      getTokenExpiry(createJwt(EPOCH), [{ refresh_token_expires_in: 9 }], NOW),
      IN_AN_HOUR,
    )
    assert.equal(getTokenExpiry(createJwt(EPOCH - 7_200), [{}], NOW), IN_AN_HOUR - 7_200_000)
  })

  it('is the earlier of both, unless `exp` is past: then the clocks differ', () => {
    assert.equal(getTokenExpiry(createJwt(EPOCH), [{ expires_in: 3_600_000 }], NOW), IN_AN_HOUR)
    assert.equal(getTokenExpiry(createJwt(EPOCH), [{ expires_in: 60 }], NOW), NOW + 60_000)
    assert.equal(getTokenExpiry(createJwt(EPOCH - 7_200), [{ expires_in: 60 }], NOW), NOW + 60_000)
  })

  it('is read beside the token first, then around it', () => {
    assert.equal(getTokenExpiry('at', [{}, { expires_in: 3_600 }], NOW), IN_AN_HOUR)
    assert.equal(
      getTokenExpiry('at', [{ expires_in: 60 }, { expires_in: 3_600 }], NOW),
      NOW + 60_000,
    )
  })
})

describe('getJwtExpiry', () => {
  it('is undefined for everything but a JWT with `exp`', () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const others = [
      '',
      'a.b',
      'a.b.c',
      `a.${encoded(null)}.c`,
      `a.${encoded([1])}.c`,
      `a.${encoded({ exp: '9' })}.c`,
    ]
    for (const token of [...others, createJwt(5), createJwt(1e300)])
      assert.equal(getJwtExpiry(token), undefined, token)
  })
})

function createJwt(exp: number): string {
  return `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.c2ln`
}
