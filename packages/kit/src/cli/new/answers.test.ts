import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAnswers } from './answers.ts'

const read = (more: Readonly<Record<string, string>>) =>
  parseAnswers({ name: 'Acme', 'base-url': 'https://api.acme.test', ...more })

describe('the answers of new', () => {
  it('take base URLs whose host is fixed, begins with a field, or is the person’s own', () => {
    for (const url of [
      'https://api.acme.test',
      'https://api.acme.test:8443/v1',
      'https://${subdomain}.acme.test/${team}',
      '${base_url}/api',
      '${base_url}',
    ])
      assert.equal(read({ 'base-url': `${url}/` }).baseUrl, url)
    assert.equal(
      read({ 'base-url': 'https://API.Acme.test/V2' }).baseUrl,
      'https://api.acme.test/V2',
    )
  })

  it('refuse base URLs that no integration could have', () => {
    for (const url of [
      'http://a.test',
      'https://me:pw@a.test',
      'https://a.test/?x=1',
      'https://a.test/#x',
      'a.test',
      '${region}.a.test',
    ])
      assert.throws(() => read({ 'base-url': url }), /--base-url is an https URL/, url)
    for (const url of ['https://10.0.0.1/x', 'https://api.${region}.a.test', 'https://localhost'])
      assert.throws(() => read({ 'base-url': url }), /--base-url has the name of a host/, url)
  })

  it('name the flag that is wrong', () => {
    for (const [flag, answer, message] of [
      ['auth', 'magic', /--auth is one of bearer, header/],
      ['key', 'A-b', /--key is lower case/],
      ['category', 'x', /--category is one of HRIS/],
      ['check', 'me', /--check starts with/],
      ['docs', "https://a.test/'x", /--docs is an https URL/],
    ] as const)
      assert.throws(() => read({ [flag]: answer }), message)
  })

  it('want a key where the name makes none', () => {
    assert.throws(() => read({ name: '日本' }), /--key is needed/)
    assert.equal(read({ name: '日本', key: 'nihon' }).name, '日本')
    assert.throws(() => read({ name: '7' }), /--name needs a letter/)
  })
})
