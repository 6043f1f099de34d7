import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listSufficientScopes, SCOPES } from '../src/access/auth/caller.ts'
import type { TestApp } from './test-app.ts'
import { expectError } from './test-context.ts'

/** Defines the tests of every operation for missing, invalid and insufficient tokens. */
export function itRequiresScope(
  app: () => TestApp,
  method: string,
  path: string | (() => string),
  options: { readonly scope: string; readonly body?: unknown },
): void {
  const { scope, body } = options
  const url = () => (typeof path === 'string' ? path : path())

  it('401: without a token or with an invalid one, without a reason', async () => {
    const withoutToken = await app().call(method, url(), { body, token: null })
    expectError(withoutToken, 'token_missing')
    const withInvalidToken = await app().call(method, url(), { body, token: 'lp_wrong' })
    expectError(withInvalidToken, 'token_invalid')
    assert.equal(withInvalidToken.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })

  it(`403: needs the scope ${scope}`, async () => {
    const sufficient = listSufficientScopes(scope)
    const token = await app().createToken({
      scopes: SCOPES.filter((other) => !sufficient.includes(other)),
    })
    expectError(await app().call(method, url(), { body, token }), 'insufficient_scope')
  })
}
