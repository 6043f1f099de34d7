import assert from 'node:assert/strict'
import { answers, hostileSuite, inMain } from './harness.ts'

const answered = (value: unknown) => assert.ok(value === null || typeof value !== 'function')

hostileSuite('a trick on what crosses the bridge', [
  {
    name: 'by Symbol.species on promises changes no answer',
    code: inMain(`
      Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('species') } })
      return 1`),
    expect: answers(1),
  },
  {
    name: 'by toJSON on Object.prototype changes only its own answer',
    code: inMain('Object.prototype.toJSON = function () { return "mine" }; return { a: 1 }'),
    expect: answered,
  },
  {
    name: 'by getters on params harms nothing',
    code: inMain('Object.defineProperty(params, "config", { get() { throw 1 } }); return 1'),
    expect: answers(1),
  },
  {
    name: 'by setters on Object.prototype sees no request of the host',
    code: inMain(`
      const seen = []
      for (const key of ['status', 'rawHeaders', 'method', 'url', 'headers', 'decompress', 'code'])
        Object.defineProperty(Object.prototype, key, { set(v) { seen.push(key) }, configurable: true })
      await fetch('http://10.0.0.1/').catch(() => {})
      return 1`),
    expect: answers(1),
  },
  {
    name: 'by a patched Map, Set and WeakMap harms no call',
    code: inMain(`
      Map.prototype.get = Map.prototype.set = Set.prototype.add = () => { throw new Error('map') }
      return 1`),
    expect: answers(1),
  },
  {
    name: 'by patched iterators harms no call',
    code: inMain('Array.prototype[Symbol.iterator] = function* () { yield "x" }; return [1, 2]'),
    expect: answers([1, 2]),
  },
  {
    name: 'by a request with a method that is no method is refused',
    code: inMain(`
      const error = await fetch('http://10.0.0.1/', { method: 'GET\\r\\nX: y' }).catch((e) => e)
      return error instanceof Error`),
    expect: answers(true),
  },
  {
    name: 'by header injection is refused',
    code: inMain(`
      const error = await fetch('http://10.0.0.1/', { headers: { a: 'b\\r\\nc: d' } }).catch((e) => e)
      return error instanceof Error`),
    expect: answers(true),
  },
  {
    name: 'by a URL that is no URL is refused',
    code: inMain('return (await fetch("http://[::").catch((e) => e)) instanceof Error'),
    expect: answers(true),
  },
  {
    name: 'by params named like doors is only data',
    code: inMain('return Object.keys(params)'),
    params: JSON.parse('{"__proto__": {"stain": 1}, "__doors": 1, "constructor": 2}'),
    expect: (value) => assert.ok(Array.isArray(value) && value.includes('__doors')),
  },
  {
    name: 'by a very long command line of params is only data',
    code: inMain('return params.long.length'),
    params: { long: 'x'.repeat(500_000) },
    expect: answers(500_000),
  },
  {
    name: 'by an error with a cause chain that is a cycle ends in words',
    code: inMain('const e = new Error("round"); e.cause = e; throw e'),
    expect: 'integration_failed',
  },
  {
    name: 'by an AggregateError of thousands ends in words',
    code: inMain(
      'throw new AggregateError(Array.from({ length: 5000 }, () => new Error("x")), "many")',
    ),
    expect: 'integration_failed',
  },
  {
    name: 'by an answer after its error counts once',
    code: inMain('setTimeout(() => {}, 1); throw new Error("first")'),
    expect: 'integration_failed',
  },
])
