import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validateRedirectUrls } from '../../../access/workspaces/validate-allowlists.ts'
import { ApiError } from '../../../platform/errors.ts'
import { assertRedirectUrlAllowed, buildReturnUrl, isRedirectAllowed } from './redirect-url.ts'

const ALLOWED = 'https://app.example.com/connected'
const workspace = {
  settings: { allowedRedirectURLs: [ALLOWED, 'http://plain.example/x'] },
}

function isAllowed(url: string, baseUrl = 'https://connect.example.com'): boolean {
  try {
    assertRedirectUrlAllowed(url, { workspace, link: undefined }, baseUrl)
    return true
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'redirect_url_not_allowed')
    assert.ok(!error.message.includes(url) || url.length < 3, 'the value is not repeated')
    return false
  }
}

/** URLs that some parsers confuse with the allowed URL. */
function listCorpus(): string[] {
  const hosts = ['app.example.com', 'evil.example']
  const variations = [
    'https://app.example.com.evil.example/connected',
    'https://evil.example/app.example.com/connected',
    'https://evil.example#https://app.example.com/connected',
    'https://evil.example?https://app.example.com/connected',
    'https://app.example.com:443/connected',
    'https://app.example.com:8443/connected',
    'https://APP.example.com/connected',
    'https://app.example.com./connected',
    'https://app.example.com/connected/',
    'https://app.example.com/connected/../evil',
    'https://app.example.com/./connected',
    'https://app.example.com//connected',
    'https://app.example.com/Connected',
    'https://app.example.com/connected?x=1',
    'https://app.example.com/connected?',
    'https://app.example.com/connected#',
    'https://app.example.com/connected#x',
    'https://app.example.com/connecte%64',
    'https://app.example.com/connected%00',
    'https://app.example.com/connected%0d%0aset-cookie:x',
    'https://app.example.com/connected\r\n',
    'https://app.example.com/connected\t',
    ' https://app.example.com/connected',
    'https://app.example.com/connected ',
    'https:/app.example.com/connected',
    'https:app.example.com/connected',
    'https:\\\\app.example.com\\connected',
    'https://app.example.com\\@evil.example/',
    'https://app.example.com/\\evil.example',
    'http://app.example.com/connected',
    'http://plain.example/x',
    'HTTPS://app.example.com/connected',
    '//app.example.com/connected',
    '/connected',
    'connected',
    '',
    '*',
    'null',
    'about:blank',
    'https://',
    'https://*.example.com/connected',
    'https://app。example。com/connected',
    'https://ａpp.example.com/connected',
    'https://аpp.example.com/connected',
    'https://app.example.com\u2044connected',
    'https://app.example.com/connected\u202e',
    'https://app.example.com/connected\u0000',
    'https://xn--pp-6kc.example.com/connected',
    'https://[::1]/connected',
    'https://127.0.0.1/connected',
    'http://localhost/connected',
    'http://localhost:3000/connected',
    'http://127.1/connected',
  ]
  const schemes = [
    'javascript',
    'data',
    'file',
    'ftp',
    'ws',
    'wss',
    'blob',
    'intent',
    'vbscript',
    'myapp',
    'tel',
    'mailto',
  ]
  const withSchemes = schemes.flatMap((scheme) => [
    `${scheme}:alert(1)`,
    `${scheme}://app.example.com/connected`,
    `${scheme}:https://app.example.com/connected`,
    `${scheme.toUpperCase()}:%0aalert(1)`,
  ])
  const users = [
    'user',
    'user:pw',
    ':',
    '',
    'app.example.com',
    'https%3A',
    'a%40b',
    '%2F',
    '%5C',
    '\\',
  ]
  const withUsers = users.flatMap((user) =>
    hosts.map((host) => `https://${user}@${host}/connected`),
  )
  const separators = [
    '\\',
    '%2f',
    '%5c',
    '%09',
    '%0a',
    '%0d',
    '%20',
    '\t',
    '\n',
    '\r',
    ';',
    '%3f',
    '%23',
    '\u2028',
  ]
  const withSeparators = separators.flatMap((separator) => [
    `https:${separator}//app.example.com/connected`,
    `https://app.example.com${separator}.evil.example/connected`,
    `https://app.example.com/connected${separator}`,
    `https://evil.example${separator}app.example.com/connected`,
    `https://evil.example/${separator}${separator}app.example.com/connected`,
    `${separator}https://app.example.com/connected`,
  ])
  return [...new Set([...variations, ...withSchemes, ...withUsers, ...withSeparators])]
}

describe('redirectURL', () => {
  it('rejects each of more than 200 variations and accepts the listed URL', () => {
    const disallowedUrls = listCorpus()
    assert.ok(disallowedUrls.length >= 200, String(disallowedUrls.length))
    assert.deepEqual(
      disallowedUrls.filter((url) => isAllowed(url)),
      [],
    )
    assert.equal(isAllowed(ALLOWED), true)
  })

  it('accepts every entry that a list accepts, and none that it rejects', () => {
    const base = 'http://localhost:3000'
    const entries = [...listCorpus(), ALLOWED, 'http://localhost:8080/x', 'http://127.0.0.1:8080']
    const isAccepted = (entry: string) =>
      Object.keys(validateRedirectUrls('list', [entry])).length === 0
    const accepted = entries.filter(isAccepted)
    const matching = entries.filter((entry) =>
      isRedirectAllowed(entry, { workspace, link: { redirectUrls: [entry] } }, base),
    )
    assert.ok(accepted.length > 10, String(accepted.length))
    assert.deepEqual(
      accepted,
      matching.filter((entry) => !entry.includes('*')),
    )
  })

  it("is checked against the link's own list if it has one", () => {
    const link = { redirectUrls: ['https://other.example/x'] }
    const base = 'https://connect.example.com'
    const allowed = (url: string, linkRow: typeof link) =>
      isRedirectAllowed(url, { workspace, link: linkRow }, base)
    assert.equal(allowed('https://other.example/x', link), true)
    assert.equal(allowed(ALLOWED, link), false)
    assert.equal(allowed(ALLOWED, { redirectUrls: [] }), true)
    assert.equal(allowed('https://other.example/x', { redirectUrls: [] }), false)
  })

  it('accepts http on loopback only while the service itself runs on loopback', () => {
    const loopbackUrl = 'http://localhost:8080/connected'
    assert.equal(isAllowed(loopbackUrl), false)
    const base = 'http://localhost:3000'
    assert.equal(isAllowed(loopbackUrl, base), true)
    assert.equal(isAllowed('http://127.0.0.1:8080', base), true)
    const invalidUrls = [
      'http://localhost.evil.example/',
      'http://user@localhost:8080/',
      'http://localhost:8080/#x',
      'http://127.1:8080/',
      'http://0x7f000001/',
      'http://LOCALHOST/',
      'http://localhost:8080\\@evil.example/',
      'http://evil.example/',
      'http://plain.example/x',
      'https://evil.example/',
    ]
    assert.deepEqual(
      invalidUrls.filter((url) => isAllowed(url, base)),
      [],
    )
  })

  it('keeps its own query, but replaces return parameters', () => {
    const url = new URL(
      buildReturnUrl(`${ALLOWED}?a=b%20c&success=true&confirmToken=forged`, {
        success: 'false',
        error: 'access_denied',
        accountIdentifier: null,
        integrationName: 'A & B=C#D',
      }),
    )
    assert.deepEqual(
      [...url.searchParams],
      [
        ['a', 'b c'],
        ['success', 'false'],
        ['error', 'access_denied'],
        ['integrationName', 'A & B=C#D'],
      ],
    )
    assert.equal(url.origin + url.pathname, ALLOWED)
    assert.equal(url.hash, '')
  })

  it('keeps its own query unchanged', () => {
    const success = { success: 'true' }
    for (const query of ['a=b%20c', 'a=b+c&d', 'd', 'd=', 'a=%7e~%2F/', 'a&&b', 'a=1&a=2', 'x=é'])
      assert.equal(
        buildReturnUrl(`${ALLOWED}?${query}`, success),
        `${new URL(`${ALLOWED}?${query}`).href}&success=true`,
      )
    assert.equal(buildReturnUrl(ALLOWED, success), `${ALLOWED}?success=true`)
    assert.equal(buildReturnUrl(`${ALLOWED}?`, success), `${ALLOWED}?success=true`)
    assert.equal(
      buildReturnUrl(`${ALLOWED}?error=1&%65rror=2&errors=3&confirm%54oken&success`, success),
      `${ALLOWED}?errors=3&success=true`,
    )
  })
})
