import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureCpuTimeGrowth } from '../../../../runner/test/cpu-time-growth.ts'
import { type AgentRule, assertRules } from '../../access/workspaces/agent-rules.ts'
import { decide } from './agent-policy.ts'

const request = (requestTarget: string, changes: object = {}) => ({
  method: 'GET',
  host: 'api.example.com',
  requestTarget,
  rawHeaders: [],
  body: undefined,
  definitionId: 'def_a',
  isMcpServer: false,
  tool: undefined,
  getMayWrite: false,
  agentAccess: null,
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

  it('deny what the customer does not let agents do, before any rule', () => {
    for (const effect of ['allow', 'approve'] as const) {
      const rules: AgentRule[] = [{ effect }]
      const effectFor = (agentAccess: 'read_only' | 'paused', changes: object) =>
        effectOf(rules, '/a', { agentAccess, ...changes })
      for (const method of ['GET', 'HEAD']) {
        assert.equal(effectFor('read_only', { method }), effect)
        assert.equal(effectFor('read_only', { method, getMayWrite: true }), 'deny')
        assert.equal(effectFor('paused', { method }), 'deny')
      }
      const tools: AgentRule[] = [{ effect, tools: ['*'] }]
      const call = { method: 'POST', isMcpServer: true, tool: 'search_pages' }
      assert.equal(effectOf(tools, '/mcp', call), effect)
      for (const agentAccess of ['read_only', 'paused'])
        assert.equal(effectOf(tools, '/mcp', { ...call, agentAccess }), 'deny')
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
        for (const agentAccess of ['read_only', 'paused'] as const)
          assert.equal(effectFor(agentAccess, { method }), 'deny')
    }
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
      '/ADMIN/keys',
      '/%61dmin/keys',
      '/%61%64%6d%69%6e/%6B%65%79%73',
      '/admin/keys/',
      '//admin/keys',
      '/admin//keys',
      '/x/../admin/keys',
      '/./admin/keys',
      '/admin/%2e/keys',
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
      '/admin/keys.',
      '/admin/keys%2e',
      '/%2561dmin/keys',
      '/admin/ke%79s',
      '/admin/keys%09',
      '/%ef%bd%81dmin/keys',
      '/admin/%e2%84%aaeys',
      '/admin./keys',
      '/admin/keys%0d%0a',
      '/admin%ef%bc%8fkeys',
      '/x/%ef%bc%8e%ef%bc%8e/admin/keys',
      '/admin%ef%bc%bckeys',
      ...[
        '/admin%cd%be/keys',
        '/admin%ef%bc%9bx/keys',
        '/x/%e2%80%a5/admin/keys',
        '/%c0%ae/admin/keys',
      ],
      ...[
        '/adm%e2%80%8bin/keys',
        '/adm%c2%adin/keys',
        '/admin%ff/keys',
        '/admin/keys%c0%80',
        '/admin/k\xe9',
      ],
      '/admin/%20/keys',
      '/admin/%e2%80%8b/keys',
      '/admin/%20.%20/keys',
      "/admin/keys('')",
      '/admin/keys%',
      '/admin/keys%zz',
      '/admin/keys?',
      '/admin/keys?a=/../b',
    ]
    for (const target of spellings) {
      assert.equal(effectOf(rules, target), 'deny', target)
      assert.equal(effectOf(rules, target, { method: 'POST' }), 'deny', target)
    }
    assert.equal(effectOf(rules, '/admin/other'), 'allow')
  })

  it('deny a resource by its other names: with a format, a key of OData, or an encoded end', () => {
    const rules: AgentRule[] = [
      { effect: 'allow' },
      { effect: 'deny', path: '/v1/users/*' },
      { effect: 'approve', path: '/items' },
      { effect: 'deny', path: '/api/users.json' },
      { effect: 'deny', path: "/odata/users('7')" },
    ]
    for (const target of [
      "/v1/users('7')",
      '/v1/users(7)',
      "/v1/USERS%28'7'%29",
      '/v1/users%28%277%27%29',
      '/v1/users/7.json',
      '/v1/users/7%3fx',
      '/v1/users/7%3Fx/y/z',
      '/v1/users/7%23/x',
      '/api/users',
      '/api/users.xml',
      '/api/users%3f/x',
      '/odata/users/7',
      '/odata/Users(7)',
    ])
      assert.equal(effectOf(rules, target), 'deny', target)
    for (const target of [
      '/items.json',
      '/items.XML',
      '/items()',
      '/items%3f',
      '/items%23/7',
      '/items.%3f',
      '/%c4%b1tems',
      '/%c4%b0tems',
      '/items.json/',
    ])
      assert.equal(effectOf(rules, target), 'approve', target)
    for (const target of [
      '/v1/users',
      '/v1/users/7/notes',
      '/items/7',
      '/items-2',
      '/a.items',
      '/.items',
    ])
      assert.equal(effectOf(rules, target), 'allow', target)
    // What is allowed is allowed as it is written.
    const allowed: AgentRule[] = [{ effect: 'allow', path: '/items/*' }]
    for (const target of ["/items('7')", '/items.json', '/items/7%3f/x'])
      assert.equal(effectOf(allowed, target, { method: 'POST' }), 'deny', target)
  })

  it('are checked in time that is linear in paths and bodies', () => {
    const rules = Array.from(
      { length: 50 },
      (_, at): AgentRule => ({ effect: 'deny', path: `/${at}/x` }),
    )
    for (const segment of ['.', '%20', '(', "('", '.a', '%ef%b7%ba', '%3f', '/a']) {
      const { ratio } = measureCpuTimeGrowth([3_750, 7_500, 15_000], (size) => {
        const target = `/${segment.repeat(size / segment.length)}x/x`
        return () => decide(rules, request(target))
      })
      assert.ok(ratio < 8, `${segment}: four times the path took ${ratio} times as long`)
    }
    for (const text of ['_method', '"_', 'name=', '&method', "'_http", '"_method" ', ';name*1=']) {
      const { ratio } = measureCpuTimeGrowth([100_000, 200_000, 400_000], (size) => {
        const body = Buffer.from(text.repeat(size / text.length))
        return () => decide([], request('/a', { body }))
      })
      assert.ok(ratio < 8, `${text}: four times the body took ${ratio} times as long`)
    }
  })

  it('deny requests that ask for another method or path than their own', () => {
    const rules: AgentRule[] = [{ effect: 'allow', methods: ['GET', 'POST'] }]
    const post = (changes: object) => effectOf(rules, '/a', { method: 'POST', ...changes })
    for (const name of [
      'X-HTTP-Method-Override',
      'x-http-method',
      'X-Method-Override',
      'X_HTTP_METHOD_OVERRIDE',
      'Method-Override',
      'X-HTTP-Verb-Override',
      'X-Original-Method',
      'Destination',
      'X-Original-URL',
      'X-Rewrite-URL',
      'x-original-uri',
      'X-Forwarded-Prefix',
    ])
      assert.equal(post({ rawHeaders: ['Accept', '*/*', name, 'DELETE'] }), 'deny', name)
    for (const query of [
      // Salesforce, WordPress (PHP), Rack, ASP.NET, Google and Facebook.
      ...[
        '_HttpMethod=PATCH',
        '.method=DELETE',
        '[method=DELETE',
        '[_method]=DELETE',
        '%20_method=PUT',
      ],
      ...[
        '_method%00x=PUT',
        `${'+'.repeat(100)}_method=PUT`,
        '_method%00%ff=PUT',
        '%5f%6d%65%74%68%6f%64=PUT',
      ],
      'X-HTTP-Method-Override=PUT',
      '$httpMethod=DELETE',
      'method=delete',
      'a=1&method=POST',
    ])
      assert.equal(effectOf(rules, `/a?${query}`), 'deny', query)
    for (const query of ['method=card', 'method=GET', 'payment_method=card', 'q=_method', 'method'])
      assert.equal(effectOf(rules, `/a?${query}`), 'allow', query)
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
      '--x\r\ncontent-disposition: form-data; name=".method"\r\n\r\nDELETE\r\n--x--',
      "--x\r\ncontent-disposition: form-data; name*=utf-8''_method\r\n\r\nDELETE\r\n--x--",
      'X-HTTP-Method-Override=DELETE',
      'method=delete',
      // As Express reads forms, Rack and RFC 2231 the names of parts, and ASP.NET escapes.
      '\ufeff_method=DELETE',
      '\ufeffmethod=delete',
      '--x\r\ncontent-disposition: form-data; name="_met\\hod"\r\n\r\nDELETE\r\n--x--',
      "--x\r\ncontent-disposition: form-data; name*=utf-8''%5Fm%65thod\r\n\r\nDELETE\r\n--x--",
      '--x\r\ncontent-disposition: form-data; name*0="_met"; name*1="hod"\r\n\r\nDELETE\r\n--x--',
      '--x\r\nContent-Disposition: form-data; name = _method\r\n\r\nDELETE\r\n--x--',
      '%u005f%u006dethod=DELETE',
    ])
      assert.equal(post({ body: Buffer.from(body) }), 'deny', body)
    for (const body of ['{"payment_method":"card"}', 'payment_method=card', '"_method"'])
      assert.equal(post({ body: Buffer.from(body) }), 'allow', body)
  })

  it('deny bodies that servers may read in another way', () => {
    const rules: AgentRule[] = [{ effect: 'allow' }, { effect: 'approve', path: '/b' }]
    const body = Buffer.from('{}')
    const post = (rawHeaders: string[], path = '/a') =>
      effectOf(rules, path, { method: 'POST', rawHeaders, body })
    for (const value of ['gzip', 'br', 'identity, gzip', 'x', ''])
      assert.equal(post(['Content-Encoding', value], '/b'), 'deny', value)
    for (const charset of [
      'utf-16',
      'ibm037',
      'utf-7',
      '"utf-16le"',
      "'utf-8",
      ' utf-16',
      'utf-8; charset=utf-16',
    ])
      assert.equal(post(['content-type', `application/json; charset=${charset}`]), 'deny', charset)
    assert.equal(post(['content-type', 'a/b', 'Content-Type', 'a/b; Charset = utf-16']), 'deny')
    for (const parameters of ['', '; charset=utf-8', ';charset="UTF-8"', '; charset=utf-8; x=y'])
      assert.equal(post(['content-type', `application/json${parameters}`]), 'allow', parameters)
    assert.equal(post(['content-encoding', 'identity']), 'allow')
    const hidden = {
      method: 'POST',
      body: Buffer.from([...Buffer.from('{"a":"b'), 0xff, 0x22, 0x7d]),
    }
    for (const [type, effect] of [
      ...['application/json', 'a/b+JSON', 'text/plain', 'application/x-www-form-urlencoded'].map(
        (each) => [each, 'deny'],
      ),
      ['text/plain; charset=iso-8859-1', 'approve'],
      ['image/png', 'approve'],
    ])
      assert.equal(
        effectOf(rules, '/b', { ...hidden, rawHeaders: ['content-type', type] }),
        effect,
        type,
      )
  })

  it('name hosts in any spelling, and none that no request has', () => {
    const rules: AgentRule[] = [
      { effect: 'allow' },
      { effect: 'deny', hosts: ['Admin.example.com'] },
    ]
    for (const host of ['admin.example.com', 'admin.example.com.'])
      assert.equal(effectOf(rules, '/a', { host }), 'deny', host)
    for (const host of [
      'https://a.example',
      'a.example:443',
      '*.example.com',
      'a.example/',
      'b\u00fccher.example',
      'a b',
      '0x7f.1',
    ])
      assert.throws(
        () => assertRules([{ effect: 'deny', hosts: ['a.example', host] }], 'rules'),
        (error: { errors?: object }) => {
          assert.deepEqual(Object.keys(error.errors ?? {}), ['rules.0.hosts.1'], host)
          return true
        },
      )
    assertRules(
      [
        {
          effect: 'deny',
          hosts: ['API.example.com', '127.0.0.1', 'xn--bcher-kva.example', '[::1]'],
        },
      ],
      'rules',
    )
  })

  it('are rejected if they can match nothing', () => {
    const paths = ['/a//b', '/a/./b', '/a;b', '/a%2fb', '/a?x', '/a#b', '/a/**/b', '/a*', '/a b']
    for (const path of paths)
      assert.throws(
        () => assertRules([{ effect: 'allow' }, { effect: 'allow', path }], 'rules'),
        (error: { errors?: object }) => {
          assert.deepEqual(Object.keys(error.errors ?? {}), ['rules.1.path'], path)
          return true
        },
      )
    assertRules(
      [
        { effect: 'allow', path: '/' },
        { effect: 'deny', path: '/a/*/b/**' },
        { effect: 'allow', path: '/v1/projects/p:batchGet' },
      ],
      'rules',
    )
  })
})
