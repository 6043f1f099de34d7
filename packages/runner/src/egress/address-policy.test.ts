import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expectEgressError } from '../../test/egress/egress-test-support.ts'
import { parseAllowList } from './address.ts'
import { type AddressPolicy, resolveTarget, type Target } from './address-policy.ts'
import type { Purpose } from './egress.ts'

interface ResolveOptions {
  readonly allow?: string
  readonly resolvedAddresses?: readonly string[]
  readonly purpose?: Purpose
  readonly hosts?: readonly string[]
  readonly rules?: Partial<AddressPolicy>
}

/** Resolves targets without dialling; every name resolves to `answers`. */
function resolveUrl(url: string, options: ResolveOptions = {}): Promise<Target> {
  const rules: AddressPolicy = {
    allow: parseAllowList(options.allow ?? ''),
    listeningPorts: () => [],
    selfAddresses: () => new Set(),
    resolve: async () =>
      (options.resolvedAddresses ?? ['93.184.215.14']).map((address) => ({ address, family: 0 })),
    proxyResolves: false,
    ...options.rules,
  }
  const { signal } = new AbortController()
  return resolveTarget(rules, {
    url,
    purpose: options.purpose ?? 'bundle',
    hosts: options.hosts,
    signal,
  })
}

async function assertRefused(url: string, options?: ResolveOptions): Promise<void> {
  assert.equal((await expectEgressError(resolveUrl(url, options))).code, 'refused', url)
}

const ALLOWED_URLS = `
https://api.github.com/user
https://API.GitHub.com/repos/a/b?per_page=100&page=2
https://github.com/login/oauth/access_token
https://slack.com/api/auth.test
https://hooks.slack.com/services/T0/B0/x
https://your-domain.atlassian.net/rest/api/3/myself
https://api.atlassian.com/oauth/token/accessible-resources
https://api.notion.com/v1/users/me
https://www.googleapis.com/oauth2/v3/userinfo
https://oauth2.googleapis.com/token
https://accounts.google.com/.well-known/openid-configuration
https://gmail.googleapis.com/gmail/v1/users/me/messages?q=in%3Ainbox
https://graph.microsoft.com/v1.0/me
https://login.microsoftonline.com/common/oauth2/v2.0/token
https://api.stripe.com/v1/charges?limit=1
https://api.hubapi.com/crm/v3/objects/contacts
https://gitlab.com/api/v4/user
https://gitlab.example.co.uk:8443/api/v4/user
https://api.linear.app/graphql
https://app.asana.com/api/1.0/users/me
https://api.clickup.com/api/v2/user
https://api.zoom.us/v2/users/me
https://api.intercom.io/me
https://example.zendesk.com/api/v2/users/me.json
https://example.freshdesk.com/api/v2/tickets
https://api.airtable.com/v0/meta/whoami
https://api.dropboxapi.com/2/users/get_current_account
https://api.box.com/2.0/users/me
https://discord.com/api/v10/users/@me
https://api.twilio.com/2010-04-01/Accounts.json
https://user:pass@api.example.com/private
https://cdn.jsdelivr.net/npm/some-package@1.2.3/dist/index.js
https://raw.githubusercontent.com/a/b/main/dist/index.js#fragment
https://unpkg.com/a@1/b.js
https://xn--bcher-kva.example/
https://bücher.example/katalog
https://api.example.com./trailing-dot
https://1.1.1.1/dns-query
https://[2606:4700:4700::1111]/dns-query
https://a-b_c.example.io:443/%7Efoo?x=%00&y=[1]
`
  .trim()
  .split('\n')

describe('resolveTarget with valid URLs', () => {
  it('accepts 40 URLs', async () => {
    assert.equal(ALLOWED_URLS.length, 40)
    for (const url of ALLOWED_URLS) {
      const target = await resolveUrl(url)
      assert.equal(target.addresses.length, 1, url)
      assert.equal(target.url.hash + target.url.username + target.url.password, '', url)
    }
  })

  it('returns every validated address, in the order of the resolver', async () => {
    const resolvedAddresses = ['2606:4700::6810:84e5', '104.16.132.229', '104.16.132.229']
    const { addresses, host, port } = await resolveUrl('https://Example.COM./x', {
      resolvedAddresses,
    })
    assert.deepEqual([addresses, host, port], [resolvedAddresses.slice(0, 2), 'example.com', 443])
  })
})

describe('resolveTarget with host names', () => {
  it('rejects a name that has a private address, at any position', async () => {
    for (const bad of ['10.0.0.1', '127.0.0.1', '::1', '169.254.169.254', '::ffff:10.0.0.1']) {
      await assertRefused('https://mixed.example/', { resolvedAddresses: ['93.184.215.14', bad] })
      await assertRefused('https://mixed.example/', { resolvedAddresses: [bad, '93.184.215.14'] })
    }
  })

  it('rejects a name that resolves to something other than an IP address', async () => {
    await assertRefused('https://odd.example/', { resolvedAddresses: ['127.1'] })
    await assertRefused('https://odd.example/', {
      resolvedAddresses: ['fe80::1%eth0'],
      allow: 'fe80::/10',
    })
  })

  it('reports unresolvable names like forbidden ones', async () => {
    const rejectLookup = async (): Promise<never> => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    const missing = await expectEgressError(
      resolveUrl('https://no.example/', { rules: { resolve: rejectLookup } }),
    )
    const empty = await expectEgressError(
      resolveUrl('https://no.example/', { resolvedAddresses: [] }),
    )
    const forbidden = await expectEgressError(
      resolveUrl('https://in.example/', { resolvedAddresses: ['10.0.0.1'] }),
    )
    for (const error of [missing, empty]) {
      assert.deepEqual(
        [error.code, error.message, error.systemCode],
        [forbidden.code, forbidden.message, forbidden.systemCode],
      )
    }
  })

  it('never queries a resolver for localhost', async () => {
    const publicAnswer = { resolvedAddresses: ['93.184.215.14'] }
    for (const host of [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'app.localhost',
      'a.b.localhost.',
    ]) {
      await assertRefused(`https://${host}/`, publicAnswer)
      const { addresses } = await resolveUrl(`http://${host}:3000/`, {
        ...publicAnswer,
        allow: '127.0.0.1',
      })
      assert.deepEqual(addresses, ['127.0.0.1'], host)
    }
    assert.equal((await resolveUrl('https://localhost.example/', publicAnswer)).addresses.length, 1)
  })
})

describe('resolveTarget: scheme, port and allow list', () => {
  it('rejects http unless every address is allowed', async () => {
    await assertRefused('http://example.com/')
    await assertRefused('http://in.example/', {
      allow: '10.0.0.0/8',
      resolvedAddresses: ['10.0.0.1', '93.184.215.14'],
    })
    const options = { allow: '10.0.0.0/8', resolvedAddresses: ['10.0.0.1', '10.0.0.2'] }
    assert.equal((await resolveUrl('http://in.example:81/', options)).addresses.length, 2)
  })

  it('rejects public addresses on ports other than 443, 80 and 8443', async () => {
    for (const port of [443, 80, 8443]) await resolveUrl(`https://example.com:${port}/`)
    for (const port of [0, 22, 25, 3000, 6379, 8080, 65535]) {
      await assertRefused(`https://example.com:${port}/`)
    }
  })

  it('applies an allow-list entry to its purpose and port only', async () => {
    const allow = 'source=10.0.0.5:8080'
    await resolveUrl('http://10.0.0.5:8080/', { allow, purpose: 'source' })
    await assertRefused('http://10.0.0.5:8080/', { allow, purpose: 'bundle' })
    await assertRefused('http://10.0.0.5:8081/', { allow, purpose: 'source' })
    await assertRefused('https://10.0.0.5/', { allow, purpose: 'source' })
  })

  it('treats mapped IPv4 as IPv4 and dials it as IPv4', async () => {
    const { addresses } = await resolveUrl('http://[::ffff:127.0.0.1]:81/', { allow: '127.0.0.1' })
    assert.deepEqual(addresses, ['127.0.0.1'])
  })

  it("rejects this machine's public addresses unless they are allowed", async () => {
    const rules = { selfAddresses: () => new Set(['93.184.215.14']) }
    await assertRefused('https://example.com/', { rules })
    await resolveUrl('https://example.com/', { rules, allow: '93.184.215.14' })
  })

  it("rejects the service's own port on every address of this machine, allowed or not", async () => {
    const rules = { listeningPorts: () => [3000], selfAddresses: () => new Set(['10.0.0.7']) }
    const options = { rules, allow: '0.0.0.0/1,10.0.0.7,::1,::,0.0.0.0/8' }
    for (const host of ['127.0.0.1', '127.8.8.8', '[::1]', '[::]', '0.0.0.0', '10.0.0.7']) {
      await assertRefused(`http://${host}:3000/`, options)
      await resolveUrl(`http://${host}:3001/`, options)
    }
    await assertRefused('http://[::ffff:127.0.0.1]:3000/', options)
    await assertRefused('http://localhost:3000/', options)
    await assertRefused('http://me.example:3000/', { ...options, resolvedAddresses: ['10.0.0.7'] })
    await resolveUrl('http://10.0.0.8:3000/', options)
  })
})

describe('resolveTarget: URL length', () => {
  it('rejects URLs longer than 16 KB', async () => {
    const long = `https://example.com/${'x'.repeat(16_000)}`
    await resolveUrl(long)
    await assertRefused(`${long}${'x'.repeat(400)}`)
  })
})

describe('resolveTarget: user and password', () => {
  it('rejects credentials in a source URL', async () => {
    await assertRefused('https://user@example.com/', { purpose: 'source' })
    await assertRefused('https://:pass@example.com/', { purpose: 'source' })
  })

  it('converts credentials in the URL of a bundle into Basic credentials', async () => {
    const { authorization, url } = await resolveUrl('https://us%40er:p%C3%A4ss@example.com/x#y')
    assert.equal(authorization, `Basic ${Buffer.from('us@er:päss').toString('base64')}`)
    assert.equal(url.href, 'https://example.com/x')
    await assertRefused('https://%ff:x@example.com/')
  })
})

describe('resolveTarget: host list', () => {
  const hosts = ['API.example.com', '*.example.org.', 'bücher.example', '127.0.0.1', '::1']

  it('accepts listed hosts in any spelling', async () => {
    const options = { hosts, allow: '127.0.0.1,::1' }
    const listed = ['api.EXAMPLE.com', 'api.example.com.', 'a.example.org', 'a.b.example.org.']
    for (const host of [...listed, 'xn--bcher-kva.example', '127.0.0.1', '[::1]']) {
      await resolveUrl(`https://${host}/`, options)
    }
  })

  it('rejects hosts that are not listed', async () => {
    const other = ['example.com', 'xapi.example.com', 'api.example.com.evil.example', 'example.org']
    for (const host of [...other, 'evilexample.org', '1.1.1.1']) {
      await assertRefused(`https://${host}/`, { hosts })
    }
    await assertRefused('https://api.example.com/', { hosts: [] })
  })

  it('still validates the addresses of a listed host', async () => {
    await assertRefused('https://api.example.com/', { hosts, resolvedAddresses: ['127.0.0.1'] })
    await assertRefused('https://127.0.0.1/', { hosts })
  })
})

describe('resolveTarget with a resolving proxy', () => {
  const rules = {
    proxyResolves: true,
    resolve: () => Promise.reject(new Error('the resolver must not be called')),
  }

  it('leaves names to the proxy and validates literal addresses', async () => {
    const target = await resolveUrl('https://api.example.com:8443/', { rules })
    assert.deepEqual([target.addresses, target.host], [[], 'api.example.com'])
    await assertRefused('https://10.0.0.1/', { rules })
    await assertRefused('https://2130706433/', { rules })
    await assertRefused('https://localhost/', { rules })
  })

  it('rejects http and unusual ports for names', async () => {
    await assertRefused('http://api.example.com/', { rules, allow: '10.0.0.0/8' })
    await assertRefused('https://api.example.com:22/', { rules })
    await resolveUrl('http://10.0.0.1:8080/', { rules, allow: '10.0.0.0/8' })
  })
})
