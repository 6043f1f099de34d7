import assert from 'node:assert/strict'
import { describeHostileCases, expectResult, wrapInMain } from './harness.ts'

describeHostileCases('a hostile result', [
  {
    name: 'with a cycle is rejected',
    code: wrapInMain('const a = {}; a.a = a; return a'),
    expect: 'integration_bad_output',
  },
  {
    name: 'that is a bigint is rejected',
    code: wrapInMain('return 1n'),
    expect: 'integration_bad_output',
  },
  {
    name: 'whose toJSON throws is rejected',
    code: wrapInMain('return { toJSON() { throw new Error("no") } }'),
    expect: 'integration_bad_output',
  },
  {
    name: 'of 20 MB is rejected',
    code: wrapInMain('return "x".repeat(2e7)'),
    expect: 'integration_limit',
  },
  {
    name: 'of 1 MB in characters but 3 MB in bytes is rejected',
    code: wrapInMain('return "\\u20ac".repeat(1e6)'),
    expect: 'integration_limit',
  },
  {
    name: 'of 300,000 objects is rejected',
    code: wrapInMain('return Array.from({ length: 3e5 }, () => ({ a: 1 }))'),
    expect: 'integration_limit',
  },
  {
    name: 'nested 500 levels deep is rejected',
    code: wrapInMain('let a = 1; for (let i = 0; i < 500; i++) a = [a]; return a'),
    expect: 'integration_bad_output',
  },
  {
    name: 'nested 200,000 levels deep is rejected',
    code: wrapInMain('let a = 1; for (let i = 0; i < 2e5; i++) a = [a]; return a'),
    expect: 'integration_limit',
  },
  {
    name: 'that is undefined is null',
    code: wrapInMain('return undefined'),
    expect: expectResult(null),
  },
  {
    name: 'that is a function is null',
    code: wrapInMain('return () => {}'),
    expect: expectResult(null),
  },
  {
    name: 'with NaN, dates and functions is serialized like in JSON',
    code: wrapInMain('return { a: NaN, b: Infinity, c: () => 1, d: undefined, e: new Date(0) }'),
    expect: expectResult({ a: null, b: null, e: '1970-01-01T00:00:00.000Z' }),
  },
  {
    name: 'with an own __proto__ cannot pollute',
    code: wrapInMain(
      'return JSON.parse(`{"__proto__": {"stain": 1}, "a": {"__proto__": {"b": 1}}}`)',
    ),
    expect: (value) => {
      assert.deepEqual(value, { a: {} })
      assert.ok(!('stain' in Object.assign({}, value)))
    },
  },
  {
    name: 'with constructor.prototype cannot pollute',
    code: wrapInMain('return { constructor: { prototype: { stain: 1 } } }'),
    expect: expectResult({ constructor: { prototype: { stain: 1 } } }),
  },
  {
    name: 'with lone surrogates becomes well-formed',
    code: wrapInMain('return { ["k\\ud800"]: "v\\udfff", list: ["\\ud83d"] }'),
    expect: expectResult({ 'k\ufffd': 'v\ufffd', list: ['\ufffd'] }),
  },
  {
    name: 'with NUL and quotes arrives unchanged',
    code: wrapInMain('return "a\\u0000b\\"\\\\\\u2028"'),
    expect: expectResult('a\0b"\\\u2028'),
  },
  {
    name: 'is not changed by a patched JSON.stringify',
    code: `JSON.stringify = () => '{"evil":1}'; ${wrapInMain('return { status: false }')}`,
    expect: expectResult({ status: false }),
  },
  {
    name: 'that is a thenable is awaited',
    code: wrapInMain('return { then(ok) { ok({ status: true }) } }'),
    expect: expectResult({ status: true }),
  },
  {
    name: 'that is a thenable which settles twice counts once',
    code: wrapInMain('return { then(ok, no) { ok(1); ok(2); no(new Error("x")) } }'),
    expect: expectResult(1),
  },
  {
    name: 'that is a proxy is read through its traps',
    code: wrapInMain(
      'return new Proxy({ a: 1 }, { get: (t, k) => k === "toJSON" ? undefined : 2 })',
    ),
    expect: expectResult({ a: 2 }),
  },
  {
    name: 'counts although main throws later',
    code: wrapInMain('setTimeout(() => { throw new Error("late") }, 0); return 1'),
    expect: expectResult(1),
  },
])
