import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSecretName } from '../../platform/secret-name.ts'
import { en } from '../words/en.ts'
import { bodyView, jsonTree } from './json-tree.ts'

describe('isSecretName', () => {
  it('finds names of secrets, in any case', () => {
    for (const name of ['access_token', 'clientSecret', 'Password', 'X-Api-Key', 'Set-Cookie'])
      assert.equal(isSecretName(name), true, name)
    for (const name of ['id', 'name', 'key', 'status', 'keyword'])
      assert.equal(isSecretName(name), false, name)
  })
})

describe('jsonTree', () => {
  it('hides values of secrets until they are opened, whole objects too', () => {
    const { text } = jsonTree({ user: { token: 'tok_1' }, secrets: { a: 'tok_2' }, id: 7 }, en)
    const outside = text.replace(/<details class="masked">[\s\S]*?<\/details>/g, '')
    assert.doesNotMatch(outside, /tok_/)
    assert.match(text, /tok_1[\s\S]*tok_2/)
    assert.match(outside, /<code>7<\/code>/)
  })

  it('escapes names and values', () => {
    const { text } = jsonTree({ '<img src=x>': '<script>alert(1)</script>' }, en)
    assert.doesNotMatch(text, /<img|<script/)
    assert.match(text, /&#60;img/)
  })

  it('stops after 64 kB and says so', () => {
    const { text } = jsonTree(
      Array.from({ length: 20_000 }, () => 'twenty characters ..'),
      en,
    )
    assert.ok(text.length < 400_000, String(text.length))
    assert.match(text, /Only the first 64 kB/)
  })

  it('shows what is nested deeper than 40 levels as text', () => {
    let value: unknown = 'deep'
    for (let level = 0; level < 10_000; level++) value = [value]
    assert.equal(jsonTree(value, en).text.match(/<details/g)?.length, 40)
  })
})

describe('bodyView', () => {
  it('shows numbers as they were sent', () => {
    assert.match(
      bodyView('{"id":12345678901234567890,"n":1.50}', en).text,
      /12345678901234567890[\s\S]*>1\.50</,
    )
  })

  it('shows text that is no JSON, and hides one that names a secret', () => {
    assert.match(bodyView('pong', en).text, /^<pre[^>]*><code>pong/)
    assert.match(bodyView('access_token=abc', en).text, /^<details class="masked">/)
  })
})
