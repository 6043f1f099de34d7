import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAnswers } from './answers.ts'

const parseWith = (values: Readonly<Record<string, string>>) =>
  parseAnswers({ name: 'Acme', 'base-url': 'https://api.acme.test', ...values })

describe('parseAnswers', () => {
  it('accepts base URLs whose host is fixed, starts with a field, or is entered by the user', () => {
    for (const url of [
      'https://api.acme.test',
      'https://api.acme.test:8443/v1',
      'https://${subdomain}.acme.test/${team}',
      '${base_url}/api',
      '${base_url}',
    ])
      assert.equal(parseWith({ 'base-url': `${url}/` }).baseUrl, url)
    assert.equal(
      parseWith({ 'base-url': 'https://API.Acme.test/V2' }).baseUrl,
      'https://api.acme.test/V2',
    )
  })

  it('rejects base URLs that no integration could have', () => {
    for (const url of [
      'http://a.test',
      'https://me:pw@a.test',
      'https://a.test/?x=1',
      'https://a.test/#x',
      'a.test',
      '${region}.a.test',
    ])
      assert.throws(() => parseWith({ 'base-url': url }), /--base-url must be an https URL/, url)
    for (const url of ['https://10.0.0.1/x', 'https://api.${region}.a.test', 'https://localhost'])
      assert.throws(
        () => parseWith({ 'base-url': url }),
        /--base-url must contain a host name/,
        url,
      )
  })

  it('names the invalid flag', () => {
    for (const [flag, answer, message] of [
      ['auth', 'magic', /--auth must be one of bearer, header/],
      ['key', 'A-b', /--key must be lower case/],
      ['category', 'x', /--category must be one of HRIS/],
      ['check', 'me', /--check must start with/],
      ['docs', "https://a.test/'x", /--docs must be an https URL/],
    ] as const)
      assert.throws(() => parseWith({ [flag]: answer }), message)
  })

  it('requires a key if none can be derived from the name', () => {
    assert.throws(() => parseWith({ name: '日本' }), /--key is required/)
    assert.equal(parseWith({ name: '日本', key: 'nihon' }).name, '日本')
    assert.throws(() => parseWith({ name: '7' }), /--name must contain a letter/)
  })
})
