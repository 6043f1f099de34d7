import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { validateSpec } from '../../server/src/integrations/definitions/spec/validate-spec.ts'
import { parseOAuthType } from '../../server/src/integrations/oauth/spec/parse-oauth-type.ts'
import { build } from '../src/build/build.ts'
import { loadIntegration } from '../src/build/load-integration.ts'
import { defineIntegration, oauth2, text } from '../src/index.ts'

const buildSpec = async (file: string) => loadIntegration((await build(file)).code)('SPEC')

for (const folder of ['../examples/', './integrations/']) {
  const path = fileURLToPath(new URL(folder, import.meta.url))
  for (const name of readdirSync(path).filter((each) => /^[^.]+\.ts$/.test(each))) {
    it(`the server accepts the spec of ${name}`, async () => {
      const validation = validateSpec(await buildSpec(path + name))
      assert.notEqual(typeof validation, 'string', String(validation))
    })
  }
}

it('the server understands all sign-in options of a spec', async () => {
  const main = defineIntegration({
    key: 'all',
    name: 'All',
    category: 'OTHER',
    version: '1.0.0',
    docs: 'https://acme.test/docs',
    hosts: ['*.acme.test'],
    apiBaseUrl: 'https://${shop}.acme.test',
    auth: {
      OAuth2: oauth2({
        authorizationUrl: 'https://${shop}.acme.test/authorize',
        tokenUrl: 'https://${shop}.acme.test/token',
        refreshUrl: 'https://${shop}.acme.test/refresh',
        revocationUrl: 'https://${shop}.acme.test/revoke',
        scopes: ['a', 'b'],
        scopeSeparator: ',',
        pkce: false,
        authorizationParams: { access_type: 'offline' },
        tokenParams: { audience: 'x' },
        refreshParams: { again: true },
        clientAuthentication: 'header',
        bodyFormat: 'json',
        parUrl: 'https://${shop}.acme.test/par',
        callbackParams: ['realmId'],
        issuer: 'https://acme.test',
        refresh: 'always',
        fields: { shop: text('Shop', { pattern: '^[a-z]+$' }) },
      }),
    },
    check: { path: '/me' },
  })
  const validation = validateSpec(JSON.parse(JSON.stringify(await main('SPEC'))))
  assert.ok(typeof validation !== 'string', String(validation))
  const type = parseOAuthType(validation.spec, 'OAuth2')
  assert.ok(type)
  const { templateFields, ...otherFields } = type
  assert.deepEqual([...templateFields.host], ['shop'])
  const read = Object.fromEntries(
    Object.entries(otherFields).filter(([, value]) => value !== undefined),
  )
  for (const [name, value] of Object.entries({
    authorizationUrl: 'https://${shop}.acme.test/authorize',
    tokenUrl: 'https://${shop}.acme.test/token',
    refreshUrl: 'https://${shop}.acme.test/refresh',
    revocation: [
      {
        url: 'https://${shop}.acme.test/revoke',
        form: { token: '${token}', token_type_hint: '${token_type_hint}' },
        auth_method: 'header',
      },
    ],
    defaultScopes: ['a', 'b'],
    scopeSeparator: ',',
    usesPkce: false,
    authorizationParams: [['access_type', 'offline']],
    tokenParams: [['audience', 'x']],
    refreshParams: [['again', 'true']],
    authorizationMethod: 'header',
    bodyFormat: 'json',
    pushedRequestUrl: 'https://${shop}.acme.test/par',
    callbackParams: ['realmId'],
    issuer: 'https://acme.test',
    alwaysIssuesRefreshTokens: true,
    hosts: ['*.acme.test'],
  })) {
    assert.deepEqual(read[name], value, name)
  }
})
