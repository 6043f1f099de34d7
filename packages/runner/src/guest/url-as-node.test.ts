import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { URL as PlainClass } from './web/url.js'

// Its properties are defined in a loop, which types do not follow.
const GuestURL = PlainClass as unknown as typeof URL

const NAMES = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const

const pieces = fc.constantFrom(
  ...['http://', 'https://', 'HTTP://', 'ftp://', '//', 'a.example', 'API.example', '127.0.0.1'],
  ...['127.1', '0x7f.1', '256.1.1.1', 'a..b', 'xn--bcher-kva.example', 'bücher.example', 'a_b.c'],
  ...['1.2.3.04', 'a.1', 'a-', '-a', '[::1]', 'user:pw@', ':80', ':443', ':8080', ':0', ':99999'],
  ...['/', '/a', '/./', '/../b', '/%2e%2E/c', '/a b', "/it's", '/%zz', '//', '\\', '/:@;=,~'],
  ...['?', '?a=1', '?a=b&c=%20', "?q='x'", '?a=<b>', '#', '#frag', ' ', '\t', '\n', 'é', '|', '^'],
)

function describeUrl(URLClass: typeof URL, text: string): unknown {
  try {
    const url = new URLClass(text)
    const before = NAMES.map((name) => url[name])
    url.searchParams.append('k', 'v w')
    url.hash = 'h'
    return [before, url.href, String(url), JSON.stringify(url)]
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('URL in the sandbox', () => {
  it('parses and modifies any text like Node’s URL', () => {
    const texts = fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        assert.deepEqual(describeUrl(GuestURL, text), describeUrl(URL, text), text)
      }),
      { numRuns: Number(process.env.FUZZ_URLS ?? 4_000) },
    )
  })

  it('looks like Node’s from outside', () => {
    const given = 'https://api.example/v1?a=1'
    const [guestUrl, nodeUrl] = [new GuestURL(given), new URL(given)]
    const listComponents = (url: URL) => [
      Object.prototype.toString.call(url),
      Object.keys(url),
      NAMES.filter((name) => name in url),
      ((all: string[]) => all.toSorted())(listKeys(url)),
    ]
    assert.deepEqual(listComponents(guestUrl), listComponents(nodeUrl))
    assert.equal(new GuestURL('/b', guestUrl).href, new URL('/b', nodeUrl).href)
  })
})

function listKeys(value: object): string[] {
  const found: string[] = []
  for (const key in value) found.push(key)
  return found
}
