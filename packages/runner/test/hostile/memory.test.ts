import assert from 'node:assert/strict'
import { describeHostileCases, wrapInMain } from './harness.ts'

const limits = { memoryMb: 32 }
const expect = 'integration_limit'

describeHostileCases('a bundle that exhausts memory', [
  {
    name: 'with arrays is stopped',
    code: wrapInMain('const all = []; for (;;) all.push(new Array(10000).fill(1.5))'),
    limits,
    expect,
  },
  {
    name: 'with objects is stopped',
    code: wrapInMain('let all; for (;;) all = { all, more: {} }'),
    limits,
    expect,
  },
  {
    name: 'with strings is stopped',
    code: wrapInMain('const all = []; for (let i = 0; ; i++) all.push("x".repeat(100000) + i)'),
    limits,
    expect,
  },
  {
    name: 'with array buffers is stopped',
    code: wrapInMain('const all = []; for (;;) all.push(new ArrayBuffer(1e6))'),
    limits,
    expect,
  },
  {
    name: 'with a map is stopped',
    code: wrapInMain('const all = new Map(); for (let i = 0; ; i++) all.set(i, {})'),
    limits,
    expect,
  },
  {
    name: 'with one huge array is stopped',
    code: wrapInMain('return new Array(1e8).fill({}).length'),
    limits,
    expect,
  },
  {
    name: 'with Buffers is stopped',
    code: wrapInMain('const all = []; for (;;) all.push(Buffer.alloc(500000, 1))'),
    limits,
    expect,
  },
  {
    name: 'with symbols is stopped',
    code: wrapInMain(
      'const all = []; for (let i = 0; ; i++) all.push(Symbol("s".repeat(1000) + i))',
    ),
    limits,
    expect,
  },
  {
    name: 'with closures is stopped',
    code: wrapInMain('const all = []; for (;;) { const x = new Array(100); all.push(() => x) }'),
    limits,
    expect,
  },
  {
    name: 'with a sort of millions is stopped',
    code: wrapInMain('return Array.from({ length: 5e6 }, (_, i) => -i).sort().length'),
    limits,
    expect,
  },
  {
    name: 'while it loads is stopped',
    code: 'const all = []; for (;;) all.push(new Array(10000).fill(1.5))',
    limits,
    expect,
  },
  {
    name: 'and catches the errors about it is stopped',
    code: wrapInMain(
      'const all = []; for (;;) try { for (;;) all.push(new Array(1e5).fill(1)) } catch {}',
    ),
    limits: { ...limits, cpuMs: 500 },
    expect: 'integration_timeout',
  },
  {
    name: 'by infinite recursion is stopped',
    code: wrapInMain('const f = () => f() + 1; return f()'),
    limits,
    expect: 'integration_failed',
  },
  {
    name: 'with a deep chain of promises is stopped',
    code: wrapInMain(
      'let p = Promise.resolve(); for (;;) p = p.then(() => new Array(100).fill(0))',
    ),
    limits,
    expect,
  },
  {
    name: 'is not stopped below the limit',
    code: wrapInMain('return new Uint8Array(8e6).fill(1).length'),
    limits,
    expect: (value) => assert.equal(value, 8e6),
  },
])
