import assert from 'node:assert/strict'
import { describeHostileCases, expectResult, wrapInMain } from './harness.ts'

const assertPlainValue = (value: unknown) =>
  assert.ok(value === null || typeof value !== 'function')

describeHostileCases('an attack on the host bindings', [
  {
    name: 'by Symbol.species on promises changes no result',
    code: wrapInMain(`
      Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('species') } })
      return 1`),
    expect: expectResult(1),
  },
  {
    name: 'by toJSON on Object.prototype changes only its own result',
    code: wrapInMain('Object.prototype.toJSON = function () { return "mine" }; return { a: 1 }'),
    expect: assertPlainValue,
  },
  {
    name: 'by getters on params harms nothing',
    code: wrapInMain('Object.defineProperty(params, "config", { get() { throw 1 } }); return 1'),
    expect: expectResult(1),
  },
  {
    name: 'by setters on Object.prototype sees no request of the host',
    code: wrapInMain(`
      const seen = []
      for (const key of ['status', 'rawHeaders', 'method', 'url', 'headers', 'decompress', 'code'])
        Object.defineProperty(Object.prototype, key, { set(v) { seen.push(key) }, configurable: true })
      await fetch('http://10.0.0.1/').catch(() => {})
      return 1`),
    expect: expectResult(1),
  },
  {
    name: 'by a patched Map, Set and WeakMap harms no call',
    code: wrapInMain(`
      Map.prototype.get = Map.prototype.set = Set.prototype.add = () => { throw new Error('map') }
      return 1`),
    expect: expectResult(1),
  },
  {
    name: 'by patched iterators harms no call',
    code: wrapInMain(
      'Array.prototype[Symbol.iterator] = function* () { yield "x" }; return [1, 2]',
    ),
    expect: expectResult([1, 2]),
  },
  {
    name: 'by a request with an invalid method is rejected',
    code: wrapInMain(`
      const error = await fetch('http://10.0.0.1/', { method: 'GET\\r\\nX: y' }).catch((e) => e)
      return error instanceof Error`),
    expect: expectResult(true),
  },
  {
    name: 'by header injection is rejected',
    code: wrapInMain(`
      const error = await fetch('http://10.0.0.1/', { headers: { a: 'b\\r\\nc: d' } }).catch((e) => e)
      return error instanceof Error`),
    expect: expectResult(true),
  },
  {
    name: 'by an invalid URL is rejected',
    code: wrapInMain('return (await fetch("http://[::").catch((e) => e)) instanceof Error'),
    expect: expectResult(true),
  },
  {
    name: 'by params named like bindings is only data',
    code: wrapInMain('return Object.keys(params)'),
    params: JSON.parse('{"__proto__": {"stain": 1}, "__doors": 1, "constructor": 2}'),
    expect: (value) => assert.ok(Array.isArray(value) && value.includes('__doors')),
  },
  {
    name: 'by a very long command line of params is only data',
    code: wrapInMain('return params.long.length'),
    params: { long: 'x'.repeat(500_000) },
    expect: expectResult(500_000),
  },
  {
    name: 'by an error with a circular cause chain ends with a message',
    code: wrapInMain('const e = new Error("round"); e.cause = e; throw e'),
    expect: 'integration_failed',
  },
  {
    name: 'by an AggregateError of thousands ends with a message',
    code: wrapInMain(
      'throw new AggregateError(Array.from({ length: 5000 }, () => new Error("x")), "many")',
    ),
    expect: 'integration_failed',
  },
  {
    name: 'by a result after its error counts once',
    code: wrapInMain('setTimeout(() => {}, 1); throw new Error("first")'),
    expect: 'integration_failed',
  },
])
