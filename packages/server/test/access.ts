import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SCOPES, scopesThatSuffice } from '../src/caller/scopes.ts'
import { refused } from './fixtures.ts'
import type { TestApp } from './test-app.ts'

/** Registers what every operation promises about the token of its caller. */
export function itGuards(
  app: () => TestApp,
  method: string,
  path: string | (() => string),
  needs: { readonly scope: string; readonly body?: unknown },
): void {
  const { scope, body } = needs
  const url = () => (typeof path === 'string' ? path : path())

  it('401: asks for a token, and says nothing of why one is not valid', async () => {
    const missing = await app().call(method, url(), { body, token: null })
    refused(missing, 'token_missing')
    const wrong = await app().call(method, url(), { body, token: 'lp_wrong' })
    refused(wrong, 'token_invalid')
    assert.equal(wrong.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })

  it(`403: needs the scope ${scope}`, async () => {
    const suffice = scopesThatSuffice(scope)
    const token = await app().mint({ scopes: SCOPES.filter((other) => !suffice.includes(other)) })
    refused(await app().call(method, url(), { body, token }), 'insufficient_scope')
  })
}
