import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validateFrameOrigins, validateRedirectUrls } from './validate-allowlists.ts'

const listErrorPaths = (fieldErrors: object) => Object.keys(fieldErrors)
const expectedPaths = (field: string, values: readonly string[]) =>
  values.map((_, index) => `${field}.${index}`)

describe('validateRedirectUrls', () => {
  it('validateRedirectUrls accepts entries that a redirectURL can equal', () => {
    const urls = [
      'https://app.example.com',
      'https://app.example.com/connected',
      'https://app.example.com:8443/a/b?tab=1&x=%2A',
      'https://APP.example.com/Connected',
      'https://xn--bcher-kva.example/',
      'http://localhost:5173/done',
      'http://127.0.0.1:8080',
      'http://[::1]:3000/x?y=1',
    ]
    assert.deepEqual(validateRedirectUrls('f', urls), {})
  })

  it('validateRedirectUrls rejects, by index, entries that no redirectURL can equal', () => {
    const urls = [
      'http://app.example.com/connected',
      'http://localhost.example.com/',
      'http://127.1/x',
      'http://LOCALHOST/x',
      'http://localhost:80/x',
      'http://localhost/a/../b',
      'https://user@app.example.com/',
      'https://user:word@app.example.com/',
      'https://app.example.com/@me',
      'https://app.example.com/#part',
      'https://app.example.com/#',
      'https://*.example.com/connected',
      'https://app.example.com/*',
      'https://app.example.com/a b',
      'https://app.example.com/\n',
      ' https://app.example.com/',
      'https://app.example.com\\x',
      'https:app.example.com',
      'https:///app.example.com',
      'HTTPS://app.example.com/',
      '//app.example.com/',
      'app.example.com',
      'data:text/html,x',
      'javascript:alert(1)',
      'myapp://connected',
      'https://',
      '*',
      '',
    ]
    const fieldErrors = validateRedirectUrls('redirectURLs', urls)
    assert.deepEqual(listErrorPaths(fieldErrors), expectedPaths('redirectURLs', urls))
    for (const [error] of Object.values(fieldErrors))
      assert.match(error?.message ?? '', /^Must .*\.$/)
    assert.doesNotMatch(
      JSON.stringify(fieldErrors),
      /user:word|javascript|alert/,
      'no value is repeated',
    )
  })
})

describe('validateFrameOrigins', () => {
  it('validateFrameOrigins accepts origins as browsers send them', () => {
    const origins = [
      'https://app.example.com',
      'https://app.example.com:8443',
      'https://xn--bcher-kva.example',
      'https://my_app.example.com',
      'https://192.0.2.1',
      'http://localhost',
      'http://localhost:5173',
      'http://127.0.0.1:8080',
    ]
    assert.deepEqual(validateFrameOrigins('f', origins), {})
  })

  it('validateFrameOrigins rejects, by index, entries that no browser sends or that would extend a Content-Security-Policy', () => {
    const origins = [
      'http://app.example.com',
      'https://app.example.com/',
      'https://app.example.com/path',
      'https://app.example.com?x',
      'https://app.example.com#x',
      'https://app.example.com:443',
      'http://localhost:80',
      'https://APP.example.com',
      'https://bücher.example',
      'https://user@app.example.com',
      'https://*.example.com',
      'https://*',
      '*',
      'null',
      "'self'",
      'https:',
      'https://',
      'http://[::1]:3000',
      'https://a.example;script-src',
      'https://a.example,b',
      "https://a.example'",
      'https://a.example https://b.example',
      'data:',
      'blob:https://app.example.com',
      'file://',
      'ws://localhost',
      'app.example.com',
      '',
    ]
    const fieldErrors = validateFrameOrigins('allowedOrigins', origins)
    assert.deepEqual(listErrorPaths(fieldErrors), expectedPaths('allowedOrigins', origins))
    for (const [error] of Object.values(fieldErrors))
      assert.match(error?.message ?? '', /^Must .*\.$/)
  })
})
