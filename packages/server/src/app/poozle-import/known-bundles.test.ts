// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import type { Spec } from '@linchpin/runner'
import { listConfigFields } from '../../accounts/accounts/credentials/account-config.ts'
import { validateSpec } from '../../integrations/definitions/spec/validate-spec.ts'
import { completeSpec } from './import-row.ts'
import { findKnownBundle, listKnownBundles, readField } from './known-bundles.ts'

const ARTIFACTS = 'https://raw.githubusercontent.com/poozlehq/build-artifacts/main'

describe('The known bundles of Poozle', () => {
  const specs = new Map<string, Spec>()
  before(async () => {
    for (const { key, versions } of (await loadCatalogue()).entries)
      specs.set(key, JSON.parse(versions[0]?.spec ?? '{}'))
  })
  const getSpec = (key: string) => specs.get(key) as Spec

  it('fill only fields that the entry of the catalogue has, and all that it requires', () => {
    let count = 0
    for (const { entry, auth } of listKnownBundles())
      for (const { authType, fields } of Object.values(auth)) {
        const has = listConfigFields(getSpec(entry), authType)
        assert.ok(has, `${entry} ${authType}`)
        for (const field of Object.keys(fields)) assert.ok(has.properties.has(field), entry + field)
        for (const field of has.required)
          assert.ok(Object.hasOwn(fields, field), `${entry} ${authType} ${field}`)
        count += 1
      }
    assert.ok(count > 30)
  })

  it('are found by the folder in their source URL, also on another host, and else by their key', () => {
    const find = (sourceUrl: string, key = 'x') => findKnownBundle({ sourceUrl, key })?.entry
    assert.equal(find(`${ARTIFACTS}/ticketing/linearapp/0.1.0/index.js`), 'linear')
    assert.equal(find('https://mirror.example/a/ticketing/github/0.1.10/index.js'), 'github')
    assert.equal(find('https://bundles.example/1.js', 'gmail'), 'gmail')
    assert.equal(find(`${ARTIFACTS}/ats/linkedin/0.1.0/index.js`), undefined)
    assert.equal(find(`${ARTIFACTS}/a/constructor/0.1.0/index.js`, '__proto__'), undefined)
  })

  const token = (authorization_url: string, token_url: string) => ({
    authorization_url,
    token_url,
    input_specification: { type: 'object', properties: { client_id: { type: 'string' } } },
  })
  const apiKey = {
    input_specification: { type: 'object', properties: { api_key: { type: 'string' } } },
  }
  const complete = (name: string, spec: object) => {
    const bundle = findKnownBundle({ sourceUrl: '', key: name })
    assert.ok(bundle)
    const validated = validateSpec(completeSpec(spec, bundle, getSpec(bundle.entry)))
    assert.ok(typeof validated !== 'string', String(validated))
    const { auth_specification } = validated.spec
    const urls = Object.values(auth_specification).map((auth) => auth.api_base_url)
    return { urls, hosts: validated.spec['x-hosts'] }
  }

  it('get the base URLs and the hosts of the entry, and keep those of their own sign-in', () => {
    const google = token(
      'https://accounts.google.com/o/oauth2/v2/auth',
      'https://oauth2.googleapis.com/token',
    )
    assert.deepEqual(complete('gmail', { auth_specification: { OAuth2: google } }), {
      urls: ['https://gmail.googleapis.com/gmail/v1'],
      hosts: [
        'gmail.googleapis.com',
        'oauth2.googleapis.com',
        'openidconnect.googleapis.com',
        'www.googleapis.com',
        'accounts.google.com',
      ],
    })
  })

  it('get base URLs under the names of their own fields', () => {
    const domain = {
      input_specification: { type: 'object', properties: { jira_domain: { type: 'string' } } },
    }
    const atlassian = token(
      'https://auth.atlassian.com/authorize',
      'https://auth.atlassian.com/oauth/token',
    )
    const spec = {
      auth_specification: { 'Api Key': apiKey, OAuth2: atlassian },
      other_inputs: domain,
    }
    const { urls, hosts } = complete('jira', spec)
    assert.deepEqual(urls, ['https://${jira_domain}', 'https://api.atlassian.com'])
    assert.ok(hosts?.includes('*.atlassian.net'))
  })

  it('and others whose fields are hosts get a pattern for them, without which a spec is not valid', () => {
    const zendesk_domain = { type: 'string' }
    const inputs = { input_specification: { type: 'object', properties: { zendesk_domain } } }
    const url = 'https://${zendesk_domain}/oauth/tokens'
    const spec = { auth_specification: { OAuth2: token(url, url) }, other_inputs: inputs }
    assert.equal(typeof validateSpec(spec), 'string')
    const { urls } = complete('zendesk', spec)
    assert.deepEqual(urls, ['https://${zendesk_domain}/api/v2'])
    assert.equal(typeof validateSpec(completeSpec(spec, undefined, undefined)), 'object')
  })

  it('are left alone if they have no spec', () => {
    for (const value of [
      null,
      5,
      [],
      {},
      { auth_specification: null },
      { auth_specification: { a: null } },
    ])
      assert.equal(completeSpec(value, undefined, undefined), value)
  })

  it('keep their own base URL and hosts', () => {
    const spec = {
      api_base_url: 'https://own.example',
      'x-hosts': ['own.example'],
      auth_specification: { 'Api Key': apiKey },
    }
    const { urls, hosts } = complete('github', spec)
    assert.deepEqual([urls, hosts], [[undefined], ['own.example']])
  })

  it('translate a domain to the first part of it, and no other domain', () => {
    const source =
      findKnownBundle({ sourceUrl: '', key: 'jira' })?.auth['Api Key']?.fields.site ?? ''
    const read = (jira_domain: unknown) => readField(source, { jira_domain })
    assert.deepEqual(
      ['acme.atlassian.net', 'https://acme.atlassian.net/', ' acme.atlassian.net'].map(read),
      ['acme', 'acme', 'acme'],
    )
    for (const other of ['jira.acme.com', 'acme.atlassian.net.evil.example', '', 5, null])
      assert.equal(read(other), undefined)
  })
})
