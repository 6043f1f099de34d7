import assert from 'node:assert/strict'
import { answers, hostileSuite, inMain } from './harness.ts'

hostileSuite('an answer that is hostile', [
  {
    name: 'with a cycle is refused',
    code: inMain('const a = {}; a.a = a; return a'),
    expect: 'integration_bad_output',
  },
  {
    name: 'that is a bigint is refused',
    code: inMain('return 1n'),
    expect: 'integration_bad_output',
  },
  {
    name: 'whose toJSON throws is refused',
    code: inMain('return { toJSON() { throw new Error("no") } }'),
    expect: 'integration_bad_output',
  },
  {
    name: 'of 20 MB is refused',
    code: inMain('return "x".repeat(2e7)'),
    expect: 'integration_limit',
  },
  {
    name: 'of 1 MB in characters but 3 MB in bytes is refused',
    code: inMain('return "\\u20ac".repeat(1e6)'),
    expect: 'integration_limit',
  },
  {
    name: 'of 300,000 objects is refused',
    code: inMain('return Array.from({ length: 3e5 }, () => ({ a: 1 }))'),
    expect: 'integration_limit',
  },
  {
    name: 'nested 500 deep is refused',
    code: inMain('let a = 1; for (let i = 0; i < 500; i++) a = [a]; return a'),
    expect: 'integration_bad_output',
  },
  {
    name: 'nested 200,000 deep is refused',
    code: inMain('let a = 1; for (let i = 0; i < 2e5; i++) a = [a]; return a'),
    expect: 'integration_limit',
  },
  { name: 'that is undefined is null', code: inMain('return undefined'), expect: answers(null) },
  { name: 'that is a function is null', code: inMain('return () => {}'), expect: answers(null) },
  {
    name: 'with NaN, dates and functions is what JSON makes of it',
    code: inMain('return { a: NaN, b: Infinity, c: () => 1, d: undefined, e: new Date(0) }'),
    expect: answers({ a: null, b: null, e: '1970-01-01T00:00:00.000Z' }),
  },
  {
    name: 'with an own __proto__ cannot pollute',
    code: inMain('return JSON.parse(`{"__proto__": {"stain": 1}, "a": {"__proto__": {"b": 1}}}`)'),
    expect: (value) => {
      assert.deepEqual(value, { a: {} })
      assert.ok(!('stain' in Object.assign({}, value)))
    },
  },
  {
    name: 'with constructor.prototype cannot pollute',
    code: inMain('return { constructor: { prototype: { stain: 1 } } }'),
    expect: answers({ constructor: { prototype: { stain: 1 } } }),
  },
  {
    name: 'with lone surrogates becomes well-formed',
    code: inMain('return { ["k\\ud800"]: "v\\udfff", list: ["\\ud83d"] }'),
    expect: answers({ 'k\ufffd': 'v\ufffd', list: ['\ufffd'] }),
  },
  {
    name: 'with NUL and quotes arrives as it is',
    code: inMain('return "a\\u0000b\\"\\\\\\u2028"'),
    expect: answers('a\0b"\\\u2028'),
  },
  {
    name: 'is not changed by a patched JSON.stringify',
    code: `JSON.stringify = () => '{"evil":1}'; ${inMain('return { status: false }')}`,
    expect: answers({ status: false }),
  },
  {
    name: 'that is a thenable is awaited',
    code: inMain('return { then(ok) { ok({ status: true }) } }'),
    expect: answers({ status: true }),
  },
  {
    name: 'that is a thenable which settles twice counts once',
    code: inMain('return { then(ok, no) { ok(1); ok(2); no(new Error("x")) } }'),
    expect: answers(1),
  },
  {
    name: 'that is a proxy is read through its traps',
    code: inMain('return new Proxy({ a: 1 }, { get: (t, k) => k === "toJSON" ? undefined : 2 })'),
    expect: answers({ a: 2 }),
  },
  {
    name: 'given although main throws later counts',
    code: inMain('setTimeout(() => { throw new Error("late") }, 0); return 1'),
    expect: answers(1),
  },
])
