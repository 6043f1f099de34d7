import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRules, decide } from './agent-policy.ts'
import type { AgentRule } from './agent-session.ts'

const request = (requestTarget: string, changes: object = {}) => ({
  method: 'GET',
  host: 'api.example.com',
  requestTarget,
  rawHeaders: [],
  body: undefined,
  definitionId: 'def_a',
  getMayWrite: false,
  ...changes,
})
const effectOf = (rules: readonly AgentRule[], target: string, changes: object = {}) =>
  decide(rules, request(target, changes)).effect

describe('The rules of an agent session', () => {
  it('allow reads and nothing else without a rule, and no read of an API whose GET may write', () => {
    for (const method of ['GET', 'HEAD']) assert.equal(effectOf([], '/a', { method }), 'allow')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      assert.equal(effectOf([], '/a', { method }), 'deny')
    assert.equal(effectOf([], '/a', { getMayWrite: true }), 'deny')
    const rules: AgentRule[] = [{ effect: 'allow', path: '/chat.get' }]
    assert.equal(effectOf(rules, '/chat.get?x=1', { getMayWrite: true }), 'allow')
  })

  it('allow what a rule names, for its methods, hosts and tools', () => {
    const rules: AgentRule[] = [
      { effect: 'allow', methods: ['POST'], path: '/crm/*/notes', hosts: ['API.example.com'] },
      { effect: 'allow', methods: ['PATCH'], integrationDefinitionIds: ['def_a'] },
    ]
    assert.equal(effectOf(rules, '/crm/v3/notes', { method: 'POST' }), 'allow')
    assert.equal(effectOf(rules, '/crm/v3/notes/', { method: 'POST' }), 'allow')
    assert.equal(effectOf(rules, '/crm/v3/%6eotes', { method: 'POST' }), 'allow')
    assert.equal(effectOf(rules, '/crm/v3/notes/1', { method: 'POST' }), 'deny')
    assert.equal(effectOf(rules, '/CRM/v3/notes', { method: 'POST' }), 'deny')
    assert.equal(effectOf(rules, '/crm/v3/notes', { method: 'PUT' }), 'deny')
    const elsewhere = { method: 'POST', host: 'other.example.com' }
    assert.equal(effectOf(rules, '/crm/v3/notes', elsewhere), 'deny')
    assert.equal(effectOf(rules, '/x', { method: 'PATCH' }), 'allow')
    assert.equal(effectOf(rules, '/x', { method: 'PATCH', definitionId: 'def_b' }), 'deny')
  })

  it('deny before they allow, whatever their order', () => {
    const rules: AgentRule[] = [
      { effect: 'allow', path: '/**' },
      { effect: 'deny', path: '/admin/**' },
    ]
    for (const target of ['/admin', '/admin/', '/admin/users', '/admin/users?x=1'])
      for (const ordered of [rules, rules.toReversed()])
        assert.equal(effectOf(ordered, target, { method: 'POST' }), 'deny', target)
    assert.equal(effectOf(rules, '/administration', { method: 'POST' }), 'allow')
    const reads: AgentRule[] = [{ effect: 'deny', methods: ['GET'], path: '/a' }]
    assert.equal(effectOf(reads, '/a', { method: 'HEAD' }), 'deny')
  })

  it('deny every other spelling of a denied path', () => {
    const rules: AgentRule[] = [{ effect: 'allow' }, { effect: 'deny', path: '/admin/keys' }]
    const spellings = [
      ...['/ADMIN/keys', '/%61dmin/keys', '/%61%64%6d%69%6e/%6B%65%79%73', '/admin/keys/'],
      ...['//admin/keys', '/admin//keys', '/x/../admin/keys', '/./admin/keys', '/admin/%2e/keys'],
      ...[
        '/x/%2e%2e/admin/keys',
        '/admin%2Fkeys',
        '/admin%2fkeys',
        '/admin%5Ckeys',
        '/admin\\keys',
      ],
      ...[
        '/admin;x/keys',
        '/admin/keys;x=1',
        '/admin%3bx/keys',
        '/admin/keys%00',
        '/admin/keys%20',
      ],
      ...['/admin/keys.', '/admin/keys%2e', '/%2561dmin/keys', '/admin/ke%79s', '/admin/keys%09'],
      ...['/%ef%bd%81dmin/keys', '/admin/%e2%84%aaeys', '/admin./keys', '/admin/keys%0d%0a'],
      ...['/admin/keys%', '/admin/keys%zz', '/admin/keys?', '/admin/keys?a=/../b'],
    ]
    for (const target of spellings) {
      assert.equal(effectOf(rules, target), 'deny', target)
      assert.equal(effectOf(rules, target, { method: 'POST' }), 'deny', target)
    }
    assert.equal(effectOf(rules, '/admin/other'), 'allow')
  })

  it('deny requests that ask for another method or path than their own', () => {
    const rules: AgentRule[] = [{ effect: 'allow', methods: ['GET', 'POST'] }]
    const post = (changes: object) => effectOf(rules, '/a', { method: 'POST', ...changes })
    for (const name of [
      ...['X-HTTP-Method-Override', 'x-http-method', 'X-Method-Override', 'X_HTTP_METHOD_OVERRIDE'],
      ...['X-Original-URL', 'X-Rewrite-URL', 'x-original-uri', 'X-Forwarded-Prefix'],
    ])
      assert.equal(post({ rawHeaders: ['Accept', '*/*', name, 'DELETE'] }), 'deny', name)
    for (const query of ['_method=DELETE', 'a=1&_METHOD=delete', '%5fmethod=PUT', 'a;_method=PUT'])
      assert.equal(effectOf(rules, `/a?${query}`), 'deny', query)
    for (const body of [
      '_method=DELETE',
      'a=1&_method=DELETE',
      'a=1&%5Fmethod=DELETE',
      '{"_method":"DELETE"}',
      '{ "a": 1, "_method" : "DELETE" }',
      '{"\\u005fmethod":"DELETE"}',
      '--x\r\ncontent-disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--x--',
      '--x\r\ncontent-disposition: form-data; name=_method\r\n\r\nDELETE\r\n--x--',
    ])
      assert.equal(post({ body: Buffer.from(body) }), 'deny', body)
    for (const body of ['{"payment_method":"card"}', 'payment_method=card', '"_method"'])
      assert.equal(post({ body: Buffer.from(body) }), 'allow', body)
  })

  it('are rejected if they can match nothing', () => {
    const paths = ['/a//b', '/a/./b', '/a;b', '/a%2fb', '/a?x', '/a#b', '/a/**/b', '/a*', '/a b']
    for (const path of paths)
      assert.throws(
        () => assertRules([{ effect: 'allow' }, { effect: 'allow', path }]),
        (error: { errors?: object }) => {
          assert.deepEqual(Object.keys(error.errors ?? {}), ['rules.1.path'], path)
          return true
        },
      )
    assertRules([
      { effect: 'allow', path: '/' },
      { effect: 'deny', path: '/a/*/b/**' },
      { effect: 'allow', path: '/v1/projects/p:batchGet' },
    ])
  })
})
