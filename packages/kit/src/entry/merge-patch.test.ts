import assert from 'node:assert/strict'
import { it } from 'node:test'
import { applyMergePatch, createMergePatch, listPatchedPaths } from './merge-patch.ts'

/** Appendix A of RFC 7396: original, patch, result. */
const EXAMPLES: readonly (readonly [unknown, unknown, unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

it('applies the examples of RFC 7396', () => {
  for (const [original, patch, result] of EXAMPLES) {
    const before = structuredClone(original)
    assert.deepEqual(applyMergePatch(original, patch), result)
    assert.deepEqual(original, before)
  }
})

it('does not reach prototypes', () => {
  const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}}}')
  const patched = applyMergePatch({ a: 1 }, patch)
  assert.equal(Object.getPrototypeOf(patched), Object.prototype)
  assert.equal(({} as { polluted?: true }).polluted, undefined)
  assert.deepEqual(JSON.parse(JSON.stringify(patched)), { a: 1, ...patch })
})

it('creates the patch that leads from one to the other', () => {
  const from = {
    hosts: ['a.example'],
    auth: { Key: { base: 'x', headers: { A: '1' } } },
    name: 'A',
  }
  const to = { hosts: ['b.example'], auth: { Key: { base: 'x', headers: { B: '2' } } }, after: [] }
  const patch = createMergePatch(from, to)
  assert.deepEqual(patch, {
    name: null,
    hosts: ['b.example'],
    auth: { Key: { headers: { A: null, B: '2' } } },
    after: [],
  })
  assert.deepEqual(applyMergePatch(from, patch), to)
  assert.deepEqual(createMergePatch(from, structuredClone(from)), {})
  assert.deepEqual(listPatchedPaths(patch), [
    'name',
    'hosts',
    'auth.Key.headers.A',
    'auth.Key.headers.B',
    'after',
  ])
})
