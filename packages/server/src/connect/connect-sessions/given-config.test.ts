// biome-ignore-all lint/suspicious/noTemplateCurlyInString: URLs of specs use this syntax
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readFormDestinations } from './given-config.ts'

const OAUTH = {
  authorization_url: 'https://login.acme.example/authorize',
  token_url: 'https://login.acme.example/token',
}
const at = (path: string) => `https://${'${site}'}.acme.example/${path}`

it('a field in the host of any URL of an auth type chooses a host', () => {
  for (const auth of [
    { authorization_url: at('authorize') },
    { token_url: at('token') },
    { refresh_url: at('refresh') },
    { pushed_authorization_request_url: at('par') },
    { revocation_url: at('revoke') },
    { 'x-revocation': [{ url: at('revoke'), form: { token: '${token}' } }] },
    { 'x-renew': { url: at('renew'), params: {} } },
    { 'x-renew': { url: OAUTH.token_url, params: {}, first: { url: at('first'), params: {} } } },
    { api_base_url: at('v1') },
  ]) {
    const site = { type: 'string', pattern: '^[a-z]+$' } as const
    const spec = {
      auth_specification: {
        OAuth2: { ...OAUTH, ...auth, input_specification: { properties: { site } } },
      },
      'x-hosts': ['login.acme.example'],
    }
    assert.deepEqual(
      readFormDestinations(spec, 'OAuth2').hostFields,
      ['site'],
      JSON.stringify(auth),
    )
  }
})
