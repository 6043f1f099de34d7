// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InputProperty, Spec } from '@linchpin/runner'
import { listEndpointDomains, listEndpointOrigins } from './endpoint-templates.ts'

const textField = { type: 'string' }
const authorization_url = 'https://sign-in.example/authorize'
const buildSpec = (auth: object, properties: Record<string, InputProperty> = {}): Spec => ({
  auth_specification: {
    OAuth2: { authorization_url, input_specification: { type: 'object', properties }, ...auth },
  },
})

describe('endpointOrigins', () => {
  it('lists only the origins of endpoints that receive a client secret', () => {
    const spec = buildSpec({
      token_url: 'https://Auth.example:8443/token/${tenant}',
      refresh_url: 'https://refresh.example/',
      revocation_url: 'https://revoke.example/r',
      pushed_authorization_request_url: 'https://par.example/p',
    })
    assert.deepEqual(listEndpointOrigins({ ...spec, api_base_url: 'https://api.example' }), [
      'https://auth.example:8443',
      'https://par.example',
      'https://refresh.example',
      'https://revoke.example',
    ])
  })

  it('fills a field in the host with its declared values, and skips a field without any', () => {
    const listOrigins = (properties: Record<string, InputProperty>, token_url: string) =>
      listEndpointOrigins(buildSpec({ token_url }, properties))
    const region = { ...textField, enum: ['eu', 'us'] }
    assert.deepEqual(listOrigins({ region }, 'https://auth.${region}.acme.example/t'), [
      'https://auth.eu.acme.example',
      'https://auth.us.acme.example',
    ])
    const base_url = { ...textField, format: 'uri', default: 'https://cloud.example/sub' }
    assert.deepEqual(listOrigins({ base_url }, '${base_url}/token'), ['https://cloud.example'])
    const unconstrained = { ...textField, pattern: '.*' }
    assert.deepEqual(listOrigins({ shop: unconstrained }, 'https://${shop}.acme.example/t'), [])
    assert.deepEqual(listOrigins({ shop: unconstrained }, '${shop}/t'), [])
    assert.deepEqual(listEndpointOrigins({ auth_specification: { Key: {} } }), [])
  })

  it('lists a declared revocation only if it sends the secret', () => {
    const form = { token: '${token}' }
    const revocation = (host: string, request: object) => ({
      url: `https://${host}.example/r`,
      ...request,
    })
    const spec = buildSpec({
      token_url: 'https://token.example/t',
      'x-revocation': [
        revocation('basic', { auth_method: 'header', form }),
        revocation('named', { headers: { Authorization: 'Client ${client_secret}' }, form }),
        revocation('bearer', { headers: { Authorization: 'Bearer ${access_token}' } }),
      ],
    })
    const origins = ['https://basic.example', 'https://named.example', 'https://token.example']
    assert.deepEqual(listEndpointOrigins(spec), origins)
  })

  it('lists the hosts that a parameter of the callback may lead to', () => {
    const listBoth = (token_url: string, hosts: readonly string[] | undefined) => {
      const auth = { token_url, callback_params: ['server'] }
      const spec = { ...buildSpec(auth), ...(hosts && { 'x-hosts': hosts }) }
      return [listEndpointOrigins(spec), listEndpointDomains(spec)]
    }
    const hosts = ['accounts.acme.com', 'accounts.acme.eu', '*.sites.acme.com']
    const [first, second] = hosts.map((host) => `https://${host}`)
    assert.deepEqual(listBoth('${server}/t', hosts), [[first, second], ['*.sites.acme.com']])
    assert.deepEqual(listBoth('https://accounts.acme.${server}/t', hosts), [[first, second], []])
    assert.deepEqual(listBoth('https://${server}.sites.acme.com/t', hosts), [
      [],
      ['*.sites.acme.com'],
    ])
    assert.deepEqual(listBoth('${server}/t', undefined), [[], []])
    const slow = `https://${'${server}'.repeat(200)}x/t`
    const started = performance.now()
    assert.deepEqual(
      listBoth(
        slow,
        Array.from({ length: 100 }, () => 'a'.repeat(250)),
      ),
      [[], []],
    )
    assert.ok(performance.now() - started < 500)
  })
})

describe('endpointDomains', () => {
  it('lists the domain below a configurable subdomain if it has at least two labels', () => {
    const domains = (
      token_url: string,
      properties: Record<string, InputProperty> = { shop: textField },
    ) => listEndpointDomains(buildSpec({ token_url }, properties))
    assert.deepEqual(domains('https://${shop}.myshopify.com/t'), ['*.myshopify.com'])
    assert.deepEqual(domains('https://a-${shop}.b.Example.COM/t'), ['*.b.example.com'])
    for (const url of [
      'https://${shop}.com/t',
      'https://${shop}/t',
      '${shop}/t',
      'https://x.example/t',
    ])
      assert.deepEqual(domains(url), [])
    const region = { ...textField, enum: ['eu'] }
    assert.deepEqual(domains('https://${region}.acme.example/t', { region }), [])
  })
})
