import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { generateState } from './authorization-request.ts'
import { isValidIssuer, parseAuthorizationResponse } from './authorization-response.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

describe('parseAuthorizationResponse', () => {
  it('returns the code, the issuer and plain extra parameters', () => {
    const query =
      '?code=c%2F1&state=s&iss=https%3A%2F%2Fa.test&realmId=12&id_token=x&client_id=evil&__proto__=x&twice=1&twice=2&nul=%00'
    assert.deepEqual(parseAuthorizationResponse(query), {
      kind: 'code',
      state: 's',
      code: 'c/1',
      iss: 'https://a.test',
      extra: { realmId: '12' },
    })
  })

  it('returns the error code with a sanitized description', () => {
    const query = 'error=access_denied&error_description=No%0d%0aSet-Cookie:%20a%00b&state=s'
    assert.deepEqual(parseAuthorizationResponse(query), {
      kind: 'error',
      state: 's',
      error: 'access_denied',
      description: 'No Set-Cookie: a b',
      iss: undefined,
    })
    const long = parseAuthorizationResponse(
      `error=%3Cscript%3E&error_description=${'x'.repeat(9_000)}&state=s`,
    )
    assert.equal(
      long.kind === 'error' && `${long.error} ${long.description.length}`,
      'unspecified 200',
    )
  })

  it('maps the denial codes of providers to access_denied', () => {
    const parsedError = (error: string) => {
      const response = parseAuthorizationResponse(new URLSearchParams({ error, state: 's' }))
      return response.kind === 'error' ? response.error : response.kind
    }
    for (const error of [
      ...['access_denied', 'ACCESS_DENIED', 'user_cancelled_login', 'user_cancelled_authorize'],
      ...['user_denied', 'cancelled', 'Canceled', 'consent denied', 'access_denied: by the user'],
    ])
      assert.equal(parsedError(error), 'access_denied', error)
    for (const error of ['invalid_scope', 'server_error', 'login_required'])
      assert.equal(parsedError(error), error)
  })

  it('treats empty parameters as omitted', () => {
    const response = parseAuthorizationResponse('code=c&state=s&iss=&error=&error_description=')
    assert.equal(response.kind === 'code' && response.iss, undefined)
    assert.equal(isValidIssuer(undefined, { issuer: 'https://a.test', isAdvertised: true }), false)
  })

  const invalidCases: [string, string, string][] = [
    ['', 'state_missing', 'nothing'],
    ['code=c', 'state_missing', 'no state'],
    ['code=c&state=', 'state_missing', 'an empty state'],
    ['error=access_denied', 'state_missing', 'an error without state'],
    ['state=s', 'code_missing', 'no code'],
    ['state=s&code=', 'code_missing', 'an empty code'],
    ['state=s&code=a&code=b', 'repeated', 'two codes'],
    ['state=s&code=a&code=a', 'repeated', 'the same code twice'],
    ['state=s&state=t&code=a', 'repeated', 'two states'],
    ['state=s&state=s&code=a', 'repeated', 'the same state twice'],
    ['state=s&code=a&iss=x&iss=y', 'repeated', 'two issuers'],
    ['state=s&error=a&error=b', 'repeated', 'two errors'],
    ['state=s&code=a&error=b', 'malformed', 'code and error'],
    ['state=s&error=', 'code_missing', 'an empty error without a code'],
    ['state=s&code=a%00', 'malformed', 'a code with NUL'],
    ['state=s&code=a%0d%0ab', 'malformed', 'a code with line breaks'],
    ['state=s%00&code=a', 'malformed', 'a state with NUL'],
    ['state=s&code=%ff', 'malformed', 'a code that is not ASCII'],
    ['state=s&code=a&iss=%0a', 'malformed', 'an issuer with a line break'],
    [`state=${'s'.repeat(513)}&code=a`, 'malformed', 'a state that is too long'],
    [`state=s&code=${'a'.repeat(8_193)}`, 'malformed', 'a code that is too long'],
    [`state=s&code=a&iss=${'i'.repeat(1_025)}`, 'malformed', 'an issuer that is too long'],
  ]
  for (const [query, reason, title] of invalidCases) {
    it(`refuses ${title}`, () => {
      const response = parseAuthorizationResponse(query)
      assert.equal(response.kind === 'invalid' && response.reason, reason)
    })
  }

  it('returns the state of an invalid response if it occurs exactly once', () => {
    const state = generateState()
    const response = parseAuthorizationResponse(`state=${state}&code=a&code=b`)
    assert.deepEqual(response, { kind: 'invalid', reason: 'repeated', state })
    assert.equal(parseAuthorizationResponse('state=s&state=s&code=a').state, undefined)
  })

  it(`never throws (seed ${seed})`, () => {
    const name = fc.oneof(
      fc.constantFrom('state', 'code', 'error', 'iss', 'error_description'),
      fc.string(),
    )
    const pairs = fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 8 })
    const query = fc.oneof(
      fc.string(),
      pairs.map((list) => new URLSearchParams(list).toString()),
    )
    fc.assert(
      fc.property(query, (text) => {
        const response = parseAuthorizationResponse(text)
        if (response.kind === 'code') assert.match(response.code, /^[\x20-\x7e]{1,4096}$/)
        if (response.kind === 'error') assert.match(response.error, /^[a-z][a-z0-9_.]+$/)
      }),
      { seed, numRuns: 500 },
    )
  })
})

describe('isValidIssuer', () => {
  const issuer = 'https://login.example.com/tenant'

  it('compares iss byte for byte, advertised or not (RFC 9207)', () => {
    const otherIssuers = [
      `${issuer}/`,
      issuer.toUpperCase(),
      `${issuer}?`,
      'https://login.example.com:443/tenant',
      'https://login.example.com/%74enant',
      'https://evil.test',
      ` ${issuer}`,
      '',
    ]
    for (const isAdvertised of [true, false]) {
      assert.equal(isValidIssuer(issuer, { issuer, isAdvertised }), true)
      for (const otherIssuer of otherIssuers)
        assert.equal(isValidIssuer(otherIssuer, { issuer, isAdvertised }), false, otherIssuer)
    }
  })

  it('rejects a response without iss from a server that advertises it, and no other', () => {
    assert.equal(isValidIssuer(undefined, { issuer, isAdvertised: true }), false)
    assert.equal(isValidIssuer(undefined, { issuer, isAdvertised: false }), true)
    assert.equal(isValidIssuer(undefined, { issuer: undefined, isAdvertised: false }), true)
  })

  it('accepts iss where no issuer is known to compare it with', () => {
    assert.equal(isValidIssuer('https://a.test', { issuer: undefined, isAdvertised: false }), true)
  })
})
